"""The variance at many points, each given a few neighbours of its own: many small Cholesky factors at once.

LAPACK takes a call per matrix, and for a dozen rows the call costs more than the arithmetic. Here every
step is carried out for all points together. The points lie along the last axis, so that each step is a
pass over contiguous memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.kernels import SQRT5, Matern52, correlate

#: A pivot of such a small factor is rounding below this, not information.
SMALLEST_LOCAL_PIVOT = 1e-12


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
            pivot = np.maximum(column[0], SMALLEST_LOCAL_PIVOT, out=column[0])
            column[1:] /= np.sqrt(pivot, out=pivot)


def variance_given(A: Array) -> Array:
    """Posterior variance ``(m,)``, from factors whose last row holds the whitened covariances."""
    return np.maximum(1.0 - np.einsum("km,km->m", A[-1], A[-1]), 0.0)


def grow_factors(kernel: Matern52, P: Array, Z: Array, C: Array, near: NDArray[np.intp], A: Array) -> Array:
    """Factors ``(k + 1, k, m)`` that take in more neighbours than ``A``, the factors of the first few.

    Column i of ``near`` (k, m) holds the rows of ``Z`` (N, e) that are neighbours of column i of ``P``
    (e, m). Its factor is that of their covariance. The last row below the factor holds their whitened
    covariances with the point. ``C`` (N, N) is the covariance of all of ``Z``, noise included: its
    entries are looked up and not computed again.
    """
    (count, m), done = near.shape, A.shape[1]
    B = np.empty((count + 1, count, m))
    B[:done, :done], B[count, :done] = A[:done], A[done]
    entries = C.ravel()
    for i in range(done, count):
        # "clip" only spares the check of indices that are known to be good, and with it a copy.
        entries.take(near[i] * len(C) + near[: i + 1], out=B[i, : i + 1], mode="clip")
    apart = Z.T.take(near[done:], axis=1)
    apart -= P[:, None, :]
    s = np.einsum("ekm,ekm->km", apart, apart, out=B[count, done:])
    np.sqrt(s, out=s)
    s *= SQRT5 / kernel.ell
    correlate(s, apart[0])
    factorise(B, done)
    return B


def local_variance(kernel: Matern52, P: Array, Z: Array, noise_var: Array, near: NDArray[np.intp]) -> Array:
    """Variance ``(m,)`` at each of ``P`` (m, e), given the rows of ``Z`` in its column of ``near`` (k, m)."""
    count, m = near.shape
    scale = SQRT5 / kernel.ell
    W, p = scale * Z.T[:, near], scale * P.T[:, None, :]
    A = np.empty((count + 1, count, m))
    for j in range(count):
        A[j:count, j] = _of_difference(kernel, W[:, j:] - W[:, j : j + 1])
        A[j, j] += noise_var[near[j]]
    A[count] = _of_difference(kernel, W - p)
    factorise(A)
    return variance_given(A)


def _of_difference(kernel: Matern52, apart: Array) -> Array:
    """The kernel ``(k, m)`` of scaled differences ``(e, k, m)``."""
    return kernel.of_scaled_distance(np.sqrt(np.einsum("ekm,ekm->km", apart, apart)))
