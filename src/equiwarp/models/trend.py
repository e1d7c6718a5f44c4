"""``trend``: a polynomial of degree two, and a Matern for what it misses."""

from __future__ import annotations

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.models.covariance import Covariance, Quadratic, Stationary, matern52
from equiwarp.models.gaussian_process import GaussianProcess, lengthscale_groups


class TrendModel(GaussianProcess):
    """For functions that grow towards the faces of the domain, as response surfaces do."""

    family = "trend"

    @classmethod
    def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
        extent = domain.embed(domain.sample(256, np.random.default_rng(0)))
        low, high = np.minimum(extent.min(axis=0), Z.min(axis=0)), np.maximum(extent.max(axis=0), Z.max(axis=0))
        half = np.maximum((high - low) / 2.0, 1e-9)
        groups = lengthscale_groups(domain, Z.shape[1])
        return Covariance((Stationary(matern52, groups, part=True), Quadratic((low + high) / 2.0, half)))
