"""The figures of a report: slices of the map, what drives the next choice, the course of the error.

Drawn with matplotlib's objects, never with pyplot. Texts that people typed are escaped where
matplotlib would read them as mathematics.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp.domains import Array
from equiwarp.maps.course import Course
from equiwarp.maps.map import Map
from equiwarp.plotting.layers import Layers
from equiwarp.plotting.slices import Slice
from equiwarp.plotting.views import Axis
from equiwarp.strategy import find

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis, YAxis
    from matplotlib.figure import Figure

BLUE, GREEN, ORANGE, PINK = "#0072B2", "#009E73", "#E69F00", "#CC2277"
#: Inches.
WIDTH = 9.6


def png(figure: Figure) -> bytes:
    """A figure as the bytes of a PNG file."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=150)
    return stream.getvalue()


def safe(text: str) -> str:
    """Text in which matplotlib finds no mathematics."""
    return text.replace("$", r"\$")


def labelled(name: str, unit: str) -> str:
    return safe(f"{name} ({unit})" if unit else name)


def _figure(rows: int, columns: int, height: float) -> tuple[Figure, list[Axes]]:
    """A figure as wide as all the others, so that texts have one size throughout a report."""
    from matplotlib.figure import Figure

    # Settings of the figure, not of matplotlib: reports are drawn in several threads.
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
        one.tick_params(labelsize=9)
    return figure, axes


def map_figure(map: Map, slice: Slice, response: int, label: str) -> Figure:
    """Mean and deviation over a slice with the design; of one parameter, the curve with its band."""
    mean, deviation = _predicted(map, slice, response)
    if slice.view.kind == "line":
        figure, (axes,) = _figure(1, 1, 4.2)
        x = slice.grid[0]
        axes.fill_between(x, mean - 2 * deviation, mean + 2 * deviation, color=BLUE, alpha=0.2, linewidth=0)
        axes.plot(x, mean, color=BLUE)
        inside = map.domain.contains(map.x)
        axes.plot(slice.place(map.x[inside])[:, 0], map.y[inside, response], "ko", markersize=5)
        for x in slice.place(map.pending)[:, 0] if len(map.pending) else ():
            axes.axvline(x, color=PINK, linestyle=":", linewidth=1.6)
        _label_line(axes, slice, label)
        return figure
    figure, (left, right) = _figure(1, 2, 4.0)
    _paint(left, slice, mean, label, "viridis")
    _paint(right, slice, deviation, f"uncertainty of {label}", "magma")
    for axes in (left, right):
        _points(axes, map, slice)
    return figure


def layers_figure(map: Map, slice: Slice, layers: Layers) -> Figure:
    """The three acquisition layers, and the stretch of the warp or what another strategy maximises."""
    titles = {"variance": "1. variance", "equalized": "2. equalized", "warped": "3. equalized and warped"}
    strategy = find(map.strategy).name
    if strategy == "equiwarp" or np.isnan(layers.score).all():
        titles["stretch"] = "stretch of the warp"
    else:
        titles["score"] = f"what {strategy} maximises"
    figure, panels = _figure(2, 2, 7.6)
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        values = getattr(layers, name)
        if slice.view.kind == "line":
            axes.plot(slice.grid[0], values, color=ORANGE if name == "stretch" else BLUE)
            axes.set_ylim(bottom=0)
            _label_line(axes, slice, "")
            axes.set_title(title, loc="left", fontsize=10)
        else:
            _paint(axes, slice, values, title, "Oranges" if name == "stretch" else "Blues")
            _points(axes, map, slice)
    return figure


def course_figure(course: Course, response: int, label: str, goal: float | None) -> Figure:
    """Error so far and as forecast."""
    figure, (axes,) = _figure(1, 1, 3.2)
    axes.plot(course.counts, course.errors[:, response], "o-", color=BLUE, label="so far")
    last = int(course.counts[-1])
    ahead = last + course.pending + np.arange(len(course.forecast))
    axes.plot(
        [last, *ahead],
        [course.errors[-1, response], *course.forecast[:, response]],
        ":",
        color=BLUE,
        label="forecast",
    )
    if goal is not None and response == 0:
        axes.axhline(goal, color=GREEN, linestyle="--", label="good enough")
    axes.set_ylim(bottom=0)
    axes.set(xlabel="measurements", ylabel=f"error of {label}")
    axes.legend(frameon=False)
    return figure


