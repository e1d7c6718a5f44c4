"""Cached probe factors: the gradient of the posterior mean as one matrix product a round.

The mean's gradient at probe q is ``sum_j alpha_j s_qj (q - z_j)`` with s the kernel's radial slope.
The slopes depend on locations only, so one more observation adds one row, and new values cost one
product with ``[alpha, alpha z]``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.fast.growing import GrowingRows, begins_with
from equiwarp.gp.kernels import Matern52


@dataclass(frozen=True)
class Slopes:
    """Radial slopes ``(N, q)`` between conditioning points and probes of an unwarped Matern-5/2."""

    kernel: Matern52
    Q: Array
    square: Array  # of the norms of Q
    Z: Array
    rows: GrowingRows

    @classmethod
    def of(cls, kernel: Matern52, Q: Array, Z: Array) -> Slopes:
        Q = np.asfortranarray(Q)  # coordinate by coordinate, as it is used below
        rows = GrowingRows.filled(len(Z), len(Q), lambda out: _fill(kernel, Z, Q, out))
        return cls(kernel, Q, np.einsum("qe,qe->q", Q, Q), Z, rows)

    def extend(self, kernel: Matern52, Z: Array) -> Slopes | None:
        """Take in the points of ``Z`` that are new; None if the kernel or the first points have changed."""
        known = len(self.Z)
        if kernel != self.kernel or not begins_with(Z, self.Z):
            return None
        rows = self.rows
        for z in Z[known:]:
            rows = rows.append(self.kernel.slopes_from(z, self.Q, self.square))
        return replace(self, Z=Z, rows=rows)

    def mean_gradient(self, alpha: Array) -> Array:
        """Gradient of the posterior mean at the probes, ``(q, e, k)``, for weights ``(N, k)``."""
        return _gradient(self.Q, _stacked(self.Z, alpha) @ self.rows.rows, alpha.shape[1])


def mean_gradient(kernel: Matern52, Q: Array, Z: Array, alpha: Array) -> Array:
    """The same without keeping the slopes: for a single round, in memory that does not grow with N."""
    weights = _stacked(Z, alpha).T
    total = np.empty((len(Q), weights.shape[1]))
    for rows, slopes in kernel.slope_blocks(Q, Z):
        np.matmul(slopes, weights, out=total[rows])
    return _gradient(Q, np.ascontiguousarray(total.T), alpha.shape[1])


def _stacked(Z: Array, alpha: Array) -> Array:
    """``[alpha, alpha z]`` transposed, ``((e + 1) k, N)``."""
    stacked = np.concatenate([alpha[:, None, :], alpha[:, None, :] * Z[:, :, None]], axis=1)
    return stacked.reshape(len(Z), (1 + Z.shape[1]) * alpha.shape[1]).T


def _gradient(Q: Array, total: Array, k: int) -> Array:
    parts = total.reshape(-1, k, len(Q))
    gradient = Q.T[:, None, :] * parts[:1]
    gradient -= parts[1:]
    return gradient.transpose(2, 0, 1)


def _fill(kernel: Matern52, Z: Array, Q: Array, out: Array) -> None:
    for _ in kernel.slope_blocks(Z, Q, out):
        pass
