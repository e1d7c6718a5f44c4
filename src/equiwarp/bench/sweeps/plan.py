"""Which cells a sweep consists of, and which of them are still to be computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from equiwarp.bench.arms import Arm, find_arm
from equiwarp.bench.cell import Cell, Job
from equiwarp.bench.functions.catalogue import Benchmark, find_benchmark
from equiwarp.bench.functions.surrogate import RealTarget, shipped_findings, surrogate
from equiwarp.engine.configuration import POOL_SIZE
from equiwarp.exceptions import InvalidInput

#: A number of candidates, or "dim" for 2^(10 + D) of them.
PoolSize = int | Literal["dim"]


def pool_size(pool: PoolSize, dim: int) -> int:
    """Number of candidates in D dimensions."""
    return 2 ** (10 + dim) if pool == "dim" else pool


@dataclass(frozen=True)
class Plan:
    """Jobs in the order in which they should run, and what was left out and why."""

    jobs: tuple[Job, ...]
    skipped: tuple[str, ...]


@dataclass(frozen=True)
class Sweep:
    """What the user asks for. ``rounds`` None means each benchmark's own horizon."""

    benchmarks: Sequence[str]
    arms: Sequence[str]
    seeds: Sequence[int]
    rounds: int | None = None
    lengthscale_factors: Sequence[float] = (1.0,)
    pool: PoolSize = POOL_SIZE

    def __post_init__(self) -> None:
        if self.rounds is not None and self.rounds < 1:
            raise InvalidInput(f"rounds must be at least 1, got {self.rounds}")
        if not self.seeds:
            raise InvalidInput("at least one seed is needed")
        for factor in self.lengthscale_factors:
            if not factor > 0:
                raise InvalidInput(f"a lengthscale factor must be positive, got {factor:g}")

    def plan(self) -> Plan:
        """All jobs, seed by seed, so that a run that is stopped has every arm at fewer seeds."""
        pairs: list[tuple[str, str, float, int]] = []
        skipped: list[str] = []
        for name in self.benchmarks:
            benchmark = find_benchmark(name)
            rounds = benchmark.rounds if self.rounds is None else self.rounds
            for arm_name in self.arms:
                arm = find_arm(arm_name)
                objection = arm.objection(benchmark) or _batch_objection(arm, benchmark)
                if objection:
                    skipped.append(f"{arm_name} on {name}: {objection}")
                    continue
                factors = self.lengthscale_factors if arm.uses_lengthscale else (1.0,)
                pairs.extend((name, arm_name, float(factor), rounds) for factor in factors)
        jobs = dict.fromkeys(
            Job(name, arm, seed, rounds, factor, pool_size(self.pool, find_benchmark(name).dim))
            for seed in self.seeds
            for name, arm, factor, rounds in pairs
        )
        return Plan(tuple(jobs), tuple(skipped))


def _batch_objection(arm: Arm, benchmark: Benchmark) -> str | None:
    return "it chooses one point at a time" if benchmark.batch > 1 and not arm.batches else None


def unfinished_jobs(jobs: Sequence[Job], out: Path) -> list[tuple[Job, Cell | None]]:
    """Jobs whose file is absent or too short, each with what is known of it."""
    todo: list[tuple[Job, Cell | None]] = []
    for job in jobs:
        path = out / job.place
        known = Cell.load(path) if path.exists() else None
        if known is None or known.rounds < job.rounds:
            todo.append((job, known))
    return todo


def prepare_targets(jobs: Iterable[Job]) -> list[str]:
    """Put surrogates of real data into the cache once, before every worker needs them; their quality."""
    remarks = []
    for name in dict.fromkeys(job.benchmark for job in jobs):
        target = find_benchmark(name).function
        if isinstance(target, RealTarget):
            surrogate(target.name)
            quality = shipped_findings()[target.name]["held_out"]
            shown = ", ".join(f"{result['r2']:.3f} ({way})" for way, result in quality.items())
            remarks.append(f"{name}: held-out R^2 of its surrogate {shown}")
    return remarks
