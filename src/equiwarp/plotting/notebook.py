"""What notebooks show of suggestions, maps and campaigns: the HTML that their ``_repr_html_`` asks for.

Loaded by name when a notebook first asks, see :mod:`equiwarp._util.display`.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from equiwarp._util import markup
from equiwarp._util.display import drawn
from equiwarp.campaign import Campaign
from equiwarp.engine.suggestion import Suggestion
from equiwarp.maps.map import Map
from equiwarp.maps.sensitivity import Sensitivity
from equiwarp.plotting.drawing import draw_map
from equiwarp.plotting.style import new_figure, png
from equiwarp.runner.handle import Runner

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Experiments that a campaign's summary lists.
LISTED_EXPERIMENTS = 12
#: Inches of a picture in a notebook, and dots per inch.
SIZE, DPI = (4.6, 3.4), 90


def figure_of(map: Map, response: int = 0) -> Figure:
    """One picture of one response."""
    figure, (axes,) = new_figure(1, 1, SIZE)
    draw_map(axes, map, response)
    return figure


def image(figure: Figure) -> str:
    """A figure as an HTML image with the PNG inside."""
    code = base64.b64encode(png(figure, DPI)).decode()
    return f'<img alt="map" src="data:image/png;base64,{code}"/>'


@drawn.register
def suggestion_html(suggestion: Suggestion) -> str:
    """The points, what spoke for each of them, and the notes."""
    reasons = ("variance", "equalizer", "stretch", "score")
    why = [(reason, [getattr(e, reason) for e in suggestion.explain]) for reason in reasons]
    caption = f"{len(suggestion)} suggested by {suggestion.strategy}"
    return markup.table([*suggestion.table().items(), *why], caption) + markup.notes(suggestion.notes)


@drawn.register
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


@drawn.register
def sensitivity_html(found: Sensitivity) -> str:
    """The indices with their intervals."""
    caption = "Share of the map's variance that each parameter explains, with 95 % intervals"
    caption += f". {found.note}" if found.note else ""
    return markup.table([*found.table().items()], caption)


def runner_html(runner: Runner) -> str:
    """Where a run stands. The picture that follows it is a separate thing to ask for."""
    title = markup.heading(f"Run of {runner.campaign.name}: {runner.progress()}")
    return title + markup.notes(runner.notes)


@drawn.register
def campaign_html(campaign: Campaign) -> str:
    """Where a campaign stands, and its latest experiments. The map is a separate thing to ask for."""
    status = campaign.status()
    latest = campaign.experiments()[-LISTED_EXPERIMENTS:]
    columns: list[tuple[str, list[Any]]] = [
        ("id", [e.id for e in latest]),
        *((name, [e.point[name] for e in latest]) for name in campaign.domain.names),
        *((name, [(e.values or {}).get(name) for e in latest]) for name in status.responses),
        ("state", [e.state for e in latest]),
        ("why", [str(e.why) for e in latest]),
    ]
    title = f"Campaign {status.name} ({status.strategy}): {markup.counted(status.counts)}"
    return markup.heading(title) + (markup.table(columns) if latest else "") + markup.notes(status.notes)
