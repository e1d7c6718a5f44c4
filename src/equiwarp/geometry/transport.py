"""The Knothe-Rosenblatt map of a density on the unit cube, from its values at scattered probes.

Coordinate by coordinate, T_i is the cumulative distribution of x_i given x_1 ... x_(i-1). Each is
estimated from histogram bins within conditioning cells and interpolated, multilinearly, between the
cells' centres. A convex combination of monotone, piecewise linear functions pinned at 0 and 1 is one
again, so the map is a bijection of the cube, triangular, and easily inverted.

Which bins and cells a point falls in does not depend on the density: :class:`Histograms` holds that
for the probes and :class:`Interpolation` for the points to be mapped, so that a new density costs sums
and look-ups only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array

#: Bins of the coordinate's own CDF, by the number of coordinates it is conditioned on.
BINS = (64, 32, 24, 16, 16, 16)
#: Cells per conditioning coordinate, by the number of coordinates conditioned on.
CONDITIONING_CELLS = (1, 16, 8, 5, 4, 3)
#: More cells than this would be empty; from eight coordinates on there are fewer per coordinate, and from
#: twelve on the last ones are conditioned on nothing.
MOST_CONDITIONING_CELLS = 1024
#: Points whose interpolation is held at once: 2^D entries each, which a million points would fill gigabytes
#: with.
MOST_INTERPOLATED = 32_768


@dataclass(frozen=True)
class Conditional:
    """CDFs of one coordinate, one row per conditioning cell.

    Attributes
    ----------
    cdf : (cells ** given, bins + 1) array
        Values at the bin edges, 0 at the first and 1 at the last.
    cells : int
        Cells along each conditioning coordinate.
    given : int
        How many coordinates it is conditioned on.
    """

    cdf: Array
    cells: int
    given: int

    @property
    def bins(self) -> int:
        return self.cdf.shape[1] - 1

    def backward(self, before: Array, v: Array) -> Array:
        """The value whose image is v: piecewise linear inversion of the mixed CDF."""
        rows, weights = mixture(before, self.cells)
        mixed = np.einsum("cn,cnb->nb", weights, self.cdf[rows])
        bin_ = np.clip((mixed[:, 1:-1] <= v[:, None]).sum(axis=1), 0, self.bins - 1)
        here = np.arange(len(v))
        start, stop = mixed[here, bin_], mixed[here, bin_ + 1]
        return (bin_ + np.clip((v - start) / (stop - start), 0.0, 1.0)) / self.bins


@dataclass(frozen=True)
class Transport:
    """T with T_# pi = uniform: expands where the density is high. One :class:`Conditional` per coordinate."""

    conditionals: tuple[Conditional, ...]

    @classmethod
    def of(cls, probes: Array, density: Array) -> Transport:
        """The map of a positive density ``(q,)`` known at uniform probes ``(q, D)`` of the cube."""
        return Histograms.of(probes).transport(density)

    def __call__(self, u: Array) -> Array:
        """Images ``(n, D)`` of points ``(n, D)``."""
        if len(u) <= MOST_INTERPOLATED:
            return self.at(Interpolation.of(u))
        starts = range(0, len(u), MOST_INTERPOLATED)
        return np.concatenate([self(u[i : i + MOST_INTERPOLATED]) for i in starts])

    def at(self, known: Interpolation) -> Array:
        """Image ``(n, D)`` of points whose interpolation in the tables is known."""
        image = np.empty((len(self.conditionals), known.entries[0].shape[1]))
        parts = zip(self.conditionals, known.entries, known.weights, strict=True)
        for i, (conditional, entries, weights) in enumerate(parts):
            values = conditional.cdf.ravel().take(entries)
            values *= weights
            np.sum(values, axis=0, out=image[i])
        return image.T

    def stretch(self, known: Interpolation) -> Array:
        """The map's volume stretch ``(n,)`` there, its Jacobian determinant: a product of slopes."""
        stretch = np.ones(known.entries[0].shape[1])
        parts = zip(self.conditionals, known.entries, known.weights, strict=True)
        for conditional, entries, weights in parts:
            # The left ends of the bins come first, then the right ones; a point's share is spread over both.
            cdf, half = conditional.cdf.ravel(), len(entries) // 2
            rise = cdf.take(entries[half:]) - cdf.take(entries[:half])
            stretch *= conditional.bins * np.einsum("cn,cn->n", weights[:half] + weights[half:], rise)
        return stretch

    def inverse(self, v: Array) -> Array:
        """The points whose images are ``(n, D)``."""
        u = np.empty_like(v)
        for i, conditional in enumerate(self.conditionals):
            u[:, i] = conditional.backward(u[:, :i], v[:, i])
        return u


