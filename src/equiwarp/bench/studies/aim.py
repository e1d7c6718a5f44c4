"""Who finds a contour with the fewest experiments: misclassified area, arm by arm.

The level is exceeded by three tenths of the domain, or by fewer where the function has a plateau at that
level: which side of it a plateau lies on is decided by the noise, and nothing is to be learnt there. All arms
of a seed have the same start, noise, pool and
prediction model: what differs is where they measure. A place is misclassified if the map has it on the wrong
side of the level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.aims import Aim
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.functions.random_families import FAMILIES
from equiwarp.bench.peers.contours import CRITERIA, ContourInputs
from equiwarp.bench.seeded import SeededBenchmark, held_out, pilot
from equiwarp.bench.studies.resumed import run_cases
from equiwarp.domains import Array
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import RoundCache
from equiwarp.maps.map import build_map
from equiwarp.models.matern import MaternModel
from equiwarp.strategy import Strategy, find
from equiwarp.strategy.map_error import MapError

#: Random functions, by which the choice with an aim was decided: families in two and three dimensions.
RANDOM = tuple((family, dim) for dim in (2, 3) for family in FAMILIES)
#: Functions with two and three parameters; nothing about the aim was chosen by them.
FUNCTIONS = (
    "peaks-2d",
    "gramacy-lee-2d",
    "levy-2d",
    "zhou-2d",
    "beale-2d",
    "hartmann-3d",
    "styblinski-tang-3d",
)
#: Ours with an aim and without, then others' criteria; the first is what all are compared with.
ARMS = ("fps", "map", "map + aim", "lookahead-gp + aim", "fps + aim", "equiwarp + aim", *CRITERIA)
#: Beside `map`, for which the error counts more near the contour: the chance of the wrong side counts.
LOOK_AHEAD = Strategy(
    "look-ahead", MapError(look_ahead=True), summary="by the chance that a place is on the wrong side"
)
VARIANTS = {LOOK_AHEAD.name: LOOK_AHEAD}
START, POINTS = 10, (15, 20, 30)
#: The level is exceeded by the first of these shares of the domain at which no plateau lies.
EXCEEDED = (0.3, 0.2, 0.1, 0.05)
#: A plateau: more than this share of the domain within the noise of the level.
PLATEAU = 0.1
#: Of the pool and of the test set, so many are used: every arm looks at the same.
POOL, TESTED = 1024, 4096


@dataclass(frozen=True)
class Misclassified:
    """The map of one arm after some measurements.

    ``area`` is the share of the domain on the wrong side of the level, ``error`` the map's root mean square
    error over all of it, in deviations of the function.
    """

    benchmark: str
    dim: int
    seed: int
    arm: str
    points: int
    area: float
    error: float


def judge(benchmark: str, seed: int, arm: str) -> Iterator[Misclassified]:
    """Let an arm choose, and judge its map at every stage."""
    seeded = SeededBenchmark(find_benchmark(benchmark), seed)
    domain = seeded.benchmark.domain
    level = level_of(seeded)
    Z, truth = (part[:TESTED] for part in held_out(seeded.benchmark))
    for x, y in designs(seeded, arm, level):
        found = build_map(domain, x, y, seeded.noise).models[0].predict(Z)
        area = float(np.mean((found > level) != (truth > level)))
        error = float(np.sqrt(np.mean((found - truth) ** 2))) / seeded.deviation
        yield Misclassified(benchmark, domain.dim, seed, arm, len(x), round(area, 6), round(error, 6))


def level_of(seeded: SeededBenchmark) -> float:
    """A level that divides the domain and that measurements can tell from most of it."""
    values = pilot(seeded.benchmark).values
    levels = [float(np.quantile(values, 1 - share)) for share in EXCEEDED]
    for level in levels:
        if np.mean(np.abs(values - level) < seeded.noise) <= PLATEAU:
            return level
    return levels[-1]


def designs(seeded: SeededBenchmark, arm: str, level: float) -> Iterator[tuple[Array, Array]]:
    """What an arm has measured at each stage: points and noisy values."""
    next_point = _criterion(seeded, arm, level) if arm in CRITERIA else _strategy(seeded, arm, level)
    x = seeded.start[:START]
    y = seeded.measure(x)
    for stage in POINTS:
        while len(x) < stage:
            point = next_point(x, y)
            y = np.append(y, seeded.measure(point, len(x)))
            x = np.vstack([x, point])
        yield x, y


def _strategy(seeded: SeededBenchmark, arm: str, level: float) -> Callable[[Array, Array], Array]:
    """One of our strategies, with an aim or without."""
    domain, (name, _, aimed) = seeded.benchmark.domain, arm.partition(" + ")
    strategy = VARIANTS.get(name) or find(name)
    aim = Aim(near=level).on(domain, ("value",)) if aimed else None
    configuration: RunConfiguration = prepare(
        domain, strategy, seeded.seed, lengthscale=domain.spacing(START), pool=seeded.pool[:POOL], aim=aim
    )
    cache: list[RoundCache | None] = [None]

    def next_point(x: Array, y: Array) -> Array:
        known = Measurements.of(domain, x, y, seeded.noise)
        suggestion, cache[0] = choose(configuration, known, 1, cache[0])
        return suggestion.points

    return next_point


def _criterion(seeded: SeededBenchmark, arm: str, level: float) -> Callable[[Array, Array], Array]:
    """A criterion of others on the plain model of the map, fitted anew for every choice."""
    domain, pool = seeded.benchmark.domain, seeded.pool[:POOL]
    P, U = domain.embed(pool), held_out(seeded.benchmark)[0][TESTED:]
    earlier: list[Mapping[str, Any] | None] = [None]

    def next_point(x: Array, y: Array) -> Array:
        Z = domain.embed(x)
        model = MaternModel.fit_map(domain, Z, y, np.full(len(y), seeded.noise), earlier[0])
        earlier[0] = model.hyperparameters_
        mean, deviation = model.predict(P, return_std=True)
        inputs = ContourInputs(model, P, U, mean, deviation, level, seeded.noise, float(y.std()))
        score = CRITERIA[arm](inputs)
        taken = (np.abs(P[:, None, :] - Z[None, :, :]).max(axis=2) < 1e-9).any(axis=1)
        return pool[[int(np.argmax(np.where(taken, -np.inf, score)))]]

    return next_point


def aim_benchmarks(group: str, seed: int) -> list[str]:
    """The functions of a group under a seed; a seed of random functions is another function."""
    if group == "named":
        return list(FUNCTIONS)
    return [f"random:{family}-{dim}d-{seed}" for family, dim in RANDOM]


def run_aims(
    path: Path,
    cases: Sequence[tuple[int, str]],
    arms: Sequence[str] = ARMS,
    progress: Callable[[list[tuple[int, str, str]]], Any] = iter,
) -> list[dict[str, Any]]:
    """Judge what the file lacks, append it, and return all records of these seeds, benchmarks and arms."""
    wanted = [(seed, benchmark, arm) for seed, benchmark in cases for arm in arms]
    return run_cases(path, Misclassified, wanted, lambda c: judge(c[1], c[0], c[2]), _key, progress)


def whole_cases(records: Sequence[Mapping[str, Any]], arms: Sequence[str]) -> list[Mapping[str, Any]]:
    """The records of functions and seeds that all arms have finished."""
    last = {_key(r) for r in records if r["points"] == POINTS[-1]}
    return [r for r in records if all((r["seed"], r["benchmark"], arm) in last for arm in arms)]


def _key(record: Mapping[str, Any]) -> tuple[int, str, str]:
    return record["seed"], record["benchmark"], record["arm"]
