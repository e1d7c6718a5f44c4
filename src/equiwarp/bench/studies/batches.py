"""How one batch that is larger than what is known should be chosen: the map's true error after it.

All arms of a case begin with the same few points and choose one batch for them. Variants of `map` spread
another share of it evenly before their models choose around that. All functions are random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.functions.random_families import FAMILIES
from equiwarp.bench.pages.choosing_suites import less_error
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.bench.studies.choosing import find_variant, map_error
from equiwarp.bench.studies.resumed import run_cases
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements

RECORDS = "batches.csv"
#: Who chooses; the first is what the others are compared with.
ARMS = ("fps", "map, none spread", "map, a quarter spread", "map", "map, three quarters spread")
START, SIZES, DIMENSIONS = 12, (24, 48, 96), (2, 3, 4)

BatchCase = tuple[str, int, str, int]


@dataclass(frozen=True)
class Batched:
    """The map after one batch; ``error`` in deviations of the function."""

    benchmark: str
    seed: int
    arm: str
    batch: int
    error: float


def batch_cases(seeds: Sequence[int]) -> list[BatchCase]:
    """Benchmark, seed, arm and batch of every run; seeds first."""
    return [
        (f"random:{family}-{dim}d-{seed}", seed, arm, size)
        for seed in seeds
        for dim in DIMENSIONS
        for family in FAMILIES
        for size in SIZES
        for arm in ARMS
    ]


def judge(case: BatchCase) -> Iterator[Batched]:
    """Let an arm choose its batch, measure it, and judge the map of all."""
    benchmark, seed, arm, size = case
    seeded = SeededBenchmark(find_benchmark(benchmark), seed)
    domain, x = seeded.benchmark.domain, seeded.start[:START]
    y = seeded.measure(x)
    frame = prepare(domain, find_variant(arm), seed, lengthscale=domain.spacing(START), pool=seeded.pool)
    points = choose(frame, Measurements.of(domain, x, y, seeded.noise), size)[0].points
    y = np.append(y, seeded.measure(points, START))
    yield Batched(benchmark, seed, arm, size, round(map_error(seeded, np.vstack([x, points]), y), 6))


def run_batches(
    path: Path, seeds: Sequence[int], progress: Callable[[list[Any]], Any] = iter
) -> list[dict[str, Any]]:
    """Judge what the file lacks, append it, and return all records of these seeds."""
    cases = batch_cases(seeds)
    return run_cases(
        path, Batched, cases, judge, lambda r: (r["benchmark"], r["seed"], r["arm"], r["batch"]), progress
    )


def batches_table(records: Sequence[Mapping[str, Any]]) -> str:
    """Per cent less error than with a batch of farthest points, by size and over all."""
    errors = {(r["benchmark"], r["batch"], r["arm"]): float(r["error"]) for r in records}
    known = {(name, size) for name, size, arm in errors if all((name, size, a) in errors for a in ARMS)}
    lines = []
    for arm in ARMS[1:]:
        logs = {place: float(np.log(errors[(*place, arm)] / errors[(*place, ARMS[0])])) for place in known}
        parts = [less_error([log for (_, size), log in logs.items() if size == one]) for one in SIZES]
        worst = f"{100 * (1 - np.exp(max(logs.values()))):.0f}" if logs else ""
        lines.append([f"`{arm}`", str(len(logs)), *parts, less_error(list(logs.values())), worst])
    head = ["strategy", "cases", *(f"a batch of {size}" for size in SIZES), "all", "worst"]
    return markdown_table(head, lines)
