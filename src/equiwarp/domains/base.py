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

People need four more, for which there are defaults: how it is looked at (``view``), how it is written
down (:mod:`equiwarp.domains.plain`), what the cells of its tables hold (:mod:`equiwarp.domains.cells`)
and how it is described in words (``describe``, ``remarks``). What its axes are, and how far points lie
apart, is in :mod:`equiwarp.domains.shape`.

A new domain is one file that subclasses :class:`Domain`, and one line of the registry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.text import short
from equiwarp.domains.cells import TextCells
from equiwarp.domains.chart import cover_categories
from equiwarp.domains.plain import PlainData
from equiwarp.domains.shape import Shape
from equiwarp.domains.sobol import scrambled
from equiwarp.domains.view import Array, Axis, View
from equiwarp.exceptions import InvalidType

Symmetry = Literal["cube", "homogeneous", "none"]
#: A parameter without a step is rounded to this share of its range when it is handed out, or finer.
RESOLUTION = 1e-3
#: How many more digits a point may get to stay inside before it is left as it is.
FINEST = 4


class Domain(Shape, TextCells, PlainData, ABC):
    """Where one can measure: the base class of boxes, mixtures, spheres, lists and domains of your own.

    Most people make a :class:`Box`, :class:`Simplex`, :class:`Sphere`, :class:`Candidates` or
    :class:`Constrained`. Subclass ``Domain`` only for a place that none of them describes.

    A subclass sets ``names``, ``dim``, ``volume`` and ``symmetry`` and writes :meth:`to_cube`,
    :meth:`from_cube`, :meth:`embed`, :meth:`contains` and :meth:`problem`. Everything else has a default.
    Equal domains must compare equal and have the same hash. No method may change an array that it is given.
    :func:`equiwarp.testing.check_domain` tests all that the methods below have to guarantee.

    Attributes
    ----------
    names : tuple of str
        One name for each column of a point, all different.
    dim : int
        Number of coordinates in the chart's unit cube: the intrinsic dimension, and one more for each
        parameter with categories. A mixture of three components has 2.
    volume : float
        Volume of the domain in kernel coordinates (see :meth:`embed`).
    symmetry : "cube", "homogeneous" or "none"
        How the equalizer finds the expected variance: "cube" looks it up in a table for the unit cube,
        "homogeneous" needs no correction because all places are alike, "none" measures it on the pool.
    cartesian : bool
        True if each kernel coordinate belongs to one parameter.
    has_faces : bool
        True if the kernel coordinates fill the unit cube, so that a kernel can reflect at its faces.

    Examples
    --------
    Every domain can be used in the same way:

    >>> import numpy as np
    >>> import equiwarp as ew
    >>> domain = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    >>> domain.dim, domain.n0
    (2, 20)
    >>> domain.to_cube(np.array([[55.0, 9.0]]))
    array([[0.5, 1. ]])
    >>> domain.problem(np.array([95.0, 7.0]))
    'temperature = 95 is outside [20, 90]'

    A domain of your own, here all directions in the plane from 0 to 90 degrees:

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)  # makes equal domains equal
    ... class Quadrant(ew.Domain):
    ...     names, dim, volume, symmetry = ("degrees",), 1, 1.0, "none"
    ...
    ...     def to_cube(self, x, frame=None):
    ...         return x / 90
    ...
    ...     def from_cube(self, u, frame=None):
    ...         return 90 * u
    ...
    ...     def embed(self, x):
    ...         return x / 90
    ...
    ...     def contains(self, x):
    ...         return ((x >= 0) & (x <= 90)).all(axis=1)
    ...
    ...     def problem(self, point):
    ...         return None if 0 <= point[0] <= 90 else f"{point[0]:g} degrees is not in [0, 90]"
    >>> from equiwarp.testing import check_domain
    >>> check_domain(Quadrant())
    >>> ew.suggest(Quadrant(), [[10.0], [80.0]], [1.0, 2.0], noise=0.1).points.shape
    (1, 1)
    """

    names: tuple[str, ...]
    dim: int
    volume: float
    symmetry: Symmetry
    cartesian: bool = False
    has_faces: bool = False

    @abstractmethod
    def to_cube(self, x: Array, frame: Array | None = None) -> Array:
        """Chart: the coordinates of points in the unit cube.

        An implementation guarantees that the chart is one-to-one, that :meth:`from_cube` undoes it, and
        that equal volumes of the domain become equal volumes of the cube.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units.
        frame : (r, columns) array, optional
            How the chart is turned, as :meth:`frame` returned it. A chart that cannot be turned ignores it.

        Returns
        -------
        (n, dim) array
            Numbers from 0 to 1.
        """

    @abstractmethod
    def from_cube(self, u: Array, frame: Array | None = None) -> Array:
        """Inverse chart: the points at coordinates of the unit cube.

        An implementation guarantees that uniform coordinates give uniform points of the domain, and that
        :meth:`to_cube` undoes it. It does not round to steps or levels; :meth:`snap` does.

        Parameters
        ----------
        u : (n, dim) array
            Numbers from 0 to 1.
        frame : (r, columns) array, optional
            As for :meth:`to_cube`.

        Returns
        -------
        (n, columns) array
            Points in the domain's units.
        """

    @abstractmethod
    def embed(self, x: Array) -> Array:
        """Kernel coordinates: where points lie for the Gaussian process, which goes by their distance.

        An implementation guarantees that the Euclidean distance of two rows says how different the two
        experiments are, and that no parameter counts more because of its unit. Equal volumes of the cube
        are equal volumes in these coordinates, and add up to ``volume``.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units.

        Returns
        -------
        (n, e) array
            With e at least ``dim``: e = D in a box, e = D + 1 on a sphere.
        """

    def embed_cube(self, u: Array, frame: Array | None = None) -> Array:
        """Kernel coordinates of points that are given in the unit cube.

        An implementation may take a shorter way; the result must be ``embed(from_cube(u, frame))``.

        Parameters
        ----------
        u : (n, dim) array
            Numbers from 0 to 1.
        frame : (r, columns) array, optional
            As for :meth:`to_cube`.

        Returns
        -------
        (n, e) array
        """
        return self.embed(self.from_cube(u, frame))

    @abstractmethod
    def contains(self, x: Array) -> NDArray[np.bool_]:
        """Whether points lie in the domain.

        An implementation forgives rounding, so that a point which was printed and typed in again is inside.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units; n may be 0.

        Returns
        -------
        (n,) array of bool
        """

    @abstractmethod
    def problem(self, point: Array) -> str | None:
        """Why a point is outside.

        An implementation agrees with :meth:`contains` and names the column, its value and what is allowed.

        Parameters
        ----------
        point : (columns,) array
            One point in the domain's units.

        Returns
        -------
        str or None
            The reason, such as "pH = 10 is outside [3, 9]"; None if the point is inside.
        """

    @property
    def columns(self) -> int:
        """Number of columns of a point."""
        return len(self.names)

    def frame(self, x: Array, weights: Array) -> Array | None:
        """How the chart is turned when the warp stretches some places more than others.

        Only a domain without faces, such as a sphere, needs one: there the place where the chart begins and
        the direction in which it is cut are arbitrary. An implementation takes both from the density, so that
        turning the points turns the chart with them.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units.
        weights : (n,) array
            Density at each of them, positive.

        Returns
        -------
        (r, columns) array or None
            Orthogonal directions, one a row; None, the default, for a chart that stays as it is.
        """
        return None

    def tangent(self, z: Array, gradient: Array) -> Array:
        """The part of gradients that points along the domain.

        An implementation is an orthogonal projection and keeps every direction that stays in the domain.
        The default changes nothing, which is right where kernel coordinates fill a volume (e = D).

        Parameters
        ----------
        z : (n, e) array
            Kernel coordinates of points.
        gradient : (n, e) array
            Gradients in kernel coordinates, one at each of them.

        Returns
        -------
        (n, e) array
        """
        return gradient

    def with_column(self, x: Array, column: int, values: Array) -> Array:
        """Points with one column at other values, and the rest changed as little as the domain demands.

        It is how one asks what a single parameter does. An implementation keeps what can be varied
        independently of the column: if the values are drawn as the column's are in a uniform sample, the
        result is a uniform sample again. The default leaves the other columns as they are.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units.
        column : int
            Which column to set.
        values : (n,) array
            Values that the column can have.

        Returns
        -------
        (n, columns) array
        """
        moved = x.copy()
        moved[:, column] = values
        return moved

    def snap(self, x: Array) -> Array:
        """The nearest points that an instrument can be set to, where there are steps, levels or a list.

        An implementation returns a point that can be set exactly as it is. The default has no steps.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units.

        Returns
        -------
        (n, columns) array
        """
        return x

    def rounded(self, x: Array) -> Array:
        """Points of the domain with settings that people can type, so near that nothing changes.

        A campaign hands out such points. One that rounding would put outside, beyond a constraint for
        instance, keeps as many more digits as it needs.

        Parameters
        ----------
        x : (n, columns) array
            Points of the domain, in its units.

        Returns
        -------
        (n, columns) array
            Points of the domain; x itself where there is nothing to round.
        """
        out = self.rounded_to(x, 0)
        if out is x:
            return x
        left = np.flatnonzero(~self.contains(out))
        for tenths in range(1, FINEST + 1):
            if len(left) == 0:
                return out
            out[left] = self.rounded_to(x[left], tenths)
            left = left[~self.contains(out[left])]
        out[left] = x[left]
        return out

    def rounded_to(self, x: Array, tenths: int) -> Array:
        """Points with each setting rounded to its resolution, or so many times a tenth of that.

        An implementation keeps to bounds and sums as far as it can; :meth:`rounded` looks after the rest.
        The default rounds nothing.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units.
        tenths : int
            0 rounds to the resolution, 1 to a tenth of it, 2 to a hundredth, and so on.

        Returns
        -------
        (n, columns) array
            A new array, or x itself where there is nothing to round.
        """
        return x

    def sample(self, n: int, rng: np.random.Generator, start: int = 0) -> Array:
        """Points that fill the domain evenly: a scrambled Sobol sequence through the chart.

        An implementation returns points of the domain that can be set, and the same ones for the same
        state of ``rng``. A longer sample begins with the shorter one.

        Parameters
        ----------
        n : int
            How many.
        rng : numpy.random.Generator
            Decides how the sequence is scrambled.
        start : int
            How many points of the sequence are skipped.

        Returns
        -------
        (n, columns) array
            In the domain's units; fewer rows where a list ends.
        """
        return self.snap(self.from_cube(self.covering(sobol(self.dim, n, rng, start), start)))

    def everywhere(self, n: int, rng: np.random.Generator) -> Array:
        """Points that stand for the whole domain: a mean over them is a mean over the domain.

        Parameters
        ----------
        n : int
            How many.
        rng : numpy.random.Generator

        Returns
        -------
        (n, columns) array
            In the domain's units; fewer rows where a list ends. A longer draw begins with the shorter one.
        """
        return self.sample(n, rng)

    def standing_for(self, u: Array) -> Array:
        """Points at coordinates of the unit cube, so that uniform coordinates stand for the whole domain.

        Parameters
        ----------
        u : (n, dim) array
            Numbers from 0 to 1.

        Returns
        -------
        (n, columns) array
            Points that can be set: the nearest ones, and of a list every entry as often as any other.
        """
        return self.snap(self.from_cube(u))

    def covering(self, u: Array, start: int = 0) -> Array:
        """Rows of a Sobol sequence in the cube, changed so that no category is left out.

        Parameters
        ----------
        u : (n, dim) array
            As the sequence gives them.
        start : int
            How many rows of the sequence came before.

        Returns
        -------
        (n, dim) array
            The same rows where there are no categories.
        """
        return u if self.strata == 1 else cover_categories(u, self.chart_axes, start)

    def scatter(self, n: int, streams: Callable[[int], np.random.Generator], start: int = 0) -> Array:
        """Points drawn at random, uniformly over the domain.

        An implementation makes point i from ``streams(i)`` alone, or from streams that do not depend on n
        and start, so that a longer sequence begins with the shorter one.

        Parameters
        ----------
        n : int
            How many.
        streams : callable
            ``streams(i)`` is the random generator of point i.
        start : int
            How many points of the sequence are skipped.

        Returns
        -------
        (n, columns) array
            In the domain's units; fewer rows where a list ends.
        """
        u = np.array([streams(i).random(self.dim) for i in range(start, start + n)])
        return self.snap(self.from_cube(u.reshape(n, self.dim)))

    def pool(self, n: int, rng: np.random.Generator) -> Array:
        """The points among which a strategy chooses.

        An implementation returns points of the domain that can be set, all different, and the same ones
        for the same state of ``rng``.

        Parameters
        ----------
        n : int
            About how many.
        rng : numpy.random.Generator

        Returns
        -------
        (m, columns) array
            In the domain's units. m is below n if sampling repeats points, and above n if there are few
            combinations of settings or a short list, which are then taken whole.
        """
        return distinct(self.sample(n, rng))

    def holding(self, x: Array, held: Mapping[int, float]) -> Array:
        """Points with some of their columns at given values, as near to the given points as is simple.

        Parameters
        ----------
        x : (n, columns) array
            Points of the domain.
        held : mapping of int to float
            The value of each column that is held.

        Returns
        -------
        (n, columns) array
            They need not all lie in the domain: the caller keeps those that do.
        """
        moved = x.copy()
        for column, value in held.items():
            moved[:, column] = value
        return moved

    @property
    def whole(self) -> Domain:
        """The domain without its constraints; itself if there are none."""
        return self

    @property
    def listed(self) -> Array | None:
        """All points ``(m, columns)`` of a domain that is a list; None for every other domain."""
        return None

    @property
    def holds_list(self) -> bool:
        """Whether the domain, or a part of it, is a list, whose columns hang together."""
        return self.listed is not None

    def combinations(self, most: int) -> Array | None:
        """All combinations of settings, where every parameter has steps or levels and they are few.

        Parameters
        ----------
        most : int
            How many are few.

        Returns
        -------
        (m, columns) array or None
            None, the default, if a parameter is continuous or there are more than ``most``.
        """
        return None

    def view(self) -> View:
        """Which picture shows the domain, and along which axes.

        Returns
        -------
        View
            By default a line or a plane along the coordinates of the chart. Write your own, together with
            :meth:`coordinates` and :meth:`points_at`, where people know better axes.
        """
        axes = tuple(Axis(f"chart {i + 1}") for i in range(self.dim))
        return View("line" if self.dim == 1 else "plane", axes, charted=True)

    def coordinates(self, x: Array) -> Array:
        """Where points lie along the axes of :meth:`view`.

        Parameters
        ----------
        x : (n, columns) array
            Points in the domain's units.

        Returns
        -------
        (n, axes) array
            In the units of the axes; unit vectors ``(n, 3)`` for a globe.
        """
        return self.to_cube(x)

    def points_at(self, coordinates: Array) -> Array:
        """The points at coordinates along the axes of :meth:`view`; it undoes :meth:`coordinates`.

        Parameters
        ----------
        coordinates : (n, axes) array
            In the units of the axes.

        Returns
        -------
        (n, columns) array
            Points in the domain's units.
        """
        return self.from_cube(coordinates)

    def describe(self) -> list[dict[str, Any]]:
        """What the columns of a point are, as a table for people to check.

        Returns
        -------
        list of dict
            One row per column with "name", "unit", "low", "high" (None where there is no bound) and
            "kind", such as "linear, any value".
        """
        return [
            {"name": name, "unit": "", "low": None, "high": None, "kind": "coordinate"} for name in self.names
        ]

    def remarks(self) -> list[str]:
        """What there is to say about the domain as a whole, below the table of :meth:`describe`.

        Returns
        -------
        list of str
            Sentences, such as "40 experiments are on the list."; empty by default.
        """
        return []


