"""``envelope``: a Matern whose deviation differs from place to place, for functions with flat parts."""

from __future__ import annotations

import itertools
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
        """Not on a sphere alone: caps lost there what bumps gained."""
        return domain.symmetry != "homogeneous"

    @classmethod
    def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
        groups = lengthscale_groups(domain, Z.shape[1])
        centre, half = extent_of(domain, Z)
        for turning in map(list, domain.turning):  # around the origin, and exactly as far in every direction
            radius = np.linalg.norm(Z[:1, turning]) if len(Z) else 1.0
            centre[turning], half[turning] = 0.0, radius
        term = Enveloped(matern52, groups, centre=centre, half=half, turning=domain.turning)
        return Covariance((term,), LEVEL_VARIANCE)


@dataclass(frozen=True)
class Enveloped(Stationary):
    """Stationary times a deviation whose logarithm is a sum of parabolas, one for each coordinate.

    Of an angle or a direction it is a polynomial of degree two, which may be turned.

    Attributes
    ----------
    centre, half : (e,) arrays
        Middle and half width of the coordinates.
    turning : tuple of tuple of int
        Coordinates that may be turned with each other.
    coefficient_spread : float
        How far the coefficients of the logarithm are expected to lie from 0.
    """

    centre: Array = field(kw_only=True)
    half: Array = field(kw_only=True)
    turning: tuple[tuple[int, ...], ...] = field(default=(), kw_only=True)
    coefficient_spread: float = COEFFICIENT_SPREAD

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        return 1 + self.lengths + self.coefficients

    @cached_property
    def coefficients(self) -> int:
        """How many features there are: two for each coordinate, and products of those that turn."""
        return 2 * len(self.groups) + sum(math.comb(len(group), 2) for group in self.turning)

    def features(self, A: Array) -> Array:
        """Straight and square parts ``(m, f)`` of the coordinates, between -1 and 1."""
        x = (A - self.centre) / self.half
        pairs = [pair for group in self.turning for pair in itertools.combinations(group, 2)]
        first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        # With this factor the coefficients of all products turn like a vector: none of them is special.
        products = 1.5 * math.sqrt(2.0) * x[:, first] * x[:, second]
        return np.hstack([x, 1.5 * x**2 - 0.5, products])

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
        return np.concatenate([super().start(length, X, y), np.zeros(self.coefficients)])

    def bounds(self) -> list[tuple[float, float]]:
        return super().bounds() + [(-COEFFICIENT_BOUND, COEFFICIENT_BOUND)] * self.coefficients

    def penalty(self, t: Array) -> tuple[float, Array]:
        value, gradient = super().penalty(t[: 1 + self.lengths])
        coefficients = t[1 + self.lengths :] / self.coefficient_spread
        return (
            value + 0.5 * float(coefficients @ coefficients),
            np.append(gradient, coefficients / self.coefficient_spread),
        )
