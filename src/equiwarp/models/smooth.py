"""``smooth``: a Gaussian covariance with one lengthscale per parameter, for very smooth functions."""

from __future__ import annotations

from equiwarp.domains import Array, Domain
from equiwarp.models.covariance import LEVEL_VARIANCE, Covariance, Stationary, gaussian
from equiwarp.models.gaussian_process import GaussianProcess, lengthscale_groups


class SmoothModel(GaussianProcess):
    """For functions whose every derivative is smooth, as many formulas are."""

    @classmethod
    def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
        return Covariance((Stationary(gaussian, lengthscale_groups(domain, Z.shape[1])),), LEVEL_VARIANCE)
