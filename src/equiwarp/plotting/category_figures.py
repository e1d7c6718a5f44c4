"""The map in each category, beside each other: one colour scale, so that categories can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.domains import Domain
from equiwarp.domains.view import Axis
from equiwarp.exceptions import InvalidInput
from equiwarp.maps.map import Map
from equiwarp.plotting.drawing import draw_curve, draw_design, label_line, paint, predicted
from equiwarp.plotting.slices import Slice, cut
from equiwarp.plotting.style import VALUES, new_figure, safe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Panels of a figure at most, panels in a row, and inches of a panel.
MOST_PANELS, IN_A_ROW, PANEL = 12, 3, (3.2, 2.9)
#: Points are drawn in the panel of their own category: another one is a whole axis away.
ANOTHER = 0.999


def category_axes(domain: Domain) -> list[Axis]:
    """The axes of a domain that are categories."""
    return [axis for axis in domain.view().axes if axis.labels]


def category_axis(domain: Domain, name: str | None = None) -> Axis:
    """The category of this name, or the first; an error that says which there are."""
    found = category_axes(domain)
    if not found:
        raise InvalidInput("no parameter of this domain is a category: draw the map instead")
    for axis in found:
        if name in (None, axis.name):
            return axis
    raise InvalidInput(f"{name!r} is no category; choose from {', '.join(axis.name for axis in found)}")


def category_slices(domain: Domain, axis: Axis, at: Mapping[str, float] | None = None) -> list[Slice]:
    """One slice for each category that has room, along the axes that are numbers as far as there are such."""
    numbers = tuple(a.name for a in domain.view().axes if not a.labels)
    held = {name: value for name, value in (at or {}).items() if name != axis.name}
    return [cut(domain, numbers, {**held, axis.name: setting}) for setting in axis.settings[:MOST_PANELS]]


def category_figure(
    map: Map, response: int, label: str, axis: Axis, at: Mapping[str, float] | None = None
) -> Figure:
    """The mean of a response in each category; with one other parameter, a curve and its band."""
    slices = category_slices(map.domain, axis, at)
    columns = min(IN_A_ROW, len(slices))
    rows = -(-len(slices) // columns)
    figure, panels = new_figure(rows, columns, (PANEL[0] * columns, PANEL[1] * rows))
    for unused in panels[len(slices) :]:
        unused.set_axis_off()
    if axis in slices[0].axes:
        _curves(panels, map, response, label, axis)
    else:
        _planes(panels, map, response, slices, axis)
    left = len(axis.settings) - len(slices)
    more = f"; {left} more are not drawn" if left else ""
    figure.suptitle(safe(f"{_held(label, slices[0], axis)}, by {axis.name}{more}"), fontsize=10)
    return figure


def _planes(panels: list[Axes], map: Map, response: int, slices: list[Slice], axis: Axis) -> None:
    means = [predicted(map, slice, response)[0] for slice in slices]
    drawn = np.concatenate(means)
    drawn = drawn[np.isfinite(drawn)]
    limits = (float(drawn.min()), float(drawn.max())) if len(drawn) else None
    for axes, slice, mean in zip(panels, slices, means, strict=False):
        paint(axes, slice, mean, safe(axis.text(slice.at[axis.name])), VALUES, limits)
        draw_design(axes, map, slice, farthest=ANOTHER, response=response)


def _curves(panels: list[Axes], map: Map, response: int, label: str, axis: Axis) -> None:
    """One number and the category: its slice is a plane, a row of which is the curve of a category."""
    slice = cut(map.domain)
    across = next(i for i, a in enumerate(slice.axes) if a.name != axis.name)
    mean, deviation = (
        values.reshape(slice.shape) if across == 0 else values.reshape(slice.shape).T
        for values in predicted(map, slice, response)
    )
    x, place = slice.grid[across], slice.place(map.x)
    for k, (axes, setting) in enumerate(zip(panels, axis.settings[:MOST_PANELS], strict=False)):
        draw_curve(axes, x, mean[k], deviation[k])
        here = (np.round(place[:, 1 - across]) == round(setting)) & map.domain.contains(map.x)
        axes.plot(place[here, across], map.y[here, response], "ko", markersize=4)
        label_line(axes, slice, label if k % IN_A_ROW == 0 else "", across)
        axes.set_title(safe(axis.text(setting)), loc="left", fontsize=10)
    panels[0].legend(frameon=False, fontsize=8)
    used = panels[: len(axis.settings)]
    ends = np.array([axes.get_ylim() for axes in used])
    for axes in used:
        axes.set_ylim(ends[:, 0].min(), ends[:, 1].max())


def _held(label: str, slice: Slice, axis: Axis) -> str:
    """The label, and where all but the category is held."""
    others = {name: value for name, value in slice.at.items() if name != axis.name}
    said = ", ".join(f"{name} = {slice.view.axis(name).text(value)}" for name, value in others.items())
    return f"{label} at {said}" if said else label
