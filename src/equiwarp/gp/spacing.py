"""Lengthscale rules of the acquisition GP.

``spacing``: the distance between points of an initial design, fixed for a run; every domain knows it, see
:meth:`equiwarp.Domain.spacing`. ``refit``: the lengthscale re-estimated each round, which is the baseline
that lets y in through one global number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.gp.cholesky import safe_cholesky
from equiwarp.gp.kernels import SQRT5, Matern52, scaled_distance

#: Range of the refitted lengthscale, as factors of the spacing rule: 64-fold, wider than the paper's sweep.
REFIT_RANGE = (1 / 8, 8.0)
#: The golden section, and the square root of a double's precision as SciPy writes it.
GOLDEN, ROOT_EPS = 0.5 * (3.0 - math.sqrt(5.0)), math.sqrt(2.2e-16)
MOST_STEPS = 500


def log_prior(ell: float, dim: int) -> float:
    """Log-normal prior of Hvarfner et al. (2024), loc sqrt(2) + log(D) / 2, scale sqrt(3); no constant."""
    log_ell = math.log(ell)
    return -log_ell - (log_ell - math.sqrt(2.0) - math.log(dim) / 2.0) ** 2 / 6.0


def refit_lengthscale(domain: Domain, Z: Array, y: Array, noise_var: Array, start: float) -> float:
    """MAP lengthscale of a unit-variance Matern-5/2 on values ``(n, k)``; ``start`` for fewer than 3."""
    if len(Z) < 3 or not np.ptp(y):
        return start
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
    around = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])
    return math.exp(lowest_between(loss, *around, tolerance=1e-3))


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


def lowest_between(loss: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Where ``loss`` is lowest in (low, high), to within ``tolerance``; one valley if it has several.

    Brent's method (Algorithms for Minimization without Derivatives, 1973), evaluation for evaluation as
    SciPy's ``minimize_scalar(method="bounded")``. Loading ``scipy.optimize`` takes longer than a whole
    suggestion, and this is all that a suggestion needs of it.

    ``best``, ``second`` and ``third`` are the lowest places so far, in the order of their losses. A parabola
    through them gives the next place, or the golden section of the larger side where that would not shrink.
    """
    best = second = third = low + GOLDEN * (high - low)
    loss_best = loss_second = loss_third = loss(best)
    step = before = 0.0
    for _ in range(MOST_STEPS):
        middle = 0.5 * (low + high)
        near = ROOT_EPS * abs(best) + tolerance / 3.0
        if abs(best - middle) <= 2.0 * near - 0.5 * (high - low):
            break
        golden = True
        if abs(before) > near:
            r = (best - second) * (loss_best - loss_third)
            q = (best - third) * (loss_best - loss_second)
            p = (best - third) * q - (best - second) * r
            q = 2.0 * (q - r)
            p = -p if q > 0.0 else p
            q, r, before = abs(q), before, step
            if abs(p) < abs(0.5 * q * r) and q * (low - best) < p < q * (high - best):
                golden, step = False, p / q
                place = best + step
                if place - low < 2.0 * near or high - place < 2.0 * near:
                    step = near * _sign(middle - best)
        if golden:
            before = low - best if best >= middle else high - best
            step = GOLDEN * before
        place = best + _sign(step) * max(abs(step), near)
        loss_place = loss(place)
        if loss_place <= loss_best:
            low, high = (best, high) if place >= best else (low, best)
            third, loss_third, second, loss_second = second, loss_second, best, loss_best
            best, loss_best = place, loss_place
            continue
        low, high = (place, high) if place < best else (low, place)
        if loss_place <= loss_second or second == best:
            third, loss_third, second, loss_second = second, loss_second, place, loss_place
        elif loss_place <= loss_third or third in (best, second):
            third, loss_third = place, loss_place
    return best


def _sign(value: float) -> float:
    """-1 or 1, never 0: a step must lead somewhere."""
    return -1.0 if value < 0 else 1.0
