"""How noisy are the measurements? Asked of the data when the user does not know.

Replicates answer directly. Without them, the noise of an isotropic Matern-5/2 model is chosen by
marginal likelihood, its signal variance profiled out, over a grid of lengthscales.
"""

from __future__ import annotations

import numpy as np

from equiwarp.domains import Array
from equiwarp.domains.base import place_of
from equiwarp.gp.kernels import Matern52

#: Assumed when there is too little to estimate from, as a share of the values' deviation.
DEFAULT_SHARE = 0.05
#: Replicate degrees of freedom that are enough on their own.
ENOUGH_REPLICATES = 5
#: The likelihood is evaluated on at most this many points.
MOST_POINTS = 300


def estimate_noise(Z: Array, y: Array, spacing: float) -> float:
    """Standard deviation of the noise on one response ``(n,)`` at kernel coordinates ``(n, e)``."""
    deviation = float(np.std(y))
    pooled, freedom = replicate_variance(Z, y)
    if freedom >= ENOUGH_REPLICATES:
        return float(np.sqrt(pooled))
    if len(y) < 8 or deviation == 0.0:
        return DEFAULT_SHARE * deviation
    keep = (
        np.unique(np.linspace(0, len(y) - 1, MOST_POINTS).astype(int))
        if len(y) > MOST_POINTS
        else slice(None)
    )
    return deviation * _likeliest_share(Z[keep], (y[keep] - y[keep].mean()) / deviation, spacing)


def replicate_variance(Z: Array, y: Array) -> tuple[float, int]:
    """Pooled variance within groups of identical locations, and its degrees of freedom."""
    group = place_of(Z)
    count = np.bincount(group)
    mean = np.bincount(group, y) / count
    freedom = int(np.sum(count - 1))
    residual = float(np.sum((y - mean[group]) ** 2))
    return (residual / freedom if freedom else 0.0), freedom


def _likeliest_share(Z: Array, y: Array, spacing: float) -> float:
    """Noise over deviation that maximises the profile likelihood on a grid of lengthscales and ratios."""
    ratios = np.geomspace(1e-6, 10.0, 57)  # noise variance over signal variance
    best, share = -np.inf, DEFAULT_SHARE
    for ell in spacing * np.geomspace(0.5, 16.0, 6):
        eigenvalues, vectors = np.linalg.eigh(Matern52(float(ell))(Z, Z))
        power = (vectors.T @ y) ** 2
        spectrum = np.maximum(eigenvalues, 0.0)[:, None] + ratios
        signal = np.mean(power[:, None] / spectrum, axis=0)
        likelihood = -0.5 * len(y) * np.log(signal) - 0.5 * np.sum(np.log(spectrum), axis=0)
        i = int(np.argmax(likelihood))
        if likelihood[i] > best:
            best, share = float(likelihood[i]), float(np.sqrt(signal[i] * ratios[i]))
    return min(max(share, 1e-4), 1.0)
