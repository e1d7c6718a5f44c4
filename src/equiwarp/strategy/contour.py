"""How much a measurement is expected to tell about the side of a level on which a place lies.

With mean mu and deviation s at a place u and a = (mu - level) / s, the place lies above the level with
probability p = Phi(a), and which side it lies on has the variance p (1 - p): the chance that two draws of the
map disagree, halved. A measurement at x takes a share of the variance at u,

    r = C(u, x)^2 / (s^2 (C(x, x) + noise^2)).

Before its value is known, what remains is expected to be

    E[p' (1 - p')] = Phi(a) - Phi2(a, a; r) = 2 T(a, sqrt((1 - r) / (1 + r)))

(Phi2 the bivariate normal distribution, T Owen's function), so that it falls by an integral over the
correlation from 0 to r, which is smooth in an angle:

    fall(a, r) = 1 / (2 pi) * integral from 0 to arcsin r of exp(-a^2 / (1 + sin t)) dt.

Averaged over places, it is the stepwise uncertainty reduction of Bect et al. (2012) and Chevalier et al.
(2014).
"""

from __future__ import annotations

import numpy as np

from equiwarp.domains import Array

#: Nodes of the integral, whose relative error stays below 1e-4, and the distance in deviations from which on
#: nothing is to be learnt: the fall is below 1e-4 of its largest value.
NODES, FARTHEST = 5, 4.0
_AT, _WEIGHTS = np.polynomial.legendre.leggauss(NODES)


def wrong_side_fall(distance: Array, share: Array) -> Array:
    """What the chance of the wrong side falls by, ``(m, t)``.

    Parameters
    ----------
    distance : (t,) array
        How many deviations the mean lies from the level.
    share : (m, t) array
        The share of the variance that goes, 0 to 1.
    """
    end = np.arcsin(np.minimum(share, 1.0))
    square = np.square(distance)
    total = np.zeros_like(end)
    for at, weight in zip(_AT, _WEIGHTS, strict=True):
        total += weight * np.exp(-square / (1.0 + np.sin(0.5 * (at + 1.0) * end)))
    return total * end / (4.0 * np.pi)


def contour_score(distance: Array, counts: Array, covariance: Array, variance: Array, unit: Array) -> Array:
    """The mean fall over the targets, ``(m,)``, each target counted as much as it is said to.

    Parameters
    ----------
    distance, counts, variance : (t,) arrays
        Deviations from the level, what each target counts, and its variance.
    covariance : (m, t) array
        Between pool and targets.
    unit : (m,) array
        Variance of a measurement at each pool point, with its noise.
    """
    open_ = (np.abs(distance) < FARTHEST) & (counts > 0) & (variance > 0)
    share = np.square(covariance[:, open_]) / variance[open_] / unit[:, None]
    fall: Array = wrong_side_fall(distance[open_], share) @ counts[open_]
    return fall / len(counts)
