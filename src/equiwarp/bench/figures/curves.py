"""Panels that several figures share: error curves and area reduction over rounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from equiwarp.bench.area import BASELINE, common_seeds
from equiwarp.bench.figures.stored_runs import FEWEST_SEEDS, Band, StoredRuns, seeds_text
from equiwarp.bench.figures.style import ArmStyle, arm_style, canvas, shared_legend
from equiwarp.bench.functions.catalogue import Benchmark, find_benchmark
from equiwarp.bench.seeded import pilot
from equiwarp.domains import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEEDED_ARMS = (BASELINE, "eig", "equalized", "equiwarp")
WELCOME_ARMS = ("sobol", "kumaraswamy")
#: Later ones lie on top.
DRAWING_ORDER = ("sobol", BASELINE, "eig", "kumaraswamy", "equalized", "equiwarp")


def band(axes: Axes, x: NDArray[np.intp], curve: Band, style: ArmStyle) -> None:
    """A mean line and its shaded 95 % interval, if there are seeds enough for one."""
    axes.plot(x, curve.mean, **style.of_line())
    if curve.seeds >= FEWEST_SEEDS:
        low, high = curve.mean - curve.half, curve.mean + curve.half
        axes.fill_between(x, low, high, color=style.color, alpha=0.15, lw=0)


def error_curves(
    axes: Axes,
    runs: StoredRuns,
    benchmark: str,
    arms: Sequence[str],
    styles: dict[str, ArmStyle] | None = None,
) -> list[int]:
    """Error over rounds of every arm that has cells, as a share of the function's variance.

    The scale is logarithmic. Only seeds that all of them have count; an arm that is merely welcome may
    have fewer. Returns their number, per arm.
    """
    counts: list[int] = []
    means: list[Array] = []
    variance = pilot(find_benchmark(benchmark)).deviation ** 2
    found = {arm: errors for arm in arms if (errors := runs.errors(benchmark, arm))}
    # Arms are compared in pairs: a seed that one of them lacks would shift its curve by luck alone.
    decisive = [errors for arm, errors in found.items() if arm not in WELCOME_ARMS]
    shared = common_seeds(*(decisive or found.values()))
    for arm, errors in found.items():
        own = [seed for seed in shared if seed in errors]
        if not own:
            continue
        curve = Band.of(errors[seed] / variance for seed in own)
        band(axes, np.arange(len(curve.mean)), curve, (styles or {}).get(arm) or arm_style(arm))
        counts.append(curve.seeds)
        means.append(curve.mean)
    axes.set_yscale("log")
    if means:
        # Room for the means: the interval of an erratic arm may be cut, a curve may not.
        every = np.concatenate(means)
        room = (every.max() / every.min()) ** 0.12
        axes.set_ylim(every.min() / room, every.max() * room)
        axes.set_xlim(0, max(len(mean) for mean in means) - 1)
    plain_log_ticks(axes)
    return counts


def plain_log_ticks(axes: Axes) -> None:
    """A handful of plain numbers on a log axis, whether it spans two decades or a tenth of one."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.yaxis.set_major_locator(FixedLocator(log_ticks(*axes.get_ylim())))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.4g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def log_ticks(low: float, high: float, least: int = 3) -> list[float]:
    """The coarsest of a few round grids that puts at least ``least`` ticks between two positive bounds."""
    from matplotlib.ticker import MaxNLocator

    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    for digits in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7)):
        ticks = [float(d * decade) for decade in decades for d in digits if low <= d * decade <= high]
        if len(ticks) >= least:
            return ticks
    return [float(tick) for tick in MaxNLocator(4).tick_values(low, high) if low <= tick <= high]


def curve_grid(
    results: Path, out: Path, names: Sequence[str], columns: int, size: tuple[float, float]
) -> None:
    """A grid of error curves, one benchmark a panel."""
    runs = StoredRuns.of(results, names, (*NEEDED_ARMS, *WELCOME_ARMS))
    runs.require(names, NEEDED_ARMS)
    rows = -(-len(names) // columns)
    counts: list[int] = []
    with canvas(*size, out) as figure:
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes, name in zip(grid.ravel(), names, strict=False):
            counts += error_curves(axes, runs, name, DRAWING_ORDER)
            axes.set_title(title_of(find_benchmark(name)))
        for axes in grid[-1]:
            axes.set_xlabel("acquisition round")
        for axes in grid[:, 0]:
            axes.set_ylabel("1-NN error / variance")
        note = f"mean and 95 % interval, {seeds_text(counts)}"
        figure.supxlabel(note, fontsize=8, color="#444444", x=0.99, ha="right")
        shared_legend(figure, fullest_panel(grid.ravel()), 6)


def fullest_panel(panels: Iterable[Axes]) -> Axes:
    """The panel with most arms, for the legend."""
    return max(panels, key=lambda axes: len(axes.get_legend_handles_labels()[1]))


def title_of(benchmark: Benchmark) -> str:
    """The paper's name with its spheres set as mathematics."""
    return benchmark.title.replace("(S^2)", "($S^2$)").replace("(S^3)", "($S^3$)")
