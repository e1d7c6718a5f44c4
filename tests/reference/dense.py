"""One whole suggestion round for every strategy, in plain dense NumPy.

Written as a careful author would write the paper's formulas down for the first time: Cholesky
factors and matrix products, but nothing kept from one round to the next. It takes from the library
the domain (chart, embedding), the drawn pool, probes and targets, the noise estimate where no noise
is given, and the tabulated equalizer, which the paper looks up too (pass ``g`` to use another).

``dense_choose(configuration, measurements)`` is the row of the pool to measure next.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.ndimage import map_coordinates
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist

from equiwarp._util.seeds import stream
from equiwarp.domains import Candidates
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.noise import estimate_noise

BINS = (64, 32, 24, 16, 16, 16)
CELLS = (1, 16, 8, 5, 4, 3)


def dense_choose(configuration, measurements, g=None):
    """Index into the pool of the next point."""
    score = dense_score(configuration, measurements, g)
    score[_taken(configuration, measurements)] = -np.inf
    return int(np.argmax(score))


def dense_open_loop(configuration, measurements):
    """The next point ``(columns,)`` of `sobol` or `random`, which ignore the pool."""
    domain, place = configuration.domain, measurements.n + len(measurements.pending)
    if configuration.strategy.name == "sobol":
        return domain.sample(place + 1, stream(configuration.seed, "design"))[place]
    if isinstance(domain, Candidates):
        return domain.points[stream(configuration.seed, "random", 0).permutation(len(domain))[place]]
    rng = stream(configuration.seed, "random", place)
    while True:
        x = domain.snap(domain.from_cube(rng.random((1, domain.dim))))
        if domain.contains(x)[0]:
            return x[0]


def dense_score(configuration, measurements, g=None):
    """Score of every pool point, ``(m,)``."""
    domain, strategy, ell = configuration.domain, configuration.strategy, configuration.lengthscale
    y, noise_var, typical = _standardise(configuration, measurements)
    X = np.vstack([measurements.x, measurements.pending])
    noise = np.append(noise_var, np.full(len(measurements.pending), typical**2))
    if strategy.lengthscale == "refit":
        ell = _refit(domain, domain.embed(measurements.x), y, noise_var, ell)
    kernel = _neumann if strategy.kernel == "neumann" else _matern
    warp = _warp(configuration, measurements, y, noise_var, ell)
    Z, P = warp(X), warp(configuration.pool)
    if strategy.name == "fps":
        return cdist(P, Z).min(axis=1) if len(Z) else np.full(len(P), np.inf)
    if strategy.name == "nipv":
        score = _nipv(kernel, Z, P, warp(configuration.targets), noise, typical, ell)
    elif strategy.name in ("epig", "epig-joint"):
        U = warp(configuration.targets)[: strategy.criterion.targets]
        formula = _epig if strategy.name == "epig" else _epig_joint
        score = formula(kernel, Z, P, U, noise, typical, ell)
    else:
        score = _variance(kernel, Z, P, noise, ell)
    if strategy.equalizer:
        score = score * (
            Equalizer(domain, Matern52(ell), typical, configuration.pool)(len(X)) if g is None else g
        )
    return score


def _taken(configuration, measurements):
    P, X = configuration.domain.embed(configuration.pool), np.vstack([measurements.x, measurements.pending])
    return cdist(P, configuration.domain.embed(X)).min(axis=1) < 1e-9 if len(X) else np.zeros(len(P), bool)


def _standardise(configuration, measurements):
    """Values centred and scaled, noise variances on that scale, noise of a measurement to come."""
    if measurements.n == 0:
        return measurements.y, np.empty(0), 0.05
    given = configuration.response_scale
    scale = measurements.y.std(axis=0) if given is None else given
    scale = np.where(scale > 1e-12 * np.abs(measurements.y).max(axis=0), scale, 1.0)
    y = (measurements.y - measurements.y.mean(axis=0)) / scale
    if measurements.noise is not None:
        noise_var = ((measurements.noise / scale) ** 2).mean(axis=1)
        return y, noise_var, np.sqrt(np.median(noise_var))
    Z = configuration.domain.embed(measurements.x)
    shares = [estimate_noise(Z, column, configuration.lengthscale) for column in y.T]
    typical = np.sqrt(np.mean(np.square(shares)))
    return y, np.full(measurements.n, typical**2), typical


# Kernels and criteria


def _matern(A, B, ell):
    s = np.sqrt(5) / ell * cdist(A, B)
    return (1 + s + s**2 / 3) * np.exp(-s)


def _neumann(A, B, ell):
    K = np.ones((len(A), len(B)))
    for a, b in zip(A.T, B.T, strict=True):
        norm = np.sqrt(_images(a, a, ell)[:, None] * _images(b, b, ell))
        K *= _images(a[:, None], b, ell) / norm
    return K


def _images(a, b, ell):
    reach = int(np.ceil(20 * ell / np.sqrt(5))) + 1
    total = 0.0
    for shift in 2.0 * np.arange(-reach, reach + 1):
        for r in (a - b + shift, a + b + shift):
            s = np.sqrt(5) / ell * np.abs(r)
            total = total + (1 + s + s**2 / 3) * np.exp(-s)
    return total


def _whiten(kernel, Z, A, noise, ell):
    L = cholesky(kernel(Z, Z, ell) + np.diag(noise), lower=True)
    return solve_triangular(L, kernel(Z, A, ell), lower=True)


def _variance(kernel, Z, P, noise, ell):
    if len(Z) == 0:
        return np.ones(len(P))
    return np.maximum(1 - (_whiten(kernel, Z, P, noise, ell) ** 2).sum(axis=0), 0)


def _nipv(kernel, Z, P, U, noise, typical, ell):
    covariance, variance = kernel(U, P, ell), np.ones(len(P))
    if len(Z):
        at_pool, at_targets = _whiten(kernel, Z, P, noise, ell), _whiten(kernel, Z, U, noise, ell)
        covariance = covariance - at_targets.T @ at_pool
        variance = variance - (at_pool**2).sum(axis=0)
    return (covariance**2).mean(axis=0) / np.maximum(variance + typical**2, 1e-12)


def _epig(kernel, Z, P, U, noise, typical, ell):
    """The mean over targets of the information about one noisy value, from its correlation with y at x."""
    cross, at, of = kernel(U, P, ell), np.ones(len(P)), np.ones(len(U))
    if len(Z):
        at_pool, at_targets = _whiten(kernel, Z, P, noise, ell), _whiten(kernel, Z, U, noise, ell)
        cross = cross - at_targets.T @ at_pool
        at, of = at - (at_pool**2).sum(axis=0), of - (at_targets**2).sum(axis=0)
    noise_var = max(typical**2, 1e-8)
    share = cross**2 / np.outer(of + noise_var, at + noise_var)
    return -0.5 * np.log(1 - share).mean(axis=0)


def _epig_joint(kernel, Z, P, U, noise, typical, ell):
    """The paper's ratio, with the posterior covariance of the targets written out."""
    S, cross, variance = kernel(U, U, ell), kernel(U, P, ell), np.ones(len(P))
    if len(Z):
        at_pool, at_targets = _whiten(kernel, Z, P, noise, ell), _whiten(kernel, Z, U, noise, ell)
        S, cross = S - at_targets.T @ at_targets, cross - at_targets.T @ at_pool
        variance = variance - (at_pool**2).sum(axis=0)
    noise_var = max(typical**2, 1e-8)
    L = cholesky(S + noise_var * np.eye(len(U)), lower=True)
    explained = (solve_triangular(L, cross, lower=True) ** 2).sum(axis=0)
    return 0.5 * np.log((variance + noise_var) / (variance + noise_var - explained))


