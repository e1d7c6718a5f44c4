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
from equiwarp.gp.batched import factorise
from equiwarp.gp.cholesky import grow_cholesky, safe_cholesky, whiten
from equiwarp.gp.kernels import SQRT5, Matern52, correlate

#: Neighbours that the bounds use, step by step.
STEPS = (4, 8, 16)
#: Candidates that are evaluated first, to have a score to beat; the number grows fourfold each time.
BLOCK = 32
#: Entries of the neighbours' matrices that are worked on at once: more would leave the processor's cache,
#: and each lot costs a hundred short calls.
ENTRIES = 1 << 18
#: Bound and exact value round differently; no candidate is dropped for less than this.
SLACK = 1e-10


@dataclass(frozen=True)
class BoundedField:
    """Posterior variance at ``P`` given ``Z``, known as an upper bound until asked for.

    Attributes
    ----------
    C : (N, N) array
        Covariance of what was measured: the kernel matrix with noise, and jitter, on its diagonal.
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
    C: Array
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
        C, m = kernel.gram(Z), len(P)
        L, jitter = safe_cholesky(C, noise_var)
        C.flat[:: len(C) + 1] += noise_var + jitter
        upper = variance_given(kernel, P, Z, C, near[: STEPS[0]])
        exact, used = np.zeros(m, dtype=bool), np.full(m, STEPS[0])
        return cls(kernel, P, Z, C, L, jitter, near, upper, exact, used)

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[BoundedField, int]:
        """The free candidate of largest weighted variance, and the field with what was learnt on the way."""
        weight = np.ones(len(self.P)) if weights is None else weights
        field, block = self, BLOCK
        if not (field.exact & free).any():
            field = field.evaluate(field._promising(weight, np.flatnonzero(free), block))
        for step in STEPS[1:]:
            field = field.sharpen(field._open(weight, free)[1], step)
        while True:
            best, rows = field._open(weight, free)
            if len(rows) == 0:
                return field, best
            block *= 4
            field = field.evaluate(field._promising(weight, rows, block))

    def _open(self, weight: Array, free: NDArray[np.bool_]) -> tuple[int, NDArray[np.intp]]:
        """The best exact candidate, and those whose bound leaves hope for more."""
        promise = weight * self.upper
        known = np.where(self.exact & free, promise, -np.inf)
        best = int(np.argmax(known))
        return best, np.flatnonzero((promise * (1 + SLACK) > known[best]) & free & ~self.exact)

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
        given = variance_given(self.kernel, self.P[rows], self.Z, self.C, self.near[:step].take(rows, axis=1))
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
        L = grow_cholesky(self.L, self.kernel.of_point(z, self.Z), 1.0 + noise_var + self.jitter)
        return replace(
            self,
            Z=np.vstack([self.Z, z]),
            L=L,
            exact=np.zeros_like(self.exact),
        )

    @property
    def variance(self) -> Array:
        """The exact variance everywhere, ``(m,)``."""
        return self.evaluate(np.flatnonzero(~self.exact)).upper


def variance_given(kernel: Matern52, P: Array, Z: Array, C: Array, near: NDArray[np.intp]) -> Array:
    """Posterior variance at each row of ``P`` given only its ``near`` (k, m) rows of ``Z``, ``(m,)``.

    ``C`` is the covariance of all of ``Z``; its entries are looked up, not computed again.
    """
    variance, images, points = np.empty(len(P)), P.T, np.ascontiguousarray(Z.T)
    lot = max(1, ENTRIES // max(1, len(near) * (len(near) + 1)))
    for start in range(0, len(P), lot):
        part = slice(start, start + lot)
        variance[part] = _variance_given(kernel, images[:, part], points, C, near[:, part])
    return variance


def _variance_given(kernel: Matern52, P: Array, Z: Array, C: Array, near: NDArray[np.intp]) -> Array:
    """The same for a few columns of ``P`` (e, m) and ``Z`` (e, N)."""
    count, m = near.shape
    A = np.empty((count + 1, count, m))
    entries, row = C.ravel(), near * len(C)
    for j in range(count):
        # "clip" only spares the check of indices that are known to be good, and with it a copy.
        entries.take(row[j:] + near[j], out=A[j:count, j], mode="clip")
    apart = Z.take(near, axis=1)
    apart -= P[:, None, :]
    s = np.einsum("ekm,ekm->km", apart, apart, out=A[count])
    np.sqrt(s, out=s)
    s *= SQRT5 / kernel.ell
    correlate(s, apart[0])
    factorise(A)
    return np.maximum(1.0 - np.einsum("km,km->m", A[count], A[count]), 0.0)
