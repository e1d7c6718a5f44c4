"""The 22 benchmarks as data, those of the suites, and how a function of your own becomes one.

A benchmark is mapped one point at a time and with noise of 5 % unless its name says otherwise:
``levy-2d+noise=0.2`` has noise of 20 %, ``levy-2d+batch=24`` is measured in batches of 24, and
``levy-2d+noise=0.2+batch=24`` both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType

import numpy as np

from equiwarp.bench.functions import formulas as fn
from equiwarp.bench.functions import mixed, suite_functions
from equiwarp.bench.functions.random_families import named_random_function, numbers_of
from equiwarp.bench.functions.random_mixed import FAMILY as MIXED
from equiwarp.bench.functions.random_mixed import random_mixed
from equiwarp.bench.functions.sphere_caps import OTHER_PAIRS, pair_name, sphere_caps
from equiwarp.bench.functions.surrogate import RealTarget
from equiwarp.bench.loading import load_object
from equiwarp.domains import Array, Box, Domain, Sphere
from equiwarp.exceptions import InvalidInput

#: Rounds at which the paper's tables report.
CUBE_CHECKPOINTS, SPHERE_CHECKPOINTS = (50, 100, 200), (20, 100)
#: Where functions come from.
PAPER = "the paper"
#: Noise deviation as a share of the function's, as in the paper.
NOISE_SHARE = 0.05
VLSE = "Surjanovic and Bingham, Virtual Library of Simulation Experiments"


@dataclass(frozen=True)
class Benchmark:
    """A function to map and how much the paper measures of it.

    Attributes
    ----------
    name : str
    function : callable
        Points ``(n, columns)`` of the domain (unit cube, or unit vectors) to values ``(n,)``.
    domain : Domain
    n0 : int
        Size of the initial design.
    rounds : int
        The paper's acquisition horizon.
    native : tuple of (low, high)
        Domain of the formula, per coordinate; empty on spheres.
    source : str
    title : str
        The paper's name for it.
    real : bool
        Whether the target is a surrogate of measured data.
    noise : float
        Deviation of a measurement's noise, as a share of the function's.
    batch : int
        How many points are chosen before their values are known.
    horizons : tuple of int
        Rounds at which tables report; empty for the paper's.
    """

    name: str
    function: fn.Function
    domain: Domain
    n0: int
    rounds: int
    native: tuple[tuple[float, float], ...]
    source: str
    title: str
    real: bool = False
    noise: float = NOISE_SHARE
    batch: int = 1
    horizons: tuple[int, ...] = ()

    @property
    def dim(self) -> int:
        return self.domain.dim

    @property
    def sphere(self) -> bool:
        return self.domain.symmetry == "homogeneous"

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """The rounds at which tables report: the paper's, unless the benchmark has its own."""
        if self.horizons:
            return self.horizons
        return SPHERE_CHECKPOINTS if self.sphere else CUBE_CHECKPOINTS

    def __call__(self, x: Array) -> Array:
        """Noise-free values ``(n,)`` at points ``(n, columns)``."""
        values = np.asarray(self.function(x), dtype=float)
        if values.shape != (len(x),):
            raise InvalidInput(
                f"benchmark {self.name!r} returned shape {values.shape} for {len(x)} points: "
                "return one value per row"
            )
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise InvalidInput(f"benchmark {self.name!r} is {values[bad[0]]} at {x[bad[0]]}: make it finite")
        return values


def _cube(
    name: str,
    title: str,
    function: fn.Function,
    dim: int,
    bounds: tuple[float, float] = (0.0, 1.0),
    source: str = VLSE,
) -> Benchmark:
    native = (bounds,) * dim
    moved = function if bounds == (0.0, 1.0) else fn.OnUnitCube(function, native)
    return Benchmark(name, moved, Box.unit(dim), 20 * (dim - 1), 200, native, source, title)


def _sphere(name: str, title: str, d: int, count: int) -> Benchmark:
    return Benchmark(name, sphere_caps(d, count), Sphere(d), 20 * (d - 1), 100, (), PAPER, title)


def _real(name: str, title: str, data: str, native: tuple[tuple[float, float], ...]) -> Benchmark:
    dim = len(native)
    source = f"UCI Machine Learning Repository, {data}"
    return Benchmark(
        name, RealTarget(data), Box.unit(dim), 20 * (dim - 1), 200, native, source, title, real=True
    )


