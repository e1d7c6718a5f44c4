"""Do the conclusions hold under other reconstructions than 1-NN? (fig:readout_ar)"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.bench.benchmarks import Benchmark, benchmarks
from equiwarp.bench.figures.stock import Band, Stock, seeds_text
from equiwarp.bench.figures.style import BLACK, arm_style, canvas, panel
from equiwarp.bench.studies.selection import wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

READOUTS = {"1nn": "1-NN", "3nn": "3-NN", "5nn": "5-NN", "gp": "GP"}
ARMS = ("eig", "equalized", "equiwarp")
SHADES = ("#9ECAE1", "#4292C6", "#08519C")


def draw(results: Path, out: Path) -> None:
    """Draw both panels from stored cells; scores that are not stored yet are computed, which takes time."""
    cubes = [b for b in benchmarks().values() if not b.sphere]
    names = [b.name for b in cubes]
    stock = Stock.of(results, names, ("fps", *ARMS))
    stock.require(names, ("fps", *ARMS))
    horizons = horizons_of(stock, names)
    with canvas(9.6, 6.2, out) as figure:
        upper, lower = figure.subplots(2, 1, height_ratios=[1.0, 1.35])
        _fractions(upper, stock, names, horizons)
        panel(upper, "a", "the full method has less accumulated error than EIG")
        counts = _reductions(lower, stock, cubes, horizons[-1])
        panel(lower, "b", f"GP readout, {horizons[-1]} rounds: mean and 95 % interval, {seeds_text(counts)}")


def horizons_of(stock: Stock, names: Sequence[str]) -> list[int]:
    """The paper's 50, 100 and 200 rounds, or a quarter, a half and the whole of a shorter run."""
    shortest = min(cell.rounds for cell in stock.cells if cell.benchmark in set(names))
    if shortest >= 200:
        return [50, 100, 200]
    return sorted({max(1, shortest // 4), max(1, shortest // 2), shortest})


def improved(stock: Stock, names: Sequence[str], readout: str, rounds: int) -> tuple[int, int]:
    """On how many designs (benchmark and seed) the full method beats EIG by area, and of how many."""
    better = total = 0
    for name in names:
        ours, theirs = (stock.errors(name, arm, readout=readout) for arm in ("equiwarp", "eig"))
        for seed in ours.keys() & theirs.keys():
            total += 1
            better += bool(ours[seed][1 : rounds + 1].sum() < theirs[seed][1 : rounds + 1].sum())
    return better, total


def _fractions(axes: Axes, stock: Stock, names: Sequence[str], horizons: Sequence[int]) -> None:
    width = 0.8 / len(horizons)
    for place, (rounds, shade) in enumerate(zip(horizons, SHADES, strict=False)):
        for column, readout in enumerate(READOUTS):
            better, total = improved(stock, names, readout, rounds)
            share = 100.0 * better / total
            low, high = (100.0 * float(end) for end in wilson(np.array(better), total))
            x = column + (place - (len(horizons) - 1) / 2) * width
            label = f"{rounds} rounds" if column == 0 else None
            axes.bar(x, share, 0.92 * width, color=shade, label=label)
            axes.errorbar(x, share, yerr=[[share - low], [high - share]], color=BLACK, lw=0.9, capsize=2)
            axes.text(x, 3, f"{share:.0f}", ha="center", color="white" if place else BLACK, fontsize=8)
    axes.axhline(50, color=BLACK, lw=0.8, ls=":")
    axes.set_xticks(range(len(READOUTS)), list(READOUTS.values()))
    axes.set(ylim=(0, 105), ylabel="share of designs (%)", xlabel="readout")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))


def _reductions(axes: Axes, stock: Stock, cubes: Sequence[Benchmark], rounds: int) -> list[int]:
    counts = []
    axes.axhline(0.0, color=BLACK, lw=0.9, ls=(0, (5, 1.5)))
    for place, arm in enumerate(ARMS):
        style = arm_style(arm)
        mean, half = [], []
        for benchmark in cubes:
            found = stock.reductions(benchmark.name, arm, readout="gp")
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
