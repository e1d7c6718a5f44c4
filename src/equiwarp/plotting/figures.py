"""The figures of a report: slices of the map, what drives the next choice, the course of the error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equiwarp.domains import Array
from equiwarp.maps.course import Course
from equiwarp.maps.map import Map
from equiwarp.plotting.drawing import (
    draw_coming_lines,
    draw_design,
    draw_errors,
    draw_map,
    draw_uncertainty,
    label_line,
    paint,
)
from equiwarp.plotting.layers import Layers
from equiwarp.plotting.slices import Slice
from equiwarp.plotting.style import BLUE, GREEN, ORANGE, SCORES, STRETCH, new_figure
from equiwarp.strategy import find

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Inches; one width, so that texts have one size throughout a report.
WIDTH = 9.6
#: A goal is drawn if the course then keeps this part of the height or more: one half.
MOST_ROOM = 2.0


def map_figure(map: Map, slice: Slice, response: int, label: str) -> Figure:
    """Mean and deviation over a slice with the design; of one parameter, the curve with its band."""
    if slice.view.kind == "line":
        figure, (axes,) = new_figure(1, 1, (WIDTH, 4.2))
        draw_map(axes, map, response, slice, label)
        return figure
    figure, (left, right) = new_figure(1, 2, (WIDTH, 4.0))
    draw_map(left, map, response, slice, label)
    draw_uncertainty(right, map, response, slice, f"uncertainty of {label}")
    return figure


def layers_figure(map: Map, slice: Slice, layers: Layers, coming: Array) -> Figure:
    """The three acquisition layers, and the stretch of the warp or what another strategy maximises.

    ``coming`` ``(c, columns)`` are the points that would be suggested now.
    """
    titles = {"variance": "1. variance", "equalized": "2. equalized", "warped": "3. equalized and warped"}
    strategy = find(map.strategy).name
    if strategy == "equiwarp" or np.isnan(layers.score).all():
        titles["stretch"] = "stretch of the warp"
    else:
        titles["score"] = f"what {strategy} maximises"
    figure, panels = new_figure(2, 2, (WIDTH, 7.6))
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        values = getattr(layers, name)
        if slice.view.kind == "line":
            axes.plot(slice.grid[0], values, color=ORANGE if name == "stretch" else BLUE)
            axes.set_ylim(bottom=0)
            draw_coming_lines(axes, slice, coming)
            label_line(axes, slice, "")
            axes.set_title(title, loc="left", fontsize=10)
        else:
            paint(axes, slice, values, title, STRETCH if name == "stretch" else SCORES)
            draw_design(axes, map, slice, coming)
    return figure


def course_figure(course: Course, response: int, label: str, goal: float | None) -> Figure:
    """Error so far and as forecast; a goal that lies far above both is neither drawn nor named."""
    figure, (axes,) = new_figure(1, 1, (WIDTH, 3.2))
    errors, forecast = course.errors[:, response], course.forecast
    draw_errors(axes, course.counts, errors, f"error of {label}")
    last = int(course.counts[-1])
    ahead = last + np.arange(len(forecast))
    low, high = forecast.low[:, response], forecast.high[:, response]
    axes.fill_between(ahead, low, high, color=BLUE, alpha=0.12, linewidth=0)
    axes.plot(ahead, forecast[:, response], ":", color=BLUE, label="forecast")
    top = 1.08 * max(float(np.nanmax(errors)), float(np.nanmax(high)))
    if goal is not None and goal < MOST_ROOM * top:
        axes.axhline(goal, color=GREEN, linestyle="--", label="good enough")
        top = max(top, 1.08 * goal)
    axes.set_ylim(0, top if top > 0 else None)
    axes.legend(frameon=False)
    return figure
