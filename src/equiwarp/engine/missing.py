"""Values that are not there yet: of two responses, one may be measured today and the other next week.

A strategy needs every response at every location. A missing value is filled in with what the acquisition
GP expects there from the values of the same response. That leaves the GP's mean as it is everywhere, so
that only what was measured steers the choice; the location counts as measured, as a pending one does.
"""

from __future__ import annotations

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.engine.large_data import MOST_EXACT, spread_out
from equiwarp.gp.cholesky import safe_cholesky, solve
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.noise import estimate_noise


def fill_missing(domain: Domain, x: Array, y: Array, noise: Array | None = None) -> Array:
    """Values ``(n, k)`` with every NaN replaced; a response without any value is 0.

    ``noise`` (n, k) are known deviations, NaN or None where they are not known.
    """
    missing = np.isnan(y)
    if not missing.any():
        return y
    filled, Z = np.where(missing, 0.0, y), domain.embed(x)
    for j in np.flatnonzero(missing.any(axis=0) & ~missing.all(axis=0)):
        known, unknown = np.flatnonzero(~missing[:, j]), np.flatnonzero(missing[:, j])
        if len(known) > MOST_EXACT:
            known = known[spread_out(domain.to_cube(x[known]), MOST_EXACT)]
        own = np.full(len(known), np.nan) if noise is None else noise[known, j]
        filled[unknown, j] = _expected(Z[known], y[known, j], own, Z[unknown], domain.spacing())
    return filled


def _expected(Z: Array, y: Array, noise: Array, at: Array, lengthscale: float) -> Array:
    """Posterior mean ``(m,)`` at kernel coordinates ``(m, e)``, given values ``(n,)`` at ``(n, e)``."""
    level = float(np.abs(y).max()) or 1.0
    unit = y / level  # before anything is squared, as in Measurements.standardise
    mean, scale = float(unit.mean()), float(unit.std())
    if scale <= 1e-12:
        return np.full(len(at), mean * level)
    guess = estimate_noise(Z, (unit - mean) / scale, lengthscale) if np.isnan(noise).any() else 0.0
    share = np.where(np.isnan(noise), guess, np.minimum(noise / (level * scale), 1e6))
    kernel = Matern52(lengthscale)
    L, _ = safe_cholesky(kernel(Z, Z), share**2)
    weights = solve(L, ((unit - mean) / scale)[:, None])[:, 0]
    return level * (mean + scale * (kernel(at, Z) @ weights))
