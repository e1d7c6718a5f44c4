"""The acquisition GP: fixed hyperparameters, unit prior variance, zero prior mean.

It sees standardised values. Points may be conditioned on without a value (they are pending): the
variance then uses them and the mean does not, which is the same as observing the mean itself there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput
from equiwarp.gp.cholesky import grow_cholesky, safe_cholesky, solve, whiten
from equiwarp.gp.fast.growing import begins_with
from equiwarp.gp.kernels import Kernel


@dataclass(frozen=True)
class AcquisitionGP:
    """Posterior of a zero-mean GP with unit variance, the paper's eq:gp_mean and eq:gp_var.

    Build with :meth:`fit`. ``alpha`` has one row per point that has a value; pending points come
    after those. ``jitter`` is what the factorisation needed on top of the noise (0 as a rule).
    """

    kernel: Kernel
    Z: Array
    noise_var: Array
    L: Array
    alpha: Array
    jitter: float

    @classmethod
    def fit(cls, kernel: Kernel, Z: Array, y: Array, noise_var: Array) -> AcquisitionGP:
        """Condition on values ``(n, k)`` at ``(n, e)`` with noise variances ``(n,)``."""
        L, jitter = safe_cholesky(kernel.gram(Z), noise_var)
        alpha = solve(L, y)
        return cls(kernel, Z, noise_var, L, alpha, jitter)

    def condition(self, z: Array, noise_var: float, y: Array | None = None) -> AcquisitionGP:
        """One more point ``(e,)``, without refactorising; with values ``(k,)`` or pending if y is None."""
        k = self.kernel.of_point(z, self.Z)
        L = grow_cholesky(self.L, k, 1.0 + noise_var + self.jitter)
        grown = replace(self, Z=np.vstack([self.Z, z]), noise_var=np.append(self.noise_var, noise_var), L=L)
        if y is None:
            return grown
        if len(self.alpha) < len(self.Z):
            raise InvalidInput("a value cannot follow a pending point: condition on values first")
        values = np.vstack([self.L @ (self.L.T @ self.alpha), y])
        return replace(grown, alpha=solve(L, values))

    def extended(self, kernel: Kernel, Z: Array, y: Array, noise_var: Array) -> AcquisitionGP | None:
        """Condition on these values, reusing the factor of the first points; None if it does not fit."""
        known = len(self.Z)
        if kernel != self.kernel or not begins_with(Z, self.Z) or not begins_with(noise_var, self.noise_var):
            return None
        L = self.L
        for i in range(known, len(Z)):
            L = grow_cholesky(L, kernel.of_point(Z[i], Z[:i]), 1.0 + noise_var[i] + self.jitter)
        alpha = solve(L, y)
        return AcquisitionGP(kernel, Z, noise_var, L, alpha, self.jitter)

    def mean(self, A: Array) -> Array:
        """Posterior mean ``(len(A), k)``."""
        return self.kernel(A, self._valued) @ self.alpha

    def mean_gradient(self, A: Array) -> Array:
        """Gradient of the posterior mean in kernel coordinates, ``(len(A), e, k)``."""
        Z = self._valued
        columns = [self.kernel.weighted_gradient(A, Z, w) for w in self.alpha.T]
        return np.stack(columns, axis=2)

    def variance(self, A: Array) -> Array:
        """Posterior variance of the latent function, ``(len(A),)``, never negative."""
        V = self._whiten(A)
        return np.maximum(1.0 - np.einsum("ij,ij->j", V, V), 0.0)

    def covariance(self, A: Array, B: Array) -> Array:
        """Posterior covariance ``(len(A), len(B))``."""
        return self.kernel(A, B) - self._whiten(A).T @ self._whiten(B)

    @property
    def _valued(self) -> Array:
        return self.Z[: len(self.alpha)]

    def _whiten(self, A: Array) -> Array:
        return whiten(self.L, self.kernel(self.Z, A))
