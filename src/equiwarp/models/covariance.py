"""Prior covariances of the map's models: sums of a few terms, each with the gradient that a fit needs.

A term is a covariance with parameters of its own, given by their logarithms. Next to the matrix between
points it gives a function that carries ``dL/dK`` back to its parameters, so that a likelihood and its whole
gradient cost one factorisation.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from equiwarp.domains import Array

#: Carries the derivative by the matrix ``(n, n)``, symmetric, to the derivative by the logarithms ``(p,)``.
Back = Callable[[Array], Array]
#: Distances that are worked on at once: so many stay in the cache, and no large array is made in passing.
PIECE = 1 << 15

LENGTHSCALE_BOUNDS = (5e-3, 1e2)
#: Deviation of the standardised function: from one or two points, likelihood alone would claim to know
#: everything.
AMPLITUDE_BOUNDS = (math.sqrt(0.05), 1e2)
#: How far the logarithms of one model's lengthscales are expected to lie from their mean: few values make
#: parameters look inert, or steep, that are not. Chosen on random functions (`equiwarp bench study priors`).
LENGTHSCALE_SPREAD = 0.7
#: Deviation of a part that may as well be absent.
PART_BOUNDS = (1e-3, 1e2)
#: Variance of the level around which a function varies, in units of the values' variance.
LEVEL_VARIANCE = 1.0
#: Components of a direction are this large at the most: as if a lengthscale were a fiftieth of the domain.
LARGEST_COMPONENT = 50.0
#: Shrinkage of the regression that gives a first direction; 1 / 12 is the variance of an even coordinate.
SHRINKAGE = 0.1 / 12.0


@dataclass(frozen=True)
class Radial:
    """A function of the squared scaled distance.

    Called, it gives its values, and minus twice their derivatives by that square, which a fit needs.

    Attributes
    ----------
    values : callable
        The values alone.
    with_slopes : callable
        Both.
    """

    values: Callable[[Array], Array]
    with_slopes: Callable[[Array], tuple[Array, Array]]

    def __call__(self, square: Array) -> tuple[Array, Array]:
        return self.with_slopes(square)

    def between(self, A: Array, B: Array) -> Array:
        """Values ``(m, n)`` between scaled points ``(m, e)`` and ``(n, e)``, piece by piece."""
        K = np.empty((len(A), len(B)))
        step = max(1, PIECE // max(1, len(B)))
        for i in range(0, len(A), step):
            K[i : i + step] = self.values(cdist(A[i : i + step], B, "sqeuclidean"))
        return K


def _matern52(square: Array) -> Array:
    r = np.sqrt(5.0 * square)
    return np.asarray((1.0 + r + (5.0 / 3.0) * square) * np.exp(-r))


def _matern52_with_slopes(square: Array) -> tuple[Array, Array]:
    r = np.sqrt(5.0 * square)
    decay = np.exp(-r)
    slope = (5.0 / 3.0) * (1.0 + r) * decay
    return (1.0 + r + (5.0 / 3.0) * square) * decay, slope


def _gaussian(square: Array) -> Array:
    return np.exp(-0.5 * square)


def _gaussian_with_slopes(square: Array) -> tuple[Array, Array]:
    decay = _gaussian(square)
    return decay, decay


#: Matern with nu = 5/2: twice differentiable functions.
matern52 = Radial(_matern52, _matern52_with_slopes)
#: Squared exponential: functions that can be continued from any small piece.
gaussian = Radial(_gaussian, _gaussian_with_slopes)


class Term(ABC):
    """One part of a covariance. ``t`` are its parameters ``(size,)``: logarithms, or those of a direction."""

    size: int
    #: Whether a start that is behind after a few steps may well end ahead of the others.
    has_many_summits: ClassVar[bool] = False

    @abstractmethod
    def gram(self, t: Array, A: Array, B: Array) -> Array:
        """Covariance ``(m, n)`` between points ``(m, e)`` and ``(n, e)``."""

    @abstractmethod
    def diagonal(self, t: Array, A: Array) -> Array:
        """Prior variance ``(m,)`` at points ``(m, e)``."""

    @abstractmethod
    def with_gradient(self, t: Array, X: Array) -> tuple[Array, Back]:
        """Covariance ``(n, n)`` between the points themselves, and the way back to the parameters."""

    @abstractmethod
    def start(self, length: float, X: Array, y: Array) -> Array:
        """Where a fit to values ``(n,)`` at points ``(n, e)`` begins, with lengthscales of ``length``."""

    @abstractmethod
    def bounds(self) -> list[tuple[float, float]]:
        """Between which logarithms the parameters lie."""

    def penalty(self, t: Array) -> tuple[float, Array]:
        """Minus the logarithm of the prior density of the parameters, up to a constant, and its gradient."""
        return 0.0, np.zeros(self.size)


class Grouped(Term):
    """A term with a deviation and one lengthscale for each group of coordinates."""

    groups: NDArray[np.intp]

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        return 1 + self.lengths

    @cached_property
    def lengths(self) -> int:
        """How many lengthscales there are."""
        return int(self.groups.max()) + 1


@dataclass(frozen=True)
class Stationary(Grouped):
    """A function of distance, with a deviation and one lengthscale for each group of coordinates.

    Attributes
    ----------
    radial : callable
    groups : (e,) array of int
        To which lengthscale each kernel coordinate belongs.
    part : bool
        Whether it may vanish, because another term can do without it.
    spread : float
        How far the logarithms of the lengthscales are expected to lie from their mean.
    """

    radial: Radial
    groups: NDArray[np.intp]
    part: bool = False
    spread: float = LENGTHSCALE_SPREAD

    def gram(self, t: Array, A: Array, B: Array) -> Array:
        scale = np.exp(t[1:])[self.groups]
        K = self.radial.between(A / scale, B / scale)
        K *= math.exp(2.0 * t[0])
        return K

    def diagonal(self, t: Array, A: Array) -> Array:
        return np.full(len(A), math.exp(2.0 * t[0]))

    def with_gradient(self, t: Array, X: Array) -> tuple[Array, Back]:
        variance, scaled = math.exp(2.0 * t[0]), X / np.exp(t[1:])[self.groups]
        shape, slope = self.radial(cdist(scaled, scaled, "sqeuclidean"))
        K = variance * shape

        def back(W: Array) -> Array:
            gradient = np.empty(1 + self.lengths)
            gradient[0] = 2.0 * np.vdot(W, K)
            gradient[1:] = variance * np.bincount(self.groups, by_coordinate(W * slope, scaled), self.lengths)
            return gradient

        return K, back

    def start(self, length: float, X: Array, y: Array) -> Array:
        amplitude = math.log(0.5) if self.part else 0.0
        return np.array([amplitude] + [math.log(length * math.sqrt(len(self.groups)))] * self.lengths)

    def bounds(self) -> list[tuple[float, float]]:
        return [logarithms(PART_BOUNDS if self.part else AMPLITUDE_BOUNDS)] + [
            logarithms(LENGTHSCALE_BOUNDS)
        ] * (self.lengths)

    def penalty(self, t: Array) -> tuple[float, Array]:
        """The log-normal prior of Hvarfner et al. (2024), and lengthscales that are alike.

        By the former they grow with the dimension; the latter draws them to their common mean.
        """
        value, gradient = log_normal(t[1:], math.sqrt(2.0) + 0.5 * math.log(len(self.groups)), math.sqrt(3.0))
        apart = (t[1:] - t[1:].mean()) / self.spread
        value += 0.5 * float(apart @ apart)
        return value, np.concatenate([[0.0], gradient + apart / self.spread])


@dataclass(frozen=True)
class OneByOne(Grouped):
    """A sum of functions of one group of coordinates each, with one deviation for the sum.

    Attributes
    ----------
    groups : (e,) array of int
        Which coordinates belong together.
    """

    groups: NDArray[np.intp]

    def gram(self, t: Array, A: Array, B: Array) -> Array:
        K = np.zeros((len(A), len(B)))
        for g in range(self.lengths):
            own, scale = self.groups == g, math.exp(t[1 + g])
            K += matern52.between(A[:, own] / scale, B[:, own] / scale)
        K *= math.exp(2.0 * t[0]) / self.lengths
        return K

    def diagonal(self, t: Array, A: Array) -> Array:
        return np.full(len(A), math.exp(2.0 * t[0]))

    def with_gradient(self, t: Array, X: Array) -> tuple[Array, Back]:
        share = math.exp(2.0 * t[0]) / self.lengths
        K, slopes = np.zeros((len(X), len(X))), []
        for g in range(self.lengths):
            scaled = X[:, self.groups == g] / math.exp(t[1 + g])
            square = cdist(scaled, scaled, "sqeuclidean")
            shape, slope = matern52(square)
            K += shape
            slope *= square
            slopes.append(slope)
        K *= share

        def back(W: Array) -> Array:
            return np.array([2.0 * np.vdot(W, K)] + [share * np.vdot(W, slope) for slope in slopes])

        return K, back

    def start(self, length: float, X: Array, y: Array) -> Array:
        return np.array([math.log(0.7)] + [math.log(length)] * self.lengths)

    def bounds(self) -> list[tuple[float, float]]:
        return [logarithms(PART_BOUNDS)] + [logarithms(LENGTHSCALE_BOUNDS)] * self.lengths

    def penalty(self, t: Array) -> tuple[float, Array]:
        value, gradient = log_normal(t[1:], math.sqrt(2.0), math.sqrt(3.0))
        return value, np.concatenate([[0.0], gradient])


@dataclass(frozen=True)
class Quadratic(Term):
    """All polynomials of degree two in coordinates that run from -1 to 1, with one deviation.

    Attributes
    ----------
    centre, half : (e,) arrays
        Middle and half width of the coordinates.
    """

    centre: Array
    half: Array
    size: int = 1

    def _features(self, A: Array) -> Array:
        return (A - self.centre) / (self.half * math.sqrt(len(self.centre)))

    def gram(self, t: Array, A: Array, B: Array) -> Array:
        return math.exp(2.0 * t[0]) * (1.0 + self._features(A) @ self._features(B).T) ** 2

    def diagonal(self, t: Array, A: Array) -> Array:
        F = self._features(A)
        return math.exp(2.0 * t[0]) * (1.0 + np.einsum("ij,ij->i", F, F)) ** 2

    def with_gradient(self, t: Array, X: Array) -> tuple[Array, Back]:
        K = self.gram(t, X, X)
        return K, lambda W: np.array([2.0 * np.vdot(W, K)])

    def start(self, length: float, X: Array, y: Array) -> Array:
        return np.array([math.log(0.7)])

    def bounds(self) -> list[tuple[float, float]]:
        return [logarithms(PART_BOUNDS)]


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


@dataclass(frozen=True)
class Covariance:
    """The sum of some terms, around a level; ``t`` holds the logarithms of the terms' parameters in turn.

    The mean of the values is a poor guess of the level that a function returns to between measurements: they
    crowd where it is lively, and a plain between the points of a hill would be drawn half way up. Where the
    level is unknown, a model weighs the values as ordinary kriging does, many near ones as little more than
    one.

    Attributes
    ----------
    terms : sequence of Term
    level : float
        Variance of the level, around the mean of the values; 0 is a level that is known.
    """

    terms: Sequence[Term]
    level: float = 0.0

    @cached_property
    def size(self) -> int:
        return sum(term.size for term in self.terms)

    @cached_property
    def has_many_summits(self) -> bool:
        """Whether a fit has to follow every start to its end."""
        return any(term.has_many_summits for term in self.terms)

    @cached_property
    def _places(self) -> list[slice]:
        ends = list(accumulate(term.size for term in self.terms))
        return [slice(end - term.size, end) for end, term in zip(ends, self.terms, strict=True)]

    def split(self, t: Array) -> list[Array]:
        """The parameters of each term."""
        return [t[place] for place in self._places]

    def gram(self, t: Array, A: Array, B: Array) -> Array:
        parts = zip(self.terms, self.split(t), strict=True)
        first, own = next(parts)
        K = first.gram(own, A, B)
        for term, own in parts:
            K += term.gram(own, A, B)
        K += self.level
        return K

    def diagonal(self, t: Array, A: Array) -> Array:
        return self.around_level(t, A) + self.level

    def around_level(self, t: Array, A: Array) -> Array:
        """Prior variance ``(m,)`` at points, were the level known."""
        return sum(term.diagonal(part, A) for term, part in zip(self.terms, self.split(t), strict=True))  # type: ignore[return-value]

    def with_gradient(self, t: Array, X: Array) -> tuple[Array, Back]:
        pairs = [term.with_gradient(part, X) for term, part in zip(self.terms, self.split(t), strict=True)]
        K = pairs[0][0] + self.level
        for further, _ in pairs[1:]:
            K += further
        return K, lambda W: np.concatenate([back(W) for _, back in pairs])

    def start(self, length: float, X: Array, y: Array) -> Array:
        return np.concatenate([term.start(length, X, y) for term in self.terms])

    def bounds(self) -> list[tuple[float, float]]:
        return [pair for term in self.terms for pair in term.bounds()]

    def penalty(self, t: Array) -> tuple[float, Array]:
        pairs = [term.penalty(part) for term, part in zip(self.terms, self.split(t), strict=True)]
        return sum(value for value, _ in pairs), np.concatenate([gradient for _, gradient in pairs])


def by_coordinate(G: Array, scaled: Array) -> Array:
    """``sum_ij G_ij (x_id - x_jd)^2`` for each coordinate d of points ``(n, e)``; G is symmetric."""
    difference: Array = 2.0 * (G.sum(axis=1) @ (scaled * scaled) - np.einsum("id,id->d", scaled, G @ scaled))
    return difference


def log_normal(t: Array, loc: float, scale: float) -> tuple[float, Array]:
    """Minus the log density of log-normal parameters by their logarithms, up to a constant; its gradient."""
    offset = (t - loc) / scale
    return float(np.sum(0.5 * offset**2 + t)), offset / scale + 1.0


def logarithms(bounds: tuple[float, float]) -> tuple[float, float]:
    """Of both ends of a range."""
    return math.log(bounds[0]), math.log(bounds[1])
