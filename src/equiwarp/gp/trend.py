"""A quadratic trend under a Gaussian process, so that its mean goes on where measurements end.

A stationary process falls back to the average of the values within a lengthscale beyond the last
measurement. Many functions do the opposite and grow towards the faces. With a trend the mean follows
them: b, its coefficients, have independent standard normal priors, and the process explains what the
trend leaves. On standardised values the prior is weak, yet enough for fewer values than coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array, Domain


@dataclass(frozen=True)
class Trend:
    """Columns that the trend is made of: each kernel coordinate, and its square where it is a variable.

    On curved domains and mixtures the coordinates are no variables but directions, of which none is
    better than another, and the trend is linear.

    Attributes
    ----------
    centre, scale : (e,) arrays
        Coordinates are taken to mean zero and mean square one third, as on the cube [-1, 1]^D.
    squares : bool
    """

    centre: Array
    scale: Array
    squares: bool

    @classmethod
    def of(cls, domain: Domain, points: Array) -> Trend:
        """For a domain that these points ``(n, columns)`` fill."""
        Z = domain.embed(points)
        spread = np.sqrt(3.0) * Z.std(axis=0)
        return cls(Z.mean(axis=0), np.where(spread > 1e-12, spread, 1.0), domain.cartesian)

    def __call__(self, Z: Array) -> Array:
        """The columns at kernel coordinates ``(n, e)``: ``(n, e)`` or ``(n, 2 e)``."""
        U = (Z - self.centre) / self.scale
        return np.concatenate([U, U * U - 1.0 / 3.0], axis=1) if self.squares else U


def coefficients(columns: Array, white: Array) -> Array:
    """Posterior mean of b ``(p, k)``, given columns ``(n, p)`` and values ``(n, k)``, both times L^-1."""
    precision = columns.T @ columns + np.eye(columns.shape[1])
    return np.linalg.solve(precision, columns.T @ white).astype(float)
