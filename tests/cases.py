"""Small problems that the laws are run over: every strategy on every domain it is made for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import equiwarp as ew
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.strategy import OpenLoop

#: The strategies of the paper; tests/reference/dense.py knows their formulas.
PAPER = ("fps", "sobol", "random", "eig", "equalized", "equiwarp", "warp", "kumaraswamy", "nipv", "epig")
PAPER += ("refit", "neumann")
#: Everything registered: the laws hold for whatever is added, too.
NAMES = tuple(ew.strategies())
OPEN_LOOP = tuple(name for name, s in ew.strategies().items() if isinstance(s.criterion, OpenLoop))
POOL_BASED = tuple(name for name in NAMES if name not in OPEN_LOOP)

DOMAINS = {
    "line": ew.Box.unit(1),
    "square": ew.Box({"temperature": (20, 90), "pH": (3, 9)}),
    "cube": ew.Box.unit(3),
    "log": ew.Box({"dose": {"low": 1e-3, "high": 1e3, "scale": "log"}, "time": (0, 10)}),
    "stepped": ew.Box({"dial": {"low": 0, "high": 1, "step": 0.05}, "flow": (1, 5)}),
    "levels": ew.Box({"grade": {"levels": [1, 2, 5, 10]}, "hours": {"low": 0, "high": 24, "step": 1}}),
    "circle": ew.Sphere(1),
    "S2": ew.Sphere(2),
    "S3": ew.Sphere(3),
}


def applies(name: str, domain: ew.Domain) -> bool:
    """The Neumann kernel reflects at faces, and a sphere has none."""
    return not (name == "neumann" and isinstance(domain, ew.Sphere))


CASES = [(name, place) for place, domain in DOMAINS.items() for name in NAMES if applies(name, domain)]
POOL_CASES = [(name, place) for name, place in CASES if name in POOL_BASED]
DENSE_CASES = [(name, place) for name, place in POOL_CASES if name in PAPER]


def configuration_of(
    name, domain, seed=0, *, pool=300, probes=1024, targets=64, **options
) -> RunConfiguration:
    """A configuration with fewer points than a user's, drawn in the same way."""
    full = prepare(domain, name, seed, **options)
    return replace(full, pool=full.pool[:pool], probes=full.probes[:probes], targets=full.targets[:targets])


def values(domain, x):
    """A smooth function with one steep place, ``(n, 1)``."""
    u = domain.embed(x)
    return np.tanh(8 * (u[:, :1] - 0.4)) + 0.3 * np.sin(4 * u[:, -1:])


def measurements_of(domain, n=12, seed=1, k=1, noise=0.05, pending=0) -> Measurements:
    """n measurements of k responses (the further ones are other functions) and some pending points."""
    rng = np.random.default_rng(seed)
    x = domain.sample(n + pending, rng)
    y = np.hstack([values(domain, x[:n]) ** (j + 1) for j in range(k)])
    y = y + 0.05 * rng.standard_normal(y.shape)
    return Measurements(domain, x[:n], y, None if noise is None else np.full(y.shape, noise), x[n:])


def extend(measurements, points, y, noise=0.05) -> Measurements:
    """The design after measuring these points."""
    return Measurements(
        measurements.domain,
        np.vstack([measurements.x, points]),
        np.vstack([measurements.y, y]),
        None if measurements.noise is None else np.vstack([measurements.noise, np.full(np.shape(y), noise)]),
        measurements.pending,
    )


def trajectory(configuration, measurements, rounds, f=values, use_cache=True):
    """Points chosen one by one, ``(rounds, columns)``, each measured with f before the next."""
    cache, points = None, []
    for _ in range(rounds):
        suggestion, left = choose(configuration, measurements, 1, cache)
        cache = left if use_cache else None
        points.append(suggestion.points[0])
        measurements = extend(measurements, suggestion.points, f(measurements.domain, suggestion.points))
    return np.array(points)
