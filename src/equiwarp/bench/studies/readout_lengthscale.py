"""Does a comparison under the GP readout hang on its lengthscale, which the paper fixes and does not tell?

Stored designs are scored with lengthscales that are multiples of the start's spacing. A seed counts where the
full method, EIG and FPS all have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from equiwarp.bench.area import BASELINE, Summary, error_area
from equiwarp.bench.cell import Cell
from equiwarp.bench.functions.catalogue import benchmarks
from equiwarp.bench.readouts.gaussian_process import fixed_trajectory, spacing_lengthscale
from equiwarp.bench.storage.csv_records import none_if_nan
from equiwarp.bench.trajectories import Trajectories

#: Of the start's spacing; the readout ``gp-spacing`` is factor 1.
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
HORIZONS = (100, 200)
METHOD, RIVAL = "equiwarp", "eig"
ARMS = (BASELINE, RIVAL, METHOD)
CUBES = tuple(name for name, b in benchmarks().items() if not b.sphere)


def wanted(record: Mapping[str, Any], as_usual: bool, seeds: int) -> bool:
    """Whether a stored design belongs to the study: one of the arms on a cube of the paper, a first seed."""
    mine = record["arm"] in ARMS and record["benchmark"] in CUBES
    return mine and as_usual and record["seed"] < seeds


def rescored(
    cells: Sequence[Cell], factor: float, watch: Callable[[Sequence[Cell]], Iterable[Cell]] = iter
) -> Trajectories:
    """Error trajectories of the cells with this multiple of the spacing."""
    errors: dict[tuple[str, str], dict[int, Any]] = {}
    for cell in watch(cells):
        ell = factor * spacing_lengthscale(cell.spec)
        found = fixed_trajectory(cell.spec, cell.x, cell.y, cell.n0, ell)
        errors.setdefault((cell.benchmark, cell.arm), {})[cell.seed] = found
    return Trajectories("gp", errors)


def lengthscale_records(found: Trajectories, factor: float) -> list[dict[str, Any]]:
    """For each benchmark and horizon: area reductions, and seeds on which the full method beats EIG."""
    records = []
    for name in found.benchmarks():
        for rounds in HORIZONS:
            seeds = found.shared(name, ARMS, rounds)
            if not seeds:
                continue
            ours, theirs = (found.errors[name, arm] for arm in (METHOD, RIVAL))
            better = sum(error_area(ours[s], rounds) < error_area(theirs[s], rounds) for s in seeds)
            one: dict[str, Any] = {"factor": factor, "benchmark": name, "rounds": rounds, "seeds": len(seeds)}
            for arm in (METHOD, RIVAL):
                reductions = found.reductions(name, arm, rounds)
                summary = Summary.of(reductions[seed] for seed in seeds)
                one |= {f"{arm}_mean": summary.mean, f"{arm}_sem": none_if_nan(summary.sem)}
            records.append({**one, "better": better})
    return records
