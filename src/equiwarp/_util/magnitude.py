"""Very small and very large numbers: a unit in which their squares have room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Smaller values are mapped in a unit of their own. Above it, squares of small parts of them have room.
SMALL = 1e-100


def unit_of(y: NDArray[np.float64], noise: NDArray[np.float64] | None) -> float:
    """The unit in which values ``(n,)`` are fitted: 1 for all but very small ones.

    It is a power of two, so that a change of the unit rounds nothing.
    """
    largest = max(float(np.abs(y).max()), 0.0 if noise is None else float(noise.max()))
    return float(np.ldexp(0.5, np.frexp(largest)[1])) if 0.0 < largest < SMALL else 1.0


def spread_of(values: NDArray[np.float64]) -> float:
    """Standard deviation of values ``(n,)`` of any size; 0 if they are equal but for rounding."""
    largest = float(np.abs(values).max(initial=0.0))
    unit = float(np.ldexp(0.5, np.frexp(largest)[1]))  # a power of two rounds nothing
    deviation = float((values / unit).std()) if largest > 0 else 0.0
    return unit * deviation if deviation > 1e-12 else 0.0
