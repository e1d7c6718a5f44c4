"""The local engine: mean gradient and variance from near neighbours, for many observations.

Exact inference costs the cube of the number of observations. What is known at a place depends mostly
on the observations around it, so each place is given its nearest ones in the acquisition geometry and
a small exact GP of its own. The cost of a suggestion then hardly grows with their number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.cholesky import safe_cholesky, solve, whiten
from equiwarp.gp.fast.batched import local_variance
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.posterior import Posterior, RowNumbers

#: Neighbours that the variance of every candidate is computed from.
COARSE = 16
#: Candidates that are then looked at again, and with how many neighbours. In six dimensions even the
#: hundredth neighbour counts.
LOOKS = ((512, 64), (64, 256), (16, 768))
#: Probes that share a neighbourhood, and the observations in it.
PROBES_TOGETHER, AROUND = 32, 128
#: Candidates whose variance is computed at once.
CANDIDATES_TOGETHER = 512


@dataclass(frozen=True)
class LocalField(Posterior):
    """Posterior variance at ``P`` given the nearest of ``Z``, never below that given all of it.

    Attributes
    ----------
    tree : KD-tree of the first ``base`` rows of ``Z``
        Later rows, few, are neighbours of everything.
    upper : (m,) array
        The variance as far as it is known.
    exact : (m,) bool array
        Where it is known as well as this engine can.
    """

    kernel: Matern52
    P: Array
    Z: Array
    noise_var: Array
    tree: Any
    base: int
    upper: Array
    exact: NDArray[np.bool_]
    jitter: float = 0.0

    @classmethod
    def of(cls, kernel: Matern52, P: Array, Z: Array, noise_var: Array) -> LocalField:
        """Condition on ``Z`` (N, e)."""
        from scipy.spatial import cKDTree

        tree = cKDTree(Z)
        upper, k = np.empty(len(P)), min(COARSE, len(Z))
        for start in range(0, len(P), CANDIDATES_TOGETHER):
            part = slice(start, start + CANDIDATES_TOGETHER)
            near = tree.query(P[part], k=k)[1].reshape(-1, k).T
            upper[part] = local_variance(kernel, P[part], Z, noise_var, near)
        return cls(kernel, P, Z, noise_var, tree, len(Z), upper, np.zeros(len(P), dtype=bool))

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[LocalField, int]:
        """The best of the candidates that looked best from afar, seen from ever closer."""
        weight = np.where(free, 1.0 if weights is None else weights, -np.inf)
        field, rows = self, np.flatnonzero(free)
        for candidates, neighbours in LOOKS:
            rows = _largest(weight * field.upper, rows, candidates)
            field = field.refined(rows, neighbours)
        field = field._settled(rows)
        return field, int(rows[np.argmax(weight[rows] * field.upper[rows])])

    def evaluate(self, rows: RowNumbers) -> LocalField:
        """The variance at these rows of the pool, as well as this engine can."""
        return self.refined(rows, LOOKS[-1][1])._settled(rows)

    def _settled(self, rows: RowNumbers) -> LocalField:
        exact = self.exact.copy()
        exact[rows] = True
        return replace(self, exact=exact)

    def refined(self, rows: RowNumbers, count: int) -> LocalField:
        """The variance at these rows given their ``count`` nearest points and all that were added."""
        upper, k = self.upper.copy(), min(count, self.base)
        added = np.arange(self.base, len(self.Z))
        near = self.tree.query(self.P[rows], k=k)[1].reshape(-1, k)
        for row, neighbours in zip(rows, near, strict=True):
            use = np.concatenate([neighbours, added])
            L, _ = safe_cholesky(self.kernel(self.Z[use], self.Z[use]), self.noise_var[use])
            V = whiten(L, self.kernel(self.Z[use], self.P[row : row + 1]))
            upper[row] = max(1.0 - float(np.sum(V * V)), 0.0)
        return replace(self, upper=upper)

    def add(self, z: Array, noise_var: float) -> LocalField:
        """Condition on one more point ``(e,)``."""
        return replace(
            self,
            Z=np.vstack([self.Z, z]),
            noise_var=np.append(self.noise_var, noise_var),
            exact=np.zeros_like(self.exact),
        )

    @property
    def variance(self) -> Array:
        """The variance at the whole pool, ``(m,)``, from as many neighbours as the first closer look has."""
        return self.refined(np.arange(len(self.P)), LOOKS[0][1]).upper

    def variance_at(self, i: int) -> float:
        field = self if self.exact[i] else self.evaluate(np.array([i]))
        return float(field.upper[i])


def local_mean_gradient(kernel: Matern52, Q: Array, Z: Array, y: Array, noise_var: Array) -> Array:
    """Gradient of the posterior mean at the probes ``Q`` (q, e), ``(q, e, k)`` for values ``(N, k)``.

    Neighbouring probes share the observations around their centre, and one factorisation.
    """
    from scipy.spatial import cKDTree

    blocks = partition(Q, PROBES_TOGETHER)
    centres = np.array([Q[rows].mean(axis=0) for rows in blocks])
    k = min(AROUND, len(Z))
    near = cKDTree(Z).query(centres, k=k)[1].reshape(-1, k)
    gradient = np.empty((*Q.shape, y.shape[1]))
    for rows, use in zip(blocks, near, strict=True):
        W = Z[use]
        L, _ = safe_cholesky(kernel(W, W), noise_var[use])
        alpha = solve(L, y[use])
        slopes = kernel.slopes(Q[rows], W)
        for j, weights in enumerate(alpha.T):
            total = slopes @ np.column_stack([weights, weights[:, None] * W])
            gradient[rows, :, j] = Q[rows] * total[:, :1] - total[:, 1:]
    return gradient


def partition(Q: Array, size: int) -> list[RowNumbers]:
    """Rows of ``Q`` in compact groups of at most ``size``: halved along the widest side, again and again."""
    groups, done = [np.arange(len(Q))], []
    while groups:
        rows = groups.pop()
        if len(rows) <= size:
            done.append(rows)
            continue
        axis = int(np.argmax(np.ptp(Q[rows], axis=0)))
        half = len(rows) // 2
        order = rows[np.argpartition(Q[rows, axis], half)]
        groups += [order[:half], order[half:]]
    return done


def _largest(promise: Array, rows: RowNumbers, count: int) -> RowNumbers:
    if len(rows) <= count:
        return rows
    return rows[np.argpartition(-promise[rows], count)[:count]]
