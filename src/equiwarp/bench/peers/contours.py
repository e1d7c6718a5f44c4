"""Criteria of others for finding a contour, by their published formulas, all on one Gaussian process.

With mu and s the posterior mean and deviation at a place, t the level, a = (mu - t) / s, noise the deviation
of a measurement, and p = Phi(a) the probability of being above the level:

===========  ================================================================================================
straddle     1.96 s - |mu - t| (Bryan et al. 2005; hetGP's MCU)
target       the probability of lying within one noise of the level (gpCAM's target probability)
feasibility  E max(0, s - |f - t|) (Bichon et al. 2008; trieste's ExpectedFeasibility)
timse        look-ahead: the fall of the variance, each place weighted by the belief's density at the level
             (Picheny et al. 2010; trieste's IntegratedVarianceReduction with a threshold)
tmse         s^2 N(t; mu, s^2 + 0.05), values in units of their deviation (Picheny et al. 2010; hetGP)
mee          the chance of an error now, Phi(-|a|) (Ranjan et al. 2008; hetGP)
csur         Phi(-|mu - t| / s) - Phi(-|mu - t| / s_new), s_new once x was measured (Lyu et al. 2021; hetGP)
icu          look-ahead: the fall of Phi(-|mu - t| / s) over the domain, mu as it is (Lyu et al. 2021; hetGP)
sur          look-ahead: the expected fall of p (1 - p) over the domain (Bect et al. 2012)
class error  look-ahead: the same for min(p, 1 - p) (AEPsych's GlobalSUR, Letham et al. 2022)
mi           look-ahead: the same for the entropy of p (AEPsych's GlobalMI)
eavc         look-ahead: the expected change, up or down, of the mean of p over the domain (AEPsych's EAVC)
===========  ================================================================================================

AEPsych has its three for answers of yes and no; here the answer is a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import entr, ndtr, owens_t

from equiwarp.domains import Array
from equiwarp.models.base import MapModel

#: Pool points that a look-ahead tries, targets that it averages over, and nodes of its quadrature.
TRIED, TARGETS, NODES = 512, 256, 7
#: The window of tMSE, hetGP's: a variance, in squared deviations of the values.
WINDOW = 0.05


@dataclass(frozen=True)
class ContourInputs:
    """What a criterion may look at.

    Attributes
    ----------
    model : MapModel
    P, U : (m, e) and (u, e) arrays
        Pool and targets, in kernel coordinates.
    mean, deviation : (m,) arrays
        At the pool.
    level, noise, scale : float
        The level, the noise of a measurement and the deviation of the values.
    """

    model: MapModel
    P: Array
    U: Array
    mean: Array
    deviation: Array
    level: float
    noise: float
    scale: float

    @property
    def away(self) -> Array:
        """How many deviations the mean lies above the level, ``(m,)``."""
        return (self.mean - self.level) / np.maximum(self.deviation, 1e-12 * self.scale)


def straddle(inputs: ContourInputs) -> Array:
    return 1.96 * inputs.deviation - np.abs(inputs.mean - inputs.level)


def target(inputs: ContourInputs) -> Array:
    half = inputs.noise / np.maximum(inputs.deviation, 1e-12 * inputs.scale)
    return np.asarray(ndtr(inputs.away + half) - ndtr(inputs.away - half))


def feasibility(inputs: ContourInputs) -> Array:
    a = inputs.away
    middle, right, left = (np.exp(-0.5 * t**2) / np.sqrt(2 * np.pi) for t in (a, a + 1, a - 1))
    inside = ndtr(a + 1) - ndtr(a - 1) - a * (2 * ndtr(a) - ndtr(a + 1) - ndtr(a - 1))
    return np.asarray(inputs.deviation * (inside - (2 * middle - right - left)))


def tmse(inputs: ContourInputs) -> Array:
    variance = inputs.deviation**2 + WINDOW * inputs.scale**2
    gap = inputs.mean - inputs.level
    return inputs.deviation**2 * np.exp(-0.5 * gap**2 / variance) / np.sqrt(variance)


def mee(inputs: ContourInputs) -> Array:
    return np.asarray(ndtr(-np.abs(inputs.away)))


def csur(inputs: ContourInputs) -> Array:
    s2 = inputs.deviation**2
    new = np.sqrt(s2 * inputs.noise**2 / (s2 + inputs.noise**2))
    gap = -np.abs(inputs.mean - inputs.level)
    return np.asarray(mee(inputs) - ndtr(gap / np.maximum(new, 1e-12 * inputs.scale)))


@dataclass(frozen=True)
class _Ahead:
    """What a measurement at the first of the pool's points would do to the targets.

    It moves the mean at u by a normal number of variance C(u, x)^2 / (s^2(x) + noise^2), by which the
    variance at u falls.

    Attributes
    ----------
    gap, deviation : (u,) arrays
        Of the targets now: mean above the level, and deviation.
    moved, left : (q, u) arrays
        By how much the mean moves, and what is left of the deviation, after each of the pool's points.
    untried : int
        Pool points that are not looked at.
    """

    gap: Array
    deviation: Array
    moved: Array
    left: Array
    untried: int

    @classmethod
    def of(cls, inputs: ContourInputs) -> _Ahead:
        P, U = inputs.P[:TRIED], inputs.U[:TARGETS]
        mean, deviation = inputs.model.predict(U, return_std=True)
        deviation = np.maximum(deviation, 1e-12 * inputs.scale)
        variance = inputs.model.covariance(P, U) ** 2
        variance /= inputs.deviation[:TRIED, None] ** 2 + inputs.noise**2
        left = np.sqrt(np.maximum(deviation**2 - variance, 1e-9 * deviation**2))
        return cls(mean - inputs.level, deviation, np.sqrt(variance), left, len(inputs.P) - len(P))

    @property
    def now(self) -> Array:
        """The probability of being above the level, ``(u,)``."""
        return np.asarray(ndtr(self.gap / self.deviation))

    def later(self) -> Iterator[tuple[float, Array]]:
        """Outcomes of a measurement: how likely each is, and the probabilities ``(q, u)`` after it."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        for z, weight in zip(nodes, weights / weights.sum(), strict=True):
            yield float(weight), np.asarray(ndtr((self.gap + self.moved * z) / self.left))

    def pooled(self, score: Array) -> Array:
        """The mean of a score ``(q, u)`` over the targets; what was not looked at is not chosen."""
        return np.append(score.mean(axis=1), np.full(self.untried, -np.inf))


