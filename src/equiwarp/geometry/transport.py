"""The Knothe-Rosenblatt map of a density on the unit cube, from its values at scattered probes.

Coordinate by coordinate, T_i is the cumulative distribution of x_i given x_1 ... x_(i-1). Each is
estimated from histogram bins within conditioning cells and interpolated, multilinearly, between the
cells' centres. A convex combination of monotone, piecewise linear functions pinned at 0 and 1 is one
again, so the map is a bijection of the cube, triangular, and easily inverted. Angles are interpolated around
the circle; categories are not mapped, and every coordinate is conditioned on them.

Which bins and cells a point falls in does not depend on the density: :class:`Histograms` holds that
for the probes and :class:`Interpolation` for the points to be mapped, so that a new density costs sums
and look-ups only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.domains.chart import INTERVAL, ChartAxis

#: Bins of the coordinate's own CDF, by the number of coordinates it is conditioned on.
BINS = (64, 32, 24, 16, 16, 16)
#: Cells per conditioning coordinate, by the number of coordinates conditioned on.
CONDITIONING_CELLS = (1, 16, 8, 5, 4, 3)
#: More cells than this would be empty; from eight coordinates on there are fewer per coordinate, and from
#: twelve on the last ones are conditioned on nothing.
MOST_CONDITIONING_CELLS = 1024
#: Combinations of categories up to which each has a map of its own. Of more, the last parameters share one.
MOST_STRATA = 64
#: Points whose interpolation is held at once, and entries of them all together: a point has 2^D, in twenty
#: dimensions four thousand, which a hundred thousand points would fill ten gigabytes with.
MOST_INTERPOLATED, MOST_ENTRIES = 32_768, 2**24


@dataclass(frozen=True)
class AxisPlan:
    """How one coordinate is mapped: what it is conditioned on, and how finely.

    Attributes
    ----------
    axis : int
        The coordinate of the cube.
    given : tuple of int
        The coordinates that it is conditioned on.
    kinds : tuple of str
        What axes those are: between the cells of an interval or a circle one interpolates, and never between
        categories.
    cells : tuple of int
        Cells along each of them.
    bins : int
        Of its own histogram.
    """

    axis: int
    given: tuple[int, ...]
    kinds: tuple[str, ...]
    cells: tuple[int, ...]
    bins: int

    @property
    def entries(self) -> int:
        """Entries of the table around a point."""
        return 2 ** (1 + len(self.kinds) - self.kinds.count("categories"))

    @property
    def rows(self) -> int:
        """Conditioning cells altogether."""
        return math.prod(self.cells)

    def mixture(self, u: Array) -> tuple[NDArray[np.intp], Array]:
        """Rows of the table and their weights, both ``(2 ** interpolated, n)``, at points ``(n, D)``."""
        rows, weights = np.zeros((1, len(u)), dtype=np.intp), np.ones((1, len(u)))
        step = self.rows
        for axis, kind, cells in zip(self.given, self.kinds, self.cells, strict=True):
            step //= cells
            if kind == "categories":
                rows = rows + np.minimum((u[:, axis] * cells).astype(np.intp), cells - 1) * step
                continue
            low, high, share = _around(u[:, axis], cells, kind == "circle")
            rows = np.concatenate([rows + low * step, rows + high * step])
            upper = weights * share
            weights = np.concatenate([weights - upper, upper])
        return rows, weights


@cache
def plans(axes: tuple[ChartAxis, ...]) -> tuple[AxisPlan, ...]:
    """A plan for each coordinate that is not a category, in the order in which they are conditioned.

    Categories come first: every coordinate is conditioned on them and they stay what they are.
    """
    categories, room = [], MOST_STRATA
    for i, axis in enumerate(axes):
        if axis.kind == "categories" and axis.count <= room:
            categories.append(i)
            room //= axis.count
    strata = math.prod(axes[i].count for i in categories)
    moving = [i for i, axis in enumerate(axes) if axis.kind != "categories"]
    found = []
    for place, i in enumerate(moving):
        bins, cells = resolution(place, strata)
        given = [*categories, *(moving[:place] if cells > 1 else ())]
        sizes = tuple(axes[j].count or cells for j in given)
        found.append(AxisPlan(i, tuple(given), tuple(axes[j].kind for j in given), sizes, bins))
    return tuple(found)


def most_interpolated(axes: tuple[ChartAxis, ...]) -> int:
    """How many points may be interpolated at once."""
    entries = sum(plan.entries for plan in plans(axes))
    return min(MOST_INTERPOLATED, MOST_ENTRIES // max(entries, 1))


@dataclass(frozen=True)
class Conditional:
    """CDFs of one coordinate, one row per conditioning cell.

    Attributes
    ----------
    cdf : (cells, bins + 1) array
        Values at the bin edges, 0 at the first and 1 at the last.
    plan : AxisPlan
    """

    cdf: Array
    plan: AxisPlan

    def backward(self, u: Array, v: Array) -> Array:
        """The value whose image is v, at points ``(n, D)`` whose earlier coordinates are known."""
        bins = self.plan.bins
        rows, weights = self.plan.mixture(u)
        mixed = np.einsum("cn,cnb->nb", weights, self.cdf[rows])
        bin_ = np.clip((mixed[:, 1:-1] <= v[:, None]).sum(axis=1), 0, bins - 1)
        here = np.arange(len(v))
        start, stop = mixed[here, bin_], mixed[here, bin_ + 1]
        return (bin_ + np.clip((v - start) / (stop - start), 0.0, 1.0)) / bins


@dataclass(frozen=True)
class Transport:
    """T with T_# pi = uniform: expands where the density is high. One :class:`Conditional` per coordinate.

    A category stays what it is, and within each the map takes the density there to the uniform one. On a
    circle the map begins where it ends, so there is no seam.
    """

    conditionals: tuple[Conditional, ...]
    axes: tuple[ChartAxis, ...]

    @classmethod
    def of(cls, probes: Array, density: Array, axes: tuple[ChartAxis, ...] | None = None) -> Transport:
        """The map of a positive density ``(q,)`` known at uniform probes ``(q, D)`` of the cube."""
        return Histograms.of(probes, axes).transport(density)

    def __call__(self, u: Array) -> Array:
        """Images ``(n, D)`` of points ``(n, D)``."""
        most = most_interpolated(self.axes)
        if len(u) <= most:
            return self.at(Interpolation.of(u, self.axes))
        return np.concatenate([self(u[i : i + most]) for i in range(0, len(u), most)])

    def at(self, known: Interpolation) -> Array:
        """Image ``(n, D)`` of points whose interpolation in the tables is known."""
        image = np.array(known.u.T, order="C")
        parts = zip(self.conditionals, known.entries, known.weights, strict=True)
        for conditional, entries, weights in parts:
            values = conditional.cdf.ravel().take(entries)
            values *= weights
            np.sum(values, axis=0, out=image[conditional.plan.axis])
        return image.T

    def stretch(self, known: Interpolation) -> Array:
        """The map's volume stretch ``(n,)`` there, its Jacobian determinant: a product of slopes."""
        stretch = np.ones(len(known.u))
        parts = zip(self.conditionals, known.entries, known.weights, strict=True)
        for conditional, entries, weights in parts:
            # The left ends of the bins come first, then the right ones; a point's share is spread over both.
            cdf, half = conditional.cdf.ravel(), len(entries) // 2
            rise = cdf.take(entries[half:]) - cdf.take(entries[:half])
            stretch *= conditional.plan.bins * np.einsum("cn,cn->n", weights[:half] + weights[half:], rise)
        return stretch

    def inverse(self, v: Array) -> Array:
        """The points whose images are ``(n, D)``."""
        u = v.copy()
        for conditional in self.conditionals:
            axis = conditional.plan.axis
            u[:, axis] = conditional.backward(u, v[:, axis])
        return u