#: Ranges of the measured inputs, which min-max scaling maps to [0, 1].
_POWER_PLANT = ((1.81, 37.11), (25.36, 81.56), (992.89, 1033.3), (25.56, 100.16))
_AIRFOIL = ((200.0, 20000.0), (0.0, 22.2), (0.0254, 0.3048), (31.7, 71.3), (0.000400682, 0.0584113))

_ALL = (
    _cube("peaks-2d", "Peaks (2D)", fn.peaks, 2, (-3, 3), PAPER),
    _cube("smooth-box-2d", "Smooth box (2D)", fn.smooth_box, 2, (-3, 3), PAPER),
    _cube("gramacy-lee-2d", "Gramacy-Lee (2D)", fn.gramacy_lee, 2, (-2, 6), "Gramacy and Lee 2012"),
    _cube("levy-2d", "Levy (2D)", fn.levy, 2, (-10, 10)),
    _cube("zhou-2d", "Zhou98 (2D)", fn.zhou, 2),
    _cube("beale-2d", "Beale (2D)", fn.beale, 2, (-4.5, 4.5)),
    _cube("smooth-box-3d", "Smooth box (3D)", fn.smooth_box, 3, (-3, 3), PAPER),
    _cube("hartmann-3d", "Hartmann (3D)", fn.hartmann3, 3),
    _cube("levy-3d", "Levy (3D)", fn.levy, 3, (-10, 10)),
    _cube("styblinski-tang-3d", "Styblinski-Tang (3D)", fn.styblinski_tang, 3, (-5, 5)),
    _cube("smooth-box-4d", "Smooth box (4D)", fn.smooth_box, 4, (-3, 3), PAPER),
    _cube("hartmann-4d", "Hartmann (4D)", fn.hartmann4, 4),
    _cube("levy-4d", "Levy (4D)", fn.levy, 4, (-10, 10)),
    _real("power-plant-4d", "Power plant (4D, real)", "power-plant", _POWER_PLANT),
    _cube("friedman-5d", "Friedman (5D)", fn.friedman, 5, source="Friedman 1991"),
    _cube("levy-5d", "Levy (5D)", fn.levy, 5, (-10, 10)),
    _real("airfoil-5d", "Airfoil (5D, real)", "airfoil", _AIRFOIL),
    _cube("hartmann-6d", "Hartmann (6D)", fn.hartmann6, 6),
    _sphere("cap-s2", "Cap (S^2)", 2, 1),
    _sphere("two-caps-s2", "Two caps (S^2)", 2, 2),
    _sphere("cap-s3", "Cap (S^3)", 3, 1),
    _sphere("two-caps-s3", "Two caps (S^3)", 3, 2),
)


@cache
def benchmarks() -> Mapping[str, Benchmark]:
    """Name -> Benchmark, in the order of the paper's tables, read-only."""
    return MappingProxyType({b.name: b for b in _ALL})


@cache
def mixed_benchmarks() -> Mapping[str, Benchmark]:
    """Name -> Benchmark of the suites with categories and angles, read-only; the paper has none of these."""
    made = {
        name: Benchmark(name, function, domain, domain.n0, mixed.ROUNDS, (), mixed.SOURCE, title)
        for name, title, function, domain in mixed.SUITE
    }
    return MappingProxyType(made)


@cache
def suite_benchmarks() -> Mapping[str, Benchmark]:
    """Name -> Benchmark of the suites beyond the paper: anisotropic, wide, uneven and listed; read-only.

    Their start is small, two points a parameter and ten at least: few people can afford 20 (D - 1).
    """
    made = {}
    for one in suite_functions.SUITE_FUNCTIONS:
        dim = len(one.native)
        moved = fn.OnUnitCube(one.function, one.native)
        n0, horizons = max(10, 2 * dim), suite_functions.HORIZONS
        made[one.name] = Benchmark(
            one.name, moved, Box.unit(dim), n0, horizons[-1], one.native, one.source, one.title,
            horizons=horizons,
        )  # fmt: skip
    for name, title, target in suite_functions.LISTS:
        domain = target.domain
        made[name] = Benchmark(
            name, target, domain, max(10, 2 * domain.dim), suite_functions.HORIZONS[-1], (), target.source,
            title, real=True, horizons=suite_functions.HORIZONS,
        )  # fmt: skip
    return MappingProxyType(made)


