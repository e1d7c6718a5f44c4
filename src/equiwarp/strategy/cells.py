"""Which probes each pool point would take over, were it measured: Voronoi cells not yet there.

A probe u belongs to its nearest conditioning point, at distance r(u). Measuring at x would win it
over if |u - x| < r(u). These pairs (u, x) only ever become fewer as points are added, so they are
listed once and thinned out; their posterior covariances ride along, one rank-one update a point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.kernels import SQRT5, Matern52, scaled_distance, square_blocks

#: Pairs worked on at once, so that they stay in the processor's cache.
PAIRS_TOGETHER = 1 << 16
#: Pool points that are compared with the probes at a time at most, to bound memory.
COMPARED_TOGETHER = 128
#: Lost pairs are cleared away when the others are no more than this share.
ALIVE_SHARE = 0.8


@dataclass(frozen=True)
class Cells:
    """Pairs of a pool point and a probe that would be nearer to it than to any conditioning point.

    They are sorted by pool point.

    Attributes
    ----------
    count : (m,) array
        How many pairs each pool point has; there are about probes x pool / N in all.
    probe : (p,) array
        The probe of each pair.
    distance, covariance : (p,) arrays
        Distance and posterior covariance between the two.
    alive : (p,) array of bool
        Whether the pool point would still be the nearer one; the list is cleared only now and then.
    owner : (q,) array
        Nearest conditioning point of each probe.
    radius : (q,) array
        Distance to it.
    """

    count: NDArray[np.intp]
    probe: NDArray[np.intp]
    distance: Array
    covariance: Array
    alive: NDArray[np.bool_]
    owner: NDArray[np.intp]
    radius: Array

    @classmethod
    def of(cls, kernel: Matern52, P: Array, Q: Array, Z: Array, V: Array) -> Cells:
        """List the pairs of pool ``P`` (m, e) and probes ``Q`` (q, e), given points ``Z`` (N, e).

        ``V`` (N, m + q) holds the whitened covariances of ``Z`` with the pool and then the probes.
        """
        to_Z = scaled_distance(Q, Z, SQRT5)
        owner, radius = _nearest(to_Z)
        at_pool, at_probes = np.ascontiguousarray(V[:, : len(P)].T), np.ascontiguousarray(V[:, len(P) :].T)
        parts = []
        for x, z, spread in _neighbourhoods(P, Z):
            # Only a probe that is not much nearer to its owner than to z can be near x.
            u = np.flatnonzero(to_Z[:, z] - radius < spread)
            square = np.empty((len(x), len(u)))
            for _ in square_blocks(P[x], Q[u], 1.0, square):
                pass
            near = square < radius[u] ** 2
            count, pair = np.count_nonzero(near, axis=1), np.flatnonzero(near)
            probe = u[pair - np.repeat(np.arange(len(x)) * len(u), count)]
            distance = np.sqrt(square.ravel()[pair])
            # What is known of both explains part of the prior covariance.
            explained = (at_pool[x] @ at_probes[u].T).ravel()[pair]
            covariance = kernel.of_scaled_distance(distance * (SQRT5 / kernel.ell)) - explained
            parts.append((x, count, probe, distance, covariance))
        x, listed, probe, distance, covariance = (
            np.concatenate(column) for column in zip(*parts, strict=True)
        )
        count, begin = np.empty_like(listed), np.empty_like(listed)
        count[x], begin[x] = listed, np.cumsum(listed) - listed
        by_pool = np.arange(len(probe)) + np.repeat(begin - (np.cumsum(count) - count), count)
        alive = np.ones(len(probe), dtype=bool)
        return cls(count, probe[by_pool], distance[by_pool], covariance[by_pool], alive, owner, radius)

    def add(self, to_new: Array, number: int, r_pool: Array, r_probe: Array) -> Cells:
        """One more conditioning point, its ``number`` and distances ``to_new`` (q,) to the probes.

        ``r_pool`` and ``r_probe`` are its whitened covariances with pool and probes.
        """
        won = to_new < self.radius
        radius, owner = np.where(won, to_new, self.radius), np.where(won, number, self.owner)
        covariance, alive = np.empty_like(self.covariance), np.empty_like(self.alive)
        table = np.column_stack([radius, r_probe])
        for pool, pairs in self.blocks():
            at_probe = self.at_probes(table, pairs)
            np.less(self.distance[pairs], at_probe[:, 0], out=alive[pairs])
            explained = self.at_pool(r_pool, pool)
            explained *= at_probe[:, 1]
            np.subtract(self.covariance[pairs], explained, out=covariance[pairs])
        cells = replace(self, covariance=covariance, alive=alive, owner=owner, radius=radius)
        return cells if np.count_nonzero(alive) > ALIVE_SHARE * len(alive) else cells.cleared()

    def cleared(self) -> Cells:
        """The same without the lost pairs."""
        keep = np.flatnonzero(self.alive)
        count = np.diff(np.searchsorted(keep, np.cumsum(self.count)), prepend=0)
        distance, covariance = self.distance.take(keep), self.covariance.take(keep)
        alive = np.ones(len(keep), dtype=bool)
        return Cells(count, self.probe.take(keep), distance, covariance, alive, self.owner, self.radius)

    def blocks(self) -> Iterator[tuple[slice, slice]]:
        """Cut the list into blocks: consecutive pool points with some ten thousand pairs, and these pairs."""
        end = np.concatenate([[0], np.cumsum(self.count)])
        cut = np.searchsorted(end, np.arange(0, end[-1], PAIRS_TOGETHER))
        for first, last in pairwise([*cut, len(self.count)]):
            if end[first] < end[last]:
                yield slice(first, last), slice(end[first], end[last])

    def at_probes(self, table: Array, pairs: slice) -> Array:
        """Look up each pair's probe in a table ``(q, c)``: ``(pairs, c)``."""
        # "clip" only spares the check of indices that are known to be good, and with it a copy.
        return table.take(self.probe[pairs], axis=0, mode="clip")

    def at_pool(self, values: Array, pool: slice) -> Array:
        """Repeat the values ``(m,)`` of these pool points for each of their pairs: ``(pairs,)``."""
        return np.repeat(values[pool], self.count[pool])

    def sum_over(self, values: Array, pool: slice) -> Array:
        """Add up values ``(pairs,)`` of the pairs of each of these pool points."""
        count = self.count[pool]
        total, some = np.zeros(len(count)), np.flatnonzero(count)
        total[some] = np.add.reduceat(values, (np.cumsum(count) - count)[some])
        return total


def _nearest(distance: Array) -> tuple[NDArray[np.intp], Array]:
    """Column of the least distance in each row, and that distance."""
    column = distance.argmin(axis=1)
    return column, distance[np.arange(len(distance)), column]


def _neighbourhoods(P: Array, Z: Array) -> Iterator[tuple[NDArray[np.intp], int, float]]:
    """Pool points with the same nearest conditioning point, its number, and their largest distance to it."""
    owner, apart = _nearest(scaled_distance(P, Z, SQRT5))
    order = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[order], np.arange(len(Z) + 1))
    for z in range(len(Z)):
        for start in range(bounds[z], bounds[z + 1], COMPARED_TOGETHER):
            x = order[start : min(start + COMPARED_TOGETHER, bounds[z + 1])]
            yield x, z, float(apart[x].max())
