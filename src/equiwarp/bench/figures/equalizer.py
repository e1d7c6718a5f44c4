"""The geometric equalizer: its shape, what moves its edge, and what it does to a choice (fig:map)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp._util.seeds import DESIGN, stream
from equiwarp.bench.figures.scores import precise_equalizer, round_on_grid
from equiwarp.bench.figures.style import ARM_STYLES, DESIGN_POINTS, canvas, panel, square_map
from equiwarp.domains import Array, Box
from equiwarp.engine.measurements import Measurements
from equiwarp.gp.kernels import Matern52

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 101
#: A Sobol design whose largest variance lies in a corner, as for 27 of the first 30 seeds.
SEED = 3
NOISE = 0.05
SIZES = (20, 60, 180)
FACTORS = (0.5, 1.0, 2.0)
SHADES = ("#FDBE85", "#E6730A", "#7F3B08")


def draw(results: Path, out: Path) -> None:
    """Draw the four panels; nothing stored is needed."""
    domain = Box.unit(2)
    ell = domain.spacing()
    grid = square_grid(SIDE)
    n0 = domain.n0
    x = domain.sample(n0, stream(SEED, DESIGN))
    variance = round_on_grid("eig", Measurements.of(domain, x, np.zeros(n0), NOISE), grid, ell, 1.0).criterion
    g = precise_equalizer(Matern52(ell), NOISE, n0, grid)
    with canvas(10.6, 2.75, out) as figure:
        outer = figure.add_gridspec(1, 4, width_ratios=[1.12, 0.95, 1.12, 1.12])
        image(figure, figure.add_subplot(outer[0]), g, vmin=0.0, vmax=1.0)
        panel(figure.axes[0], "a", f"$g$ in 2D, $N={n0}$")
        column = outer[1].subgridspec(2, 1, hspace=0.1)
        upper = figure.add_subplot(column[0])
        _profiles(upper, figure.add_subplot(column[1], sharex=upper), domain, ell)
        for place, letter, score, title in (
            (2, "c", variance, "variance $s^2$"),
            (3, "d", g * variance, "equalized $g\\,s^2$"),
        ):
            axes = figure.add_subplot(outer[place])
            image(figure, axes, score, vmin=0.0)
            mark(axes, x, grid, score, ARM_STYLES["eig" if letter == "c" else "equalized"].color)
            panel(axes, letter, title)


def square_grid(side: int) -> Array:
    """Points of a uniform grid on the unit square, faces included, ``(side^2, 2)``, x_1 fastest."""
    axis = np.linspace(0.0, 1.0, side)
    first, second = np.meshgrid(axis, axis)
    return np.column_stack([first.ravel(), second.ravel()])


def image(
    figure: Figure, axes: Axes, values: Array, vmin: float | None = None, vmax: float | None = None
) -> None:
    """A field on a square grid ``(side^2,)`` with its colour bar."""
    side = round(len(values) ** 0.5)
    shown = axes.imshow(values.reshape(side, side), origin="lower", extent=(0, 1, 0, 1), vmin=vmin, vmax=vmax)
    square_map(axes)
    figure.colorbar(shown, cax=axes.inset_axes((1.04, 0.0, 0.05, 1.0)))


def mark(axes: Axes, x: Array, grid: Array, score: Array, colour: str) -> None:
    """The design in white and the chosen grid point as a star, which may lie on the frame."""
    best = grid[int(np.argmax(score))]
    axes.plot(x[:, 0], x[:, 1], **DESIGN_POINTS)
    axes.plot(best[0], best[1], "*", color=colour, ms=15, mec="white", mew=1.0, clip_on=False, zorder=6)


def _profiles(upper: Axes, lower: Axes, domain: Box, ell: float) -> None:
    """g along the line from the middle of a face to the centre."""
    distance = np.linspace(0.0, 0.5, 101)
    line = np.column_stack([distance, np.full_like(distance, 0.5)])
    for size, shade in zip(SIZES, SHADES, strict=True):
        g = precise_equalizer(Matern52(ell), NOISE, size, line)
        upper.plot(distance, g, color=shade, label=f"$N={size}$")
    for factor, shade in zip(FACTORS, SHADES, strict=True):
        g = precise_equalizer(Matern52(factor * ell), NOISE, domain.n0, line)
        lower.plot(distance, g, color=shade, label=f"${factor:g}\\,\\ell_a$")
    for axes in (upper, lower):
        axes.set(xlim=(0, 0.5), ylim=(0, 1.08), yticks=(0, 0.5, 1), ylabel="$g$")
        axes.legend(loc="lower right", handlelength=1.4, labelspacing=0.25, borderaxespad=0.1)
    upper.tick_params(labelbottom=False)
    lower.set_xlabel("distance to the face")
    panel(upper, "b", "by $N$ and $\\ell_a$")
