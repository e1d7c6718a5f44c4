"""Measured against predicted, as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equiwarp.maps.left_out import LeftOut
from equiwarp.plotting.style import BLUE, GREY, VERMILION, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Deviations from which a value is marked.
FAR = 3.0


def left_out_figure(left: LeftOut, label: str, ids: tuple[int, ...] = ()) -> Figure:
    """Each measured value over what the map predicts without it, with two deviations; far ones are named."""
    figure, (axes,) = new_figure(1, 1, (5.6, 5.0))
    far = np.abs(left.z) >= FAR
    for chosen, colour in ((~far, BLUE), (far, VERMILION)):
        if chosen.any():
            pair = left.predicted[chosen], left.measured[chosen]
            bars = 2 * left.deviation[chosen]
            axes.errorbar(*pair, xerr=bars, fmt="o", color=colour, markersize=4.5, elinewidth=0.8, alpha=0.85)
    if len(left.rows):
        ends = [
            min(left.predicted.min(), left.measured.min()),
            max(left.predicted.max(), left.measured.max()),
        ]
        axes.plot(ends, ends, color=GREY, linewidth=1, zorder=0)
    for k in np.flatnonzero(far):
        number = ids[left.rows[k]] if ids else left.rows[k]
        place = float(left.predicted[k]), float(left.measured[k])
        axes.annotate(str(number), place, xytext=(6, 4), textcoords="offset points", fontsize=9)
    axes.set_xlabel(f"{label}, predicted from the others")
    axes.set_ylabel(f"{label}, measured")
    return figure