def timse(inputs: ContourInputs) -> Array:
    ahead = _Ahead.of(inputs)
    density = np.exp(-0.5 * (ahead.gap / ahead.deviation) ** 2) / ahead.deviation
    return ahead.pooled(ahead.moved**2 * density)


def icu(inputs: ContourInputs) -> Array:
    ahead = _Ahead.of(inputs)
    gap = -np.abs(ahead.gap)
    return ahead.pooled(ndtr(gap / ahead.deviation) - ndtr(gap / ahead.left))


def class_error(inputs: ContourInputs) -> Array:
    ahead = _Ahead.of(inputs)
    a = ahead.gap / ahead.deviation
    # That f and its mean after a measurement lie on different sides of the level: both are normal.
    after = 2.0 * owens_t(a, ahead.left / np.maximum(ahead.moved, 1e-12 * inputs.scale))
    return ahead.pooled(ndtr(-np.abs(a)) - after)


def eavc(inputs: ContourInputs) -> Array:
    ahead = _Ahead.of(inputs)
    now = ahead.now.mean()
    change = sum(weight * np.abs(p.mean(axis=1) - now) for weight, p in ahead.later())
    return ahead.pooled(np.asarray(change)[:, None])


def _falls(unknown: Callable[[Array], Array]) -> Callable[[ContourInputs], Array]:
    """The look-ahead that expects the fall of what is unknown at probabilities."""

    def criterion(inputs: ContourInputs) -> Array:
        ahead = _Ahead.of(inputs)
        after = sum(weight * unknown(p) for weight, p in ahead.later())
        return ahead.pooled(unknown(ahead.now) - after)

    return criterion


CRITERIA: dict[str, Callable[[ContourInputs], Array]] = {
    "straddle": straddle,
    "target": target,
    "feasibility": feasibility,
    "timse": timse,
    "tmse": tmse,
    "mee": mee,
    "csur": csur,
    "icu": icu,
    "sur": _falls(lambda p: p * (1 - p)),
    "class error": class_error,
    "mi": _falls(lambda p: np.asarray(entr(p) + entr(1 - p))),
    "eavc": eavc,
}
