"""What a smaller space-filling start costs or saves: the map's true error after the same number of points.

Every arm of a case begins with the same Sobol sequence and goes on with `map` after as many of its points as
its start has; an arm that is still within its start is judged there, too. All functions are random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp._util.seeds import DESIGN, stream
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.functions.random_families import FAMILIES
from equiwarp.bench.functions.random_mixed import FAMILY as MIXED
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.bench.studies.choosing import map_error
from equiwarp.bench.studies.resumed import run_cases
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements

#: Points that are chosen before their values are known, of a pool of so many.
BATCH, POOL = 5, 2048


@dataclass(frozen=True)
class Group:
    """Functions of a kind, the starts that are tried on them and when maps are judged."""

    title: str
    families: tuple[str, ...]
    dim: int
    starts: tuple[int, ...]
    points: tuple[int, ...]


#: Of each, four points a number and the paper's 20 (D - 1) are the smallest and the largest start.
GROUPS = (
    Group("three numbers", tuple(FAMILIES), 3, (12, 20, 40), (20, 40, 60)),
    Group("two numbers and a category", (MIXED,) * 4, 2, (10, 20), (20, 40)),
    Group("six numbers", tuple(FAMILIES), 6, (24, 100), (60, 100)),
)


@dataclass(frozen=True)
class Started:
    """The map of one start after some measurements; ``error`` in deviations of the function."""

    group: str
    benchmark: str
    seed: int
    start: int
    points: int
    error: float


def start_cases(seeds: Sequence[int]) -> list[tuple[str, str, int, int]]:
    """Group, benchmark, seed and start of every run; seeds first, so that who is stopped has all groups."""
    found: list[tuple[str, str, int, int]] = []
    for seed in seeds:
        for group in GROUPS:
            for i, family in enumerate(group.families):
                number = len(group.families) * seed + i if family == MIXED else seed
                name = f"random:{family}-{group.dim}d-{number}"
                found += [(group.title, name, seed, start) for start in group.starts]
    return found


def judge(case: tuple[str, str, int, int]) -> Iterator[Started]:
    """Let `map` go on from a start, and judge its map at every stage."""
    title, benchmark, seed, start = case
    (group,) = [g for g in GROUPS if g.title == title]
    seeded = SeededBenchmark(find_benchmark(benchmark), seed)
    domain, cache = seeded.benchmark.domain, None
    configuration = prepare(domain, "map", seed, pool=seeded.pool[:POOL])
    x = domain.sample(start, stream(seed, DESIGN))
    y = seeded.measure(x)
    for stage in group.points:
        while len(x) < stage:
            known = Measurements.of(domain, x, y, seeded.noise)
            suggestion, cache = choose(configuration, known, min(BATCH, stage - len(x)), cache)
            y = np.append(y, seeded.measure(suggestion.points, len(x)))
            x = np.vstack([x, suggestion.points])
        error = map_error(seeded, x[:stage], y[:stage])
        yield Started(title, benchmark, seed, start, stage, round(error, 6))


def run_starts(
    path: Path, seeds: Sequence[int], progress: Callable[[list[Any]], Any] = iter
) -> list[dict[str, Any]]:
    """Judge what the file lacks, append it, and return all records of these seeds."""
    return run_cases(
        path,
        Started,
        start_cases(seeds),
        judge,
        lambda r: (r["group"], r["benchmark"], r["seed"], r["start"]),
        progress,
    )
