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
    the same at pool and targets, and the rank-one change of the covariance between them (t, m).
``epig-joint``
    the same as for ``eig`` twice, the second time with the joint targets among the conditioning points.
``nipv``
    the same at pool and targets, the product with the prior covariance, and two with V.

No square roots, sums, histograms or look-ups are counted, though no implementation can do without them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import dger, dtrsv
from scipy.linalg.lapack import dpotrf, dpotrs

from equiwarp.bench.speed.steady import Task
from equiwarp.domains import Array
from equiwarp.engine.configuration import RunConfiguration
from equiwarp.gp.fast.growing import GrowingRows
from equiwarp.strategy.epig import TARGETS as EPIG_TARGETS
from equiwarp.strategy.epig_joint import JOINT_TARGETS


def floor_of(configuration: RunConfiguration, n: int) -> Task | None:
    """A function that does the unavoidable work of one round at n conditioning points, or None."""
    work = FLOORS.get(configuration.strategy.name)
    return None if work is None else work(configuration, n)


def warped_floor(configuration: RunConfiguration, n: int) -> Task:
    """Of ``warp`` and ``equiwarp``."""
    rng, (K, L, row) = np.random.default_rng(0), factored(n)
    m, q, dim = len(configuration.pool), len(configuration.probes), configuration.domain.dim
    slopes, weights, newest = kept(rng, n, q), rng.random((dim + 1, n)), -rng.random(q)
    triangle, Z, norm = -rng.random(n * (n + 1) // 2), rng.random((n, dim)), rng.random(q)
    power, nearest = 2.0 * dim / (dim + 2.0), -rng.random(m)
    return lambda: (
        (dtrsv(L, row, lower=1), dpotrs(L, row, lower=1)),
        (np.exp(newest), weights @ slopes, norm**power),
        (Z @ Z.T, np.exp(triangle), dpotrf(K, lower=1)),
        (np.exp(nearest), np.exp(row), dtrsv(L, row, lower=1)),
    )


def variance_floor(configuration: RunConfiguration, n: int) -> Task:
    """Of ``eig`` and ``equalized``."""
    rng, (_, L, row) = np.random.default_rng(0), factored(n)
    m = len(configuration.pool)
    V, k = kept(rng, n, m), -rng.random(m)
    return lambda: (dtrsv(L, row, lower=1), row @ V, np.exp(k))


def epig_floor(configuration: RunConfiguration, n: int) -> Task:
    rng, (_, L, row) = np.random.default_rng(0), factored(n)
    m, t = len(configuration.pool), EPIG_TARGETS
    V, k, covariance = kept(rng, n, m + t), -rng.random(m + t), np.asfortranarray(rng.random((t, m)))
    to_targets, to_pool = rng.random(t), rng.random(m)
    return lambda: (
        (dtrsv(L, row, lower=1), row @ V, np.exp(k)),
        dger(-1e-9, to_targets, to_pool, a=covariance, overwrite_a=1),
    )


def joint_floor(configuration: RunConfiguration, n: int) -> Task:
    """Of ``epig-joint``."""
    rng, (_, L, row) = np.random.default_rng(0), factored(n)
    m, more = len(configuration.pool), n + JOINT_TARGETS
    _, M, longer = factored(more)
    V, W, k = kept(rng, n, m), kept(rng, more, m), -rng.random(m)
    return lambda: (
        (dtrsv(L, row, lower=1), row @ V, np.exp(k)),
        (dtrsv(M, longer, lower=1), longer @ W, np.exp(k)),
    )


def nipv_floor(configuration: RunConfiguration, n: int) -> Task:
    rng, (_, L, row) = np.random.default_rng(0), factored(n)
    m, t = len(configuration.pool), len(configuration.targets)
    V, k = kept(rng, n, m + t), -rng.random(m + t)
    prior, weights = rng.random((t, m)), rng.random(t)
    return lambda: (
        (dtrsv(L, row, lower=1), row @ V, np.exp(k)),
        (weights @ prior, (V[:, m:] @ weights) @ V[:, :m]),
    )


FLOORS: dict[str, Callable[[RunConfiguration, int], Task]] = {
    "warp": warped_floor,
    "equiwarp": warped_floor,
    "eig": variance_floor,
    "equalized": variance_floor,
    "epig": epig_floor,
    "epig-joint": joint_floor,
    "nipv": nipv_floor,
}


def factored(n: int) -> tuple[Array, Array, Array]:
    """A kernel-like matrix ``(n, n)``, its Cholesky factor, and a row ``(n,)`` to solve for."""
    K = np.asfortranarray(np.eye(n) + 0.1)
    L, _ = dpotrf(K, lower=1)
    return K, L, np.random.default_rng(1).random(n)


def kept(rng: np.random.Generator, n: int, m: int) -> Array:
    """A matrix as rounds keep it: rows a cache line longer than they need be, which makes products faster."""
    return GrowingRows.of(rng.random((n, m))).rows
