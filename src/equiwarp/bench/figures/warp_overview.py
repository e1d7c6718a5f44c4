"""The two faults and the two corrections, in one dimension (the paper's first figure).

Right column: the three acquisition functions after five evenly spaced observations. Left column: what
each of them is made of.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.bench.figures.scores import round_on_grid
from equiwarp.bench.figures.style import ARM_STYLES, BLACK, canvas
from equiwarp.domains import Array, Box
from equiwarp.domains.base import sobol
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import Round
from equiwarp.gp.field import Field

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 5
NOISE = 0.05
#: Reference designs: drawn one by one, and averaged.
EXAMPLES, DESIGNS = 6, 512


def latent(x: Array) -> Array:
    """Nearly flat but for one steep step at 0.63, ``(n,)``."""
    return 0.25 * np.sin(2.2 * np.pi * x) + 1.0 / (1.0 + np.exp(-32.0 * (x - 0.63)))


def draw(results: Path, out: Path) -> None:
    """Draw the overview; nothing stored is needed."""
    domain = Box.unit(1)
    grid = np.linspace(0.0, 1.0, 801)[:, None]
    x = ((np.arange(POINTS) + 0.5) / POINTS)[:, None]
    values = latent(x[:, 0])
    scale = float(values.std())
    measurements = Measurements.of(domain, x, values, NOISE * scale)
    plain, warped = (
        round_on_grid(name, measurements, grid, 1.0 / POINTS, scale) for name in ("eig", "equiwarp")
    )
    with canvas(7.0, 6.2, out) as figure:
        axes = figure.subplots(4, 2, sharex=True, height_ratios=[1.25, 1, 1, 1])
        _functions(axes[0, 0], axes[0, 1], plain)
        reference = _reference(axes[1, 0], plain)
        g = np.minimum(1.0, reference[len(reference) // 2] / reference)
        _equalizer(axes[2, 0], grid, g)
        _density(axes[3, 0], grid, warped.density)
        scores = {
            "eig": (r"acquisition: variance $s^2(x)$", plain.criterion),
            "equalized": (r"equalized: $g(x)\,s^2(x)$", g * plain.criterion),
            "equiwarp": (r"equalized and warped: $g(x)\,s_T^2(x)$", g * warped.criterion),
        }
        for row, (arm, (name, score)) in enumerate(scores.items(), start=1):
            _acquisition(axes[row, 1], plain, score, ARM_STYLES[arm].color)
            axes[row, 1].set_title(name)
        for bottom in axes[-1]:
            bottom.set_xlabel("$x$")
        axes[0, 0].set(xlim=(-0.02, 1.02), xticks=np.linspace(0, 1, 6))


def _functions(left: Axes, right: Axes, now: Round) -> None:
    grid, values = now.configuration.pool[:, 0], now.measurements.y[:, 0]
    truth, scale, shift = latent(grid), values.std(), values.mean()
    for axes in (left, right):
        axes.plot(grid, truth, color=BLACK)
        axes.set_ylim(-0.45, 1.55)
    left.set_ylabel("$f(x)$")
    left.set_title("the function to reconstruct")
    right.plot(grid, now.mean * scale + shift, color=ARM_STYLES["equiwarp"].color, lw=1.2, ls=(0, (4, 1.5)))
    right.plot(now.measurements.x[:, 0], values, "o", color=BLACK, ms=5.5, mfc="white", mew=1.3)
    right.set_title("five observations; dashed: posterior mean")


def _reference(axes: Axes, now: Round) -> Array:
    """Mean variance on the grid ``(m,)`` under designs of the same size, and a few of those designs."""
    colour, grid = ARM_STYLES["eig"].color, now.configuration.pool
    rng = stream(0, "overview")
    curves = np.array(
        [
            Field.of(now.kernel, grid, sobol(1, POINTS, rng), now.values.noise_var).variance
            for _ in range(DESIGNS)
        ]
    )
    for curve in curves[:EXAMPLES]:
        axes.plot(grid[:, 0], curve, color=colour, lw=0.7, alpha=0.45)
    mean = curves.mean(axis=0)
    mean = (mean + mean[::-1]) / 2  # the expectation is symmetric, so the estimate may be
    axes.plot(grid[:, 0], mean, color=colour, lw=2.2)
    axes.set_ylabel(r"$\bar v_N(x)$")
    axes.set_title("variance of Sobol designs; thick: mean")
    axes.set_ylim(0, None)
    return mean


def _equalizer(axes: Axes, grid: Array, g: Array) -> None:
    axes.plot(grid[:, 0], g, color=ARM_STYLES["equalized"].color)
    axes.set_ylabel("$g(x)$")
    axes.set_ylim(0, 1.1)
    axes.set_title("geometric equalizer")


def _density(axes: Axes, grid: Array, density: Array) -> None:
    colour = ARM_STYLES["equiwarp"].color
    axes.fill_between(grid[:, 0], 0, density, color=colour, alpha=0.2, lw=0)
    axes.plot(grid[:, 0], density, color=colour)
    axes.set_ylabel(r"$\hat\rho(x)$")
    axes.set_ylim(0, None)
    axes.set_title("target density: steep mean, many points")


def _acquisition(axes: Axes, now: Round, score: Array, colour: str) -> None:
    grid = now.configuration.pool[:, 0]
    best = int(np.argmax(score))
    axes.fill_between(grid, 0, score, color=colour, alpha=0.2, lw=0)
    axes.plot(grid, score, color=colour)
    axes.vlines(now.measurements.x[:, 0], 0, 0.05 * score.max(), color=BLACK, lw=1.2)
    axes.plot(grid[best], score[best], "*", color=colour, ms=14, mec=BLACK, mew=0.8, clip_on=False, zorder=5)
    axes.set_ylim(0, 1.25 * score.max())
