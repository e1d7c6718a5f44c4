"""The floor: matrix products, factorisations and exponentials that one more suggestion cannot skip.

Bare NumPy and LAPACK calls on arrays of the right shape, with nothing around them:

``warp, equiwarp``
    the mean's gradient at the probes, ``[alpha, alpha z]^T S`` over kept slopes S (N, q); the slopes of
    the newest point (q exponentials); the kernel matrix in the new geometry (N (N + 1) / 2
    exponentials) and its Cholesky factor. Not the variance at the pool: bounds can avoid most of it.
``eig, equalized``
    the newest point's row: m exponentials, one product with V (N, m).
``epig``
    the same twice, the second time with the joint targets among the conditioning points.
``nipv``
    the same at pool and targets, the product with the prior covariance, and two with V.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf

from equiwarp.strategies.epig import TARGETS as EPIG_TARGETS


def floor_of(setting, n):
    """A function that does the unavoidable work of one round at n conditioning points, or None."""
    name, rng = setting.strategy.name, np.random.default_rng(0)
    m, q, t, dim = len(setting.pool), len(setting.probes), len(setting.targets), setting.domain.dim
    if name in ("equiwarp", "warp"):
        slopes, weights, row = rng.random((n, q)), rng.random((dim + 1, n)), -rng.random(q)
        triangle, K = -rng.random(n * (n + 1) // 2), np.asfortranarray(np.eye(n) + 0.1)
        return lambda: (weights @ slopes, np.exp(row), np.exp(triangle), dpotrf(K, lower=1))
    if name in ("eig", "equalized"):
        V, row, k = rng.random((n, m)), rng.random(n), -rng.random(m)
        return lambda: (row @ V, np.exp(k))
    if name == "epig":
        V, W, k = rng.random((n, m)), rng.random((n + EPIG_TARGETS, m)), -rng.random(m)
        row, longer = rng.random(n), rng.random(n + EPIG_TARGETS)
        return lambda: (row @ V, longer @ W, np.exp(k), np.exp(k))
    if name == "nipv":
        V, row, k = rng.random((n, m + t)), rng.random(n), -rng.random(m + t)
        prior, weights = rng.random((t, m)), rng.random(t)
        return lambda: (row @ V, np.exp(k), weights @ prior, (V[:, m:] @ weights) @ V[:, :m])
    return None
