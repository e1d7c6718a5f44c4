"""``ModelField``: what one of the map's models leaves unknown at the pool and at targets, point by point.

As :class:`equiwarp.gp.field.Field`, for any covariance, and with the covariance between each pool point and
each target, which one more measurement changes by a rank-one update.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.blas import dger

from equiwarp.domains import Array
from equiwarp.gp.cholesky import grow_cholesky, safe_cholesky, solve, whiten
from equiwarp.gp.fast.growing import GrowingRows
from equiwarp.gp.posterior import RowNumbers
from equiwarp.models.fitting import SMALLEST_NOISE_VAR
from equiwarp.strategy.map_models import FittedModel


@dataclass(frozen=True)
class ModelField:
    """Posterior of one model at places ``A``: the pool, then targets. In units of its prior's height.

    Attributes
    ----------
    A : (m + t, e) array
    Z : (n, e) array
    noise_var : (n,) array
    L : (n, n) array
    V : GrowingRows, (n, m + t)
        ``L^-1 k(Z, A)``.
    C : (m, t) array
        Covariance between pool and targets.
    s2 : (m + t,) array
        Variance.
    """

    model: FittedModel
    A: Array
    Z: Array
    noise_var: Array
    L: Array
    V: GrowingRows
    C: Array
    s2: Array
    jitter: float

    @classmethod
    def of(cls, model: FittedModel, P: Array, U: Array, Z: Array, noise_var: Array) -> ModelField:
        """Condition on all of ``Z`` at once."""
        A, m = np.concatenate([P, U]), len(P)
        noise_var = np.maximum(noise_var, SMALLEST_NOISE_VAR)
        L, jitter = safe_cholesky(model.prior(Z, Z), noise_var)
        V = whiten(L, model.prior(Z, A))
        C = model.prior(P, U)
        C -= V[:, :m].T @ V[:, m:]
        s2 = model.prior_variance(A) - np.einsum("ij,ij->j", V, V)
        return cls(model, A, Z, noise_var, L, GrowingRows.of(V), C, np.maximum(s2, 0.0), jitter)

    def extended(self, Z: Array, noise_var: Array) -> ModelField:
        """Given further points, the last of ``Z``, as well."""
        field, noise_var = self, np.maximum(noise_var, SMALLEST_NOISE_VAR)
        for z, noise in zip(Z[len(self.Z) :], noise_var[len(self.Z) :], strict=True):
            field = field._add(z, float(noise))
        return field

    def _add(self, z: Array, noise_var: float) -> ModelField:
        own = float(self.model.prior_variance(z[None])[0])
        L = grow_cholesky(self.L, self.model.prior(self.Z, z[None])[:, 0], own + noise_var + self.jitter)
        row = (self.model.prior(z[None], self.A)[0] - L[-1, :-1] @ self.V.rows) / L[-1, -1]
        return replace(
            self,
            Z=np.vstack([self.Z, z]),
            noise_var=np.append(self.noise_var, noise_var),
            L=L,
            V=self.V.append(row),
            C=less_outer(self.C, row),
            s2=np.maximum(self.s2 - row * row, 0.0),
        )

    def holds(self, Z: Array, noise_var: Array) -> bool:
        """Whether it rests on the first of these points, with the same noise."""
        n = len(self.Z)
        return (
            len(Z) >= n
            and np.array_equal(Z[:n], self.Z)
            and np.allclose(
                np.maximum(noise_var[:n], SMALLEST_NOISE_VAR), self.noise_var, rtol=1e-9, atol=0.0
            )
        )

    def whitened(self, X: Array) -> Array:
        """``L^-1 k(Z, X)`` ``(n, b)`` of points ``(b, e)``; that of a single place is known already."""
        if len(X) == 1:
            for place in np.flatnonzero((X[0] == self.A).all(axis=1))[:1]:
                return np.ascontiguousarray(self.V.rows[:, place, None])
        return whiten(self.L, self.model.prior(self.Z, X))

    def covariance_with(self, X: Array, v: Array) -> Array:
        """Posterior covariance ``(b, m + t)`` of points, whitened as ``v`` ``(n, b)``, with all places."""
        K = self.model.prior(X, self.A)
        K -= v.T @ self.V.rows
        return K

    def with_all(self, X: Array, v: Array, at_B: Array, B: Array) -> tuple[Array, Array, Array]:
        """Posterior covariance of points, whitened as ``v``, with all places, with ``B`` and with themselves.

        ``at_B`` ``(b, n)`` are the points ``B``, whitened.
        """
        prior = self.model.prior
        return self.covariance_with(X, v), prior(X, B) - v.T @ at_B.T, prior(X, X) - v.T @ v

    def among(self, pool_rows: RowNumbers) -> ModelField:
        """The same for some of the pool only, and all targets."""
        places = np.append(pool_rows, np.arange(len(self.C), len(self.A)))
        V = GrowingRows.of(self.V.rows[:, places], spare=0)
        return replace(self, A=self.A[places], V=V, C=self.C[pool_rows], s2=self.s2[places])

    def weights_of(self, y: Array) -> tuple[Array, Array]:
        """Of values ``(n,)``: whitened, so that ``V' white`` is the mean; and the mean at ``Z`` itself."""
        alpha = solve(self.L, y[:, None])[:, 0]
        return self.L.T @ alpha, y - (self.noise_var + self.jitter) * alpha


def less_outer(C: Array, row: Array) -> Array:
    """``C - r r'`` for a row ``(m + t,)`` over pool and targets, in one pass over ``C`` ``(m, t)``."""
    m = len(C)
    # Transposed, the copy is stored as BLAS wants it, and is changed in place.
    return np.asarray(dger(-1.0, row[m:], row[:m], a=C.copy().T, overwrite_a=1).T)


def less_product(C: Array, rows: Array) -> Array:
    """``C - R' R`` for rows ``(b, m + t)`` over pool and targets: one by one, or all of them at once."""
    if len(rows) == 1:
        return less_outer(C, rows[0])
    return np.asarray(C - rows[:, : len(C)].T @ rows[:, len(C) :])