@dataclass(frozen=True)
class Interpolation:
    """How to interpolate any transport's tables at some points: which entries, with which weights.

    Attributes
    ----------
    u : (n, D) array
        The points.
    entries, weights : one ``(2 ** (i + 1), n)`` array for the coordinate mapped after i others
        Entries of the flattened table around each point, and their shares in its image.
    """

    u: Array
    entries: tuple[NDArray[np.intp], ...]
    weights: tuple[Array, ...]

    @classmethod
    def of(cls, u: Array, axes: tuple[ChartAxis, ...] | None = None) -> Interpolation:
        """For points ``(n, D)`` of the cube, whose axes are intervals unless told otherwise."""
        entries, weights = [], []
        for plan in plans(axes or (INTERVAL,) * u.shape[1]):
            rows, share = plan.mixture(u)
            bin_, fraction = within_bin(u[:, plan.axis], plan.bins)
            left = rows * (plan.bins + 1) + bin_
            right_share = share * fraction
            entries.append(np.concatenate([left, left + 1]))
            weights.append(np.concatenate([share - right_share, right_share]))
        return cls(u, tuple(entries), tuple(weights))

    def __getitem__(self, i: slice) -> Interpolation:
        """For some of the points."""
        entries = tuple(part[:, i] for part in self.entries)
        return Interpolation(self.u[i], entries, tuple(part[:, i] for part in self.weights))


