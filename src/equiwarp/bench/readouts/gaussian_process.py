"""Gaussian-process readouts: the reconstruction is a posterior mean of the noisy values.

``gp`` has a fixed lengthscale. The paper does not say which; here it is the MAP lengthscale of the
first 512 pilot values with the protocol's noise, so that it belongs to the function and to no arm.
Prior mean and variance are the pilot's. Because nothing is refitted, the whitened cross-covariance
V of a longer design begins with that of a shorter one, and a whole trajectory is one triangular
solve and a running sum. ``gp-spacing`` is the same with the lengthscale of the acquisition GP, the
spacing of the start: the other reading of the paper's "fixed lengthscale".

``gp-map`` refits an isotropic lengthscale (MAP) to the values measured so far, standardised by their
own mean and deviation, every tenth round, and is linear between those rounds: the model a person
would use, at the price of an evaluator that the design itself influences.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.linalg import solve_triangular

from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.bench.seeded import held_out, pilot
from equiwarp.domains import Array
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.cholesky import safe_cholesky
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.spacing import refit_lengthscale

PILOT_POINTS = 512
MAP_EVERY = 10


@lru_cache(maxsize=64)
def pilot_lengthscale(benchmark: Benchmark) -> float:
    """MAP lengthscale of a Matern-5/2 on the first pilot values, in kernel coordinates."""
    sample = pilot(benchmark)
    Z = benchmark.domain.embed(sample.x[:PILOT_POINTS])
    y = (sample.values[:PILOT_POINTS, None] - sample.mean) / sample.deviation
    noise_var = np.full(len(Z), benchmark.noise**2)
    return refit_lengthscale(benchmark.domain, Z, y, noise_var, benchmark.domain.spacing(benchmark.n0))


def spacing_lengthscale(benchmark: Benchmark) -> float:
    """That of the acquisition GP, which belongs to the size of the start and not to the function."""
    return benchmark.domain.spacing(benchmark.n0)


def fixed_trajectory(benchmark: Benchmark, x: Array, y: Array, n0: int, ell: float) -> Array:
    """Mean squared error with the first n0, n0 + 1, ... points of a design, ``(n - n0 + 1,)``."""
    test, truth = held_out(benchmark)
    sample = pilot(benchmark)
    kernel = Matern52(ell)
    Z = benchmark.domain.embed(x)
    L, _ = safe_cholesky(kernel(Z, Z), np.full(len(Z), benchmark.noise**2))
    V = solve_triangular(L, kernel(Z, test), lower=True, check_finite=False, overwrite_b=True)
    w = solve_triangular(L, (y - sample.mean) / sample.deviation, lower=True, check_finite=False)
    goal = (truth - sample.mean) / sample.deviation
    residual = w[: n0 - 1] @ V[: n0 - 1] - goal
    errors = []
    for weight, row in zip(w[n0 - 1 :], V[n0 - 1 :], strict=True):
        residual += weight * row
        errors.append(residual @ residual / len(goal))
    return sample.deviation**2 * np.array(errors)


def map_trajectory(benchmark: Benchmark, x: Array, y: Array, n0: int) -> Array:
    """As :func:`fixed_trajectory`, with the lengthscale refitted every ``MAP_EVERY`` rounds."""
    rounds = len(x) - n0
    refitted = sorted({*range(0, rounds + 1, MAP_EVERY), rounds})
    errors = [_map_error(benchmark, x[: n0 + t], y[: n0 + t]) for t in refitted]
    return np.interp(np.arange(rounds + 1), refitted, errors)


def _map_error(benchmark: Benchmark, x: Array, y: Array) -> float:
    test, truth = held_out(benchmark)
    mean, deviation = float(y.mean()), float(y.std()) or 1.0
    values = (y[:, None] - mean) / deviation
    Z = benchmark.domain.embed(x)
    noise_var = np.full(len(Z), (benchmark.noise * pilot(benchmark).deviation / deviation) ** 2)
    start = benchmark.domain.spacing(benchmark.n0)
    ell = refit_lengthscale(benchmark.domain, Z, values, noise_var, start)
    prediction = mean + deviation * AcquisitionGP.fit(Matern52(ell), Z, values, noise_var).mean(test)[:, 0]
    return float(np.mean((prediction - truth) ** 2))
