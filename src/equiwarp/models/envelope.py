"""``envelope``: a Matern whose deviation differs from place to place, for functions with flat parts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.models.covariance import LEVEL_VARIANCE, Back, Covariance, Stationary, matern52
from equiwarp.models.gaussian_process import GaussianProcess, extent_of, lengthscale_groups

#: How far the coefficients of the deviation's logarithm are expected to lie from 0: from the same everywhere.
#: Chosen on random functions (`equiwarp bench study priors`).
COEFFICIENT_SPREAD = 0.25
COEFFICIENT_BOUND = 5.0


class EnvelopeModel(GaussianProcess):
    """For peaks on a plain and cliffs at a corner: much happens in one part and little elsewhere."""

    @classmethod
    def applies(cls, domain: Domain) -> bool:
        """Not where all places are alike: on a sphere, parabolas along coordinates would not turn with it."""
        return domain.symmetry != "homogeneous"

    @classmethod
    def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
        groups = lengthscale_groups(domain, Z.shape[1])
        centre, half = extent_of(domain, Z)
        return Covariance((Enveloped(matern52, groups, centre=centre, half=half),), LEVEL_VARIANCE)


@dataclass(frozen=True)
class Enveloped(Stationary):
    """Stationary times a deviation whose logarithm is a sum of parabolas, one for each coordinate.

    Attributes
    ----------
    centre, half : (e,) arrays
        Middle and half width of the coordinates.
    coefficient_spread : float
        How far the coefficients of the logarithm are expected to lie from 0.
    """

    centre: Array = field(kw_only=True)
    half: Array = field(kw_only=True)
    coefficient_spread: float = COEFFICIENT_SPREAD

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        return 1 + self.lengths + 2 * len(self.groups)

    def features(self, A: Array) -> Array:
        """Straight and square parts ``(m, 2e)`` of the coordinates, between -1 and 1."""
        x = (A - self.centre) / self.half
        return np.hstack([x, 1.5 * x**2 - 0.5])

    def envelope(self, t: Array, A: Array) -> Array:
        """The factor ``(m,)`` of the deviation at points."""
        return np.exp(np.clip(self.features(A) @ t[1 + self.lengths :], -12.0, 12.0))

    def gram(self, t: Array, A: Array, B: Array) -> Array:
        plain = super().gram(t[: 1 + self.lengths], A, B)
        return self.envelope(t, A)[:, None] * plain * self.envelope(t, B)

    def diagonal(self, t: Array, A: Array) -> Array:
        return math.exp(2.0 * t[0]) * self.envelope(t, A) ** 2

    def with_gradient(self, t: Array, X: Array) -> tuple[Array, Back]:
        plain, back_plain = super().with_gradient(t[: 1 + self.lengths], X)
        height = self.envelope(t, X)
        both = height[:, None] * height
        K = both * plain

        def back(W: Array) -> Array:
            coefficients = 2.0 * (W * K).sum(axis=1) @ self.features(X)
            return np.concatenate([back_plain(W * both), coefficients])

        return K, back

    def start(self, length: float, X: Array, y: Array) -> Array:
        return np.concatenate([super().start(length, X, y), np.zeros(2 * len(self.groups))])

    def bounds(self) -> list[tuple[float, float]]:
        return super().bounds() + [(-COEFFICIENT_BOUND, COEFFICIENT_BOUND)] * (2 * len(self.groups))

    def penalty(self, t: Array) -> tuple[float, Array]:
        value, gradient = super().penalty(t[: 1 + self.lengths])
        coefficients = t[1 + self.lengths :] / self.coefficient_spread
        return (
            value + 0.5 * float(coefficients @ coefficients),
            np.append(gradient, coefficients / self.coefficient_spread),
        )
