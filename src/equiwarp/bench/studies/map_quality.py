"""How good the map is, and whether it knows: accuracy, calibration, forecast and stop on stored designs.

A case is a design that a strategy chose, point after point. The map is fitted at several stages of it, and
what it says is compared with the noise-free function. Random functions and the smooth boxes chose the map's
constants; every other function confirms. Records go to a CSV file as they come, those of a case together, so
that a study that was stopped goes on where it was, on another machine too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.cell import Cell, Job, compute
from equiwarp.bench.functions.catalogue import benchmarks
from equiwarp.bench.functions.random_families import FAMILIES
from equiwarp.bench.seeded import held_out_part
from equiwarp.bench.storage.csv_records import appended, kept_records, read_records
from equiwarp.bench.storage.files import safe_name
from equiwarp.bench.studies.unseen_functions import unseen_titles
from equiwarp.domains import Array
from equiwarp.maps.map import Map, build_map
from equiwarp.maps.prediction import half_width
from equiwarp.models import DEFAULT_MODELS

#: How designs were chosen, and how many rounds of them are looked at.
ARM, ROUNDS = "lookahead-gp", 120
#: Rounds after which everything is compared, and after which only errors are, for the stop rule.
STAGES, STOP_STAGES = (0, 20, 60, 100), tuple(range(0, 104, 4))
#: How far the forecast looks ahead.
AHEAD = 20
#: Bands that should hold 50, 80 and 95 of 100 places.
BANDS = {"50": 0.5, "80": 0.8, "95": 0.95}
RANDOM_DIMENSIONS = (1, 2, 3, 4, 6)
#: Where records are kept, and what they hold; all but the first eleven only after :data:`STAGES`.
RECORDS = "map-quality.csv"
COLUMNS = (
    "group", "benchmark", "seed", "dim", "rounds", "n", "true", "estimate", "low", "high", "own",
    *(f"inside_{name}" for name in BANDS), "forecast", "matern", "true_noise", "noise", "unknown_true",
    "unknown_estimate",
)  # fmt: skip
#: Named functions that may choose.
CHOOSING = ("smooth-box-2d", "smooth-box-3d", "smooth-box-4d")


@dataclass(frozen=True)
class MapCase:
    """A function by its benchmark name and a seed; ``group`` is "choosing" or "confirming"."""

    group: str
    benchmark: str
    seed: int


def map_cases(group: str, seeds: Iterable[int]) -> list[MapCase]:
    """Every case of a group."""
    named = [name for name in (*benchmarks(), *unseen_titles()) if name not in CHOOSING]
    kinds = [(family, dim) for family in FAMILIES for dim in RANDOM_DIMENSIONS]
    cases = []
    for seed in seeds:
        random = [f"random:{family}-{dim}d-{seed}" for family, dim in kinds]
        names = (*random, *CHOOSING) if group == "choosing" else named
        cases += [MapCase(group, name, seed) for name in names]
    return cases


def finished_seeds(out: Path) -> list[int]:
    """Seeds under which every function that confirms has been examined."""
    done = {_key(row) for row in read_records(out / RECORDS)}
    return [
        seed
        for seed in sorted({seed for _, seed in done})
        if all((case.benchmark, seed) in done for case in map_cases("confirming", [seed]))
    ]


def examine_case(case: MapCase, cell: Cell) -> list[dict[str, Any]]:
    """What the map says at every stage of a design, beside what is true. Errors are in deviations of y."""
    seeded, rows = cell.seeded, []
    truths = Truth(*held_out_part(seeded.benchmark), seeded.deviation)
    for rounds in sorted({*STAGES, *STOP_STAGES, *(s + AHEAD for s in STAGES)}):
        known = _map(cell, rounds, seeded.noise)
        error = known.error()[0]
        row = {
            "group": case.group, "benchmark": case.benchmark, "seed": case.seed, "dim": known.domain.dim,
            "rounds": rounds, "n": len(known.x), "true": truths.error_of(known),
            "estimate": error.value / truths.deviation, "low": error.low / truths.deviation,
            "high": error.high / truths.deviation, "own": error.model / truths.deviation,
        }  # fmt: skip
        if rounds in STAGES:
            row |= _compared(cell, rounds, known, truths)
        rows.append(row)
    return rows


@dataclass(frozen=True)
class Truth:
    """The function at many places: kernel coordinates, values without noise, and its deviation."""

    Z: Array
    values: Array
    deviation: float

    def error_of(self, known: Map) -> float:
        """Root mean square error of a map, in deviations of the function."""
        return self.rms(known.models[0].predict(self.Z))

    def rms(self, predicted: Array) -> float:
        return float(np.sqrt(np.mean((predicted - self.values) ** 2))) / self.deviation


def _map(cell: Cell, rounds: int, noise: float | None, models: Sequence[str] = DEFAULT_MODELS) -> Map:
    n, domain = cell.n0 + rounds, cell.seeded.benchmark.domain
    return build_map(domain, cell.x[:n], cell.y[:n], noise, strategy=ARM, seed=cell.seed, models=models)


def _compared(cell: Cell, rounds: int, known: Map, truths: Truth) -> dict[str, Any]:
    """Bands, the forecast, the plain map of the paper, and the noise where it is not told."""
    mean, deviation = known.models[0].predict(truths.Z, return_std=True)
    missed = np.abs(mean - truths.values) / (deviation * known.error()[0].correction)
    unknown = _map(cell, rounds, None)
    return {
        **{f"inside_{name}": float(np.mean(missed < half_width(share))) for name, share in BANDS.items()},
        "forecast": float(known.forecast(AHEAD)[-1, 0]) / truths.deviation,
        "matern": truths.error_of(_map(cell, rounds, cell.seeded.noise, ("matern",))),
        "true_noise": cell.seeded.noise / truths.deviation,
        "noise": unknown.models[0].noise_ / truths.deviation,
        "unknown_true": truths.error_of(unknown),
        "unknown_estimate": unknown.error()[0].value / truths.deviation,
    }


def run_case(case: MapCase, designs: Path | None) -> list[dict[str, Any]]:
    """Examine a case on its stored design, or on one that is computed now."""
    return examine_case(case, design_of(case, designs))


def design_of(case: MapCase, designs: Path | None) -> Cell:
    """The stored design of a case, or one that is computed now."""
    from equiwarp.bench.storage.packed import read_packed

    file = None if designs is None else designs / f"{safe_name(case.benchmark)}.npz"
    if file is not None and file.exists():
        for packed in read_packed(file):
            record = packed.record
            if (record["arm"], record["seed"], record["lengthscale_factor"]) == (ARM, case.seed, 1.0):
                return packed.cell()
    return compute(Job(case.benchmark, ARM, case.seed, ROUNDS))


def run_map_cases(
    cases: Sequence[MapCase],
    out: Path,
    designs: Path | None,
    workers: int = 2,
    progress: Callable[..., Any] = iter,
) -> list[dict[str, Any]]:
    """Examine the cases that the records lack, append theirs, and return those of all these cases."""
    from concurrent.futures import ProcessPoolExecutor, as_completed

    path = out / RECORDS
    done = {_key(row) for row in kept_records(path)}
    todo = [case for case in cases if (case.benchmark, case.seed) not in done]
    with ProcessPoolExecutor(workers) as pool, appended(path, COLUMNS) as append:
        running = [pool.submit(run_case, case, designs) for case in todo]
        finished = as_completed(running)
        for _ in progress(running):
            append([{key: _short(value) for key, value in row.items()} for row in next(finished).result()])
    wanted = {(case.benchmark, case.seed) for case in cases}
    return [row for row in read_records(path) if _key(row) in wanted]


def _key(row: dict[str, Any]) -> tuple[str, int]:
    return row["benchmark"], row["seed"]


def _short(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value
