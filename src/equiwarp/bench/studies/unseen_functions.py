"""Twelve functions by which nothing was chosen: do the look-ahead strategies hold up there?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from equiwarp.bench.area import BASELINE
from equiwarp.bench.cell import Job
from equiwarp.bench.functions.catalogue import own_benchmark_name
from equiwarp.bench.pages.area_table import area_rows
from equiwarp.bench.pages.markdown import markdown_table, plus_minus
from equiwarp.bench.results import load_cells
from equiwarp.bench.sweeps.cluster import run_jobs, score_cells

UNSEEN_ARMS = ("sobol", "equiwarp", "lookahead-nn", "lookahead-gp")
UNSEEN_READOUTS = ("1nn", "gp-map")
UNSEEN_ROUNDS = 100
#: Name in ``functions/unseen.py`` and dimension.
UNSEEN_FUNCTIONS = (
    *((name, 2) for name in ("branin", "franke", "ackley", "front", "peak", "plane", "michalewicz")),
    *((name, 3) for name in ("rosenbrock", "ishigami")),
    *((name, 4) for name in ("ackley", "plane")),
    ("borehole", 8),
)


def unseen_titles() -> dict[str, str]:
    """Benchmark name -> title."""
    return {
        own_benchmark_name(f"equiwarp.bench.functions.unseen:{name}", dim): f"{name.capitalize()} ({dim}D)"
        for name, dim in UNSEEN_FUNCTIONS
    }


def unseen_jobs(seeds: int, rounds: int = UNSEEN_ROUNDS) -> list[Job]:
    """Every cell of the study."""
    return [
        Job(benchmark, arm, seed, rounds)
        for benchmark, seed, arm in product(unseen_titles(), range(seeds), (BASELINE, *UNSEEN_ARMS))
    ]


def unseen_tables(
    out: Path, seeds: int, rounds: int = UNSEEN_ROUNDS, workers: int | None = None
) -> Iterator[tuple[str, str]]:
    """Readout and table in Markdown; runs and scores what is missing in the results folder."""
    titles = unseen_titles()
    run_jobs(unseen_jobs(seeds, rounds), out, workers=workers)
    cells = [cell for cell in load_cells(out, benchmarks=titles) if cell.seed < seeds]
    score_cells(cells, UNSEEN_READOUTS, workers=workers)
    for readout in UNSEEN_READOUTS:
        found = {(row.benchmark, row.arm): row.summary for row in area_rows(cells, readout, [rounds])}
        lines = (
            [title, *(plus_minus(found.get((benchmark, arm))) for arm in UNSEEN_ARMS)]
            for benchmark, title in titles.items()
        )
        yield readout, markdown_table(["function", *(f"`{arm}`" for arm in UNSEEN_ARMS)], lines)
