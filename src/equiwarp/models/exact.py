"""The posterior of a Gaussian process given all measurements, exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, solve_triangular

from equiwarp.domains import Array
from equiwarp.domains.base import place_of
from equiwarp.gp.cholesky import safe_cholesky
from equiwarp.models.covariance import Covariance


class ExactPosterior:
    """What is known after standardised values ``y`` at ``X`` with noise variances, under fixed parameters
    ``t``.

    Attributes
    ----------
    L : (n, n) array
        Lower Cholesky factor of the values' covariance.
    alpha : (n,) array
        The weights of the mean.
    """

    def __init__(self, prior: Covariance, t: Array, X: Array, y: Array, noise_var: Array) -> None:
        self.prior, self.t, self.X = prior, t, X
        self.L, self.jitter = safe_cholesky(prior.gram(t, X, X), noise_var)
        self.alpha = cho_solve((self.L, True), y, check_finite=False)

    def mean(self, A: Array) -> Array:
        return np.asarray(self.prior.gram(self.t, A, self.X) @ self.alpha)

    def moments(self, A: Array) -> tuple[Array, Array]:
        """Mean and variance ``(m,)``."""
        K = self.prior.gram(self.t, self.X, A)
        V = solve_triangular(self.L, K, lower=True, check_finite=False)
        variance = self.prior.diagonal(self.t, A) - np.einsum("ij,ij->j", V, V)
        return self.alpha @ K, np.maximum(variance, 0.0)

    def covariance(self, A: Array, B: Array) -> Array:
        to_A = self._whitened(A)
        to_B = to_A if B is A else self._whitened(B)
        return self.prior.gram(self.t, A, B) - to_A.T @ to_B

    def leave_one_out(self) -> tuple[Array, Array]:
        """Residuals and their expected deviations; values at the same place leave together."""
        inverse = solve_triangular(self.L, np.eye(len(self.L)), lower=True, check_finite=False)
        precision = np.einsum("ij,ij->j", inverse, inverse)
        residual, variance = self.alpha / precision, 1.0 / precision
        for rows in same_place(self.X):
            block = inverse[:, rows].T @ inverse[:, rows]
            residual[rows] = np.linalg.solve(block, self.alpha[rows])
            variance[rows] = np.linalg.inv(block).diagonal()
        return residual, np.sqrt(variance)

    def _whitened(self, A: Array) -> Array:
        K = self.prior.gram(self.t, self.X, A)
        return np.asarray(solve_triangular(self.L, K, lower=True, check_finite=False))


def same_place(X: Array) -> list[NDArray[np.intp]]:
    """The rows of each place that was measured more than once."""
    place = place_of(X)
    return [np.flatnonzero(place == i) for i in np.flatnonzero(np.bincount(place) > 1)]
