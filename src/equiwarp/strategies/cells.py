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

#: Probes compared with the pool at a time, to bound the memory of the first listing.
CHUNK = 256


@dataclass(frozen=True)
class Cells:
    """Pairs of probe and pool point in which the pool point would be the nearer one.

    Attributes
    ----------
    probe, pool : (p,) arrays
        The pairs; p is about probes x pool / N.
    distance, covariance : (p,) arrays
        Between the two, the covariance posterior.
    owner : (q,) array
        Nearest conditioning point of each probe.
    radius : (q,) array
        Distance to it.
    """

    probe: NDArray[np.int32]
    pool: NDArray[np.int32]
    distance: Array
    covariance: Array
    owner: NDArray[np.intp]
    radius: Array

    @classmethod
    def of(cls, kernel: Kernel, P: Array, Q: Array, Z: Array, V: Array) -> Cells:
        """List the pairs of pool ``P`` (m, e) and probes ``Q`` (q, e); ``V`` (N, m + q) whitens both."""
        to_Z = scaled_distance(Q, Z, SQRT5)
        owner = to_Z.argmin(axis=1)
        radius = to_Z[np.arange(len(Q)), owner]
        parts = []
        for start in range(0, len(Q), CHUNK):
            rows = slice(start, start + CHUNK)
            distance = scaled_distance(Q[rows], P, SQRT5)
            u, x = np.nonzero(distance < radius[rows, None])
            # The covariance of the whole block is one product; only pairs are kept of it.
            prior = kernel(Q[rows], P)
            prior -= V[:, len(P) :][:, rows].T @ V[:, : len(P)]
            parts.append((u + start, x, distance[u, x], prior[u, x]))
        probe, pool, distance, covariance = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(probe.astype(np.int32), pool.astype(np.int32), distance, covariance, owner, radius)

    def add(self, to_new: Array, number: int, r_pool: Array, r_probe: Array) -> Cells:
        """One more conditioning point, its ``number`` and distances ``to_new`` (q,) to the probes.

        ``r_pool`` and ``r_probe`` are its whitened covariances with pool and probes.
        """
        won = to_new < self.radius
        radius = np.where(won, to_new, self.radius)
        keep = np.flatnonzero(self.distance < radius[self.probe])
        probe, pool = self.probe[keep], self.pool[keep]
        covariance = self.covariance[keep] - r_probe[probe] * r_pool[pool]
        return Cells(probe, pool, self.distance[keep], covariance, np.where(won, number, self.owner), radius)

    def sum_over(self, values: Array, m: int) -> Array:
        """Sum over each pool point's pairs of a value per pair ``(p,)``; shape ``(m,)``."""
        return np.bincount(self.pool, values, minlength=m).astype(float)
