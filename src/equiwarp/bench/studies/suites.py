"""The suites under the averaged map: designs computed or taken from packed ones, judged at checkpoints.

Records go to one CSV file as they come, a line for each design and checkpoint; designs that had to be
computed are kept as cells beside it. What is there is not computed again. Seeds come first, so that a study
that is stopped has every function and arm at fewer seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.cell import Cell, Job, compute
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.readouts.average_map import average_error
from equiwarp.bench.seeded import pilot
from equiwarp.bench.storage.csv_records import appended, kept_records
from equiwarp.bench.storage.files import safe_name
from equiwarp.bench.storage.packed import read_packed
from equiwarp.bench.storage.provenance import provenance
from equiwarp.bench.sweeps.plan import Sweep
from equiwarp.bench.sweeps.suites import Suite
from equiwarp.bench.trajectories import Trajectories
from equiwarp.exceptions import InvalidInput

RECORDS = "suites.csv"


@dataclass(frozen=True)
class SuiteRecord:
    """The map of one design after some rounds; ``error`` is its RMSE in deviations of the function.

    ``commit`` is that of the code that fitted the map; the design's own is in its cell.
    """

    benchmark: str
    arm: str
    seed: int
    rounds: int
    error: float
    commit: str


@dataclass(frozen=True)
class SuiteTask:
    """A design that has to be judged after these rounds."""

    job: Job
    judged: tuple[int, ...]


def suite_tasks(
    suite: Suite, seeds: Sequence[int], arms: Sequence[str] = (), most_rounds: int | None = None
) -> list[SuiteTask]:
    """Every design of a suite, seed by seed, or its first rounds; an arm that cannot run on a benchmark is
    left out.
    """
    judged = tuple(t for t in suite.judged if most_rounds is None or t <= most_rounds)
    if not judged:
        raise InvalidInput(f"{suite.name} is first judged after {suite.judged[0]} rounds, not {most_rounds}")
    plan = Sweep(suite.benchmarks, arms or suite.arms, seeds, judged[-1]).plan()
    return [SuiteTask(job, judged) for job in plan.jobs]


def run_suites(
    out: Path,
    tasks: Sequence[SuiteTask],
    designs: Path | None = None,
    progress: Callable[[list[SuiteTask]], Any] = iter,
) -> None:
    """Judge what the records lack, and append it."""
    path = out / RECORDS
    done = {_key(r) for r in kept_records(path)}
    todo = [task for task in tasks if any((*_place(task.job), t) not in done for t in task.judged)]
    with appended(path, [f.name for f in fields(SuiteRecord)]) as append:
        for task in progress(todo):
            missing = [t for t in task.judged if (*_place(task.job), t) not in done]
            append(asdict(record) for record in judge_design(design_of(task.job, out, designs), missing))


def judge_design(cell: Cell, judged: Iterable[int]) -> Iterable[SuiteRecord]:
    """The error of the map of a design after each of these rounds."""
    benchmark, commit = cell.spec, provenance()["commit"]
    deviation = pilot(benchmark).deviation
    for t in judged:
        n = cell.n0 + t
        error = float(np.sqrt(average_error(benchmark, cell.x[:n], cell.y[:n]))) / deviation
        yield SuiteRecord(cell.benchmark, cell.arm, cell.seed, t, float(f"{error:.6g}"), commit[:9])


def design_of(job: Job, out: Path, designs: Path | None = None) -> Cell:
    """A cell of the results folder, or of packed designs, or computed now and kept."""
    path = out / job.place
    known = Cell.load(path) if path.exists() else packed_design(job, designs)
    if known is not None and known.rounds >= job.rounds:
        return known
    return compute(job, known).save(path)


def packed_design(job: Job, designs: Path | None) -> Cell | None:
    """The design of a job in a folder of packed ones; None if it is not there."""
    file = None if designs is None else designs / f"{safe_name(job.benchmark)}.npz"
    if file is None or not file.exists():
        return None
    found = [p for p in read_packed(file) if (p.label, p.record["seed"]) == (job.label, job.seed)]
    return found[0].cell() if found else None


def suite_trajectories(records: Iterable[Mapping[str, Any]]) -> Trajectories:
    """Mean squared errors of the map by benchmark, arm and seed; their logarithm is linear between
    checkpoints.

    Only designs that were judged from the start on have a trajectory.
    """
    found: dict[tuple[str, str], dict[int, dict[int, float]]] = {}
    for r in records:
        found.setdefault((r["benchmark"], r["arm"]), {}).setdefault(r["seed"], {})[r["rounds"]] = r["error"]
    errors: dict[tuple[str, str], dict[int, Any]] = {}
    for (name, arm), by_seed in found.items():
        deviation = pilot(find_benchmark(name)).deviation
        for seed, known in by_seed.items():
            if 0 not in known:
                continue
            at = sorted(known)
            logs = np.interp(np.arange(at[-1] + 1), at, np.log([known[t] for t in at]))
            errors.setdefault((name, arm), {})[seed] = (deviation * np.exp(logs)) ** 2
    return Trajectories("map", errors)


def _place(job: Job) -> tuple[str, str, int]:
    return job.benchmark, job.arm, job.seed


def _key(record: Mapping[str, Any]) -> tuple[str, str, int, int]:
    return record["benchmark"], record["arm"], record["seed"], record["rounds"]
