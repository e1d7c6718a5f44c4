"""What is drawn on one pair of axes: a map, values over a slice, the design, the course of the error.

Notebook, live plot and report all draw with these, over the same slices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp.domains import Array
from equiwarp.domains.followed import AZIMUTH, ELEVATION
from equiwarp.domains.view import Axis
from equiwarp.plotting.slices import Slice, cut
from equiwarp.plotting.style import BAND, BLACK, BLUE, NEXT, PENDING, UNCERTAINTY, VALUES, labelled, safe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis, YAxis

    from equiwarp.maps.map import Map

#: The height of a triangle whose sides are one.
TOP = np.sqrt(3) / 2


def draw_map(
    axes: Axes,
    map: Map,
    response: int = 0,
    slice: Slice | None = None,
    label: str = "",
    coming: Array | None = None,
) -> None:
    """The mean of a response over a slice, with the design; of one parameter, the curve with its band.

    Without a slice, the first axes are shown with the others held in their middle. The label is safe to
    draw already; without one, the title says where the other axes are held. ``coming`` ``(c, columns)`` are
    points that would be suggested now.
    """
    slice = cut(map.domain) if slice is None else slice
    label = label or safe(f"at {slice.held}" if slice.held else "")
    mean, deviation = predicted(map, slice, response)
    if slice.view.kind == "line":
        _draw_curve(axes, map, response, slice, mean, deviation)
        draw_coming_lines(axes, slice, coming)
        label_line(axes, slice, label)
        return
    paint(axes, slice, mean, label, VALUES)
    draw_design(axes, map, slice, coming, response=response)


def draw_uncertainty(axes: Axes, map: Map, response: int, slice: Slice, label: str) -> None:
    """The deviation of a response over a slice of two dimensions, with the design."""
    paint(axes, slice, predicted(map, slice, response)[1], label, UNCERTAINTY)
    draw_design(axes, map, slice, response=response)


def draw_errors(axes: Axes, counts: Any, errors: Any, label: str = "map error") -> None:
    """How the error of the map went down with the number of measurements."""
    axes.plot(counts, errors, "o-", color=BLUE, label="so far")
    axes.set_ylim(bottom=0)
    axes.set(xlabel="measurements", ylabel=label)


def predicted(map: Map, slice: Slice, response: int) -> tuple[Array, Array]:
    """Mean and deviation of a response over all points of a slice, ``(m,)`` each; NaN outside the domain."""
    if not slice.inside.any():
        nothing = np.full(len(slice.points), np.nan)
        return nothing, nothing
    prediction = map.predict(slice.points[slice.inside])
    return slice.spread(prediction.mean[:, response]), slice.spread(prediction.deviation[:, response])


def _draw_curve(axes: Axes, map: Map, response: int, slice: Slice, mean: Array, deviation: Array) -> None:
    x = slice.grid[0]
    draw_curve(axes, x, mean, deviation)
    axes.legend(frameon=False, fontsize=8)
    inside = map.domain.contains(map.x)
    axes.plot(slice.place(map.x[inside])[:, 0], map.y[inside, response], "ko", markersize=5)
    for place in slice.place(map.pending)[:, 0] if len(map.pending) else ():
        axes.axvline(place, color=PENDING, linestyle=":", linewidth=1.6)


def draw_curve(axes: Axes, x: Array, mean: Array, deviation: Array) -> None:
    """A mean ``(m,)`` over ``x`` with its band."""
    band = mean - 2 * deviation, mean + 2 * deviation
    axes.fill_between(x, *band, color=BLUE, alpha=0.2, linewidth=0, label=f"band: {BAND}")
    axes.plot(x, mean, color=BLUE)


def draw_coming_lines(axes: Axes, slice: Slice, coming: Array | None) -> None:
    """Where along a curve the next points would be."""
    for place in slice.place(coming)[:, 0] if coming is not None and len(coming) else ():
        axes.axvline(place, color=NEXT, linestyle="--", linewidth=1.6)


def label_line(axes: Axes, slice: Slice, label: str, across: int = 0) -> None:
    """Name the axes of a curve, which runs along one of the slice's."""
    axis = slice.axes[across]
    axes.set(xlabel=labelled(axis.name, axis.unit), ylabel=label)
    scale_axis(axes.xaxis, axis)