def require_domain(domain: Any) -> Domain:
    """The domain itself, or an error for whatever else was passed as one."""
    if isinstance(domain, Domain):
        return domain
    remedy = f"; write Box({short(domain)})" if isinstance(domain, Mapping) else ""
    raise InvalidType(f"a domain is expected, such as a Box, got {short(domain)}{remedy}")


def sobol(dim: int, n: int, rng: np.random.Generator, start: int = 0) -> Array:
    """Rows ``start`` to ``start + n`` of a scrambled Sobol sequence in the open unit cube, ``(n, dim)``.

    A whole power of two is drawn, so that the same generator state always gives the same sequence and
    a prefix of a longer draw is the shorter draw.
    """
    points = scrambled(dim, max(start + n - 1, 0).bit_length(), rng)[start : start + n]
    # Scrambling can hit 0 exactly; charts with a logarithm or a pole prefer the open cube.
    return np.clip(points, 1e-12, 1.0 - 1e-12)


def place_of(Z: Array) -> NDArray[np.intp]:
    """The number of the place ``(n,)`` of each of some points ``(n, e)``; repeats have the same."""
    return np.unique(np.round(Z, 9), axis=0, return_inverse=True)[1].ravel()


def distinct(x: Array) -> Array:
    """Rows of x without repetition, in the order of their first appearance."""
    if len(np.unique(x[:, 0])) == len(x):  # told apart by their first column: the rule, and soon seen
        return x.copy()
    _, first = np.unique(x, axis=0, return_index=True)
    return x[np.sort(first)]
