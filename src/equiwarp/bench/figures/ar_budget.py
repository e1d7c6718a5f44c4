"""Area reduction over rounds, by dimension: equalizer and warp, apart and together (fig:ar_budget)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.bench.area import BASELINE
from equiwarp.bench.figures.curves import band, fullest_panel
from equiwarp.bench.figures.lengthscales import range_of_means
from equiwarp.bench.figures.stored_runs import (
    StoredRuns,
    mean_over_benchmarks,
    seeds_text,
    synthetic_benchmarks,
)
from equiwarp.bench.figures.style import BLACK, arm_style, canvas, panel, shared_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BUDGET_ARMS = ("eig", "warp", "equalized", "equiwarp")
BUDGET_DIMENSIONS = (2, 3, 4, 5, 6)


def draw(results: Path, out: Path) -> None:
    """Draw a panel per dimension from stored cells of the synthetic benchmarks."""
    names = [benchmark.name for benchmark in synthetic_benchmarks()]
    runs = StoredRuns.of(results, names, (BASELINE, *BUDGET_ARMS))
    runs.require(names, (BASELINE, *BUDGET_ARMS))
    counts: list[int] = []
    with canvas(10.6, 3.1, out) as figure:
        grid = figure.subplots(1, len(BUDGET_DIMENSIONS), sharey=True)
        for place, (axes, dim) in enumerate(zip(grid, BUDGET_DIMENSIONS, strict=True)):
            members = [b.name for b in synthetic_benchmarks() if b.dim == dim]
            counts += _dimension(axes, runs, members)
            panel(axes, "abcde"[place], f"{dim}D, {len(members)} function{'s' * (len(members) > 1)}")
            axes.set_xlabel("acquisition round")
        range_of_means(grid, (-20.0, 20.0))
        grid[0].set_ylabel("area reduction against FPS (%)")
        note = f"mean and 95 % interval, {seeds_text(counts)}"
        figure.supxlabel(note, fontsize=8, color="#444444", x=0.99, ha="right")
        shared_legend(figure, fullest_panel(grid), 4)


def _dimension(axes: Axes, runs: StoredRuns, members: list[str]) -> list[int]:
    counts = []
    axes.axhline(0.0, color=BLACK, lw=0.9, ls=(0, (5, 1.5)))
    for arm in BUDGET_ARMS:
        curve = mean_over_benchmarks([runs.reductions(name, arm) for name in members])
        if curve is not None:
            band(axes, np.arange(1, len(curve.mean) + 1), curve, arm_style(arm))
            counts.append(curve.seeds)
    axes.margins(x=0)
    return counts
