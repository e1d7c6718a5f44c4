"""Named random streams: one seed, and independent generators for each purpose.

Two purposes never share random numbers, and adding a purpose does not change the others.
"""

from __future__ import annotations

import zlib

import numpy as np

from equiwarp.exceptions import InvalidInput

#: Order of the Sobol points of an initial design and of the open-loop `sobol` strategy.
DESIGN = "design"
POOL = "pool"
PROBES = "probes"
TARGETS = "targets"


def stream(seed: int, purpose: str, *numbers: int) -> np.random.Generator:
    """The generator of this seed for one purpose, and within it for these further numbers."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInput(f"seed must be a whole number of at least 0, got {seed!r}")
    return np.random.default_rng([int(seed), zlib.crc32(purpose.encode()), *numbers])
