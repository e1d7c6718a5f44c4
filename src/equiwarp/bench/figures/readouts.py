"""Do the conclusions hold under other reconstructions than 1-NN? (fig:readout_ar)"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.bench.area import BASELINE, common_seeds, error_area
from equiwarp.bench.figures.stored_runs import Band, StoredRuns, seeds_text
from equiwarp.bench.figures.style import BLACK, arm_style, canvas, panel
from equiwarp.bench.functions.catalogue import Benchmark, benchmarks
from equiwarp.bench.studies.selection_bias import wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

READOUT_LABELS = {"1nn": "1-NN", "3nn": "3-NN", "5nn": "5-NN", "gp": "GP"}
COMPARED_ARMS = ("eig", "equalized", "equiwarp")
HORIZON_SHADES = ("#9ECAE1", "#4292C6", "#08519C")


def draw(results: Path, out: Path) -> None:
    """Draw both panels from stored cells; scores that are not stored yet are computed, which takes time."""
    cubes = [b for b in benchmarks().values() if not b.sphere]
    names = [b.name for b in cubes]
    runs = StoredRuns.of(results, names, (BASELINE, *COMPARED_ARMS))
    runs.require(names, (BASELINE, *COMPARED_ARMS))
    horizons = horizons_of(runs, names)
    with canvas(9.6, 6.2, out) as figure:
        upper, lower = figure.subplots(2, 1, height_ratios=[1.0, 1.35])
        _fractions(upper, runs, names, horizons)
        panel(upper, "a", "the full method has less accumulated error than EIG")
        counts = _reductions(lower, runs, cubes, horizons[-1])
        panel(lower, "b", f"GP readout, {horizons[-1]} rounds: mean and 95 % interval, {seeds_text(counts)}")


def horizons_of(runs: StoredRuns, names: Sequence[str]) -> list[int]:
    """The paper's 50, 100 and 200 rounds, or a quarter, a half and the whole of a shorter run."""
    shortest = min(cell.rounds for cell in runs.cells if cell.benchmark in set(names))
    if shortest >= 200:
        return [50, 100, 200]
    return sorted({max(1, shortest // 4), max(1, shortest // 2), shortest})


def improved_designs(runs: StoredRuns, names: Sequence[str], readout: str, rounds: int) -> tuple[int, int]:
    """On how many designs (benchmark and seed) the full method beats EIG by area, and of how many."""
    better = total = 0
    for name in names:
        ours, theirs = (runs.errors(name, arm, readout=readout) for arm in ("equiwarp", "eig"))
        for seed in common_seeds(ours, theirs):
            total += 1
            better += error_area(ours[seed], rounds) < error_area(theirs[seed], rounds)
    return better, total


def _fractions(axes: Axes, runs: StoredRuns, names: Sequence[str], horizons: Sequence[int]) -> None:
    width = 0.8 / len(horizons)
    for place, (rounds, shade) in enumerate(zip(horizons, HORIZON_SHADES, strict=False)):
        for column, readout in enumerate(READOUT_LABELS):
            better, total = improved_designs(runs, names, readout, rounds)
            share = 100.0 * better / total
            low, high = (100.0 * float(end) for end in wilson(np.array(better), total))
            x = column + (place - (len(horizons) - 1) / 2) * width
            label = f"{rounds} rounds" if column == 0 else None
            axes.bar(x, share, 0.92 * width, color=shade, label=label)
            axes.errorbar(x, share, yerr=[[share - low], [high - share]], color=BLACK, lw=0.9, capsize=2)
            axes.text(x, 3, f"{share:.0f}", ha="center", color="white" if place else BLACK, fontsize=8)
    axes.axhline(50, color=BLACK, lw=0.8, ls=":")
    axes.set_xticks(range(len(READOUT_LABELS)), list(READOUT_LABELS.values()))
    axes.set(ylim=(0, 105), ylabel="share of designs (%)", xlabel="readout")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))


def _reductions(axes: Axes, runs: StoredRuns, cubes: Sequence[Benchmark], rounds: int) -> list[int]:
    counts = []
    axes.axhline(0.0, color=BLACK, lw=0.9, ls=(0, (5, 1.5)))
    for place, arm in enumerate(COMPARED_ARMS):
        style = arm_style(arm)
        mean, half = [], []
        for benchmark in cubes:
            found = runs.reductions(benchmark.name, arm, readout="gp")
            curve = Band.of(row[:rounds] for row in found.values())
            mean.append(float(curve.mean[-1]))
            half.append(float(curve.half[-1]))
            counts.append(curve.seeds)
        x = np.arange(len(cubes)) + 0.22 * (place - 1)
        axes.errorbar(
            x,
            mean,
            yerr=np.nan_to_num(half),
            color=style.color,
            marker=style.marker,
            ms=5,
            ls="none",
            elinewidth=1.1,
            label=style.label,
        )
    for edge in np.arange(1, len(cubes)) - 0.5:
        axes.axvline(edge, color="#EEEEEE", lw=0.8, zorder=0)
    axes.set_xticks(range(len(cubes)), [b.title for b in cubes], rotation=40, ha="right")
    axes.set(xlim=(-0.6, len(cubes) - 0.4), ylabel="area reduction against FPS (%)")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    return counts
