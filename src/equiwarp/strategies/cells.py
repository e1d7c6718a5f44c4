"""Which probes each pool point would take over, were it measured: Voronoi cells not yet there.

A probe u belongs to its nearest conditioning point, at distance r(u). Measuring at x would win it
over if |u - x| < r(u). These pairs (u, x) only ever become fewer as points are added, so they are
listed once and thinned out; their posterior covariances ride along, one rank-one update a point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.kernels import SQRT5, Kernel, scaled_distance

#: Pool points compared with the probes at a time, to bound the memory of the first listing.
CHUNK = 256


@dataclass(frozen=True)
class Cells:
    """Pairs of pool point and probe in which the pool point would be the nearer one, by pool point.

    Attributes
    ----------
    count : (m,) array
        Pairs of each pool point; there are about probes x pool / N in all.
    probe : (p,) array
        The probe of each pair.
    distance, covariance : (p,) arrays
        Between the two, the covariance posterior.
    owner : (q,) array
        Nearest conditioning point of each probe.
    radius : (q,) array
        Distance to it.
    """

    count: NDArray[np.intp]
    probe: NDArray[np.intp]
    distance: Array
    covariance: Array
    owner: NDArray[np.intp]
    radius: Array

    @classmethod
    def of(cls, kernel: Kernel, P: Array, Q: Array, Z: Array, V: Array) -> Cells:
        """List the pairs of pool ``P`` (m, e) and probes ``Q`` (q, e); ``V`` (N, m + q) whitens both."""
        m, to_Z = len(P), scaled_distance(Q, Z, SQRT5)
        owner = to_Z.argmin(axis=1)
        radius = to_Z[np.arange(len(Q)), owner]
        parts = []
        for start in range(0, m, CHUNK):
            rows = slice(start, min(start + CHUNK, m))
            distance = scaled_distance(P[rows], Q, SQRT5)
            x, u = np.nonzero(distance < radius)
            # The covariance of the whole block is one product; only pairs are kept of it.
            prior = kernel(P[rows], Q)
            prior -= V[:, rows].T @ V[:, m:]
            count = np.bincount(x, minlength=rows.stop - start)
            parts.append((count, u, distance[x, u], prior[x, u]))
        count, probe, distance, covariance = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(count, probe, distance, covariance, owner, radius)

    def add(self, to_new: Array, number: int, r_pool: Array, r_probe: Array) -> Cells:
        """One more conditioning point, its ``number`` and distances ``to_new`` (q,) to the probes.

        ``r_pool`` and ``r_probe`` are its whitened covariances with pool and probes.
        """
        won = to_new < self.radius
        radius, owner = np.where(won, to_new, self.radius), np.where(won, number, self.owner)
        keep = np.flatnonzero(self.distance < self.at_probes(radius))
        count = np.diff(np.searchsorted(keep, np.cumsum(self.count)), prepend=0)
        distance, covariance = (column.take(keep, mode="clip") for column in (self.distance, self.covariance))
        left = Cells(count, self.probe.take(keep, mode="clip"), distance, covariance, owner, radius)
        explained = left.at_probes(r_probe)
        explained *= left.at_pool(r_pool)
        covariance -= explained
        return left

    def at_probes(self, values: Array) -> Array:
        """Of values ``(q,)`` of the probes, each pair's, ``(p,)``."""
        # "clip" only spares the check of indices that are known to be good, and with it a copy.
        return values.take(self.probe, mode="clip")

    def at_pool(self, values: Array) -> Array:
        """Of values ``(m,)`` of the pool, each pair's, ``(p,)``."""
        return np.repeat(values, self.count)

    def sum_over(self, values: Array) -> Array:
        """Sum over each pool point's pairs of a value per pair ``(p,)``; shape ``(m,)``."""
        total, some = np.zeros(len(self.count)), np.flatnonzero(self.count)
        if len(some):
            start = np.cumsum(self.count) - self.count
            total[some] = np.add.reduceat(values, start[some])
        return total
