"""On a cube the boundary bias shows at every lengthscale, and g corrects it cheaply (fig:cube_ell)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.bench.area import BASELINE
from equiwarp.bench.figures.curves import fullest_panel
from equiwarp.bench.figures.lengthscales import (
    drawn_arms,
    fixed_range,
    shares_near_face,
    sweep_panel,
    swept_benchmarks,
)
from equiwarp.bench.figures.stored_runs import StoredRuns, seeds_text
from equiwarp.bench.figures.style import (
    ARM_STYLES,
    BLACK,
    DESIGN_POINTS,
    arm_style,
    canvas,
    panel,
    shared_legend,
    square_map,
)
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.studies.cost import LOOKUP, Cost, stored_costs
from equiwarp.bench.studies.lengthscale import CUBE_STUDY
from equiwarp.engine.configuration import POOL_SIZE
from equiwarp.exceptions import MissingCells

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CUBE_LEVEL_ARMS = ("sobol", "refit")
CUBE_DIMENSIONS = (2, 3, 4)
SHOWN_POINTS = 20
NEAR_FACE = 0.05
COSTS = {LOOKUP: "$g$, table lookup", "eig": "EIG", "equalized": "EIG × g", "nipv": "NIPV", "epig": "EPIG"}


def draw(results: Path, out: Path) -> None:
    """Draw the five panels from stored cells of the cubes that were swept, and the cost study."""
    loaded = (BASELINE, *CUBE_STUDY.arms, "epig-joint", *CUBE_LEVEL_ARMS)
    runs = StoredRuns.of(results, CUBE_STUDY.benchmarks, loaded)
    arms = drawn_arms(runs, CUBE_STUDY.benchmarks, CUBE_STUDY.arms)
    names = swept_benchmarks(runs, CUBE_STUDY.benchmarks, arms)
    by_dim = {dim: [name for name in names if find_benchmark(name).dim == dim] for dim in CUBE_DIMENSIONS}
    if not all(by_dim.values()):
        commands = "\n  ".join(CUBE_STUDY.commands(results))
        raise MissingCells(f"no complete lengthscale sweep in {results}; make it with\n  {commands}")
    runs.require(names, (BASELINE, *arms, *CUBE_LEVEL_ARMS), CUBE_STUDY.rounds)
    counts: list[int] = []
    with canvas(11.0, 5.6, out) as figure:
        grid = figure.add_gridspec(2, 4, height_ratios=[1.35, 1.0], width_ratios=[1.1, 1, 1, 1])
        _chosen(figure.add_subplot(grid[0, 0]), runs, by_dim[2])
        panels = [figure.add_subplot(grid[0, 1])]
        panels += [figure.add_subplot(grid[0, column], sharey=panels[0]) for column in (2, 3)]
        for letter, axes, dim in zip("bcd", panels, CUBE_DIMENSIONS, strict=True):
            horizon, seeds = sweep_panel(axes, runs, by_dim[dim], arms, CUBE_LEVEL_ARMS, CUBE_STUDY.rounds)
            counts += seeds
            panel(axes, letter, f"{dim}D, {horizon} rounds")
        panels[0].set_ylabel("area reduction against FPS (%)")
        for axes in panels:
            fixed_range(axes)
        shared_legend(figure, fullest_panel(panels), 6)
        _costs(figure.add_subplot(grid[1, :]), stored_costs(results))
        note = f"(b) to (d): {', '.join(names)}; mean and 95 % interval, {seeds_text(counts)}"
        figure.supxlabel(note, fontsize=8, color="#444444", x=0.99, ha="right")


def _chosen(axes: Axes, runs: StoredRuns, names: list[str]) -> None:
    """The first points that plain EIG chose, and how many of all its points hug a face."""
    cells = runs.select(names[0], "eig")
    cell = cells[min(cells)]
    start, chosen = cell.x[: cell.n0], cell.x[cell.n0 : cell.n0 + SHOWN_POINTS]
    inside = 1.0 - 2 * NEAR_FACE
    axes.fill([0, 1, 1, 0], [0, 0, 1, 1], color="#E4E4E4", lw=0)
    axes.fill(
        NEAR_FACE + inside * np.array([0, 1, 1, 0]),
        NEAR_FACE + inside * np.array([0, 0, 1, 1]),
        color="white",
    )
    axes.plot(start[:, 0], start[:, 1], **DESIGN_POINTS)
    axes.plot(chosen[:, 0], chosen[:, 1], "o", color=ARM_STYLES["eig"].color, ms=6, clip_on=False)
    square_map(axes)
    eig, sobol = (100 * _share(runs, names, arm) for arm in ("eig", "sobol"))
    axes.set_xlabel(
        f"$x_1$\nopen: start; grey: chosen\nwithin {NEAR_FACE:g} of a face:\n"
        f"EIG {eig:.0f} %, Sobol {sobol:.0f} %",
        linespacing=1.35,
    )
    panel(axes, "a", f"{len(chosen)} points by EIG")


def _share(runs: StoredRuns, names: list[str], arm: str) -> float:
    """Mean over benchmarks and seeds of the acquired points' share near a face."""
    cells = [cell for name in names for cell in runs.select(name, arm).values()]
    return float(np.mean([shares_near_face(cell.x[cell.n0 :], NEAR_FACE) for cell in cells]))


def _costs(axes: Axes, costs: list[Cost]) -> None:
    """Dots on a log axis: computed afresh, and updated from the last round."""
    known = {cost.what: cost for cost in costs}
    for row, what in enumerate(COSTS):
        cost = known[what]
        color = ARM_STYLES["equalized"].color if what == LOOKUP else arm_style(what).color
        axes.plot([1e3 * cost.updated, 1e3 * cost.afresh], [row, row], color=color, lw=1.2)
        axes.plot(1e3 * cost.afresh, row, "o", color=color, ms=8, mec=BLACK, mew=0.6)
        axes.plot(1e3 * cost.updated, row, "o", color="white", ms=8, mec=color, mew=1.8)
    axes.plot([], [], "o", color="#888888", ms=7, mec=BLACK, mew=0.6, label="computed afresh")
    axes.plot([], [], "o", color="white", ms=7, mec="#888888", mew=1.8, label="updated from the last round")
    axes.set_xscale("log")
    axes.set_yticks(range(len(COSTS)), list(COSTS.values()))
    axes.set_ylim(len(COSTS) - 0.5, -0.5)
    axes.grid(axis="x", color="#DDDDDD", lw=0.6)
    axes.set_axisbelow(True)
    axes.legend(loc="upper right", bbox_to_anchor=(1.0, 1.0))
    one = costs[0]
    axes.set_xlabel(f"milliseconds per round ({one.dim}D, N = {one.n}, pool of {POOL_SIZE:,})")
    panel(axes, "e", "cost of one round")
