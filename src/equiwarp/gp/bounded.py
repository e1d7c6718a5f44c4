"""The largest posterior variance over a pool, exactly, while looking closely at few of its points.

Conditioning on a subset of the data can only leave more variance. So the variance given a few near
neighbours is an upper bound, cheap and tight, and the exact variance is needed only where that bound
beats the best exact score so far. Bounds are sharpened in steps, each with more neighbours and at
fewer points. Adding a point lowers variances, so bounds and former exact values stay upper bounds and
the next search starts from them (Minoux's lazy greedy).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.batched import POINTS, factorise
from equiwarp.gp.cholesky import grow_cholesky, safe_cholesky, whiten
from equiwarp.gp.kernels import SQRT5, Matern52

#: Neighbours that the bounds use, step by step.
STEPS = (4, 8, 16)
#: Candidates whose bounds are sharpened, and of these evaluated exactly, to have a score to beat.
FIRST, BLOCK = 64, 16
#: Bound and exact value round differently; no candidate is dropped for less than this.
SLACK = 1e-10


@dataclass(frozen=True)
class BoundedField:
    """Posterior variance at ``P`` given ``Z``, known as an upper bound until asked for.

    Attributes
    ----------
    near : (k, m) array
        Rows of ``Z`` close to each pool point, the nearest first.
    upper : (m,) array
        At least the posterior variance; equal to it where ``exact``.
    exact : (m,) bool array
    used : (m,) array
        Neighbours that the bound of each point takes into account.
    evaluated : int
        Candidates whose variance has been computed exactly, for the record.
    """

    kernel: Matern52
    P: Array
    Z: Array
    noise_var: Array
    K: Array
    L: Array
    jitter: float
    near: NDArray[np.intp]
    upper: Array
    exact: NDArray[np.bool_]
    used: NDArray[np.intp]
    evaluated: int = 0

    @classmethod
    def of(
        cls, kernel: Matern52, P: Array, Z: Array, noise_var: Array, near: NDArray[np.intp]
    ) -> BoundedField:
        """Condition on ``Z``, whose rows ``near`` (k, m) are close to each pool point."""
        K, m = kernel(Z, Z), len(P)
        L, jitter = safe_cholesky(K, noise_var)
        nothing = np.ones(m), np.zeros(m, dtype=bool), np.zeros(m, dtype=np.intp)
        field = cls(kernel, P, Z, noise_var, K, L, jitter, near, *nothing)
        return field.sharpen(np.arange(m), STEPS[0])

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[BoundedField, int]:
        """The free candidate of largest weighted variance, and the field with what was learnt on the way."""
        weight = np.where(free, 1.0 if weights is None else weights, -np.inf)
        field = self
        if not (field.exact & free).any():
            rows = field._promising(weight, np.flatnonzero(free), FIRST)
            field = field.sharpen(rows, STEPS[-1])
            field = field.evaluate(field._promising(weight, rows, BLOCK))
        for step in STEPS[1:]:
            field = field.sharpen(field._open(weight)[1], step)
        block = BLOCK
        while True:
            best, rows = field._open(weight)
            if len(rows) == 0:
                return field, best
            block *= 4
            field = field.evaluate(field._promising(weight, rows, block))

    def _open(self, weight: Array) -> tuple[int, NDArray[np.intp]]:
        """The best exact candidate, and those whose bound leaves hope for more."""
        # Apart, because -inf times a variance of zero is no number at all.
        promise = np.multiply(weight, self.upper, out=np.full_like(weight, -np.inf), where=weight > -np.inf)
        known = np.where(self.exact, promise, -np.inf)
        best = int(np.argmax(known))
        return best, np.flatnonzero(~self.exact & (promise * (1 + SLACK) > known[best]))

    def _promising(self, weight: Array, rows: NDArray[np.intp], count: int) -> NDArray[np.intp]:
        """The ``count`` of these rows with the largest bounds."""
        if len(rows) <= count:
            return rows
        return rows[np.argpartition(-(weight[rows] * self.upper[rows]), count)[:count]]

    def sharpen(self, rows: NDArray[np.intp], step: int) -> BoundedField:
        """Bound these rows of the pool by their ``step`` nearest conditioning points, or all there are."""
        rows = rows[self.used[rows] < min(step, len(self.near))]
        if len(rows) == 0:
            return self
        given = variance_given(
            self.kernel, self.P[rows], self.Z, self.K, self.noise_var + self.jitter, self.near[:step, rows]
        )
        upper, used = self.upper.copy(), self.used.copy()
        upper[rows], used[rows] = np.minimum(upper[rows], given), step
        return replace(self, upper=upper, used=used)

    def evaluate(self, rows: NDArray[np.intp]) -> BoundedField:
        """Replace the bound by the exact variance at these rows of the pool."""
        upper, exact = self.upper.copy(), self.exact.copy()
        V = whiten(self.L, self.kernel(self.Z, self.P[rows]))
        upper[rows] = np.maximum(1.0 - np.einsum("ij,ij->j", V, V), 0.0)
        exact[rows] = True
        return replace(self, upper=upper, exact=exact, evaluated=self.evaluated + len(rows))

    def add(self, z: Array, noise_var: float) -> BoundedField:
        """Condition on one more point ``(e,)``; all that is known becomes a bound again."""
        L = grow_cholesky(self.L, self.kernel(self.Z, z[None])[:, 0], 1.0 + noise_var + self.jitter)
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


def variance_given(
    kernel: Matern52, P: Array, Z: Array, K: Array, noise_var: Array, near: NDArray[np.intp]
) -> Array:
    """Posterior variance at each row of ``P`` given only its ``near`` (k, m) rows of ``Z``, ``(m,)``.

    ``K`` is the kernel matrix of ``Z``; its entries are looked up, not computed again.
    """
    variance = np.empty(len(P))
    for start in range(0, len(P), POINTS):
        part = slice(start, start + POINTS)
        variance[part] = _variance_given(kernel, P[part], Z, K, noise_var, near[:, part])
    return variance


def _variance_given(
    kernel: Matern52, P: Array, Z: Array, K: Array, noise_var: Array, near: NDArray[np.intp]
) -> Array:
    count, m = near.shape
    A = np.empty((count + 1, count, m))
    entries, row = K.ravel(), near * len(K)
    for j in range(count):
        A[j:count, j] = entries.take(row[j:] + near[j])
        A[j, j] += noise_var[near[j]]
    apart = P.T[:, None, :] - Z.T[:, near]
    A[count] = kernel.of_scaled_distance(SQRT5 / kernel.ell * np.sqrt(np.einsum("ekm,ekm->km", apart, apart)))
    factorise(A)
    return np.maximum(1.0 - np.einsum("km,km->m", A[count], A[count]), 0.0)