# Lengthscale and warps


def _refit(domain, Z, y, noise_var, start):
    """MAP lengthscale within an eighth to eight times the spacing rule: a scan, then Brent's method."""
    if len(Z) < 3 or np.ptp(y) == 0:
        return start

    def loss(log_ell):
        C = _matern(Z, Z, np.exp(log_ell)) + np.diag(noise_var)
        fit = 0.5 * np.sum(y * np.linalg.solve(C, y)) + 0.5 * y.shape[1] * np.linalg.slogdet(C)[1]
        return fit + log_ell + (log_ell - np.sqrt(2) - np.log(domain.dim) / 2) ** 2 / 6

    grid = np.linspace(np.log(start / 8), np.log(start * 8), 9)
    i = int(np.argmin([loss(t) for t in grid]))
    bounds = grid[max(i - 1, 0)], grid[min(i + 1, 8)]
    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-3}).x))


def _warp(configuration, measurements, y, noise_var, ell):
    """The map from points to kernel coordinates of their images."""
    domain, strategy = configuration.domain, configuration.strategy
    if strategy.warp == "none" or measurements.n == 0:
        return domain.embed
    if strategy.warp == "kumaraswamy":
        return _kumaraswamy(domain, measurements.x, y, noise_var, ell)
    density = _density(configuration, measurements, y, noise_var, ell)
    frame = domain.frame(configuration.probes, density)
    image = _transport_within(domain, domain.to_cube(configuration.probes, frame), density)
    return lambda x: domain.embed(domain.from_cube(image(domain.to_cube(x, frame)), frame))


