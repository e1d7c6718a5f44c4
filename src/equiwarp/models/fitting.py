"""FitResult by maximum a posteriori, from several starts.

The likelihood has more than one summit often enough to matter: each fit starts from short, middle and long
lengthscales, and from those of an earlier fit if there was one. The starts race, with many points on a part
of them, and the winner is finished on all. Where a few steps say too little, all starts are finished.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.optimize import minimize

from equiwarp._util.threads import one_thread
from equiwarp.domains import Array
from equiwarp.models.covariance import Covariance, logarithms

#: Lengthscales from which a fit is started, in units of sqrt(e); coordinates span about one unit.
STARTING_LENGTHSCALES = (0.15, 0.5, 2.0)
#: With more points than this, the starts race on this many.
RACED = 150
#: Steps of each start in the race.
RACE_STEPS = 5
#: FitResult are fitted on at most this many points; all of them are conditioned on.
MOST_FITTED = 600
#: Least noise variance relative to the values' variance, for the sake of the factorisation.
SMALLEST_NOISE_VAR = 1e-10
#: Deviation of an unknown noise relative to that of the values: bounds, and where it is expected with
#: what spread
#: (of its logarithm). Without that, few values are always fitted without noise.
NOISE_BOUNDS = (1e-4, 1.0)
NOISE_EXPECTED, NOISE_SPREAD = 0.05, 1.0
#: What a covariance matrix that cannot be factorised counts as.
IMPOSSIBLE = 1e25


@dataclass(frozen=True)
class FitTask:
    """What hyperparameters are fitted to: a covariance, points, standardised values and their noise.

    ``noise_var`` ``(n,)`` is relative to the values' variance; None adds its logarithm to the parameters.
    """

    covariance: Covariance
    X: Array
    y: Array
    noise_var: Array | None

    def part(self, rows: NDArray[np.intp]) -> FitTask:
        """The same task with some of the points."""
        noise_var = None if self.noise_var is None else self.noise_var[rows]
        return FitTask(self.covariance, self.X[rows], self.y[rows], noise_var)

    def start(self, length: float) -> Array:
        t = self.covariance.start(length, self.X, self.y)
        return t if self.noise_var is not None else np.append(t, math.log(0.1))

    def bounds(self) -> list[tuple[float, float]]:
        own = self.covariance.bounds()
        return own if self.noise_var is not None else [*own, logarithms(NOISE_BOUNDS)]

    def variances(self, t: Array) -> Array:
        """The noise variance of each point under parameters, ``(n,)``."""
        if self.noise_var is not None:
            return np.maximum(self.noise_var, SMALLEST_NOISE_VAR)
        return np.full(len(self.y), math.exp(2.0 * t[-1]) + SMALLEST_NOISE_VAR)

    def loss(self, t: Array) -> tuple[float, Array]:
        """Minus the log posterior of the parameters, up to a constant, and its gradient."""
        value, gradient = self.minus_log_likelihood(t)
        if value >= IMPOSSIBLE:
            return value, gradient
        prior, slope = self.covariance.penalty(t)
        gradient[: len(slope)] += slope
        if self.noise_var is None:
            offset = (t[-1] - math.log(NOISE_EXPECTED)) / NOISE_SPREAD
            prior += 0.5 * offset**2
            gradient[-1] += offset / NOISE_SPREAD
        return value + prior, gradient

    def minus_log_likelihood(self, t: Array) -> tuple[float, Array]:
        """Without the constant ``n/2 log(2 pi)``, and its gradient."""
        n, noise_var = len(self.y), self.variances(t)
        K, back = self.covariance.with_gradient(t, self.X)
        A = np.array(K, order="F")
        A.flat[:: n + 1] += noise_var
        L, failed = lapack.dpotrf(A, lower=1, overwrite_a=1)
        if failed:
            return IMPOSSIBLE, np.zeros_like(t)
        alpha = lapack.dpotrs(L, self.y, lower=1)[0].ravel()
        value = 0.5 * float(self.y @ alpha) + float(np.sum(np.log(L.diagonal())))
        inverse, _ = lapack.dpotri(L, lower=1, overwrite_c=1)  # its lower half; the upper one stays zero
        W = alpha[:, None] * alpha
        W -= inverse
        W -= inverse.T
        W.flat[:: n + 1] += inverse.diagonal()
        gradient = np.empty_like(t)
        gradient[: self.covariance.size] = -0.5 * back(W)
        if self.noise_var is None:
            gradient[-1] = -math.exp(2.0 * t[-1]) * float(np.trace(W))
        return value, gradient


def fit(task: FitTask, earlier: Array | None = None) -> Array:
    """The likeliest parameters, as logarithms: those of the covariance, then of an unknown noise."""
    with one_thread():
        return _likeliest(task, earlier)


def _likeliest(task: FitTask, earlier: Array | None) -> Array:
    n = len(task.y)
    starts = [task.start(length) for length in STARTING_LENGTHSCALES]
    if earlier is not None and earlier.shape == starts[0].shape:
        starts.insert(0, earlier)
    raced = task if n <= RACED else task.part(some_rows(n, RACED))
    ends = [_descend(raced, t, RACE_STEPS) for t in starts]
    if not task.covariance.has_many_summits:
        ends = [min(ends, key=_loss)]
    t = min((_descend(raced, t) for t, _ in ends), key=_loss)[0]
    if n <= RACED:
        return t
    return _descend(task if n <= MOST_FITTED else task.part(some_rows(n, MOST_FITTED)), t)[0]


def _loss(end: tuple[Array, float]) -> float:
    return end[1]


def some_rows(n: int, most: int) -> NDArray[np.intp]:
    """All of n rows, or ``most`` of them, in their order: drawn once for all, so that the same data give the
    same fit."""
    return np.sort(np.random.default_rng(0).choice(n, min(n, most), replace=False))


def _descend(task: FitTask, t: Array, steps: int = 100) -> tuple[Array, float]:
    options = {"maxiter": steps, "ftol": 1e-7}
    low, high = np.array(task.bounds()).T
    begin = np.clip(t, low, high)
    found = minimize(
        task.loss, begin, jac=True, method="L-BFGS-B", bounds=np.column_stack([low, high]), options=options
    )
    return found.x, float(found.fun)
