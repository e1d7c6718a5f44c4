"""``single-index``: a function of one direction across all parameters, and a Matern for the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from equiwarp.domains import Array, Domain
from equiwarp.models.covariance import (
    LEVEL_VARIANCE,
    PART_BOUNDS,
    Back,
    Covariance,
    Stationary,
    Term,
    log_normal,
    logarithms,
    matern52,
)
from equiwarp.models.gaussian_process import GaussianProcess, lengthscale_groups

#: What each component of the direction has to gain in log density before the family counts: it is found by
#: looking at the values that judge it. Chosen on random functions (`equiwarp bench study families`).
HANDICAP = 4.0
#: Components of a direction are this large at the most: as if a lengthscale were a fiftieth of the domain.
LARGEST_COMPONENT = 50.0
#: Shrinkage of the regression that gives a first direction; 1 / 12 is the variance of an even coordinate.
SHRINKAGE = 0.1 / 12.0


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


@dataclass(frozen=True)
class SingleIndex(Term):
    """A Matern of the index w'z. Its parameters are the logarithm of a deviation, and w itself.

    Attributes
    ----------
    coordinates : int
        How many kernel coordinates there are.
    """

    coordinates: int
    has_many_summits: ClassVar[bool] = True

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        return 1 + self.coordinates

    def gram(self, t: Array, A: Array, B: Array) -> Array:
        K = matern52.between((A @ t[1:])[:, None], (B @ t[1:])[:, None])
        K *= math.exp(2.0 * t[0])
        return K

    def diagonal(self, t: Array, A: Array) -> Array:
        return np.full(len(A), math.exp(2.0 * t[0]))

    def with_gradient(self, t: Array, X: Array) -> tuple[Array, Back]:
        index = (X @ t[1:])[:, None]
        shape, slope = matern52(cdist(index, index, "sqeuclidean"))
        variance = math.exp(2.0 * t[0])
        K = variance * shape

        def back(W: Array) -> Array:
            pull = W * slope * (index - index.T)  # antisymmetric
            return np.append(2.0 * np.vdot(W, K), -2.0 * variance * (pull.sum(axis=1) @ X))

        return K, back

    def start(self, length: float, X: Array, y: Array) -> Array:
        """Along the gradient of a linear regression, shrunk so that few values give one, too."""
        centred = X - X.mean(axis=0)
        normal = centred.T @ centred + SHRINKAGE * len(X) * np.eye(self.coordinates)
        direction = np.linalg.solve(normal, centred.T @ (y - y.mean()))
        size = float(np.linalg.norm(direction))
        if not size > 1e-9:  # equal values, or an even function: any direction is as good
            direction, size = np.ones(self.coordinates), math.sqrt(self.coordinates)
        return np.append(math.log(0.7), direction / (size * length))

    def bounds(self) -> list[tuple[float, float]]:
        return [logarithms(PART_BOUNDS)] + [(-LARGEST_COMPONENT, LARGEST_COMPONENT)] * self.coordinates

    def penalty(self, t: Array) -> tuple[float, Array]:
        """That of a lengthscale in one coordinate, which is 1 over the length of w."""
        square = max(float(t[1:] @ t[1:]), 1e-12)
        value, (slope,) = log_normal(np.array([-0.5 * math.log(square)]), math.sqrt(2.0), math.sqrt(3.0))
        return value, np.append(0.0, -slope / square * t[1:])
