"""The posterior of a Gaussian process given very many measurements, through inducing points.

The function is described by its values at some of the measured points, and what they leave open at a place is
taken for noise there (FITC: Snelson and Ghahramani 2006). That is a linear regression on as many features as
there are inducing points: time grows linearly with the number of measurements, which are read in chunks.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from equiwarp.domains import Array
from equiwarp.domains.base import place_of
from equiwarp.gp.cholesky import safe_cholesky
from equiwarp.models.covariance import Covariance
from equiwarp.models.fitting import some_rows

#: How many inducing points describe the function.
INDUCING = 1000
#: They are taken from at most this many measurements.
CANDIDATES = 8000
#: Rows that are read at once.
CHUNK = 4096
#: Of the prior variance: what is added so that the inducing points' covariance can be factorised.
NUGGET = 1e-8


class InducingPosterior:
    """As :class:`equiwarp.models.exact.ExactPosterior`, from a description by few points."""

    def __init__(self, prior: Covariance, t: Array, X: Array, y: Array, noise_var: Array) -> None:
        self.prior, self.t, self.X = prior, t, X
        self.inducing = most_telling(prior, t, X, INDUCING)
        m = len(self.inducing)
        self.M, _ = safe_cholesky(
            prior.gram(t, self.inducing, self.inducing),
            NUGGET * prior.diagonal(t, self.inducing),
        )
        A, b = np.eye(m), np.zeros(m)
        for rows in _chunks(len(X)):
            F = self._features(X[rows])
            noise = self._noise(X[rows], F, noise_var[rows])
            scaled = F / np.sqrt(noise)
            A += scaled @ scaled.T
            b += F @ (y[rows] / noise)
        self.L, _ = safe_cholesky(A, np.zeros(m))
        self.weights = cho_solve((self.L, True), b, check_finite=False)
        self.y, self.noise_var = y, noise_var

    def mean(self, A: Array) -> Array:
        return np.asarray(self.weights @ self._features(A))

    def moments(self, A: Array) -> tuple[Array, Array]:
        F = self._features(A)
        S = solve_triangular(self.L, F, lower=True, check_finite=False)
        left_open = self.prior.diagonal(self.t, A) - np.einsum("ij,ij->j", F, F)
        return self.weights @ F, np.maximum(left_open, 0.0) + np.einsum("ij,ij->j", S, S)

    def covariance(self, A: Array, B: Array) -> Array:
        to_A, to_B = self._features(A), self._features(B)
        S_A = solve_triangular(self.L, to_A, lower=True, check_finite=False)
        S_B = solve_triangular(self.L, to_B, lower=True, check_finite=False)
        return self.prior.gram(self.t, A, B) - to_A.T @ to_B + S_A.T @ S_B

    def leave_one_out(self) -> tuple[Array, Array]:
        """Residuals and deviations of each value against the regression without it.

        Values at the same place leave together. To the regression they are one row of features: with f what
        it makes of that row and l the noise of each value, the covariance of what the values miss is l, and
        g = f / (1 - sum f / l) between any two.
        """
        residual, noise, fitted = np.empty((3, len(self.X)))
        for rows in _chunks(len(self.X)):
            F = self._features(self.X[rows])
            S = solve_triangular(self.L, F, lower=True, check_finite=False)
            residual[rows] = self.y[rows] - self.weights @ F
            noise[rows] = self._noise(self.X[rows], F, self.noise_var[rows])
            fitted[rows] = np.einsum("ij,ij->j", S, S)
        place = place_of(self.X)
        kept = np.maximum(1.0 - np.bincount(place, fitted / noise), 1e-9)[place]
        missed = np.bincount(place, residual / noise)[place]
        return residual + fitted / kept * missed, np.sqrt(noise + fitted / kept)

    def _features(self, A: Array) -> Array:
        K = self.prior.gram(self.t, self.inducing, A)
        return np.asarray(solve_triangular(self.M, K, lower=True, check_finite=False))

    def _noise(self, A: Array, F: Array, noise_var: Array) -> Array:
        """The noise of values at points with these features, and what the inducing points leave open."""
        return noise_var + np.maximum(self.prior.diagonal(self.t, A) - np.einsum("ij,ij->j", F, F), 0.0)


def most_telling(prior: Covariance, t: Array, X: Array, count: int) -> Array:
    """Points of ``(n, e)``, each where those before it leave the most open (a pivoted Cholesky)."""
    X = X[some_rows(len(X), CANDIDATES)]
    count = min(count, len(X))
    left, rows, chosen = prior.diagonal(t, X).copy(), np.empty((count, len(X))), []
    least = 1e-10 * float(left.max())
    for i in range(count):
        best = int(np.argmax(left))
        if left[best] <= least:
            break
        chosen.append(best)
        row = prior.gram(t, X[best : best + 1], X)[0] - rows[:i, best] @ rows[:i]
        rows[i] = row / np.sqrt(left[best])
        left -= rows[i] ** 2
    return X[chosen]


def _chunks(n: int) -> list[slice]:
    return [slice(i, min(i + CHUNK, n)) for i in range(0, n, CHUNK)]
