"""By how much are the values of one block, such as a day, higher or lower as a whole?

A value is a smooth function of the settings, plus an offset of each block that it belongs to, plus noise:

    y = f(x) + sum_c b_c(block of x in column c) + e,    f ~ GP(0, s^2 k),  b ~ N(0, t^2),  e ~ N(0, v)

Lengthscale, t^2 and v are the likeliest of a grid, with s^2 profiled out; where v is known, s^2 is the
variance of the values. Offsets are then their posterior means, and add up to zero over the values, so that
a map without them stands for the mean of the blocks that were measured. Not for blocks that were measured
at different settings only: what is an offset and what is the function cannot be told apart then, and most
of it is given to the function.

Beyond a few thousand values f is seen through inducing points, each value with the variance that they leave
open as further noise (FITC): time and memory then grow with the number of values, not with its powers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.cholesky import safe_cholesky, solve, whiten
from equiwarp.gp.kernels import Matern52

#: The likelihood is evaluated on at most this many values.
MOST_FITTED_OFFSETS = 300
#: Up to so many values f is exact; beyond, it is seen through so many inducing points.
MOST_EXACT_OFFSETS, INDUCING_OFFSETS = 2000, 500
#: Rows at a time, beyond that.
ROWS = 4096
#: Grids: lengthscale over the spacing, variance of offsets and of unknown noise over that of the function.
LENGTHSCALES = (1.0, 2.0, 4.0, 8.0)
OFFSET_RATIOS = (0.0, 0.003, 0.03, 0.1, 0.3, 1.0, 3.0)
NOISE_RATIOS = (1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0)


def block_offsets(
    Z: Array, y: Array, noise: Array | None, blocks: Sequence[Sequence[str]], spacing: float
) -> tuple[Array, dict[tuple[int, str], float]]:
    """Offsets of values ``(n,)`` at kernel coordinates ``(n, e)``, and the offset of each block.

    ``blocks`` has for each column the n names of its blocks, empty where there is none. ``noise`` ``(n,)``
    are known deviations; None asks for an estimate.
    """
    names = sorted({(c, name) for c, column in enumerate(blocks) for name in column if name})
    if len(names) < 2 or len(y) < 4 or float(np.std(y)) == 0.0:
        return np.zeros(len(y)), dict.fromkeys(names, 0.0)
    G = np.array([[float(blocks[c][i] == name) for c, name in names] for i in range(len(y))])
    scale = float(np.std(y))
    standard = (y - y.mean()) / scale
    known = None if noise is None else (noise / scale) ** 2
    some = np.unique(np.linspace(0, len(y) - 1, MOST_FITTED_OFFSETS).astype(int))
    if len(y) <= MOST_FITTED_OFFSETS:
        some = np.arange(len(y))
    ell, share, noise_ratio, signal = _likeliest(
        Z[some], standard[some], None if known is None else known[some], G[some], spacing
    )
    if share == 0.0:
        return np.zeros(len(y)), dict.fromkeys(names, 0.0)
    noise_var = np.full(len(y), noise_ratio) if known is None else known / signal
    noise_var = np.maximum(noise_var, 1e-8)
    if len(y) <= MOST_EXACT_OFFSETS:
        L, _ = safe_cholesky(Matern52(ell)(Z, Z) + share * (G @ G.T), noise_var)
        effects = share * (G.T @ solve(L, standard[:, None])[:, 0])
    else:
        effects = _through_inducing_points(Matern52(ell), Z, standard, noise_var, np.sqrt(share) * G)
        effects *= np.sqrt(share)
    for column in {c for c, _ in names}:  # each column's offsets add up to zero over its values
        own = [j for j, (c, _) in enumerate(names) if c == column]
        count = G[:, own].sum(axis=0)
        effects[own] -= effects[own] @ count / count.sum()
    effects *= scale
    return G @ effects, dict(zip(names, effects.tolist(), strict=True))


def _through_inducing_points(kernel: Matern52, Z: Array, y: Array, noise_var: Array, G: Array) -> Array:
    """Posterior means ``(q,)`` of standard normal weights of the columns of ``G`` ``(n, q)``, beside f."""
    points = Z[np.unique(np.linspace(0, len(Z) - 1, INDUCING_OFFSETS).astype(int))]
    L, _ = safe_cholesky(kernel(points, points), np.full(len(points), 1e-8))
    precision, right = np.eye(len(points) + G.shape[1]), np.zeros(len(points) + G.shape[1])
    for first in range(0, len(Z), ROWS):
        rows = slice(first, first + ROWS)
        V = whiten(L, kernel(points, Z[rows]))
        A = np.vstack([V, G[rows].T])
        weighted = A / (noise_var[rows] + np.maximum(1.0 - np.sum(V * V, axis=0), 0.0))
        precision += weighted @ A.T
        right += weighted @ y[rows]
    factor, _ = safe_cholesky(precision, np.zeros(len(precision)))
    weights: Array = solve(factor, right[:, None])[len(points) :, 0]
    return weights


def _likeliest(
    Z: Array, y: Array, known: Array | None, G: Array, spacing: float
) -> tuple[float, float, float, float]:
    """Lengthscale, offset ratio, noise ratio and signal variance of the largest profile likelihood."""
    best, found = -np.inf, (spacing, 0.0, 1e-2, 1.0)
    together = G @ G.T
    for factor in LENGTHSCALES:
        K = Matern52(spacing * factor)(Z, Z)
        for share in OFFSET_RATIOS:
            for ratio in NOISE_RATIOS if known is None else (1.0,):
                noise_var = np.full(len(y), ratio) if known is None else np.maximum(known, 1e-8)
                L, _ = safe_cholesky(K + share * together, noise_var)
                weights = solve(L, y[:, None])[:, 0]
                signal = float(y @ weights) / len(y) if known is None else 1.0
                fit = 0.5 * len(y) * np.log(signal) if known is None else 0.5 * float(y @ weights)
                likelihood = -fit - float(np.sum(np.log(np.diag(L))))
                if likelihood > best:
                    best, found = likelihood, (spacing * factor, share, ratio, signal)
    return found
