"""``Field``: the posterior at a fixed set of points, grown by one conditioning point at a time.

Under a fixed kernel, one more observation changes what is known at the pool by a rank-one update, so
a round costs one row of the whitened cross-covariance V instead of a factorisation and a solve.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.cholesky import grow_cholesky, safe_cholesky, whiten
from equiwarp.gp.fast.growing import GrowingRows
from equiwarp.gp.kernels import Kernel
from equiwarp.gp.posterior import Posterior


@dataclass(frozen=True)
class Field(Posterior):
    """Posterior at ``P`` given ``Z``; build with :meth:`of`, extend with :meth:`add`.

    Attributes
    ----------
    P : (m, e) array
    Z : (N, e) array
    V : GrowingRows, (N, m)
        ``L^-1 k(Z, P)``.
    s2 : (m,) array
        The variance: ``1 - colsum V^2``, floored at 0.
    """

    kernel: Kernel
    P: Array
    Z: Array
    noise_var: Array
    L: Array
    V: GrowingRows
    s2: Array
    jitter: float

    @classmethod
    def of(cls, kernel: Kernel, P: Array, Z: Array, noise_var: Array) -> Field:
        """Condition on all of ``Z`` at once."""
        L, jitter = safe_cholesky(kernel.gram(Z), noise_var)
        V = whiten(L, kernel(Z, P))
        s2 = np.maximum(1.0 - np.einsum("ij,ij->j", V, V), 0.0)
        return cls(kernel, P, Z, noise_var, L, GrowingRows.of(V), s2, jitter)

    def add(self, z: Array, noise_var: float, to_P: Array | None = None) -> Field:
        """Condition on one more point ``(e,)``: O(N m) and no refactorisation.

        ``to_P`` (m,) is its prior covariance with ``P``, if somebody has computed it already.
        """
        if to_P is None:
            to_P = self.kernel.of_point(z, self.P)
        L = grow_cholesky(self.L, self.kernel.of_point(z, self.Z), 1.0 + noise_var + self.jitter)
        row = (to_P - L[-1, :-1] @ self.V.rows) / L[-1, -1]
        return replace(
            self,
            Z=np.vstack([self.Z, z]),
            noise_var=np.append(self.noise_var, noise_var),
            L=L,
            V=self.V.append(row),
            s2=np.maximum(self.s2 - row * row, 0.0),
        )

    @property
    def variance(self) -> Array:
        return self.s2

    @property
    def last_row(self) -> Array:
        """What the newest point explains: posterior covariance with it, over its deviation, ``(m,)``."""
        return self.V.rows[-1]
