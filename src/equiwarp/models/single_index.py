"""``single-index``: a function of one direction across all parameters, and a Matern for the rest."""

from __future__ import annotations

from equiwarp.domains import Array, Domain
from equiwarp.models.covariance import LEVEL_VARIANCE, Covariance, SingleIndex, Stationary, matern52
from equiwarp.models.gaussian_process import GaussianProcess, lengthscale_groups

#: What each component of the direction has to gain in log density before the family counts: it is found by
#: looking at the values that judge it. Chosen on random functions (`equiwarp bench study families`).
HANDICAP = 4.0


class SingleIndexModel(GaussianProcess):
    """For a boundary between two regimes that lies askew, and for parameters that act through one sum.

    The index of a point z is w'z, and the function one of the index, which may change as suddenly as it
    likes. Not for few values in many parameters: any few values lie on a function of some direction, so the
    family counts for nothing before it has gained more than its ``handicap``.
    """

    @classmethod
    def applies(cls, domain: Domain) -> bool:
        """Where there are several kernel coordinates: with one, it is the Matern."""
        return sum(len(group) for group in domain.groups) > 1

    @classmethod
    def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
        groups = lengthscale_groups(domain, Z.shape[1])
        terms = (Stationary(matern52, groups, part=True), SingleIndex(Z.shape[1]))
        return Covariance(terms, LEVEL_VARIANCE)

    @classmethod
    def handicap(cls, coordinates: int) -> float:
        return HANDICAP * coordinates