def conditioned_name(name: str, noise: float = NOISE_SHARE, batch: int = 1) -> str:
    """The name of a benchmark under other noise or in batches; itself under the usual conditions."""
    if not 0.0 <= noise < math.inf:
        raise InvalidInput(f"noise is a share of the function's deviation, 0 or more, got {noise:g}")
    if batch < 1:
        raise InvalidInput(f"a batch has at least one point, got {batch}")
    noisy = name if noise == NOISE_SHARE else f"{name}+noise={noise:g}"
    return noisy if batch == 1 else f"{noisy}+batch={batch}"


def own_benchmark_name(function: str, dim: int, sphere: bool = False) -> str:
    """The name under which ``module:callable`` on [0, 1]^dim, or on S^dim, is a benchmark."""
    if dim < 1:
        raise InvalidInput(f"--dim must be at least 1, got {dim}")
    return f"{function}@{'s' if sphere else ''}{dim}"


@lru_cache(maxsize=64)
@lru_cache(maxsize=1)
def caps_benchmarks() -> Mapping[str, Benchmark]:
    """Name -> two caps on S^2 of another radius or at another distance than ``two-caps-s2`` has."""
    found = {}
    for radius, degrees in OTHER_PAIRS:
        name, title = pair_name(radius, degrees), f"Two caps (S^2), {radius:g} rad, {degrees}°"
        caps = sphere_caps(2, 2, radius, math.radians(degrees))
        found[name] = Benchmark(name, caps, Sphere(2), 20, 100, (), "the paper, varied", title)
    return MappingProxyType(found)


def find_benchmark(name: str) -> Benchmark:
    """A benchmark by name.

    ``module:callable@2`` is your own on [0, 1]^2, ``module:callable@s2`` on S^2; ``random:additive-3d-7``
    is the seventh random function of a family in three dimensions, ``random:mixed-2d-7`` one of two numbers
    and a category. ``+noise=0.2`` and ``+batch=24`` at the end of any name change the conditions.
    """
    plain, *conditions = name.split("+")
    if conditions:
        return _under_conditions(find_benchmark(plain), name, conditions)
    if name in benchmarks():
        return benchmarks()[name]
    if name.startswith("random:"):
        return _random_benchmark(name)
    for more in (mixed_benchmarks(), suite_benchmarks(), caps_benchmarks()):
        if name in more:
            return more[name]
    path, at, place = name.rpartition("@")
    sphere, dim = place.startswith("s"), place.removeprefix("s")
    if not at or ":" not in path or not dim.isdigit():
        raise InvalidInput(f"unknown benchmark {name!r}; choose from {', '.join(benchmarks())}")
    domain: Domain = Sphere(int(dim)) if sphere else Box.unit(int(dim))
    function = load_object(path)
    if not callable(function):
        raise InvalidInput(
            f"{path!r} is {type(function).__name__}, not a function of an (n, {domain.columns}) array"
        )
    native = () if sphere else ((0.0, 1.0),) * int(dim)
    rounds = 100 if sphere else 200
    return Benchmark(name, function, domain, domain.n0, rounds, native, "user", name)


def _under_conditions(benchmark: Benchmark, name: str, conditions: Sequence[str]) -> Benchmark:
    noise, batch = benchmark.noise, benchmark.batch
    for condition in conditions:
        key, _, value = condition.partition("=")
        try:
            noise = float(value) if key == "noise" else noise
            batch = int(value) if key == "batch" else batch
        except ValueError:
            key = ""
        if key not in ("noise", "batch"):
            raise InvalidInput(
                f"benchmark {name!r}: conditions are like +noise=0.2 or +batch=24, in this order"
            )
    if conditioned_name(benchmark.name, noise, batch) != name:
        raise InvalidInput(
            f"benchmark {name!r} is called {conditioned_name(benchmark.name, noise, batch)!r}: "
            "one name a benchmark"
        )
    remarks = [f"noise {100 * noise:g} %"] if noise != benchmark.noise else []
    remarks += [f"batches of {batch}"] if batch > 1 else []
    title = ", ".join([benchmark.title, *remarks])
    return replace(benchmark, name=name, title=title, noise=noise, batch=batch)


def _random_benchmark(name: str) -> Benchmark:
    family, dim, seed = numbers_of(name.removeprefix("random:"))
    if family == MIXED:
        drawn = random_mixed(dim, seed)
        return Benchmark(name, drawn, drawn.domain, drawn.domain.n0, 200, (), "random", drawn.name)
    function = named_random_function(name.removeprefix("random:"))
    domain, native = Box.unit(function.dim), ((0.0, 1.0),) * function.dim
    return Benchmark(name, function, domain, domain.n0, 200, native, "random", function.name)
