"""Small problems that the laws are run over: every strategy on every domain it is made for.

One list of domains serves all laws. Where a law cannot hold, :func:`objection` or the test says why.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import equiwarp as ew
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import RoundCache
from equiwarp.engine.suggestion import Suggestion
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.strategy import OpenLoop, find

#: The strategies of the paper; tests/reference/dense.py knows their formulas.
PAPER = ("fps", "sobol", "random", "eig", "equalized", "equiwarp", "warp", "kumaraswamy", "nipv", "epig")
PAPER += ("epig-joint", "refit", "neumann")
#: Everything registered: the laws hold for whatever is added, too.
NAMES = tuple(ew.strategies())
OPEN_LOOP = tuple(name for name, s in ew.strategies().items() if isinstance(s.criterion, OpenLoop))
POOL_BASED = tuple(name for name in NAMES if name not in OPEN_LOOP)

LEVELS = {"grade": {"levels": [1, 2, 5, 10]}, "hours": {"low": 0, "high": 24, "step": 1}}
SCATTERED = np.random.default_rng(3).random((150, 3)) * [1, 10, 100]
#: In percent, and more of some components than of others.
MIXTURES = 100 * np.random.default_rng(5).dirichlet([1.0, 1.0, 1.0, 0.4], 150)

DOMAINS = {
    "line": ew.Box.unit(1),
    "square": ew.Box({"temperature": (20, 90), "pH": (3, 9)}),
    "cube": ew.Box.unit(3),
    "log": ew.Box({"dose": {"low": 1e-3, "high": 1e3, "scale": "log"}, "time": (0, 10)}),
    "stepped": ew.Box({"dial": {"low": 0, "high": 1, "step": 0.05}, "flow": (1, 5)}),
    "levels": ew.Box(LEVELS),
    "circle": ew.Sphere(1),
    "S2": ew.Sphere(2),
    "S3": ew.Sphere(3),
    "mixture": ew.Simplex({"water": 0.2, "salt": 0.0, "sugar": 0.0}),
    "tetrahedron": ew.Simplex(list("abcd"), total=100),
    "triangle": ew.Constrained(ew.Box({"a": (0, 1), "b": (0, 2)}), ["a + b / 2 <= 1"]),
    "blend": ew.Constrained(ew.Simplex({"resin": 0.1, "water": 0.0, "pigment": 0.0}), ["water <= 0.5"]),
    "half sphere": ew.Constrained(ew.Sphere(2), ["x3 >= 0"]),
    "allowed levels": ew.Constrained(ew.Box(LEVELS), ["grade * hours <= 100"]),
    "candidates": ew.Candidates(SCATTERED, ["p", "q", "r"]),
    "listed mixtures": ew.Candidates(MIXTURES, list("abcd"), total=100),
    "solvents": ew.Box({"temperature": (20, 90), "solvent": ["water", "ethanol", "oil"]}),
    "angle": ew.Box({"angle": ew.Parameter(0, 360, periodic=True), "flow": (1, 5)}),
    "torus": ew.Box(
        {"phi": ew.Parameter(0, 360, periodic=True), "psi": ew.Parameter(-90, 90, periodic=True)}
    ),
    "dyes": ew.Box(
        {
            "base": list("acgt"),
            "dye": {"categories": ["red", "green", "blue"], "distance": 0.35},
            "hours": {"low": 0, "high": 24, "step": 1},
        }
    ),
    "allowed solvents": ew.Constrained(
        ew.Box({"hours": (0, 24), "solvent": ["water", "oil"], "turn": ew.Parameter(0, 90, periodic=True)}),
        ["hours <= 12 + 12 * (solvent == 'water')"],
    ),
    "paint": ew.Product(ew.Simplex({"resin": 0.1, "water": 0.0, "dye": 0.0}), ew.Box({"heat": (20, 60)})),
    "direction and dose": ew.Product(
        ew.Sphere(2), ew.Box({"dose": {"low": 1, "high": 100, "scale": "log"}, "gas": ["argon", "air"]})
    ),
}
#: Domains with so few points that they tie, and that they are used up.
FINITE = ("levels", "allowed levels", "candidates", "listed mixtures", "dyes")


def objection(name: str, domain: ew.Domain) -> str | None:
    """Why a strategy is not made for a domain; None if it is."""
    if find(name).kernel == "neumann" and not domain.has_faces:
        return "the Neumann kernel reflects at the faces of a box, and this domain has none"
    return None


def applies(name: str, domain: ew.Domain) -> bool:
    """Whether a strategy is made for a domain."""
    return objection(name, domain) is None


CASES = [(name, place) for place, domain in DOMAINS.items() for name in NAMES if applies(name, domain)]
POOL_CASES = [(name, place) for name, place in CASES if name in POOL_BASED]
DENSE_CASES = [(name, place) for name, place in POOL_CASES if name in PAPER]


@cache
def _drawn(domain, seed, pool, probes, targets) -> RunConfiguration:
    """The first of the points that a user's run has, which are the same for all strategies of a seed."""
    full = prepare(domain, "fps", seed)
    return replace(full, pool=full.pool[:pool], probes=full.probes[:probes], targets=full.targets[:targets])


def configuration_of(
    name, domain, seed=0, *, pool=300, probes=1024, targets=64, **options
) -> RunConfiguration:
    """A configuration with fewer points than a user's, drawn in the same way."""
    return replace(_drawn(domain, seed, pool, probes, targets), strategy=find(name), **options)


#: The equalizer's tables for each pool and noise. Off the cube they take most of a round, and depend on
#: nothing that these laws vary; that they may be kept is a law of its own (test_round_cache.py).
_TABLES: dict[tuple[int, float | None], Equalizer] = {}


def _noise_level(measurements) -> float | None:
    """Roughly the noise beside the values; a wrong guess costs time and nothing else."""
    if measurements.noise is None or measurements.n == 0:
        return None
    return round(float(measurements.noise.max() / np.abs(measurements.y).max()), 2)


def ask(configuration, measurements, n=1, cache=None) -> tuple[Suggestion, RoundCache]:
    """``choose``, with the equalizer's tables of earlier questions about the same pool."""
    key = (id(configuration.pool), _noise_level(measurements))
    suggestion, left = choose(configuration, measurements, n, cache or RoundCache(equalizer=_TABLES.get(key)))
    if left.equalizer is not None:
        _TABLES[key] = left.equalizer
    return suggestion, left


def best(configuration, measurements, n=1):
    """The next n points, ``(n, columns)``."""
    return ask(configuration, measurements, n)[0].points


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


def trajectory(configuration, measurements, rounds, f=values):
    """Points chosen one by one, ``(rounds, columns)``, each measured with f before the next."""
    cache, points = None, []
    for _ in range(rounds):
        suggestion, cache = ask(configuration, measurements, 1, cache)
        points.append(suggestion.points[0])
        measurements = extend(measurements, suggestion.points, f(measurements.domain, suggestion.points))
    return np.array(points)
