"""Panels that several figures share: error curves and area reduction over rounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from equiwarp.bench.benchmarks import Benchmark, find
from equiwarp.bench.figures.stock import Band, Stock, seeds_text
from equiwarp.bench.figures.style import ArmStyle, arm_style, canvas, shared_legend
from equiwarp.bench.problem import pilot
from equiwarp.domains import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEEDED = ("fps", "eig", "equalized", "equiwarp")
WELCOME = ("sobol", "kumaraswamy")
#: Later ones lie on top.
ORDER = ("sobol", "fps", "eig", "kumaraswamy", "equalized", "equiwarp")


def band(axes: Axes, x: NDArray[np.intp], curve: Band, style: ArmStyle) -> None:
    """A mean line and its shaded 95 % interval."""
    axes.plot(x, curve.mean, **style.of_line())
    if curve.seeds > 1:
        low, high = curve.mean - curve.half, curve.mean + curve.half
        axes.fill_between(x, low, high, color=style.color, alpha=0.15, lw=0)


def error_curves(
    axes: Axes, stock: Stock, benchmark: str, arms: Sequence[str], styles: dict[str, ArmStyle] | None = None
) -> list[int]:
    """Error over rounds of every arm that has cells, as a share of the function's variance.

    The scale is logarithmic. Returns the number of seeds of each arm.
    """
    counts: list[int] = []
    means: list[Array] = []
    variance = pilot(find(benchmark)).deviation ** 2
    for arm in arms:
        errors = stock.errors(benchmark, arm)
        if errors:
            curve = Band.of(error / variance for error in errors.values())
            band(axes, np.arange(len(curve.mean)), curve, (styles or {}).get(arm) or arm_style(arm))
            counts.append(curve.seeds)
            means.append(curve.mean)
    axes.set_yscale("log")
    if means:
        # Room for the means: the interval of an erratic arm may be cut, a curve may not.
        every = np.concatenate(means)
        axes.set_ylim(0.85 * every.min(), 1.2 * every.max())
    plain_log_ticks(axes)
    axes.set_xlim(0, None)
    axes.margins(x=0)
    return counts


def plain_log_ticks(axes: Axes) -> None:
    """1, 2, 5 per decade as plain numbers: most curves span less than a decade."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def curve_grid(
    results: Path, out: Path, names: Sequence[str], columns: int, size: tuple[float, float]
) -> None:
    """A grid of error curves, one benchmark a panel."""
    stock = Stock.of(results, names, (*NEEDED, *WELCOME))
    stock.require(names, NEEDED)
    rows = -(-len(names) // columns)
    counts: list[int] = []
    with canvas(*size, out) as figure:
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes, name in zip(grid.ravel(), names, strict=False):
            counts += error_curves(axes, stock, name, ORDER)
            axes.set_title(title_of(find(name)))
        for axes in grid[-1]:
            axes.set_xlabel("acquisition round")
        for axes in grid[:, 0]:
            axes.set_ylabel("1-NN error / variance")
        note = f"mean and 95 % interval, {seeds_text(counts)}"
        figure.supxlabel(note, fontsize=8, color="#444444", x=0.99, ha="right")
        shared_legend(figure, fullest(grid.ravel()), 6)


def fullest(panels: Iterable[Axes]) -> Axes:
    """The panel with most arms, for the legend."""
    return max(panels, key=lambda axes: len(axes.get_legend_handles_labels()[1]))


def title_of(benchmark: Benchmark) -> str:
    """The paper's name with its spheres set as mathematics."""
    return benchmark.title.replace("(S^2)", "($S^2$)").replace("(S^3)", "($S^3$)")
