"""``additive``: a sum of functions of one parameter each, and a Matern for what they do together."""

from __future__ import annotations

from equiwarp.domains import Array, Domain
from equiwarp.models.covariance import LEVEL_VARIANCE, Covariance, OneByOne, Stationary, matern52
from equiwarp.models.gaussian_process import GaussianProcess, lengthscale_groups


class AdditiveModel(GaussianProcess):
    """For functions in which parameters mostly act on their own: each is learnt from all measurements."""

    @classmethod
    def applies(cls, domain: Domain) -> bool:
        """Where each kernel coordinate belongs to one of several parameters: numbers, angles, categories."""
        grouped = any(len(group) > 1 for group in domain.groups)
        return len(domain.groups) > 1 and (domain.cartesian or grouped)

    @classmethod
    def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
        groups = lengthscale_groups(domain, Z.shape[1])
        return Covariance((Stationary(matern52, groups, part=True), OneByOne(groups)), LEVEL_VARIANCE)
