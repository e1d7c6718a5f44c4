"""What every domain offers: a measure-preserving chart, an embedding, and a way to sample.

A *domain* is where one can measure. The method needs four things of it and nothing else:

``to_cube`` / ``from_cube``
    the chart, a bijection with the unit cube that carries the domain's uniform measure to the cube's;
``embed``
    the coordinates in which the kernel measures distance;
``tangent``
    the projection of a gradient in those coordinates onto directions that stay inside the domain;
``pool``
    the points that may be suggested.

People need three more, for which there are defaults: how it is looked at (``view``), how it is written
down (:mod:`equiwarp.domains.plain`) and how it is described in words (``describe``, ``remarks``).

A new domain is one file that subclasses :class:`Domain`, and one line of the registry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains.plain import PlainData
from equiwarp.domains.sobol import scrambled
from equiwarp.domains.view import Array, Axis, View
from equiwarp.exceptions import InvalidInput, InvalidType

Symmetry = Literal["cube", "homogeneous", "none"]


class Domain(PlainData, ABC):
    """A place to measure in.

    Attributes
    ----------
    names : tuple of str
        One name per column of a point.
    dim : int
        Intrinsic dimension D: that of the cube behind the chart, and the D of every formula.
    volume : float
        Volume in the kernel's coordinates.
    symmetry : "cube", "homogeneous" or "none"
        How the equalizer finds its reference: a folded table, exactly one, or a measurement on the pool.
    cartesian : bool
        Whether each kernel coordinate is one of the variables, rather than a direction among others.
    has_faces : bool
        Whether the kernel's coordinates fill the unit cube, at whose faces a kernel can reflect.

    Examples
    --------
    >>> import equiwarp as ew
    >>> domain = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    >>> domain.dim, domain.n0
    (2, 20)
    """

    names: tuple[str, ...]
    dim: int
    volume: float
    symmetry: Symmetry
    cartesian: bool = False
    has_faces: ClassVar[bool] = False

    @abstractmethod
    def to_cube(self, x: Array, pole: Array | None = None) -> Array:
        """Chart: ``(n, columns)`` points in the domain's units to ``(n, dim)`` in the unit cube."""

    @abstractmethod
    def from_cube(self, u: Array, pole: Array | None = None) -> Array:
        """Inverse chart: ``(n, dim)`` to ``(n, columns)``. Not rounded to steps, see :meth:`snap`."""

    @abstractmethod
    def embed(self, x: Array) -> Array:
        """Kernel coordinates ``(n, e)`` of points ``(n, columns)``."""

    def embed_cube(self, u: Array, pole: Array | None = None) -> Array:
        """Kernel coordinates ``(n, e)`` of points ``(n, dim)`` of the unit cube."""
        return self.embed(self.from_cube(u, pole))

    @abstractmethod
    def contains(self, x: Array) -> NDArray[np.bool_]:
        """Whether each point of ``(n, columns)`` lies in the domain, ``(n,)``."""

    @abstractmethod
    def problem(self, point: Array) -> str | None:
        """Why one point ``(columns,)`` is outside, in the user's words, or None if it is inside."""

    @property
    def columns(self) -> int:
        """Number of columns of a point."""
        return len(self.names)

    @property
    def n0(self) -> int:
        """The paper's initial design size, 20 (dim - 1) on cubes and spheres; 10 in one dimension."""
        return max(10, 20 * (self.dim - 1))

    def spacing(self, n0: int | None = None) -> float:
        """``(volume / n0)^(1/D)``: how far apart n0 points are that fill the domain evenly.

        Parameters
        ----------
        n0 : int, optional
            Number of points; the domain's own start by default.

        Returns
        -------
        float
            In kernel coordinates. It is the lengthscale of the acquisition GP unless told otherwise.

        Raises
        ------
        InvalidInput
            If there is no point.
        """
        count = self.n0 if n0 is None else n0
        if count < 1:
            raise InvalidInput(f"the initial design needs at least one point, got {count}")
        return float((self.volume / count) ** (1.0 / self.dim))

    def pole(self, x: Array, weights: Array) -> Array | None:
        """Where to put the chart's pole for a density with these weights at x; None where it has none."""
        return None

    def tangent(self, z: Array, gradient: Array) -> Array:
        """Project gradients ``(n, e)`` at kernel coordinates ``(n, e)`` onto the domain's tangent space."""
        return gradient

    def snap(self, x: Array) -> Array:
        """The nearest points that an instrument can be set to."""
        return x

    def sample(self, n: int, rng: np.random.Generator, start: int = 0) -> Array:
        """Points ``start`` to ``start + n`` of a scrambled Sobol sequence through the chart."""
        return self.snap(self.from_cube(sobol(self.dim, n, rng, start)))

    def scatter(self, n: int, streams: Callable[[int], np.random.Generator], start: int = 0) -> Array:
        """Points ``start`` to ``start + n`` of a uniform random sequence, point i from ``streams(i)``."""
        u = np.array([streams(i).random(self.dim) for i in range(start, start + n)])
        return self.snap(self.from_cube(u.reshape(n, self.dim)))

    def pool(self, n: int, rng: np.random.Generator) -> Array:
        """About n distinct points that may be suggested, ``(m, columns)``."""
        return distinct(self.sample(n, rng))

    @property
    def whole(self) -> Domain:
        """The domain without the constraints that were put on it; itself if there are none."""
        return self

    @property
    def listed(self) -> Array | None:
        """All points there are, ``(m, columns)``, if they are a list; None where there is room between."""
        return None

    def combinations(self, most: int) -> Array | None:
        """All points, if every parameter has settings and they make at most so many; None otherwise."""
        return None

    def view(self) -> View:
        """How people look at it; by default along the coordinates of the chart."""
        axes = tuple(Axis(f"chart {i + 1}") for i in range(self.dim))
        return View("line" if self.dim == 1 else "plane", axes, charted=True)

    def coordinates(self, x: Array) -> Array:
        """Where points ``(n, columns)`` are along the axes of the view, ``(n, axes)``."""
        return self.to_cube(x)

    def points_at(self, coordinates: Array) -> Array:
        """The points ``(n, columns)`` at coordinates ``(n, axes)`` of the view."""
        return self.from_cube(coordinates)

    def describe(self) -> list[dict[str, Any]]:
        """One row per column for people to check: its name, unit, low, high, and kind of values."""
        return [
            {"name": name, "unit": "", "low": None, "high": None, "kind": "coordinate"} for name in self.names
        ]

    def remarks(self) -> list[str]:
        """Sentences about the domain as a whole that no row can say."""
        return []


def require_domain(domain: Any) -> Domain:
    """The domain itself, or an error for whatever else was passed as one."""
    if not isinstance(domain, Domain):
        raise InvalidType(f"a domain is expected, such as a Box, got {domain!r}")
    return domain


def sobol(dim: int, n: int, rng: np.random.Generator, start: int = 0) -> Array:
    """Rows ``start`` to ``start + n`` of a scrambled Sobol sequence in the open unit cube, ``(n, dim)``.

    A whole power of two is drawn, so that the same generator state always gives the same sequence and
    a prefix of a longer draw is the shorter draw.
    """
    points = scrambled(dim, max(start + n - 1, 0).bit_length(), rng)[start : start + n]
    # Scrambling can hit 0 exactly; charts with a logarithm or a pole prefer the open cube.
    return np.clip(points, 1e-12, 1.0 - 1e-12)


def distinct(x: Array) -> Array:
    """Rows of x without repetition, in the order of their first appearance."""
    if len(np.unique(x[:, 0])) == len(x):  # told apart by their first column: the rule, and soon seen
        return x.copy()
    _, first = np.unique(x, axis=0, return_index=True)
    return x[np.sort(first)]
