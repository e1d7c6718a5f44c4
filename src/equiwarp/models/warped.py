"""``warped``: a Matern in coordinates that are stretched towards a face, for functions that sharpen there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist

from equiwarp.domains import Array, Domain
from equiwarp.models.covariance import (
    LEVEL_VARIANCE,
    Back,
    Covariance,
    Stationary,
    by_coordinate,
    matern52,
)
from equiwarp.models.gaussian_process import GaussianProcess, lengthscale_groups

#: How far the logarithms of the two exponents of a coordinate are expected to lie from 0: from no stretch.
EXPONENT_SPREAD = 0.5
EXPONENT_BOUND = math.log(6.0)
#: How near a face a coordinate may come: the stretch has no end there.
NEAREST_FACE = 1e-4


class WarpedModel(GaussianProcess):
    """For functions that vary faster towards one side of a parameter than towards the other."""

    @classmethod
    def applies(cls, domain: Domain) -> bool:
        """Where the kernel coordinates fill the unit cube."""
        return domain.has_faces

    @classmethod
    def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
        return Covariance((Kumaraswamy(matern52, lengthscale_groups(domain, Z.shape[1])),), LEVEL_VARIANCE)


@dataclass(frozen=True)
class Kumaraswamy(Stationary):
    """Stationary after each coordinate x became ``1 - (1 - x^a)^b`` (Snoek et al. 2014).

    Attributes
    ----------
    exponent_spread : float
        How far the logarithms of a and b are expected to lie from 0.
    """

    exponent_spread: float = EXPONENT_SPREAD

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        return 1 + self.lengths + 2 * len(self.groups)

    def gram(self, t: Array, A: Array, B: Array) -> Array:
        return super().gram(t[: 1 + self.lengths], self.warp(t, A)[0], self.warp(t, B)[0])

    def with_gradient(self, t: Array, X: Array) -> tuple[Array, Back]:
        variance, scale = math.exp(2.0 * t[0]), np.exp(t[1 : 1 + self.lengths])[self.groups]
        warped, by_a, by_b = self.warp(t, X)
        scaled = warped / scale
        shape, slope = self.radial(cdist(scaled, scaled, "sqeuclidean"))
        K = variance * shape

        def back(W: Array) -> Array:
            G = W * slope
            lengths = variance * np.bincount(self.groups, by_coordinate(G, scaled), self.lengths)
            moved = -2.0 * variance * (G.sum(axis=1)[:, None] * scaled - G @ scaled) / scale
            exponents = [np.einsum("id,id->d", moved, by) for by in (by_a, by_b)]
            return np.concatenate([[2.0 * np.vdot(W, K)], lengths, *exponents])

        return K, back

    def warp(self, t: Array, A: Array) -> tuple[Array, Array, Array]:
        """Stretched coordinates, and their derivatives by the logarithms of a and b."""
        a, b = np.exp(t[1 + self.lengths :]).reshape(2, -1)
        x = np.clip(A, NEAREST_FACE, 1.0 - NEAREST_FACE)
        power = x**a
        rest = 1.0 - power
        left = rest**b
        return 1.0 - left, a * b * (left / rest) * power * np.log(x), -b * left * np.log(rest)

    def start(self, length: float, X: Array, y: Array) -> Array:
        return np.concatenate([super().start(length, X, y), np.zeros(2 * len(self.groups))])

    def bounds(self) -> list[tuple[float, float]]:
        return super().bounds() + [(-EXPONENT_BOUND, EXPONENT_BOUND)] * (2 * len(self.groups))

    def penalty(self, t: Array) -> tuple[float, Array]:
        value, gradient = super().penalty(t[: 1 + self.lengths])
        exponents = t[1 + self.lengths :] / self.exponent_spread
        slope = exponents / self.exponent_spread
        return value + 0.5 * float(exponents @ exponents), np.append(gradient, slope)
