"""The probability that an experiment works, learnt from those that did and those that failed.

A Gaussian process classifier: the log-odds of success are a process with a Matern-5/2 kernel, and the
posterior is Laplace's approximation (Rasmussen and Williams 2006, algorithms 3.1 and 3.2). Its mean is the
overall rate of success with a prior of three to one, so that few failures do not blacken the map.
Lengthscales are not fitted but averaged by their evidence. So is the chance that failures are accidents that
nobody flagged, and that happen everywhere alike: the more they are scattered, the less places are blamed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.gp.cholesky import safe_cholesky, solve, whiten
from equiwarp.gp.kernels import Matern52

#: Successes and failures that the prior counts: before anything is known, three of four experiments work.
PRIOR_WORKED, PRIOR_FAILED = 3.0, 1.0
#: Odds of success that the prior has at most: many successes elsewhere do not explain a failure away.
MOST_ODDS = 9.0
#: Deviation of the log-odds: almost sure here and almost impossible there.
AMPLITUDE = 3.0
#: Lengthscales, in units of the domain's spacing.
LENGTHSCALES = (1.0, 2.0, 4.0)
#: Deviation of the log-odds if failures are accidents, and the odds of that before anything is known.
ACCIDENTS, ODDS_OF_ACCIDENTS = 0.02, 0.25
#: Experiments that are used at most: all failures and the successes nearest to them.
MOST_USED = 400
NEWTON_STEPS = 30
#: Power of the chance in the choice, for strategies that count what they may learn by it as well. Chosen on
#: drawn functions and regions (seeds 500 and 501 of ``bench/functions/hidden_regions.py``, two dimensions):
#: lower powers failed more often, and had no smaller error.
CAUTION = 3


@dataclass(frozen=True)
class _Laplace:
    """One lengthscale: the posterior of the log-odds, and its evidence."""

    kernel: Matern52
    amplitude: float
    mean: float
    Z: Array
    slope: Array
    root: Array
    L: Array
    evidence: float

    @classmethod
    def fit(cls, kernel: Matern52, amplitude: float, mean: float, Z: Array, worked: Array) -> _Laplace:
        K = amplitude**2 * kernel.gram(Z)
        f = np.full(len(Z), mean)
        for _ in range(NEWTON_STEPS):
            p = _logistic(f)
            root = np.sqrt(np.maximum(p * (1 - p), 1e-12))
            L, _ = safe_cholesky(root[:, None] * K * root, np.ones(len(Z)))
            b = root**2 * (f - mean) + (worked - p)
            a = b - root * solve(L, root * (K @ b))
            new = mean + K @ a
            done, f = float(np.abs(new - f).max()) < 1e-6, new
            if done:
                break
        fit = float(np.sum(np.where(worked > 0, -np.logaddexp(0, -f), -np.logaddexp(0, f))))
        evidence = -0.5 * float(a @ (f - mean)) + fit - float(np.sum(np.log(L.diagonal())))
        return cls(kernel, amplitude, mean, Z, worked - _logistic(f), root, L, evidence)

    def probability(self, P: Array) -> Array:
        """Of success at kernel coordinates ``(m, e)``, averaged over the posterior of the log-odds."""
        k = self.amplitude**2 * self.kernel(self.Z, P)
        mean = self.mean + k.T @ self.slope
        v = whiten(self.L, self.root[:, None] * k)
        variance = np.maximum(self.amplitude**2 - np.sum(v * v, axis=0), 0.0)
        return _logistic(mean / np.sqrt(1 + math.pi * variance / 8))


@dataclass(frozen=True)
class SuccessModel:
    """Where experiments work.

    Attributes
    ----------
    domain : Domain
    fits : tuple
        A posterior for each lengthscale, and one for accidents; empty where nothing has failed.
    weights : (len(fits),) array
        By their evidence.
    """

    domain: Domain
    fits: tuple[_Laplace, ...]
    weights: Array

    @classmethod
    def of(cls, domain: Domain, worked: Array, failed: Array) -> SuccessModel:
        """From locations ``(n, columns)`` of experiments that worked and ``(f, columns)`` that did not."""
        if len(failed) == 0:
            return cls(domain, (), np.empty(0))
        mean = math.log(min((len(worked) + PRIOR_WORKED) / (len(failed) + PRIOR_FAILED), MOST_ODDS))
        Z, success = _used(domain.embed(worked), domain.embed(failed))
        spacing = domain.spacing()
        kernels = [Matern52(factor * spacing) for factor in LENGTHSCALES]
        fits = tuple(_Laplace.fit(kernel, AMPLITUDE, mean, Z, success) for kernel in kernels)
        fits += (_Laplace.fit(kernels[-1], ACCIDENTS, mean, Z, success),)
        evidence = np.array([fit.evidence for fit in fits])
        weights = np.exp(evidence - evidence.max())
        weights[-1] *= ODDS_OF_ACCIDENTS * len(kernels)
        return cls(domain, fits, weights / weights.sum())

    def __call__(self, x: Array) -> Array:
        """The probability ``(m,)`` that an experiment works at points ``(m, columns)``; 1 if none failed."""
        if not self.fits:
            return np.ones(len(x))
        P = self.domain.embed(x)
        return sum(
            (w * fit.probability(P) for w, fit in zip(self.weights, self.fits, strict=True)), np.zeros(len(x))
        )


def _logistic(f: Array) -> Array:
    return 0.5 * (1.0 + np.tanh(0.5 * f))


def _used(worked: Array, failed: Array) -> tuple[Array, Array]:
    """Kernel coordinates and outcomes of the latest failures, and of the successes nearest to them."""
    failed = failed[-MOST_USED // 2 :]
    room = MOST_USED - len(failed)
    if len(worked) > room:
        from scipy.spatial import cKDTree

        nearest = np.argsort(cKDTree(failed).query(worked)[0], kind="stable")[:room]
        worked = worked[np.sort(nearest)]
    return np.concatenate([worked, failed]), np.repeat([1.0, 0.0], [len(worked), len(failed)])
