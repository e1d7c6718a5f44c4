"""The floor: matrix products, solves, factorisations and exponentials that one more suggestion cannot skip.

Bare NumPy, BLAS and LAPACK calls on arrays of the right shape, with nothing around them:

``warp, equiwarp``
    the newest point's row of the factor and the solve for alpha; the slopes of the newest point (q
    exponentials); the mean's gradient at the probes, ``[alpha, alpha z]^T S`` over kept slopes S (N, q);
    the density there (q powers); the kernel matrix in the new geometry (inner products and
    N (N + 1) / 2 exponentials) and its Cholesky factor. Of the variance at the pool only what bounds
    cannot avoid: one covariance a candidate (m exponentials), and the exact variance of the best (N
    exponentials and a solve).
``eig, equalized``
    the newest point's row: one solve, m exponentials, one product with V (N, m).
``epig``
    the same twice, the second time with the joint targets among the conditioning points.
``nipv``
    the same at pool and targets, the product with the prior covariance, and two with V.

No square roots, sums, histograms or look-ups are counted, though no implementation can do without them.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsv
from scipy.linalg.lapack import dpotrf, dpotrs

from equiwarp.gp.fast.growing import GrowingRows
from equiwarp.strategy.epig import JOINT_TARGETS as EPIG_TARGETS


def kept(rng, n, m):
    """A matrix as rounds keep it: rows a cache line longer than they need be, which makes products faster."""
    return GrowingRows.of(rng.random((n, m))).rows


def floor_of(configuration, n):
    """A function that does the unavoidable work of one round at n conditioning points, or None."""
    name, rng = configuration.strategy.name, np.random.default_rng(0)
    m, q, t, dim = (
        len(configuration.pool),
        len(configuration.probes),
        len(configuration.targets),
        configuration.domain.dim,
    )
    K, row = np.asfortranarray(np.eye(n) + 0.1), rng.random(n)
    L, _ = dpotrf(K, lower=1)
    if name in ("equiwarp", "warp"):
        slopes, weights, newest = kept(rng, n, q), rng.random((dim + 1, n)), -rng.random(q)
        triangle, Z, norm = -rng.random(n * (n + 1) // 2), rng.random((n, dim)), rng.random(q)
        power, nearest = 2.0 * dim / (dim + 2.0), -rng.random(m)
        return lambda: (
            (dtrsv(L, row, lower=1), dpotrs(L, row, lower=1)),
            (np.exp(newest), weights @ slopes, norm**power),
            (Z @ Z.T, np.exp(triangle), dpotrf(K, lower=1)),
            (np.exp(nearest), np.exp(row), dtrsv(L, row, lower=1)),
        )
    if name in ("eig", "equalized"):
        V, k = kept(rng, n, m), -rng.random(m)
        return lambda: (dtrsv(L, row, lower=1), row @ V, np.exp(k))
    if name == "epig":
        more = n + EPIG_TARGETS
        V, W, k, longer = kept(rng, n, m), kept(rng, more, m), -rng.random(m), rng.random(more)
        M, _ = dpotrf(np.asfortranarray(np.eye(more) + 0.1), lower=1)
        return lambda: (
            (dtrsv(L, row, lower=1), row @ V, np.exp(k)),
            (dtrsv(M, longer, lower=1), longer @ W, np.exp(k)),
        )
    if name == "nipv":
        V, k = kept(rng, n, m + t), -rng.random(m + t)
        prior, weights = rng.random((t, m)), rng.random(t)
        return lambda: (
            (dtrsv(L, row, lower=1), row @ V, np.exp(k)),
            (weights @ prior, (V[:, m:] @ weights) @ V[:, :m]),
        )
    return None