def _predicted(map: Map, slice: Slice, response: int) -> tuple[Array, Array]:
    if not slice.inside.any():
        nothing = np.full(len(slice.points), np.nan)
        return nothing, nothing
    prediction = map.predict(slice.points[slice.inside])
    return slice.spread(prediction.mean[:, response]), slice.spread(prediction.deviation[:, response])


def _label_line(axes: Axes, slice: Slice, label: str) -> None:
    axis = slice.axes[0]
    axes.set(xlabel=labelled(axis.name, axis.unit), ylabel=label)
    _scaled(axes.xaxis, axis)


def _paint(axes: Axes, slice: Slice, values: Array, title: str, cmap: str) -> None:
    """A picture of values over a slice of two dimensions."""
    kind = slice.view.kind
    if kind == "list":
        drawn: Any = axes.scatter(slice.grid[0], slice.grid[1], c=values, cmap=cmap, s=28, marker="s")
    else:
        smooth = kind == "plane" and min(slice.shape) >= 8 and bool(np.isfinite(values).all())
        shading: Any = "gouraud" if smooth else "nearest"
        drawn = axes.pcolormesh(*slice.grid, values.reshape(slice.shape), cmap=cmap, shading=shading)
    axes.figure.colorbar(drawn, ax=axes, shrink=0.85)
    axes.set_title(title, loc="left", fontsize=10)
    if kind == "ternary":
        _triangle(axes, slice)
    elif kind == "globe":
        axes.set(xlabel="longitude (°)", ylabel="latitude (°)", xlim=(-180, 180), ylim=(-90, 90))
    else:
        across, up = slice.axes
        axes.set(xlabel=labelled(across.name, across.unit), ylabel=labelled(up.name, up.unit))
        _scaled(axes.xaxis, across)
        _scaled(axes.yaxis, up)


def _scaled(drawn: XAxis | YAxis, axis: Axis) -> None:
    """The scale of an axis; on a logarithmic one 1, 2 and 5 of each power of ten, written out."""
    if axis.scale != "log":
        return
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    getattr(drawn.axes, f"set_{drawn.axis_name}scale")("log")
    many = axis.high / axis.low > 1e4
    drawn.set_major_locator(LogLocator(subs=(1.0,) if many else (1.0, 2.0, 5.0)))
    drawn.set_major_formatter(StrMethodFormatter("{x:g}"))
    drawn.set_minor_locator(NullLocator())


def _triangle(axes: Axes, slice: Slice) -> None:
    from matplotlib.patches import Polygon

    top = np.sqrt(3) / 2
    for cells in axes.collections:  # they stick out over the edges
        cells.set_clip_path(Polygon([(0, 0), (1, 0), (0.5, top)], transform=axes.transData))
    axes.plot([0, 1, 0.5, 0], [0, 0, top, 0], color="black", linewidth=1)
    corners = (((0, -0.03), "top"), ((1, -0.03), "top"), ((0.5, top + 0.02), "bottom"))
    for axis, ((x, y), vertical) in zip(slice.axes, corners, strict=True):
        axes.text(x, y, safe(axis.name), ha="center", va=vertical)
    axes.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.12, top + 0.12))
    axes.set_axis_off()


def _points(axes: Axes, map: Map, slice: Slice) -> None:
    """The design over a picture: what is far from the slice is faint."""
    from matplotlib.colors import to_rgba

    inside = map.domain.contains(map.x)
    for x, face, edge, area, line in (
        (map.x[inside], "white", "black", 20, 1.0),
        (map.pending, None, PINK, 40, 1.6),
    ):
        if len(x) == 0:
            continue
        place = slice.place(x)
        if slice.view.kind == "globe":
            place = np.degrees(
                np.column_stack([np.arctan2(place[:, 1], place[:, 0]), np.arcsin(place[:, 2].clip(-1, 1))])
            )
        near = np.clip(1.0 - 2.0 * slice.apart(x), 0.3, 1.0)
        # Faintness goes into the colours: matplotlib takes no list of alphas where the face is empty.
        faces = "none" if face is None else [to_rgba(face, alpha) for alpha in near]
        edges = [to_rgba(edge, alpha) for alpha in near]
        axes.scatter(
            place[:, 0], place[:, 1], s=area, facecolors=faces, edgecolors=edges, linewidths=line, zorder=3
        )