@dataclass(frozen=True)
class Histograms:
    """Where probes fall in the histograms of each coordinate.

    Attributes
    ----------
    slots : one ``(q,)`` array per coordinate
        Cell and bin of each probe, flattened.
    counts : one ``(cells ** given, bins)`` array per coordinate
        Probes in each.
    """

    axes: tuple[ChartAxis, ...]
    slots: tuple[NDArray[np.intp], ...]
    counts: tuple[NDArray[np.intp], ...]

    @classmethod
    def of(cls, probes: Array, axes: tuple[ChartAxis, ...] | None = None) -> Histograms:
        """Slots of probes ``(q, D)`` in the unit cube, whose axes are intervals unless told otherwise."""
        axes = axes or (INTERVAL,) * probes.shape[1]
        slots, counts = [], []
        for plan in plans(axes):
            cell = np.zeros(len(probes), dtype=np.intp)
            for axis, cells in zip(plan.given, plan.cells, strict=True):
                cell = cell * cells + np.minimum((probes[:, axis] * cells).astype(np.intp), cells - 1)
            bins = plan.bins
            slot = cell * bins + np.minimum((probes[:, plan.axis] * bins).astype(np.intp), bins - 1)
            slots.append(slot)
            counts.append(np.bincount(slot, minlength=plan.rows * bins).reshape(-1, bins))
        return cls(axes, tuple(slots), tuple(counts))

    def transport(self, density: Array) -> Transport:
        """The map of a positive density ``(q,)`` at these probes."""
        # Ratios to the overall mean: a flat density then gives exactly one, bin by bin.
        relative = density / density.mean()
        parts = zip(self.slots, self.counts, plans(self.axes), strict=True)
        return Transport(tuple(_conditional(relative, *part) for part in parts), self.axes)


def resolution(given: int, strata: int = 1) -> tuple[int, int]:
    """How many bins a coordinate after ``given`` others has, and how many cells each of those has.

    ``strata`` combinations of categories each need cells of their own.
    """
    cells = CONDITIONING_CELLS[min(given, len(CONDITIONING_CELLS) - 1)]
    while cells > 1 and cells**given * strata > MOST_CONDITIONING_CELLS:
        cells -= 1
    return BINS[min(given, len(BINS) - 1)], cells


def _around(u: Array, cells: int, circle: bool) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """The cells whose centres are below and above values ``(n,)``, and the share of the upper one."""
    position = u * cells - 0.5
    if circle:
        below = np.floor(position)
        low = below.astype(np.intp) % cells
        return low, (low + 1) % cells, position - below
    position = np.minimum(np.maximum(position, 0.0), cells - 1.0)
    low = np.minimum(position.astype(np.intp), max(cells - 2, 0))
    return low, low + 1, position - low


def within_bin(u: Array, bins: int) -> tuple[NDArray[np.intp], Array]:
    """Bin of each value of ``(n,)`` and how far into it the value lies, 0 to 1."""
    position = np.minimum(np.maximum(u * bins, 0.0), bins)
    bin_ = np.minimum(position.astype(np.intp), bins - 1)
    return bin_, position - bin_


def _conditional(
    relative: Array, slot: NDArray[np.intp], count: NDArray[np.intp], plan: AxisPlan
) -> Conditional:
    """Histogram of one coordinate within cells of the coordinates before it."""
    rows, bins = count.shape
    total = np.bincount(slot, relative, minlength=rows * bins).reshape(rows, bins)
    if count.all():
        mean = total / count
    else:  # an empty bin has its cell's mean, an empty cell the overall one
        in_cell = count.sum(axis=1, keepdims=True)
        cell_mean = np.where(in_cell > 0, total.sum(axis=1, keepdims=True) / np.maximum(in_cell, 1), 1.0)
        mean = np.where(count > 0, total / np.maximum(count, 1), cell_mean)
    cdf = np.zeros((rows, bins + 1))
    np.cumsum(mean, axis=1, out=cdf[:, 1:])
    cdf /= cdf[:, -1:]
    return Conditional(cdf, plan)
