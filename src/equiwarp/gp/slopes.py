"""Cached probe factors: the gradient of the posterior mean as one matrix product a round.

The mean's gradient at probe q is ``sum_j alpha_j s_qj (q - z_j)`` with s the kernel's radial slope.
The slopes depend on locations only, so one more observation adds one row, and new values cost one
product with ``[alpha, alpha z]``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.growing import GrowingRows
from equiwarp.gp.kernels import SQRT5, Matern52, scaled_distance


@dataclass(frozen=True)
class Slopes:
    """Radial slopes ``(N, q)`` between conditioning points and probes of an unwarped Matern-5/2."""

    kernel: Matern52
    Q: Array
    Z: Array
    rows: GrowingRows

    @classmethod
    def of(cls, kernel: Matern52, Q: Array, Z: Array) -> Slopes:
        rows = kernel.radial_slope(scaled_distance(Z, Q, SQRT5))
        return cls(kernel, Q, Z, GrowingRows.of(rows))

    def extend(self, kernel: Matern52, Z: Array) -> Slopes | None:
        """The same with the further points of ``Z``, or None if kernel or first points are others."""
        known = len(self.Z)
        if kernel != self.kernel or len(Z) < known or not np.array_equal(Z[:known], self.Z):
            return None
        rows = self.rows
        for slopes in self.kernel.radial_slope(scaled_distance(Z[known:], self.Q, SQRT5)):
            rows = rows.append(slopes)
        return replace(self, Z=Z, rows=rows)

    def mean_gradient(self, alpha: Array) -> Array:
        """Gradient of the posterior mean at the probes, ``(q, e, k)``, for weights ``(N, k)``."""
        n, k = alpha.shape
        e = self.Z.shape[1]
        stacked = np.concatenate([alpha[:, None, :], alpha[:, None, :] * self.Z[:, :, None]], axis=1)
        total = stacked.reshape(n, -1).T @ self.rows.rows
        parts = total.reshape(e + 1, k, -1)
        return (self.Q.T[:, None, :] * parts[:1] - parts[1:]).transpose(2, 0, 1)
