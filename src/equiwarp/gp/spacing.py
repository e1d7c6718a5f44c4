"""Lengthscale rules of the acquisition GP.

``spacing``: the distance between points of an initial design, fixed for a run; every domain knows it, see
:meth:`equiwarp.Domain.spacing`. ``refit``: the lengthscale re-estimated each round, which is the baseline
that lets y in through one global number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.gp.cholesky import safe_cholesky
from equiwarp.gp.kernels import SQRT5, Matern52, scaled_distance

#: Range of the refitted lengthscale, as factors of the spacing rule: the paper's sixteen-fold sweep.
REFIT_RANGE = (1 / 8, 8.0)


def log_prior(ell: float, dim: int) -> float:
    """Log-normal prior of Hvarfner et al. (2024), loc sqrt(2) + log(D) / 2, scale sqrt(3); no constant."""
    log_ell = math.log(ell)
    return -log_ell - (log_ell - math.sqrt(2.0) - math.log(dim) / 2.0) ** 2 / 6.0


def refit_lengthscale(domain: Domain, Z: Array, y: Array, noise_var: Array, start: float) -> float:
    """MAP lengthscale of a unit-variance Matern-5/2 on values ``(n, k)``; ``start`` for fewer than 3."""
    if len(Z) < 3 or not np.ptp(y):
        return start
    from scipy.optimize import minimize_scalar

    distance = scaled_distance(Z, Z, SQRT5)  # plain distances: the sqrt(5) cancels

    def loss(log_ell: float) -> float:
        ell = math.exp(log_ell)
        L, _ = safe_cholesky(Matern52.of_scaled_distance(distance * (SQRT5 / ell)), noise_var)
        white = _solve(L, y)
        fit = -0.5 * float(np.sum(white * white)) - y.shape[1] * float(np.sum(np.log(L.diagonal())))
        return -fit - log_prior(ell, domain.dim)

    low, high = (math.log(start * factor) for factor in REFIT_RANGE)
    # A coarse scan first: the likelihood can have two maxima, and a bounded search finds one of them.
    grid = np.linspace(low, high, 9)
    best = int(np.argmin([loss(g) for g in grid]))
    around = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
    found = minimize_scalar(loss, bounds=around, method="bounded", options={"xatol": 1e-3})
    return math.exp(float(found.x))


@dataclass(frozen=True)
class FittedLengthscale:
    """A lengthscale, and the values ``(n, k)`` and noise variances ``(n,)`` that it was fitted to."""

    y: Array
    noise_var: Array
    ell: float

    def rests_on(self, y: Array, noise_var: Array) -> bool:
        """Whether a fit to these values would only repeat this one; rounding is no difference."""
        return (
            y.shape == self.y.shape
            and np.allclose(y, self.y, rtol=1e-9, atol=1e-12)
            and np.allclose(noise_var, self.noise_var, rtol=1e-9, atol=0.0)
        )


def refit_size(n: int) -> int:
    """How many of n points a lengthscale that is fitted now and then rests on.

    Every size up to 15, every second one up to 31, every fourth up to 63 and so on: one fit per tenth of
    new data or so. It depends on n alone, so that a run can be resumed anywhere.
    """
    step = 1 << max(0, n.bit_length() - 4)
    return n - n % step


def _solve(L: Array, y: Array) -> Array:
    from scipy.linalg import solve_triangular

    return solve_triangular(L, y, lower=True, check_finite=False)
