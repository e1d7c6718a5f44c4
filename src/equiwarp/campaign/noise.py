"""The noise of all measurements, where some came with theirs and some did not."""

from __future__ import annotations

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.gp.noise import estimate_noise
from equiwarp.gp.spacing import spacing_lengthscale

#: Noise beyond this many deviations of the values says no more than that a value says nothing.
MOST_NOISE = 1e6


def full_noise(domain: Domain, x: Array, y: Array, noise: Array) -> Array | None:
    """Known noise ``(n, k)``, completed by an estimate where it is NaN; None if none of it is known."""
    unknown = np.isnan(noise)
    if len(y) == 0 or unknown.all():
        return None
    level = np.abs(y).max(axis=0)
    level = np.where(level > 0, level, 1.0)
    deviation = (y / level).std(axis=0) * level  # scaled first: squares of tiny values are 0
    Z, lengthscale = domain.embed(x), spacing_lengthscale(domain)
    for j in np.flatnonzero(unknown.any(axis=0)):
        noise = np.where(
            unknown & (np.arange(y.shape[1]) == j), estimate_noise(Z, y[:, j], lengthscale), noise
        )
    # Variation at rounding level is none, and says nothing about the noise.
    return np.where(deviation > 1e-12 * level, np.minimum(noise, MOST_NOISE * deviation), noise)
