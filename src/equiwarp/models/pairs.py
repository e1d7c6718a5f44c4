"""``pairs``: sums of functions of one parameter and of two, and a Matern for what all do together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from equiwarp.domains import Array, Domain
from equiwarp.models.additive import AdditiveModel
from equiwarp.models.covariance import (
    LENGTHSCALE_BOUNDS,
    LEVEL_VARIANCE,
    PART_BOUNDS,
    Back,
    Covariance,
    Grouped,
    OneByOne,
    Stationary,
    log_normal,
    logarithms,
    matern52,
)
from equiwarp.models.gaussian_process import GaussianProcess, lengthscale_groups


class PairsModel(GaussianProcess):
    """For functions in which parameters act alone or two by two, as in most designs of experiments.

    Duvenaud et al. (2011), Additive Gaussian processes, of the first and second order.
    """

    @classmethod
    def applies(cls, domain: Domain) -> bool:
        """Where parameters can act alone and there are at least three: of two, there is only one pair."""
        return AdditiveModel.applies(domain) and len(domain.groups) > 2

    @classmethod
    def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
        groups = lengthscale_groups(domain, Z.shape[1])
        terms = (Stationary(matern52, groups, part=True), OneByOne(groups), TwoByTwo(groups))
        return Covariance(terms, LEVEL_VARIANCE)


@dataclass(frozen=True)
class TwoByTwo(Grouped):
    """A sum of functions of two groups of coordinates each, with one deviation for the sum.

    The covariance of a pair is the product of its parts k_g, and the sum over all pairs is
    ``((sum_g k_g)^2 - sum_g k_g^2) / 2``.

    Attributes
    ----------
    groups : (e,) array of int
        Which coordinates belong together; at least two groups.
    """

    groups: NDArray[np.intp]

    @cached_property
    def pairs(self) -> float:
        """How many pairs there are."""
        return self.lengths * (self.lengths - 1) / 2

    def gram(self, t: Array, A: Array, B: Array) -> Array:
        total, squares = np.zeros((2, len(A), len(B)))
        for own, scale in self._scales(t):
            part = matern52.between(A[:, own] / scale, B[:, own] / scale)
            total += part
            squares += part * part
        return math.exp(2.0 * t[0]) / self.pairs * 0.5 * (total * total - squares)

    def diagonal(self, t: Array, A: Array) -> Array:
        return np.full(len(A), math.exp(2.0 * t[0]))

    def with_gradient(self, t: Array, X: Array) -> tuple[Array, Back]:
        total, squares, parts = *np.zeros((2, len(X), len(X))), []
        for own, scale in self._scales(t):
            scaled = X[:, own] / scale
            square = cdist(scaled, scaled, "sqeuclidean")
            part, slope = matern52(square)
            total += part
            squares += part * part
            slope *= square
            parts.append((part, slope))
        share = math.exp(2.0 * t[0]) / self.pairs
        K = share * 0.5 * (total * total - squares)

        def back(W: Array) -> Array:
            lengths = [share * np.vdot(W, slope * (total - part)) for part, slope in parts]
            return np.array([2.0 * np.vdot(W, K), *lengths])

        return K, back

    def start(self, length: float, X: Array, y: Array) -> Array:
        return np.array([math.log(0.5)] + [math.log(length * math.sqrt(2.0))] * self.lengths)

    def bounds(self) -> list[tuple[float, float]]:
        return [logarithms(PART_BOUNDS)] + [logarithms(LENGTHSCALE_BOUNDS)] * self.lengths

    def penalty(self, t: Array) -> tuple[float, Array]:
        value, gradient = log_normal(t[1:], math.sqrt(2.0) + 0.5 * math.log(2.0), math.sqrt(3.0))
        return value, np.concatenate([[0.0], gradient])

    def _scales(self, t: Array) -> Iterator[tuple[NDArray[np.bool_], float]]:
        """The coordinates of each group, and its lengthscale."""
        for g in range(self.lengths):
            yield self.groups == g, math.exp(t[1 + g])