def _transport_within(domain, probes, density):
    """A map for each combination of categories, made from the probes in it, of all other coordinates."""
    kinds = np.array([axis.kind for axis in domain.chart_axes])
    counts = np.array([axis.count for axis in domain.chart_axes])
    chosen, moving = kinds == "categories", np.flatnonzero(kinds != "categories")

    def combination(u):
        return [tuple(row) for row in np.floor(u[:, chosen] * counts[chosen]).astype(int).tolist()]

    here = combination(probes)
    tables = {}
    for which in set(here):
        rows = [i for i, found in enumerate(here) if found == which]
        tables[which] = _transport(probes[np.ix_(rows, moving)], density[rows])

    def image(u):
        moved = u.copy()
        for i, which in enumerate(combination(u)):
            row = _transported(tables[which], u[i : i + 1, moving], kinds[moving] == "circle")
            moved[i, moving] = row[0]
        return moved

    return image


def _density(configuration, measurements, y, noise_var, ell):
    domain = configuration.domain
    Z, Q = domain.embed(measurements.x), domain.embed(configuration.probes)
    alpha = np.linalg.solve(_matern(Z, Z, ell) + np.diag(noise_var), y)
    s = np.sqrt(5) / ell * cdist(Q, Z)
    slope = -5 / (3 * ell**2) * (1 + s) * np.exp(-s)
    square = np.zeros(len(Q))
    for a in alpha.T:
        gradient = Q * (slope @ a)[:, None] - slope @ (a[:, None] * Z)
        square += (domain.tangent(Q, gradient) ** 2).sum(axis=1)
    c = max(np.sqrt(square.mean()), 1e-8)
    D = domain.dim - sum(axis.kind == "categories" for axis in domain.chart_axes)
    return 1.0 + (np.sqrt(square) / c) ** (2 * D / (D + 2))


def _transport(u, density):
    """Conditional CDFs: array i has axes (cells of x_1) ... (cells of x_i-1), (bin edges of x_i)."""
    tables = []
    for i in range(u.shape[1]):
        bins, cells = BINS[min(i, 5)], CELLS[min(i, 5)]
        shape, box = [cells] * i + [bins], [(0, 1)] * (i + 1)
        count = np.histogramdd(u[:, : i + 1], shape, box)[0]
        total = np.histogramdd(u[:, : i + 1], shape, box, weights=density / density.mean())[0]
        in_cell = count.sum(axis=-1, keepdims=True)
        cell_mean = np.where(in_cell > 0, total.sum(axis=-1, keepdims=True) / np.maximum(in_cell, 1), 1.0)
        mean = np.where(count > 0, total / np.maximum(count, 1), cell_mean)
        cdf = np.concatenate([np.zeros_like(in_cell), np.cumsum(mean, axis=-1)], axis=-1)
        tables.append(cdf / cdf[..., -1:])
    return tables


