"""Criteria of others for finding a contour, by their published formulas, all on one Gaussian process.

With mu and s the posterior mean and deviation, t the level, noise the deviation of a measurement, and
p = Phi((mu - t) / s) the probability of being above it:

========  ===================================================================================================
straddle  1.96 s - |mu - t| (Bryan et al. 2005; trieste's and gpCAM's criterion for a level set, hetGP's MCU)
tmse      s^2 N(t; mu, s^2 + 0.05^2), values in units of their deviation (Picheny et al. 2010; hetGP)
mee       the entropy of being above or below (Marques et al. 2018; hetGP's MEE)
csur      Phi(-|mu - t| / s) - Phi(-|mu - t| / s_new), s_new once x was measured (Lyu et al. 2021; hetGP)
sur       look-ahead: the expected fall of the sum of p (1 - p) over the domain (Bect et al. 2012, Chevalier
          et al. 2014; AEPsych's GlobalSUR has it for yes and no, Letham et al. 2022)
mi        look-ahead: the same for the entropy (AEPsych's GlobalMI)
========  ===================================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import entr, ndtr

from equiwarp.domains import Array
from equiwarp.models.base import MapModel

#: Pool points that a look-ahead tries, targets that it averages over, and nodes of its quadrature.
TRIED, TARGETS, NODES = 512, 256, 7
#: The tolerance of tMSE, in deviations of the values.
TOLERANCE = 0.05


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


def straddle(inputs: ContourInputs) -> Array:
    return 1.96 * inputs.deviation - np.abs(inputs.mean - inputs.level)


def tmse(inputs: ContourInputs) -> Array:
    variance = inputs.deviation**2 + (TOLERANCE * inputs.scale) ** 2
    return (
        inputs.deviation**2 * np.exp(-0.5 * (inputs.mean - inputs.level) ** 2 / variance) / np.sqrt(variance)
    )


def mee(inputs: ContourInputs) -> Array:
    p = ndtr((inputs.mean - inputs.level) / np.maximum(inputs.deviation, 1e-12))
    return np.asarray(entr(p) + entr(1 - p))


def csur(inputs: ContourInputs) -> Array:
    s2, gap = inputs.deviation**2, -np.abs(inputs.mean - inputs.level)
    new = s2 * inputs.noise**2 / (s2 + inputs.noise**2)
    small = 1e-12 * inputs.scale
    return np.asarray(
        ndtr(gap / np.maximum(inputs.deviation, small)) - ndtr(gap / np.maximum(np.sqrt(new), small))
    )


def sur(inputs: ContourInputs) -> Array:
    return _look_ahead(inputs, lambda p: p * (1 - p))


def mi(inputs: ContourInputs) -> Array:
    return _look_ahead(inputs, lambda p: np.asarray(entr(p) + entr(1 - p)))


def _look_ahead(inputs: ContourInputs, unknown: Callable[[Array], Array]) -> Array:
    """The expected fall of what is unknown, averaged over targets, at the first of the pool's points.

    A measurement at x moves the mean at u by a normal number of variance C(u, x)^2 / (s^2(x) + noise^2), by
    which the variance at u falls.
    """
    P, U = inputs.P[:TRIED], inputs.U[:TARGETS]
    mean, deviation = inputs.model.predict(U, return_std=True)
    C = inputs.model.covariance(P, U)
    moved = C**2 / (inputs.deviation[:TRIED, None] ** 2 + inputs.noise**2)
    left = np.sqrt(np.maximum(deviation**2 - moved, 1e-9 * deviation**2 + 1e-300))
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    after = sum(
        w * unknown(ndtr((mean + np.sqrt(moved) * z - inputs.level) / left))
        for z, w in zip(nodes, weights / weights.sum(), strict=True)
    )
    now = unknown(ndtr((mean - inputs.level) / np.maximum(deviation, 1e-300)))
    return np.append(np.mean(now - after, axis=1), np.full(len(inputs.P) - len(P), -np.inf))


CRITERIA: dict[str, Callable[[ContourInputs], Array]] = {
    "straddle": straddle,
    "tmse": tmse,
    "mee": mee,
    "csur": csur,
    "sur": sur,
    "mi": mi,
}
