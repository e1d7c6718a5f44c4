"""The largest posterior variance over a pool, exactly, while looking closely at few of its points.

Conditioning on a subset of the data can only leave more variance. So the variance given a few near
neighbours is an upper bound, cheap and tight, and the exact variance is needed only where that bound
beats the best exact score so far. Adding a point lowers variances, so bounds and former exact values
stay upper bounds and the next search starts from them (Minoux's lazy greedy).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from equiwarp.domains import Array
from equiwarp.gp.cholesky import grow_cholesky, safe_cholesky
from equiwarp.gp.kernels import SQRT5, Kernel, Matern52

#: Candidates evaluated exactly at first; each further batch is twice as large.
BLOCK = 32
#: Bound and exact value round differently; no candidate is dropped for less than this.
SLACK = 1e-10


@dataclass(frozen=True)
class BoundedField:
    """Posterior variance at ``P`` given ``Z``, known as an upper bound until asked for.

    Attributes
    ----------
    upper : (m,) array
        At least the posterior variance; equal to it where ``exact``.
    exact : (m,) bool array
    evaluated : int
        Candidates whose variance has been computed exactly, for the record.
    """

    kernel: Kernel
    P: Array
    Z: Array
    noise_var: Array
    L: Array
    jitter: float
    upper: Array
    exact: NDArray[np.bool_]
    evaluated: int

    @classmethod
    def of(
        cls, kernel: Matern52, P: Array, Z: Array, noise_var: Array, near: NDArray[np.intp]
    ) -> BoundedField:
        """Condition on ``Z``, whose rows ``near`` (k, m) are close to each pool point."""
        K = kernel(Z, Z)
        L, jitter = safe_cholesky(K, noise_var)
        upper = variance_given(kernel, P, Z, K, noise_var + jitter, near)
        return cls(kernel, P, Z, noise_var, L, jitter, upper, np.zeros(len(P), dtype=bool), 0)

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[BoundedField, int]:
        """The free candidate of largest weighted variance, and the field with what was learnt on the way."""
        field, block = self, BLOCK
        weight = np.ones(len(self.P)) if weights is None else weights
        while True:
            promise = np.where(free, weight * field.upper, -np.inf)
            known = np.where(field.exact, promise, -np.inf)
            best = int(np.argmax(known))
            open_ = np.flatnonzero(~field.exact & free & (promise * (1 + SLACK) > known[best]))
            if len(open_) == 0:
                return field, best
            order = np.argsort(-promise[open_], kind="stable")
            field, block = field.evaluate(open_[order[:block]]), 2 * block

    def evaluate(self, rows: NDArray[np.intp]) -> BoundedField:
        """Replace the bound by the exact variance at these rows of the pool."""
        upper, exact = self.upper.copy(), self.exact.copy()
        K = self.kernel(self.Z, self.P[rows])
        V = (
            solve_triangular(self.L, K, lower=True, check_finite=False, overwrite_b=True)
            if len(self.Z)
            else K
        )
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

    One Cholesky factorisation per pool point, carried out for all of them at once: entry by entry,
    each entry an array over the pool.
    """
    scale = SQRT5 / kernel.ell
    variance = np.ones(len(P))
    factor: list[list[Array]] = []
    white: list[Array] = []
    for i, row in enumerate(near):
        column: list[Array] = []
        for j in range(i):
            entry = K[row, near[j]]
            for m in range(j):
                entry = entry - column[m] * factor[j][m]
            column.append(entry / factor[j][j])
        pivot = 1.0 + noise_var[row]
        target = kernel.of_scaled_distance(scale * np.sqrt(np.sum((P - Z[row]) ** 2, axis=1)))
        for m in range(i):
            pivot = pivot - column[m] ** 2
            target = target - column[m] * white[m]
        column.append(np.sqrt(np.maximum(pivot, 1e-12)))
        factor.append(column)
        white.append(target / column[i])
        variance = variance - white[i] ** 2
    return np.maximum(variance, 0.0)
