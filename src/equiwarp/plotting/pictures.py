"""Pictures of a map and the HTML that notebooks show of maps and campaigns.

Drawn with matplotlib's objects, never with pyplot: showing something must not touch the figures that
a user has open.
"""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp._util import markup
from equiwarp.domains import Array, Box, Candidates, Constrained, Domain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

    from equiwarp.campaign import Campaign
    from equiwarp.maps.map import Map

#: Cells along each axis of a drawn map.
CELLS = 48
#: Experiments that a campaign's summary lists.
LISTED = 12


def draw_map(ax: Axes, map: Map, response: int = 0) -> None:
    """The map's mean with the design on it; of more than two dimensions, the slice through the middle."""
    if map.domain.dim == 1:
        _draw_line(ax, map, response)
    else:
        _draw_plane(ax, map, response)
    _draw_points(ax, map, response)
    if _plain(map.domain):
        _set_scales(ax, map.domain)


def figure_of(map: Map, response: int = 0) -> Figure:
    """One picture of one response."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6, 3.4), layout="constrained")
    draw_map(figure.subplots(), map, response)
    return figure


def image(figure: Figure) -> str:
    """A figure as an HTML image with the PNG inside."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=90)
    return f'<img alt="map" src="data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"/>'


def map_html(map: Map) -> str:
    """Error and picture of each response."""
    errors = map.error()
    numbers = markup.table(
        [
            ("response", list(range(1, len(errors) + 1))),
            ("error", [e.value for e in errors]),
            ("leave-one-out", [e.leave_one_out for e in errors]),
            ("noise", [e.noise for e in errors]),
        ],
        caption=f"Map from {len(map.x)} measurements, error expected over {map.domain!r}",
    )
    return numbers + "".join(image(figure_of(map, j)) for j in range(len(errors)))


def campaign_html(campaign: Campaign) -> str:
    """Where a campaign stands, and its latest experiments. The map is a separate thing to ask for."""
    status = campaign.status()
    counts = ", ".join(f"{n} {state}" for state, n in status.counts.items() if n) or "nothing yet"
    latest = campaign.experiments()[-LISTED:]
    columns: list[tuple[str, list[Any]]] = [
        ("id", [e.id for e in latest]),
        *((name, [e.point[name] for e in latest]) for name in campaign.domain.names),
        *((name, [(e.values or {}).get(name) for e in latest]) for name in status.responses),
        ("state", [e.state for e in latest]),
        ("why", [str(e.why) for e in latest]),
    ]
    title = f"Campaign {status.name} ({status.strategy}): {counts}"
    return markup.heading(title) + (markup.table(columns) if latest else "") + markup.notes(status.notes)


def _draw_line(ax: Axes, map: Map, response: int) -> None:
    u = np.linspace(0.0, 1.0, 256)[:, None]
    x = map.domain.from_cube(u)
    place, keep = x[:, 0] if _plain(map.domain) else u[:, 0], map.domain.contains(x)
    prediction = map.predict(x[keep])
    mean, sd = prediction.mean[:, response], prediction.deviation[:, response]
    ax.fill_between(place[keep], mean - 2 * sd, mean + 2 * sd, alpha=0.2, linewidth=0)
    ax.plot(place[keep], mean)
    ax.set_xlabel(_labels(map.domain)[0])


def _draw_plane(ax: Axes, map: Map, response: int) -> None:
    domain = map.domain
    if isinstance(domain, Candidates):
        place = domain.to_cube(domain.points)
        drawn: ScalarMappable = ax.scatter(
            place[:, 0], place[:, 1], c=map.predict(domain.points).mean[:, response], s=12
        )
    else:
        edges = (np.arange(CELLS) + 0.5) / CELLS
        u = np.full((CELLS * CELLS, domain.dim), 0.5)
        u[:, 0], u[:, 1] = (axis.ravel() for axis in np.meshgrid(edges, edges))
        x = domain.snap(domain.from_cube(u)) if not _plain(domain) else domain.from_cube(u)
        keep = domain.contains(x)
        mean = np.full(len(u), np.nan)
        if keep.any():
            mean[keep] = map.predict(x[keep]).mean[:, response]
        place = _place(domain, x) if _plain(domain) else u
        grid = (CELLS, CELLS)
        drawn = ax.pcolormesh(
            place[:, 0].reshape(grid), place[:, 1].reshape(grid), mean.reshape(grid), shading="nearest"
        )
    ax.figure.colorbar(drawn, ax=ax)
    first, second = _labels(domain)
    ax.set_xlabel(first)
    ax.set_ylabel(second)


def _draw_points(ax: Axes, map: Map, response: int) -> None:
    inside = map.domain.contains(map.x)
    done, pending = _place(map.domain, map.x[inside]), _place(map.domain, map.pending)
    if map.domain.dim == 1:
        ax.plot(done[:, 0], map.y[inside, response], "k.")
        for at in pending[:, 0]:
            ax.axvline(at, linestyle=":", color="0.5")
        return
    ax.plot(done[:, 0], done[:, 1], "k.", markersize=4)
    ax.plot(pending[:, 0], pending[:, 1], "o", markerfacecolor="none", markeredgecolor="r")


def _set_scales(ax: Axes, domain: Domain) -> None:
    box = domain.base if isinstance(domain, Constrained) else domain
    assert isinstance(box, Box)
    ax.set_xscale(box.parameters[0].scale)
    if box.dim > 1:
        ax.set_yscale(box.parameters[1].scale)


def _plain(domain: Domain) -> bool:
    """Whether parameters are the axes: a box, with constraints or without."""
    return isinstance(domain.base if isinstance(domain, Constrained) else domain, Box)


def _place(domain: Domain, x: Array) -> Array:
    """Where points are drawn, ``(n, 1 or 2)``: in their units on a box, in the chart elsewhere."""
    return x[:, :2] if _plain(domain) else domain.to_cube(x)[:, :2]


def _labels(domain: Domain) -> tuple[str, str]:
    if _plain(domain) or isinstance(domain, Candidates):
        return domain.names[0], domain.names[min(1, domain.columns - 1)]
    return "chart, first coordinate", "chart, second coordinate"
