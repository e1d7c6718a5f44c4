"""Criteria by their definitions: one candidate at a time, everything refitted."""

from __future__ import annotations

import numpy as np

from tests.reference.gp import posterior


def farthest_points(Z, P, count):
    """Indices into P by farthest-point sampling, all distances from scratch for every choice."""
    chosen = []
    for _ in range(count):
        taken = np.concatenate([Z, P[chosen]])
        scores = [
            -np.inf if i in chosen else min(np.linalg.norm(p - z) for z in taken) for i, p in enumerate(P)
        ]
        chosen.append(int(np.argmax(scores)))
    return chosen


def variance_removed(kernel, Z, noise_var, P, U, new_noise_var):
    """How far the mean variance at targets U falls when each point of P is measured, by refitting."""
    before = np.diag(posterior(kernel, Z, np.zeros((len(Z), 1)), noise_var, U)[1]).mean()
    drops = []
    for p in P:
        Z_more, noise_more = np.vstack([Z, p]), np.append(noise_var, new_noise_var)
        after = np.diag(posterior(kernel, Z_more, np.zeros((len(Z_more), 1)), noise_more, U)[1]).mean()
        drops.append(before - after)
    return np.array(drops)


def predictive_gain(kernel, Z, noise_var, P, U, new_noise_var):
    """H[y*] + H[y_U] - H[y*, y_U] of the joint Gaussian of noisy values, one candidate at a time."""
    gains = []
    for p in P:
        points = np.vstack([p, U])
        C = posterior(kernel, Z, np.zeros((len(Z), 1)), noise_var, points)[1]
        C = C + new_noise_var * np.eye(len(points))
        gains.append(_entropy(C[:1, :1]) + _entropy(C[1:, 1:]) - _entropy(C))
    return np.array(gains)


def _entropy(C):
    return 0.5 * np.linalg.slogdet(2 * np.pi * np.e * C)[1]


def reference_variance(domain, kernel, noise, n, points, designs, seed):
    """Posterior variance at points, one row per scrambled Sobol design of n points, ``(designs, m)``."""
    from scipy.stats import qmc

    A, rows = domain.embed(points), []
    for i in range(designs):
        u = qmc.Sobol(domain.dim, rng=np.random.default_rng([seed, i])).random_base2(int(n).bit_length())[:n]
        Z = domain.embed(domain.from_cube(u))
        C = kernel(Z, Z) + noise**2 * np.eye(n)
        K = kernel(Z, A)
        rows.append(1 - np.sum(K * np.linalg.solve(C, K), axis=0))
    return np.array(rows)
