"""``qb-mgp``: query by a mixture of Gaussian processes (Riis et al. 2022).

A fully Bayesian GP has many hyperparameters at once. Here they are a few lengthscales l with weights p_l in
proportion to prior and likelihood; the score is the variance of the mixture,

    score(x) = sum_l p_l s_l^2(x) + sum_l p_l (mu_l(x) - mu(x))^2,     mu = sum_l p_l mu_l.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import solve_triangular

from equiwarp.bench.peers.pool_scores import PoolArm, PoolStepper
from equiwarp.domains import Array
from equiwarp.gp.cholesky import safe_cholesky
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.spacing import log_prior

#: Lengthscales of the mixture, in units of sqrt(D).
LENGTHSCALES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)


class MixtureStepper(PoolStepper):
    """A Matern-5/2 of unit variance on standardised values, under several lengthscales."""

    def scores(self, x: Array, y: Array, measured: int) -> tuple[Array, Array]:
        center, scale = float(y[:measured].mean()), float(y[:measured].std()) or 1.0
        Z, values = self.domain.embed(x), (y - center) / scale
        noise_var = np.full(len(y), (self.noise / scale) ** 2)
        evidence, means, variances = [], [], []
        for length in LENGTHSCALES:
            kernel = Matern52(length * math.sqrt(self.domain.dim))
            L, _ = safe_cholesky(kernel(Z, Z), noise_var)
            V = solve_triangular(L, kernel(Z, self.P), lower=True, check_finite=False)
            white = solve_triangular(L, values, lower=True, check_finite=False)
            fit = -0.5 * float(white @ white) - float(np.sum(np.log(L.diagonal())))
            evidence.append(fit + log_prior(kernel.ell, self.domain.dim))
            means.append(white @ V)
            variances.append(np.maximum(1.0 - np.einsum("ij,ij->j", V, V), 0.0))
        weights = np.exp(np.array(evidence) - max(evidence))
        weights /= weights.sum()
        mean = weights @ np.array(means)
        score = weights @ (np.array(variances) + (np.array(means) - mean) ** 2)
        return score, center + scale * mean


Mixture = PoolArm("qb-mgp", MixtureStepper)
