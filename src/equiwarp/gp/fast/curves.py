"""Kept radial factors: first and second derivatives of the posterior mean as two products a round.

They are sums over the measured points of e^-s and (1 + s) e^-s, times moments of the weights. Both
factors depend on locations only, so one more measurement adds a row to each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.fast.growing import GrowingRows, begins_with
from equiwarp.gp.kernels import Matern52, derivatives_of_sums, moments_of, scaled_distance


@dataclass(frozen=True)
class Curves:
    """Radial factors ``(N, m)`` between measured points ``Z`` and points ``A`` (m, e)."""

    kernel: Matern52
    A: Array
    Z: Array
    decay: GrowingRows
    slope: GrowingRows

    @classmethod
    def of(cls, kernel: Matern52, A: Array, Z: Array) -> Curves:
        decay, slope = _factors(kernel, A, Z)
        return cls(kernel, A, Z, GrowingRows.of(decay), GrowingRows.of(slope))

    def extend(self, kernel: Matern52, Z: Array) -> Curves | None:
        """Take in the points of ``Z`` that are new; None if the kernel or the first points have changed."""
        known = len(self.Z)
        if kernel != self.kernel or not begins_with(Z, self.Z):
            return None
        decay, slope = self.decay, self.slope
        for more_decay, more_slope in zip(*_factors(kernel, self.A, Z[known:]), strict=True):
            decay, slope = decay.append(more_decay), slope.append(more_slope)
        return replace(self, Z=Z, decay=decay, slope=slope)

    def weighted_derivatives(self, w: Array) -> tuple[Array, Array]:
        """What :meth:`Matern52.weighted_derivatives` gives for weights ``(N,)``."""
        moments, first = moments_of(self.Z, w), 1 + self.Z.shape[1]
        plain, decayed = moments[:, :first].T @ self.slope.rows, moments.T @ self.decay.rows
        return derivatives_of_sums(self.kernel, self.A, plain.T, decayed.T)


def _factors(kernel: Matern52, A: Array, Z: Array) -> tuple[Array, Array]:
    """e^-s and (1 + s) e^-s, ``(len(Z), len(A))`` each."""
    s = scaled_distance(Z, A, kernel.ell)
    decay = np.exp(-s)
    s += 1.0
    s *= decay
    return decay, s