def _transported(tables, u, circles):
    """Multilinear in cell centres and bin edges; beyond the outer centres constant, or around a circle."""
    image = np.empty_like(u)
    for i, cdf in enumerate(tables):
        places = [u[:, j] * cdf.shape[j] - 0.5 for j in range(i)] + [u[:, i] * (cdf.shape[-1] - 1)]
        for j in np.flatnonzero(circles[:i]):
            cdf = np.pad(cdf, [(1, 1) if axis == j else (0, 0) for axis in range(cdf.ndim)], mode="wrap")
            places[j] = places[j] + 1
        image[:, i] = map_coordinates(cdf, places, order=1, mode="nearest")
    return image


def _kumaraswamy(domain, x, y, noise_var, ell):
    """Adam on the exact likelihood, the chart's derivative by central differences in every domain."""
    u = np.clip(domain.to_cube(x), 1e-9, 1 - 1e-9)
    D = domain.dim
    theta = np.full(2 * D, np.log(0.8 / 2.0))
    m, v = np.zeros(2 * D), np.zeros(2 * D)
    for t in range(1, 101 if len(u) > 1 else 1):
        grad = _likelihood_gradient(domain, theta, u, y, noise_var, ell)
        m, v = 0.9 * m + 0.1 * grad, 0.999 * v + 0.001 * grad**2
        theta = theta + 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    a, b = np.split(0.2 + 2.8 / (1 + np.exp(-theta)), 2)

    def warp(points):
        w = np.clip(domain.to_cube(points), 1e-9, 1 - 1e-9)
        return domain.embed(domain.from_cube(np.where(_two_ended(domain), 1 - (1 - w**a) ** b, w)))

    return warp


def _two_ended(domain):
    """Angles and categories are left as they are."""
    return np.array([axis.kind == "interval" for axis in domain.chart_axes])


def _likelihood_gradient(domain, theta, u, y, noise_var, ell):
    D = domain.dim
    share = 1 / (1 + np.exp(-theta))
    a, b = np.split(0.2 + 2.8 * share, 2)
    rest = 1 - u**a
    image = np.where(_two_ended(domain), 1 - rest**b, u)
    Z = domain.embed(domain.from_cube(image))
    inverse = np.linalg.inv(_matern(Z, Z, ell) + np.diag(noise_var))
    alpha = inverse @ y
    s = np.sqrt(5) / ell * cdist(Z, Z)
    pull = (alpha @ alpha.T - y.shape[1] * inverse) * (-5 / (3 * ell**2) * (1 + s) * np.exp(-s))
    by_Z = Z * pull.sum(axis=1, keepdims=True) - pull @ Z
    by_image = np.empty_like(image)
    for i, step in enumerate(1e-6 * np.eye(D)):
        ahead, behind = np.clip(image + step, 0, 1), np.clip(image - step, 0, 1)
        moved = domain.embed(domain.from_cube(ahead)) - domain.embed(domain.from_cube(behind))
        by_image[:, i] = (by_Z * moved).sum(axis=1) / (ahead - behind)[:, i]
    by_image = np.where(_two_ended(domain), by_image, 0.0)
    by_a = (by_image * b * rest ** (b - 1) * u**a * np.log(u)).sum(axis=0)
    by_b = -(by_image * rest**b * np.log(rest)).sum(axis=0)
    return np.concatenate([by_a, by_b]) * 2.8 * share * (1 - share)
