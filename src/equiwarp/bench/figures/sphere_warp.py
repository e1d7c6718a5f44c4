"""Where the warp measures on a sphere, and what that is worth (fig:sphere_warp)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.bench.area import BASELINE
from equiwarp.bench.figures.curves import error_curves, fullest_panel, title_of
from equiwarp.bench.figures.stored_runs import StoredRuns, seeds_text
from equiwarp.bench.figures.style import BLACK, DESIGN_POINTS, GREEN, ArmStyle, canvas, panel, shared_legend
from equiwarp.bench.functions.catalogue import Benchmark, benchmarks
from equiwarp.bench.results import Cell
from equiwarp.domains import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: On a sphere g is exactly 1, so the full method is the warp alone and either arm will do.
WARPED_ARMS = ("warp", "equiwarp")
OTHER_ARMS = ("random", "sobol", BASELINE, "eig")
WARP_STYLE = ArmStyle("EIG + reconstruction warp", GREEN, "P")
GLOBE_PIXELS = 400
#: How far the eye is turned away from the cap's centre, in radians.
EYE_TILT = 0.55


def draw(results: Path, out: Path) -> None:
    """Draw the cap with a design and the four error curves, from stored cells."""
    spheres = [b for b in benchmarks().values() if b.sphere]
    names = [b.name for b in spheres]
    runs = StoredRuns.of(results, names, (*OTHER_ARMS, *WARPED_ARMS))
    warped = "warp" if all(runs.has(name, "warp") for name in names) else "equiwarp"
    runs.require(names, (*OTHER_ARMS, warped))
    counts: list[int] = []
    with canvas(10.4, 4.6, out) as figure:
        grid = figure.add_gridspec(2, 3, width_ratios=[1.35, 1, 1])
        cells = runs.select(spheres[0].name, warped)
        _globe(figure, figure.add_subplot(grid[:, 0]), spheres[0], cells[min(cells)])
        panels = [figure.add_subplot(grid[row, column]) for row in (0, 1) for column in (1, 2)]
        for letter, axes, benchmark in zip("bcde", panels, spheres, strict=True):
            counts += error_curves(axes, runs, benchmark.name, (*OTHER_ARMS, warped), {warped: WARP_STYLE})
            panel(axes, letter, title_of(benchmark))
        for axes in panels[2:]:
            axes.set_xlabel("acquisition round")
        for axes in panels[::2]:
            axes.set_ylabel("1-NN error / variance")
        note = f"(b) to (e): mean and 95 % interval, {seeds_text(counts)}"
        figure.supxlabel(note, fontsize=8, color="#444444", x=0.99, ha="right")
        shared_legend(figure, fullest_panel(panels), 5)


def _globe(figure: Figure, axes: Axes, benchmark: Benchmark, cell: Cell) -> None:
    """The function on the visible half of the sphere, seen from far away, with the design on it."""
    frame = camera(np.asarray(benchmark.function.centres[0]))  # type: ignore[attr-defined]
    side = np.linspace(-1.0, 1.0, GLOBE_PIXELS)
    right, up = np.meshgrid(side, side)
    depth = np.sqrt(np.maximum(1.0 - right**2 - up**2, 0.0))
    points = np.stack([right, up, depth], axis=-1).reshape(-1, 3) @ frame
    norm = np.linalg.norm(points, axis=1, keepdims=True)
    values = benchmark(points / np.maximum(norm, 1e-9)).reshape(GLOBE_PIXELS, GLOBE_PIXELS)
    shown = np.ma.masked_where(right**2 + up**2 > 1.0, values)
    mesh = axes.imshow(
        shown, origin="lower", extent=(-1, 1, -1, 1), interpolation="bilinear", vmin=0.0, vmax=1.0
    )
    outline = np.linspace(0.0, 2 * np.pi, 361)
    axes.plot(np.cos(outline), np.sin(outline), color=BLACK, lw=0.8)
    seen = cell.x @ frame.T
    front = seen[:, 2] > 0
    chosen = np.arange(len(seen)) >= cell.n0
    axes.plot(*seen[front & chosen, :2].T, **{**DESIGN_POINTS, "color": GREEN, "markersize": 5})
    axes.plot(*seen[front & ~chosen, :2].T, **{**DESIGN_POINTS, "markersize": 5})
    axes.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), aspect="equal")
    axes.set_axis_off()
    panel(axes, "a", f"cap on $S^2$: start (white), {cell.rounds} rounds (green)")
    bar = figure.colorbar(
        mesh, cax=axes.inset_axes((0.2, -0.06, 0.6, 0.035)), orientation="horizontal", ticks=(0, 0.5, 1)
    )
    bar.set_label("$f(x)$", labelpad=1)


def camera(centre: Array, tilt: float = EYE_TILT) -> Array:
    """Rows: right, up, and the direction of the eye, ``tilt`` away from a unit vector ``(3,)``."""
    centre = centre / np.linalg.norm(centre)
    # Any direction across the centre will do to turn around; take it from the least aligned axis.
    across = np.cross(centre, np.eye(3)[int(np.argmin(np.abs(centre)))])
    across /= np.linalg.norm(across)
    eye = np.cos(tilt) * centre + np.sin(tilt) * np.cross(across, centre)
    return np.stack([across, np.cross(eye, across), eye])
