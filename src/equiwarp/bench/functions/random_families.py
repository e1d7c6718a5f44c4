"""Random functions to choose constants by, so that the named benchmarks are left to confirm: seven families.

A function is a sum of random waves whose frequencies follow the spectral density of a Matern-5/2 kernel: it
is nearly a draw of that Gaussian process (Rahimi and Recht 2007). The families differ in what follows:

=============  ==========================================================================================
isotropic      the same roughness in every direction
anisotropic    a lengthscale of its own for every parameter, up to 30 times another's
additive       a sum of functions of one parameter each, with a tenth of the variance in interactions
warped         isotropic after a power of each parameter: steep towards one of its faces
regimes        two functions and a narrow front between them
smooth         as isotropic, with every derivative: waves of a Gaussian covariance
local          isotropic times a hill: much happens in one part of the cube and little elsewhere
=============  ==========================================================================================

Two more are for the models that know such structure, and enter no mean over the seven:

=============  ==========================================================================================
oblique        a wave or a front along one direction, with a tenth of the variance elsewhere
pairs          a sum of functions of two parameters each, with a tenth of the variance in the rest
=============  ==========================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.domains import Array
from equiwarp.domains.base import sobol
from equiwarp.exceptions import InvalidInput

#: Waves in a draw: with so many, a sum is Gaussian for all that a map can see.
WAVES = 512
#: Points over which mean and deviation are brought to 0 and 1.
SCALE_POINTS = 4096
#: Range of a lengthscale in units of sqrt(D): from several hills along a diagonal to one slope.
LENGTHSCALES = (0.2, 0.8)
#: Degrees of freedom of the frequencies' Student distribution: twice Matern's nu.
DEGREES = 5

Formula = Callable[[Array], Array]


@dataclass(frozen=True)
class RandomFunction:
    """A function on the unit cube: points ``(n, D)`` to values ``(n,)`` with mean 0 and deviation 1.

    Attributes
    ----------
    family : str
        One of :data:`FAMILIES` or :data:`STRUCTURED`.
    dim, seed : int
        With the family, they determine the function.
    """

    family: str
    dim: int
    seed: int
    formula: Formula
    mean: float
    deviation: float

    @property
    def name(self) -> str:
        return f"{self.family}-{self.dim}d-{self.seed}"

    def __call__(self, u: Array) -> Array:
        return (self.formula(np.asarray(u, dtype=float)) - self.mean) / self.deviation


def random_function(family: str, dim: int, seed: int) -> RandomFunction:
    """The function that family, dimension and seed stand for; the same today and tomorrow."""
    known = {**FAMILIES, **STRUCTURED}
    if family not in known:
        raise InvalidInput(f"unknown family {family!r}; choose one of {', '.join(known)}")
    if dim < 1:
        raise InvalidInput(f"a function needs at least one dimension, got {dim}")
    formula = known[family](dim, stream(seed, "random function", list(known).index(family), dim))
    values = formula(sobol(dim, SCALE_POINTS, stream(0, "random function")))
    return RandomFunction(family, dim, seed, formula, float(values.mean()), float(values.std()))


def named_random_function(name: str) -> RandomFunction:
    """The function of a name such as ``additive-3d-7``: family, dimension and seed."""
    return random_function(*numbers_of(name))


def numbers_of(name: str) -> tuple[str, int, int]:
    """Family, dimension and seed of a name such as ``additive-3d-7``."""
    family, _, rest = name.partition("-")
    dim, _, seed = rest.partition("d-")
    if not dim.isdigit() or not seed.isdigit():
        raise InvalidInput(f"no random function is called {name!r}; names are like additive-3d-7")
    return family, int(dim), int(seed)


def _isotropic(dim: int, rng: np.random.Generator) -> Formula:
    return _draw(np.full(dim, _lengthscale(dim, rng)), rng)


def _anisotropic(dim: int, rng: np.random.Generator) -> Formula:
    spread = np.exp(rng.uniform(0.0, math.log(30.0), dim))
    return _draw(LENGTHSCALES[0] * math.sqrt(dim) * spread / spread.min(), rng)


def _additive(dim: int, rng: np.random.Generator) -> Formula:
    terms = [_draw(np.array([_lengthscale(1, rng)]), rng) for _ in range(dim)]
    together = _draw(np.full(dim, _lengthscale(dim, rng)), rng)
    share = math.sqrt(0.1 * dim)

    def formula(u: Array) -> Array:
        alone = [term(u[:, i : i + 1]) for i, term in enumerate(terms)]
        return np.sum(alone, axis=0) + share * together(u)

    return formula


def _warped(dim: int, rng: np.random.Generator) -> Formula:
    smooth = _isotropic(dim, rng)
    power = np.exp(rng.uniform(math.log(1.5), math.log(5.0), dim))
    mirrored = rng.random(dim) < 0.5
    return lambda u: smooth(np.where(mirrored, 1.0 - u, u) ** power)


def _regimes(dim: int, rng: np.random.Generator) -> Formula:
    one, other = _isotropic(dim, rng), _isotropic(dim, rng)
    normal = rng.standard_normal(dim)
    normal /= np.linalg.norm(normal)
    place, width = rng.uniform(0.35, 0.65, dim) @ normal, rng.uniform(0.01, 0.05)
    step = rng.uniform(1.0, 3.0)

    def formula(u: Array) -> Array:
        beyond = 0.5 + 0.5 * np.tanh((u @ normal - place) / width)
        return (1.0 - beyond) * one(u) + beyond * (step + other(u))

    return formula


def _smooth(dim: int, rng: np.random.Generator) -> Formula:
    return _draw(np.full(dim, _lengthscale(dim, rng)), rng, degrees=None)


def _local(dim: int, rng: np.random.Generator) -> Formula:
    wave = _isotropic(dim, rng)
    centre, width = rng.uniform(0.1, 0.9, dim), math.sqrt(dim) * rng.uniform(0.12, 0.4)
    tilt = rng.standard_normal(dim) * 0.1

    def formula(u: Array) -> Array:
        hill = np.exp(-0.5 * ((u - centre) ** 2).sum(axis=1) / width**2)
        return hill * (1.0 + wave(u)) + u @ tilt

    return formula


def _oblique(dim: int, rng: np.random.Generator) -> Formula:
    normal = rng.standard_normal(dim)
    normal /= np.abs(normal).sum()  # the index runs over one unit
    steep = rng.random() < 0.5
    wave, rest = _draw(np.array([_lengthscale(1, rng)]), rng), _isotropic(dim, rng)
    place, width = rng.uniform(0.35, 0.65, dim) @ normal, rng.uniform(0.01, 0.1)

    def formula(u: Array) -> Array:
        index = u @ normal
        along = np.tanh((index - place) / width) if steep else wave(index[:, None])
        return np.asarray(along + math.sqrt(0.1) * rest(u))

    return formula


def _pairs(dim: int, rng: np.random.Generator) -> Formula:
    pairs = [(i, j) for i in range(dim) for j in range(i)] or [(0, 0)]
    terms = [(list(pair), _isotropic(2, rng)) for pair in pairs]
    together, share = _isotropic(dim, rng), math.sqrt(0.1 * len(pairs))

    def formula(u: Array) -> Array:
        return np.sum([term(u[:, pair]) for pair, term in terms], axis=0) + share * together(u)

    return formula


#: The families by name.
FAMILIES: dict[str, Callable[[int, np.random.Generator], Formula]] = {
    "isotropic": _isotropic,
    "anisotropic": _anisotropic,
    "additive": _additive,
    "warped": _warped,
    "regimes": _regimes,
    "smooth": _smooth,
    "local": _local,
}
#: What knows their structure learns them from fewer values.
STRUCTURED: dict[str, Callable[[int, np.random.Generator], Formula]] = {"oblique": _oblique, "pairs": _pairs}


def _lengthscale(dim: int, rng: np.random.Generator) -> float:
    low, high = np.log(LENGTHSCALES)
    return float(math.sqrt(dim) * math.exp(rng.uniform(low, high)))


def _draw(lengthscale: Array, rng: np.random.Generator, degrees: int | None = DEGREES) -> Formula:
    """A sum of waves with unit variance, their frequencies from a Student or a normal distribution."""
    stretch = np.ones(WAVES) if degrees is None else np.sqrt(degrees / rng.chisquare(degrees, WAVES))
    frequencies = rng.standard_normal((len(lengthscale), WAVES)) / lengthscale[:, None] * stretch
    phases = rng.uniform(0.0, 2.0 * np.pi, WAVES)
    heights = rng.standard_normal(WAVES) * math.sqrt(2.0 / WAVES)
    return lambda u: np.cos(u @ frequencies + phases) @ heights
