"""Random pairs of a dear and a cheap function, to choose constants by: the named pairs are left to confirm.

The dear one is a :mod:`random function <equiwarp.bench.functions.random_families>` f. The cheap one is

=============  ==========================================================================================
scaled         a multiple of f and a straight slope (as of Forrester)
shifted        f at places a little aside, and a slope
blurred        the mean of f over four places around (as of Currin)
bent           a monotone function of f at places a little aside, and a slope (as of Branin)
differing      f and another, weaker random function (as of Park)
unrelated      another random function
=============  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.bench.functions.multi_fidelity import FidelityPair
from equiwarp.bench.functions.random_families import FAMILIES, Formula, random_function
from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput

#: Values of the dear function in each dimension.
VALUES = {1: 6, 2: 16, 4: 24}


def _inside(u: Array) -> Array:
    return np.clip(u, 0.0, 1.0)


def _slope(dim: int, rng: np.random.Generator) -> Formula:
    tilt = rng.normal(0.0, 0.5, dim)
    return lambda u: np.asarray((u - 0.5) @ tilt)


def _scaled(f: Formula, dim: int, rng: np.random.Generator) -> Formula:
    slope, scale = _slope(dim, rng), float(np.exp(rng.uniform(-1.0, 1.0)))
    return lambda u: scale * f(u) + slope(u)


def _shifted(f: Formula, dim: int, rng: np.random.Generator) -> Formula:
    slope, aside = _slope(dim, rng), rng.uniform(-0.1, 0.1, dim)
    return lambda u: f(_inside(u + aside)) + slope(u)


def _blurred(f: Formula, dim: int, rng: np.random.Generator) -> Formula:
    asides = rng.uniform(-0.08, 0.08, (4, dim))
    return lambda u: np.asarray(np.mean([f(_inside(u + aside)) for aside in asides], axis=0))


def _bent(f: Formula, dim: int, rng: np.random.Generator) -> Formula:
    slope, aside, sign = _slope(dim, rng), rng.uniform(-0.1, 0.1, dim), rng.choice([-1.0, 1.0])
    return lambda u: np.asarray(sign * np.exp(0.7 * sign * f(_inside(u + aside))) + slope(u))


def _differing(f: Formula, dim: int, rng: np.random.Generator) -> Formula:
    share, other = rng.uniform(0.1, 0.5), _another(dim, rng)
    return lambda u: f(u) + share * other(u)


def _unrelated(f: Formula, dim: int, rng: np.random.Generator) -> Formula:
    return _another(dim, rng)


def _another(dim: int, rng: np.random.Generator) -> Formula:
    return random_function("isotropic", dim, int(rng.integers(1_000, 1_000_000)))


#: How a cheap function comes from a dear one.
KINDS: dict[str, Callable[[Formula, int, np.random.Generator], Formula]] = {
    "scaled": _scaled,
    "shifted": _shifted,
    "blurred": _blurred,
    "bent": _bent,
    "differing": _differing,
    "unrelated": _unrelated,
}


def random_pair(kind: str, dim: int, seed: int) -> FidelityPair:
    """The pair that kind, dimension and seed stand for; the family of the dear function goes by the seed."""
    if kind not in KINDS:
        raise InvalidInput(f"unknown kind of pair {kind!r}; choose one of {', '.join(KINDS)}")
    if dim not in VALUES:
        raise InvalidInput(f"pairs have {', '.join(map(str, VALUES))} dimensions, not {dim}")
    number = list(KINDS).index(kind)
    family = list(FAMILIES)[(seed + number) % len(FAMILIES)]
    dear = random_function(family, dim, seed)
    cheap = KINDS[kind](dear, dim, stream(seed, "random pair", number, dim))
    return FidelityPair(f"{kind}, {dim}D", ((0.0, 1.0),) * dim, dear, cheap, VALUES[dim])


def random_pairs(seed: int) -> list[FidelityPair]:
    """One pair of every kind in every dimension."""
    return [random_pair(kind, dim, seed) for dim in VALUES for kind in KINDS]
