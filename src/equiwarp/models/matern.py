"""``matern``: the map of the paper, a Matern-5/2 with one lengthscale per parameter."""

from __future__ import annotations

from equiwarp.domains import Array, Domain
from equiwarp.models.covariance import LEVEL_VARIANCE, Covariance, Stationary, matern52
from equiwarp.models.gaussian_process import GaussianProcess, lengthscale_groups


class MaternModel(GaussianProcess):
    """For functions of which little is known: twice differentiable, no direction alike another."""

    @classmethod
    def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
        return Covariance((Stationary(matern52, lengthscale_groups(domain, Z.shape[1])),), LEVEL_VARIANCE)
