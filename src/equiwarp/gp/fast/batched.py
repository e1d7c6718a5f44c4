"""Many small Cholesky factorisations at once, one per point, with the points along the last axis.

LAPACK takes a call per matrix, and for a dozen rows the call costs more than the arithmetic. Here
every step is carried out for all points together, so that it is a pass over contiguous memory.
"""

from __future__ import annotations

import numpy as np

from equiwarp.domains import Array

#: A pivot below this is rounding, not information.
SMALLEST_PIVOT = 1e-12


def factorise(A: Array, known: int = 0) -> None:
    """Replace the lower triangles of ``(c, c, m)`` matrices by their factors, in place.

    ``A`` may have further rows, ``(c + r, c, m)``: right-hand sides b, which become ``L^-1 b``.
    Entries above the diagonal are neither read nor written. If the first ``known`` rows are factors
    already, and so are the first entries of the right-hand sides, they are left as they are.
    """
    count = A.shape[1]
    for j in range(count):
        rows = A[j:] if j >= known else A[known:count]
        column = rows[:, j]
        if j:
            column -= np.einsum("itm,tm->im", rows[:, :j], A[j, :j])
        if j < known:
            column /= A[j, j]
        else:
            pivot = np.maximum(column[0], SMALLEST_PIVOT, out=column[0])
            column[1:] /= np.sqrt(pivot, out=pivot)


def variance_given(A: Array) -> Array:
    """What is left of a unit variance, ``(m,)``, by factors whose one right-hand side was a covariance."""
    return np.maximum(1.0 - np.einsum("km,km->m", A[-1], A[-1]), 0.0)


def solve_transposed(A: Array, b: Array) -> Array:
    """``L^-T b`` for the factors in ``A`` (at least c, c, m) and right-hand sides ``(c, m)``."""
    x = b.copy()
    for j in range(len(b) - 1, -1, -1):
        if j + 1 < len(b):
            x[j] -= np.einsum("im,im->m", A[j + 1 : len(b), j], x[j + 1 :])
        x[j] /= A[j, j]
    return x
