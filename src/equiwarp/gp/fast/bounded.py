"""The largest posterior variance over a pool, exactly, while looking closely at few of its points.

Conditioning on a subset of the data can only leave more variance. So the variance given a few near
neighbours is an upper bound, cheap and tight, and the exact variance is needed only where that bound
beats the best exact score so far. The score to beat comes from candidates that came close last time;
where there are none, from those that are bounded least by their nearest neighbour. Then each bound takes
in more neighbours, as further rows of a small Cholesky factor, for as long as it leaves hope. Adding a
point lowers variances, so bounds and former exact values stay upper bounds and the next search starts
from them (Minoux's lazy greedy).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.cholesky import grow_cholesky, safe_cholesky, whiten
from equiwarp.gp.fast.batched import grow_factors, variance_given
from equiwarp.gp.fast.neighbours import ROW_MASK, Neighbours
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.posterior import Posterior, RowNumbers

#: Neighbours that the bounds use, step by step.
NEIGHBOUR_STEPS = (2, 4, 8, 16)
#: Candidates that are evaluated first where nothing is known of them; the number grows fourfold each time.
FIRST_EVALUATED = 32
#: Share of the best score that makes a candidate one to look at first the next time.
CLOSE = 0.75
#: Candidates whose bounds are sharpened together: their factors stay below ten megabytes, and with the few
#: that are followed to the last step, in the processor's cache.
SHARPENED_TOGETHER = 4096
#: Bound and exact value round differently; no candidate is dropped for less than this.
SLACK = 1e-10


@dataclass(frozen=True)
class BoundedField(Posterior):
    """Posterior variance at ``P`` given ``Z``, known as an upper bound until asked for.

    Attributes
    ----------
    C : (N, N) array
        Covariance of what was measured: the kernel matrix with noise, and jitter, on its diagonal.
    near : (k, m) array
        Keys of the rows of ``Z`` close to each pool point, the nearest first; see :class:`Neighbours`.
    upper : (m,) array
        At least the posterior variance; equal to it where ``exact``.
    exact : (m,) bool array
    sharp : (m,) bool array
        Where the bound takes all of ``near`` into account.
    shortlist : (l,) array
        Candidates to evaluate first: those that came close in an earlier search, if there was one.
    evaluated : int
        Candidates whose variance has been computed exactly, for the record.
    """

    kernel: Matern52
    P: Array
    Z: Array
    noise_var: Array
    C: Array
    L: Array
    jitter: float
    near: NDArray[np.int64]
    upper: Array
    exact: NDArray[np.bool_]
    sharp: NDArray[np.bool_]
    shortlist: RowNumbers
    evaluated: int = 0

    @classmethod
    def of(
        cls,
        kernel: Matern52,
        P: Array,
        Z: Array,
        noise_var: Array,
        near: Neighbours,
        shortlist: RowNumbers | None = None,
    ) -> BoundedField:
        """Condition on ``Z``; the neighbours may have been found in other coordinates."""
        C, m = kernel.gram(Z), len(P)
        L, jitter = safe_cholesky(C, noise_var, clean=False)
        C.flat[:: len(C) + 1] += noise_var + jitter
        shortlist = np.empty(0, dtype=np.intp) if shortlist is None else shortlist
        exact, sharp = np.zeros(m, dtype=bool), np.zeros(m, dtype=bool)
        return cls(kernel, P, Z, noise_var, C, L, jitter, near.keys, np.ones(m), exact, sharp, shortlist)

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[BoundedField, int]:
        weight = np.ones(len(self.P)) if weights is None else weights
        field, rows, count = self, np.flatnonzero(free), FIRST_EVALUATED
        first = field.shortlist[free[field.shortlist]]
        if len(first) == 0:
            field, _ = field.sharpen(rows, weight, -np.inf, (1,))
            first = field._promising(rows, weight, count)
        field = field.evaluate(first)
        score = (weight[first] * field.upper[first]).max()
        field, rows = field.sharpen(field._open(rows, weight, score), weight, score, NEIGHBOUR_STEPS)
        while len(rows):
            count *= 4
            first = field._promising(rows, weight, count)
            field = field.evaluate(first)
            score = max(score, (weight[first] * field.upper[first]).max())
            rows = field._open(rows, weight, score)
        found = np.where(field.exact & free, weight * field.upper, -np.inf)
        best = int(np.argmax(found))
        return replace(field, shortlist=np.flatnonzero(found >= CLOSE * found[best])), best

    def _open(self, rows: RowNumbers, weight: Array, score: float) -> RowNumbers:
        """The rows that are not known exactly and may still beat the score."""
        promise = weight[rows] * self.upper[rows]
        return rows[(promise > score / (1 + SLACK)) & ~self.exact[rows]]

    def _promising(self, rows: RowNumbers, weight: Array, count: int) -> RowNumbers:
        """The ``count`` of these rows with the largest bounds."""
        if len(rows) <= count:
            return rows
        return rows[np.argpartition(-(weight[rows] * self.upper[rows]), count)[:count]]

    def sharpen(
        self, rows: RowNumbers, weight: Array, score: float, steps: tuple[int, ...]
    ) -> tuple[BoundedField, RowNumbers]:
        """Lower the bounds of these rows while they may beat the score, and return those that still may."""
        upper, sharp, left = self.upper.copy(), self.sharp.copy(), [rows[self.sharp[rows]]]
        rows, points, least = rows[~sharp[rows]], np.ascontiguousarray(self.P.T), score / (1 + SLACK)
        for start in range(0, len(rows), SHARPENED_TOGETHER):
            here = rows[start : start + SHARPENED_TOGETHER]
            A, hope = np.empty((1, 0, len(here))), np.arange(len(here))
            for step in steps:
                near, A = self.near[:step].take(here, axis=1) & ROW_MASK, A.take(hope, axis=2)
                A = grow_factors(self.kernel, points.take(here, axis=1), self.Z, self.C, near, A)
                upper[here] = np.minimum(upper[here], variance_given(A))
                hope = np.flatnonzero(weight[here] * upper[here] > least)
                here = here[hope]
            sharp[here] = steps[-1] >= len(self.near)
            left.append(here)
        return replace(self, upper=upper, sharp=sharp), np.concatenate(left)

    def evaluate(self, rows: RowNumbers) -> BoundedField:
        """Replace the bound by the exact variance at these rows of the pool."""
        upper, exact = self.upper.copy(), self.exact.copy()
        V = whiten(self.L, self.kernel(self.Z, self.P[rows]))
        upper[rows] = np.maximum(1.0 - np.einsum("ij,ij->j", V, V), 0.0)
        exact[rows] = True
        return replace(self, upper=upper, exact=exact, evaluated=self.evaluated + len(rows))

    def add(self, z: Array, noise_var: float) -> BoundedField:
        """Condition on one more point ``(e,)``; all that is known becomes a bound again."""
        L = grow_cholesky(self.L, self.kernel.of_point(z, self.Z), 1.0 + noise_var + self.jitter)
        return replace(
            self,
            Z=np.vstack([self.Z, z]),
            noise_var=np.append(self.noise_var, noise_var),
            L=L,
            exact=np.zeros_like(self.exact),
        )

    @property
    def variance(self) -> Array:
        """The exact variance everywhere, ``(m,)``."""
        return self.evaluate(np.flatnonzero(~self.exact)).upper

    def variance_at(self, i: int) -> float:
        field = self if self.exact[i] else self.evaluate(np.array([i]))
        return float(field.upper[i])