def paint(
    axes: Axes,
    slice: Slice,
    values: Array,
    title: str,
    cmap: str,
    limits: tuple[float, float] | None = None,
) -> None:
    """A picture of values ``(m,)`` over a slice of two dimensions; ``limits`` are the ends of its colours."""
    kind = slice.view.kind
    if kind == "list":
        drawn: Any = axes.scatter(slice.grid[0], slice.grid[1], c=values, cmap=cmap, s=28, marker="s")
    else:
        smooth = kind == "plane" and min(slice.shape) >= 8 and bool(np.isfinite(values).all())
        shading: Any = "gouraud" if smooth else "nearest"
        colours = values.reshape(slice.shape)
        # Rasterized: in SVG and PDF, thousands of triangles with three colours each make tens of megabytes.
        drawn = axes.pcolormesh(*slice.grid, colours, cmap=cmap, shading=shading, rasterized=True)
    if limits is not None:
        drawn.set_clim(*limits)
    axes.figure.colorbar(drawn, ax=axes, shrink=0.85)
    axes.set_title(title, loc="left", fontsize=10)
    if kind == "ternary":
        _triangle(axes, slice)
    elif kind == "globe":
        axes.set(xlabel="azimuth (°)", ylabel="elevation (°)")
        scale_axis(axes.xaxis, AZIMUTH)
        scale_axis(axes.yaxis, ELEVATION)
    else:
        across, up = slice.axes
        axes.set(xlabel=labelled(across.name, across.unit), ylabel=labelled(up.name, up.unit))
        scale_axis(axes.xaxis, across)
        scale_axis(axes.yaxis, up)


def scale_axis(drawn: XAxis | YAxis, axis: Axis) -> None:
    """The scale of an axis: 1, 2 and 5 of each power of ten on a logarithmic one, quarters of the way of an
    angle, the names of categories.
    """
    if axis.labels:
        getattr(drawn.axes, f"set_{drawn.axis_name}ticks")(
            axis.settings, [safe(name) for name in axis.labels]
        )
        return
    if axis.is_angle:
        getattr(drawn.axes, f"set_{drawn.axis_name}ticks")(np.linspace(axis.low, axis.high, 5))
        getattr(drawn.axes, f"set_{drawn.axis_name}lim")(axis.low, axis.high)
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

    for cells in axes.collections:  # they stick out over the edges
        cells.set_clip_path(Polygon([(0, 0), (1, 0), (0.5, TOP)], transform=axes.transData))
    axes.plot([0, 1, 0.5, 0], [0, 0, TOP, 0], color=BLACK, linewidth=1)
    corners = (((0, -0.03), "top"), ((1, -0.03), "top"), ((0.5, TOP + 0.02), "bottom"))
    for axis, ((x, y), vertical) in zip(slice.axes, corners, strict=True):
        axes.text(x, y, safe(axis.name), ha="center", va=vertical)
    axes.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.12, TOP + 0.12))
    axes.set_axis_off()


def draw_design(
    axes: Axes,
    map: Map,
    slice: Slice,
    coming: Array | None = None,
    farthest: float = np.inf,
    response: int | None = None,
) -> None:
    """Measured, pending and coming points over a picture: what is far from the slice is faint.

    What is farther than ``farthest``, a share of the axes held, is left out, and so is what was measured
    without the ``response`` that is drawn.
    """
    from matplotlib.colors import to_rgba

    measured = np.isfinite(map.y if response is None else map.y[:, [response]]).any(axis=1)
    inside = map.domain.contains(map.x) & measured
    nothing = map.x[:0]
    for x, marker, face, edge, area, line in (
        (map.x[inside], "o", "white", BLACK, 20, 1.0),
        (map.pending, "o", None, PENDING, 40, 1.6),
        (nothing if coming is None else coming, "D", NEXT, BLACK, 34, 1.0),
    ):
        x = x[slice.apart(x) < farthest] if len(x) else x
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
        looks: dict[str, Any] = {"s": area, "marker": marker, "facecolors": faces, "edgecolors": edges}
        axes.scatter(place[:, 0], place[:, 1], linewidths=line, zorder=3, **looks)
