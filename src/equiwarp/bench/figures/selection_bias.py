"""How far from the boundary each criterion chooses before any value is known (fig:selection_bias)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.bench.figures.style import BLACK, arm_style, canvas, panel, shared_legend
from equiwarp.bench.studies.selection_bias import (
    SHELL_EDGES,
    SelectionProfile,
    selection_profiles,
    shell_volumes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROFILE_DIMENSIONS = (2, 3, 4)
PROFILED_DESIGNS = 192


def draw(results: Path, out: Path) -> None:
    """Draw a panel per dimension; nothing stored is needed."""
    with canvas(8.6, 3.2, out) as figure:
        axes = figure.subplots(1, len(PROFILE_DIMENSIONS), sharey=True)
        for place, (axis, dim) in enumerate(zip(axes, PROFILE_DIMENSIONS, strict=True)):
            _profiles(axis, dim, selection_profiles(dim, PROFILED_DESIGNS))
            panel(axis, "abc"[place], f"{dim}D")
            axis.set_xlabel("distance to the nearest face")
        axes[0].set_ylabel("share of choices per shell (%)")
        shared_legend(figure, axes[0], 5)


def _profiles(axes: Axes, dim: int, found: list[SelectionProfile]) -> None:
    middle = (SHELL_EDGES[:-1] + SHELL_EDGES[1:]) / 2
    for place, profile in enumerate(found):
        style = arm_style(profile.arm)
        low, high = profile.margin
        share = 100 * profile.share
        # A small shift to the side keeps the error bars of the criteria apart.
        x = middle + 0.005 * (place - (len(found) - 1) / 2)
        axes.errorbar(
            x,
            share,
            yerr=np.array([share - 100 * low, 100 * high - share]),
            elinewidth=0.8,
            capsize=0,
            **style.of_points(),
        )
    axes.plot(middle, 100 * shell_volumes(dim), ":", color=BLACK, lw=1.4, label="random selection")
    axes.set(xlim=(0, 0.5), ylim=(0, None))
