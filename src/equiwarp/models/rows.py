"""Which of many rows a fit looks at: drawn once for all, so that the same data give the same fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def some_rows(n: int, most: int) -> NDArray[np.intp]:
    """All of n rows, or ``most`` of them, in their order."""
    return np.sort(np.random.default_rng(0).choice(n, min(n, most), replace=False))
