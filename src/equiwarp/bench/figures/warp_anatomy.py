"""From the mean's gradient to a warped variance, on Gramacy-Lee with 40 points (fig:warp_anatomy)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp._util.seeds import DESIGN, stream
from equiwarp.bench.figures.equalizer import image, mark, square_grid
from equiwarp.bench.figures.scores import round_on_grid
from equiwarp.bench.figures.style import ARM_STYLES, DESIGN_POINTS, canvas, panel, square_map
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array
from equiwarp.engine.measurements import Measurements
from equiwarp.geometry.warp import Warp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 40
SIDE = 121
SEED = 2
#: Part of the square that counts as steep.
STEEP = 0.15
#: Lines of the deformed grid, per coordinate.
LINES = 21


def draw(results: Path, out: Path) -> None:
    """Draw the five panels; nothing stored is needed."""
    seeded = SeededBenchmark(find_benchmark("gramacy-lee-2d"), SEED)
    domain = seeded.benchmark.domain
    x = domain.sample(POINTS, stream(SEED, DESIGN))
    measurements, grid = Measurements.of(domain, x, seeded.measure(x), seeded.noise), square_grid(SIDE)
    ell = domain.spacing(seeded.benchmark.n0)
    plain, warped = (
        round_on_grid(name, measurements, grid, ell, seeded.deviation) for name in ("eig", "warp")
    )
    truth = seeded.benchmark(grid)
    with canvas(8.2, 5.2, out) as figure:
        axes = figure.subplots(2, 3).ravel()
        image(figure, axes[0], truth)
        axes[0].plot(x[:, 0], x[:, 1], **DESIGN_POINTS)
        panel(axes[0], "a", f"function and design, $N={POINTS}$")
        image(figure, axes[1], warped.density, vmin=0.0)
        panel(axes[1], "b", r"target density $\hat\rho$")
        image(figure, axes[2], plain.criterion, vmin=0.0)
        mark(axes[2], x, grid, plain.criterion, ARM_STYLES["eig"].color)
        panel(axes[2], "c", "variance $s^2$")
        image(figure, axes[3], warped.criterion, vmin=0.0)
        mark(axes[3], x, grid, warped.criterion, ARM_STYLES["warp"].color)
        panel(axes[3], "d", "warped variance $s_T^2$")
        _deformation(axes[4], warped.warp, x)
        panel(axes[4], "e", "coordinate lines after $T$")
        _key(axes[5], steep_share(truth, plain.criterion), steep_share(truth, warped.criterion))


def steep_share(truth: Array, score: Array, part: float = STEEP) -> float:
    """Share of a score's integral in the steepest part of a function, both on a square grid ``(m,)``."""
    side = round(len(truth) ** 0.5)
    slope = np.hypot(*np.gradient(truth.reshape(side, side))).ravel()
    return float(score[slope >= np.quantile(slope, 1.0 - part)].sum() / score.sum())


def _key(axes: Axes, plain: float, warped: float) -> None:
    """The empty sixth cell says what the signs mean, and puts a number on the shift from c to d."""
    axes.set_axis_off()
    axes.plot([], [], **DESIGN_POINTS, label="measured")
    axes.plot([], [], "*", color=ARM_STYLES["eig"].color, ms=13, label="largest variance")
    axes.plot([], [], "*", color=ARM_STYLES["warp"].color, ms=13, label="largest warped variance")
    axes.legend(loc="upper left", borderaxespad=0.0, labelspacing=0.8)
    axes.text(
        0.02,
        0.42,
        f"The steepest {100 * STEEP:.0f} % of the\nsquare holds\n"
        f"{100 * plain:.0f} % of the variance,\n{100 * warped:.0f} % of the warped one.",
        transform=axes.transAxes,
        va="top",
        linespacing=1.5,
    )


def _deformation(axes: Axes, warp: Warp, x: Array) -> None:
    """Images of straight coordinate lines, and of the design."""
    fine = np.linspace(0.0, 1.0, 201)
    for level in np.linspace(0.0, 1.0, LINES):
        constant = np.full_like(fine, level)
        for line in (np.column_stack([constant, fine]), np.column_stack([fine, constant])):
            _path(axes, warp(line))
    moved = warp(x)
    axes.plot(moved[:, 0], moved[:, 1], **DESIGN_POINTS)
    square_map(axes)
    axes.set_xlabel("$T_1$", labelpad=2)
    axes.set_ylabel("$T_2$", labelpad=4)


def _path(axes: Axes, line: Array) -> None:
    axes.plot(line[:, 0], line[:, 1], color=ARM_STYLES["warp"].color, lw=0.7)
