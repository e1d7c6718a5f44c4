"""``trend``: a polynomial of degree two, and a smooth function for what it misses."""

from __future__ import annotations

from equiwarp.domains import Array, Domain
from equiwarp.models.covariance import Covariance, Quadratic, Stationary, gaussian
from equiwarp.models.gaussian_process import GaussianProcess, extent_of, lengthscale_groups


class TrendModel(GaussianProcess):
    """For functions that grow towards the faces of the domain, as response surfaces do."""

    @classmethod
    def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
        groups = lengthscale_groups(domain, Z.shape[1])
        return Covariance((Stationary(gaussian, groups, part=True), Quadratic(*extent_of(domain, Z))))
