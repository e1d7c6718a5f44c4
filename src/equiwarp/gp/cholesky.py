"""Cholesky factors that survive duplicates and zero noise, and grow by a row.

Jitter is added only when the plain factorisation fails, in steps of ten, and is reported.
"""

from __future__ import annotations

import math

import numpy as np
import scipy  # its parts load when they are first used: who looks at a campaign, or tells a value, needs none

from equiwarp.domains import Array

#: First jitter tried, relative to the unit prior variance.
SMALLEST_JITTER = 1e-10
#: A whitened variance below this is rounding, not information.
SMALLEST_PIVOT = 1e-10


def safe_cholesky(K: Array, noise_var: Array, clean: bool = True) -> tuple[Array, float]:
    """Lower factor of ``K + diag(noise_var + jitter)`` and the jitter that it took.

    If it need not be ``clean``, anything may stand above the diagonal; solves do not look there.
    """
    jitter = 0.0
    while True:
        A = K.copy()
        A.flat[:: len(A) + 1] += noise_var + jitter
        # Transposed, a symmetric matrix is the same and stored as LAPACK wants it: no copy.
        L, failed = scipy.linalg.lapack.dpotrf(A.T, lower=1, clean=clean, overwrite_a=1)
        # LAPACK accepts pivots at rounding level, and the solves would amplify them.
        if not failed and (len(A) == 0 or L.diagonal().min() ** 2 > SMALLEST_PIVOT / 10):
            return L, jitter
        jitter = max(SMALLEST_JITTER, 10 * jitter)
        if jitter > 1e-2:
            raise np.linalg.LinAlgError("kernel matrix is not positive definite even with jitter 0.01")


def whiten(L: Array, K: Array) -> Array:
    """``L^-1 K`` for cross-covariances ``(N, m)``, written over them if they are stored row by row."""
    if K.size == 0:
        return K
    # Row by row, K is the column-major transpose that BLAS can solve from the right, in place.
    V: Array = scipy.linalg.blas.dtrsm(1.0, L, K.T, side=1, lower=1, trans_a=1, overwrite_b=1)
    return V.T


def solve(L: Array, y: Array) -> Array:
    """``(L L^T)^-1 y`` for the lower factor and right-hand sides ``(N, k)``."""
    x: Array = scipy.linalg.lapack.dpotrs(L, y, lower=1)[0] if y.size else y.copy()
    return x


def grow_cholesky(L: Array, k: Array, diagonal: float) -> Array:
    """Factor of the matrix with one more row: cross terms ``k`` (N,) and the new diagonal entry."""
    N = len(L)
    row = scipy.linalg.blas.dtrsv(L, k, lower=1) if N else k
    grown = np.empty((N + 1, N + 1), order="F")  # as LAPACK wants it: the next solve need not copy it
    grown[:N, :N] = L
    grown[:N, N] = 0.0
    grown[N, :N] = row
    grown[N, N] = math.sqrt(max(diagonal - float(row @ row), SMALLEST_PIVOT))
    return grown


def extend_cholesky(L: Array, K: Array, own: Array) -> Array:
    """Factor of the matrix with b more rows: cross terms ``K`` ``(b, N)`` and their own block ``(b, b)``."""
    if len(own) == 1:
        return grow_cholesky(L, K[0], float(own[0, 0]))
    N, b = len(L), len(own)
    rows = whiten(L, np.ascontiguousarray(K.T)).T
    below, failed = scipy.linalg.lapack.dpotrf(own - rows @ rows.T, lower=1, clean=1)
    if failed or below.diagonal().min() ** 2 < SMALLEST_PIVOT:  # one by one, each pivot is held above zero
        for i in range(b):
            L = grow_cholesky(L, np.append(K[i], own[i, :i]), float(own[i, i]))
        return L
    grown = np.zeros((N + b, N + b), order="F")
    grown[:N, :N], grown[N:, :N], grown[N:, N:] = L, rows, below
    return grown