@dataclass(frozen=True)
class Interpolation:
    """How to interpolate any transport's tables at some points: which entries, with which weights.

    Attributes
    ----------
    entries, weights : one ``(2 ** (i + 1), n)`` array for coordinate i
        Entries of the flattened table around each point, and their shares in its image.
    """

    entries: tuple[NDArray[np.intp], ...]
    weights: tuple[Array, ...]

    @classmethod
    def of(cls, u: Array) -> Interpolation:
        """For points ``(n, D)`` of the cube."""
        entries, weights = [], []
        for i in range(u.shape[1]):
            bins, cells = resolution(i)
            rows, share = mixture(u[:, :i], cells)
            bin_, fraction = within_bin(u[:, i], bins)
            left = rows * (bins + 1) + bin_
            right_share = share * fraction
            entries.append(np.concatenate([left, left + 1]))
            weights.append(np.concatenate([share - right_share, right_share]))
        return cls(tuple(entries), tuple(weights))

    def __getitem__(self, i: slice) -> Interpolation:
        """For some of the points."""
        return Interpolation(tuple(e[:, i] for e in self.entries), tuple(w[:, i] for w in self.weights))


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

    slots: tuple[NDArray[np.intp], ...]
    counts: tuple[NDArray[np.intp], ...]

    @classmethod
    def of(cls, probes: Array) -> Histograms:
        """Slots of probes ``(q, D)`` in the unit cube."""
        slots, counts = [], []
        for given in range(probes.shape[1]):
            bins, cells = resolution(given)
            cell = np.zeros(len(probes), dtype=np.intp)
            for axis in range(given):
                cell = cell * cells + np.minimum((probes[:, axis] * cells).astype(np.intp), cells - 1)
            slot = cell * bins + np.minimum((probes[:, given] * bins).astype(np.intp), bins - 1)
            slots.append(slot)
            counts.append(np.bincount(slot, minlength=cells**given * bins).reshape(-1, bins))
        return cls(tuple(slots), tuple(counts))

    def transport(self, density: Array) -> Transport:
        """The map of a positive density ``(q,)`` at these probes."""
        # Ratios to the overall mean: a flat density then gives exactly one, bin by bin.
        relative = density / density.mean()
        parts = zip(self.slots, self.counts, strict=True)
        return Transport(tuple(_conditional(relative, *part, given) for given, part in enumerate(parts)))


def resolution(given: int) -> tuple[int, int]:
    """How many bins a coordinate after ``given`` others has, and how many cells each of those has."""
    cells = CONDITIONING_CELLS[min(given, len(CONDITIONING_CELLS) - 1)]
    while cells > 1 and cells**given > MOST_CONDITIONING_CELLS:
        cells -= 1
    return BINS[min(given, len(BINS) - 1)], cells


def mixture(before: Array, cells: int) -> tuple[NDArray[np.intp], Array]:
    """Rows of a table and their weights, both ``(2 ** given, n)``, at conditions ``(n, given)``."""
    if cells == 1:
        return np.zeros((1, len(before)), dtype=np.intp), np.ones((1, len(before)))
    given = before.shape[1]
    position = np.minimum(np.maximum(before * cells - 0.5, 0.0), cells - 1.0)
    low = np.minimum(position.astype(np.intp), max(cells - 2, 0))
    weight_high = position - low
    rows = np.zeros((1, len(before)), dtype=np.intp)
    weights = np.ones((1, len(before)))
    for axis in range(given):
        step = cells ** (given - 1 - axis)
        first = rows + low[:, axis] * step
        rows = np.concatenate([first, first + (step if cells > 1 else 0)])
        high = weights * weight_high[:, axis]
        weights = np.concatenate([weights - high, high])
    return rows, weights


def within_bin(u: Array, bins: int) -> tuple[NDArray[np.intp], Array]:
    """Bin of each value of ``(n,)`` and how far into it the value lies, 0 to 1."""
    position = np.minimum(np.maximum(u * bins, 0.0), bins)
    bin_ = np.minimum(position.astype(np.intp), bins - 1)
    return bin_, position - bin_


def _conditional(relative: Array, slot: NDArray[np.intp], count: NDArray[np.intp], given: int) -> Conditional:
    """Histogram of coordinate ``given`` within cells of the coordinates before it."""
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
    return Conditional(cdf, resolution(given)[1], given)
