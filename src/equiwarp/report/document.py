"""The report: one self-contained HTML file, and its figures as PNG files.

Everything in it comes from the campaign; every text is escaped, the figures are inside the file, and
nothing is loaded from elsewhere.
"""

from __future__ import annotations

import base64
import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp._util import markup
from equiwarp.campaign import Campaign
from equiwarp.campaign.assessing import assessed_map
from equiwarp.campaign.experiment import Experiment
from equiwarp.domains import Domain
from equiwarp.domains.followed import along_axes, followed
from equiwarp.maps.course import Course, course_of
from equiwarp.maps.left_out import left_out_of
from equiwarp.maps.map import Map
from equiwarp.plotting import figures
from equiwarp.plotting.category_figures import category_axes, category_figure
from equiwarp.plotting.layers import layers_of
from equiwarp.plotting.left_out_figure import left_out_figure
from equiwarp.plotting.profile_figures import profile_figure
from equiwarp.plotting.profiles import profiles_of
from equiwarp.plotting.slices import Slice, cut
from equiwarp.plotting.style import labelled, png
from equiwarp.plotting.upcoming import points_of, upcoming

#: Slices of the map; a domain of many parameters has more pairs than a report has room for.
MOST_SLICES = 6
#: Parameters that are categories, for each of which the map is drawn in every category.
MOST_CATEGORIES = 2
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1.2rem;
  color: #1b1f24; background: #fff; }
h1, h2 { line-height: 1.25; overflow-wrap: anywhere; } img { max-width: 100%; height: auto; }
.residuals img { max-width: min(36rem, 100%); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6rem 0; }
caption { text-align: left; color: #565e67; } figure { margin: 1rem 0; } figcaption { color: #565e67; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #d5d9dd; text-align: right; }
.advice { font-size: 1.1rem; }
th:first-child, td:first-child, .experiments td:last-child, .experiments th:last-child { text-align: left; }
.wide { overflow-x: auto; }
@media (max-width: 45rem) {
  figure { overflow-x: auto; } figure:not(.residuals) img { max-width: none; width: 45rem; }
}
.made { color: #565e67; }
@page {
  size: A4; margin: 16mm 14mm;
  @bottom-right { content: counter(page) " of " counter(pages); color: #565e67; font: 9pt sans-serif; }
}
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 10.5pt; } h1 { margin-top: 0; }
  figure, tr, table caption { break-inside: avoid; } h2 { break-after: avoid; }
  thead { display: table-header-group; } tbody tr:nth-child(-n+2) { break-after: avoid; }
  figure { margin: .5rem 0; }
  img { width: auto; max-width: 100%; max-height: 105mm; display: block; margin: 0 auto; }
  figcaption { text-align: center; } .wide { overflow: visible; }
  th, td { padding: .15rem .4rem; font-size: 9pt; }
}
"""


TWO_ERRORS = (
    "The map error is a root mean square over the whole domain, without the noise of a measurement. "
    "Leaving out one measurement at a time compares the map with single values, noise included, and only "
    "where something was measured: so the two numbers differ."
)


@dataclass(frozen=True)
class Picture:
    """One figure: a name for its file, what it shows, and the PNG."""

    name: str
    caption: str
    png: bytes

    def html(self) -> str:
        data, kind = base64.b64encode(self.png).decode(), self.name.partition("-")[0]
        caption = escape(self.caption)
        return (
            f'<figure class="{kind}">'
            f'<img alt="{escape(self.caption, quote=True)}" src="data:image/png;base64,{data}">'
            f"<figcaption>{caption}</figcaption></figure>"
        )


def report_html(campaign: Campaign) -> str:
    """The report as text, dated and in the name of whoever opened the campaign."""
    return _document(campaign, *_content(campaign))


def write_report(campaign: Campaign, out: Path) -> list[Path]:
    """Write ``out`` and, beside it, one PNG per figure; returns the files."""
    pictures, course, map = _content(campaign)
    written = [out]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(_document(campaign, pictures, course, map), encoding="utf-8")
    for picture in pictures:
        path = out.with_name(f"{out.stem}-{picture.name}.png")
        path.write_bytes(picture.png)
        written.append(path)
    return written


def _content(campaign: Campaign) -> tuple[list[Picture], Course | None, Map | None]:
    if campaign.status().measured == 0:
        return [], None, None
    map, _ = assessed_map(campaign)
    course = course_of(map, campaign.spec.stop)
    return [*_pictures(campaign, map, course)], course, map


def _pictures(campaign: Campaign, map: Map, course: Course) -> Iterator[Picture]:
    slices = _slices(campaign)
    for j, name in enumerate(campaign.responses):
        label = _label(campaign, j)
        for i, slice in enumerate(slices):
            drawn = map_png(campaign, map, slice, j)
            yield Picture(f"map-{j + 1}-{i + 1}", map_caption(campaign, slice, j), drawn)
        for i, axis in enumerate(category_axes(campaign.domain)[:MOST_CATEGORIES]):
            drawn = png(category_figure(map, j, label, axis))
            caption = (
                f"The map of {name} in each category of {axis.name}, on one scale. Dots: measured in it."
            )
            yield Picture(f"categories-{j + 1}-{i + 1}", caption, drawn)
        drawn = png(figures.course_figure(course, j, label, campaign.spec.stop.limits(name)[0]))
        yield Picture(f"error-{j + 1}", f"Error of {name} so far, and as forecast.", drawn)
        yield from _inside(map, j, name, label)
    coming = points_of(upcoming(campaign), campaign.domain)
    for i, slice in enumerate(slices[:2]):
        drawn = png(figures.layers_figure(map, slice, layers_of(map, slice), coming))
        marks = "dashed lines" if slice.view.kind == "line" else "diamonds"
        caption = (
            f"What drives the next choice{_where(slice)}, and what the warp stretches; {marks}: the points "
            "that would be suggested now."
        )
        yield Picture(f"choice-{i + 1}", caption, drawn)


def _inside(map: Map, j: int, name: str, label: str) -> Iterator[Picture]:
    """What a map says along each parameter, and how it foretells what was measured."""
    if map.domain.listed is None:
        at = profiles_of(map).setting
        caption = f"The map of {name} along each parameter through one setting; bands are two deviations."
        yield Picture(f"profile-{j + 1}", caption, png(profile_figure(map, j, label, at=at)))
    drawn = png(left_out_figure(left_out_of(map)[j], label, map.ids))
    caption = f"{name}: each measured value against what the map says without it; bars are two deviations."
    yield Picture(f"residuals-{j + 1}", caption, drawn)


def map_png(campaign: Campaign, map: Map, slice: Slice, response: int) -> bytes:
    """One response over a slice: its value, its uncertainty, the design."""
    return png(figures.map_figure(map, slice, response, _label(campaign, response)))


def map_caption(campaign: Campaign, slice: Slice, response: int) -> str:
    """What that picture shows."""
    shown, rings = "and its uncertainty", "rings"
    if slice.view.kind == "line":
        shown, rings = "with a band of two deviations", "dotted lines"
    name = campaign.responses[response]
    return f"The map of {name}{_where(slice)}, {shown}. Dots: measured; {rings}: to run."


def _label(campaign: Campaign, response: int) -> str:
    name = campaign.responses[response]
    return labelled(name, {r.name: r.unit for r in campaign.spec.responses}.get(name, ""))


def _slices(campaign: Campaign) -> list[Slice]:
    """Every pair (or triple) of axes, through the middle of the others, as far as there is room."""
    view = campaign.domain.view()
    wanted = {"plane": 2, "ternary": 3, "list": 2}.get(view.kind)
    if wanted is None:
        return [cut(campaign.domain)]
    names = [axis.name for axis in view.axes if view.may_be_drawn(axis)]
    return [cut(campaign.domain, axes) for axes in list(combinations(names, wanted))[:MOST_SLICES]]


def _where(slice: Slice) -> str:
    across = " and ".join(axis.name for axis in slice.axes)
    return (f" over {across}" if across else "") + (f" at {slice.held}" if slice.held else "")


def _document(campaign: Campaign, pictures: list[Picture], course: Course | None, map: Map | None) -> str:
    status = campaign.status()
    counts = markup.counted(status.counts)
    body = [
        f"<h1>{escape(campaign.name)}</h1>",
        f"<p>{escape(campaign.spec.description)}</p>" if campaign.spec.description else "",
        _made(campaign),
        f"<p>{escape(counts)}. Strategy {escape(status.strategy)}, seed {status.seed}.</p>",
        markup.notes(status.notes),
        _errors(campaign, course),
        "" if map is None else _offsets(campaign) + _prior(map) + _findings(map) + _sensitivity(map),
        "".join(picture.html() for picture in pictures),
        _experiments(campaign),
    ]
    # The policy in the file itself: nothing is loaded, nothing runs, wherever it is opened.
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(campaign.name)}: report</title><style>{STYLE}</style></head>"
        f"<body>{''.join(body)}</body></html>\n"
    )


def _made(campaign: Campaign) -> str:
    """When, by whom, and from what."""
    now = datetime.datetime.now(datetime.UTC)
    source = f"from {campaign.store.name}, equiwarp {_version()}"
    about = f"{now.day} {now:%B %Y, %H:%M} UTC, by {campaign.who}, {source}"
    return f'<p class="made">Report of {escape(about)}.</p>'


def _version() -> str:
    from importlib.metadata import version

    return version("equiwarp")


def _prior(map: Map) -> str:
    """What the prior is worth, a sentence for each response."""
    said = [f"<li>{escape(str(worth))}.</li>" for worth in map.prior_worth() if worth is not None]
    return f"<h2>The prior</h2><ul>{''.join(said)}</ul>" if said else ""


def _offsets(campaign: Campaign) -> str:
    """By how much the values of each block lie higher or lower; nothing if no block is an offset."""
    by_response = campaign.offsets()
    if not by_response:
        return ""
    first = next(iter(by_response.values()))
    blocks = [(column, block) for column, shifts in first.items() for block in shifts]
    columns: list[tuple[str, list[Any]]] = [("block", [f"{column} = {block}" for column, block in blocks])]
    for name, of in by_response.items():
        columns.append((_titled(campaign, name), [f"{of[column][block]:+.4g}" for column, block in blocks]))
    said = "Estimated together with the map, and taken off the values that it is drawn from."
    table = f'<div class="wide">{markup.table(columns)}</div><p class="made">{said}</p>'
    return f"<h2>Offsets of blocks</h2>{table}"


def _errors(campaign: Campaign, course: Course | None) -> str:
    if course is None:
        return "<p>There is no map before the first value.</p>"
    units = {r.name: r.unit for r in campaign.spec.responses}
    names = list(campaign.responses)
    columns: list[tuple[str, list[Any]]] = [
        ("response", [f"{n} ({units[n]})" if units.get(n) else n for n in names]),
        ("map error", _three_digits(e.value for e in course.now)),
        ("leave-one-out", _three_digits(e.leave_one_out for e in course.now)),
        ("noise", _three_digits(e.noise for e in course.now)),
        (f"forecast after {len(course.forecast) - 1} more", _three_digits(course.forecast[-1].tolist())),
    ]
    said = _advice(course) if campaign.spec.stop.is_set else ""
    if course.aimed is not None:
        said += f"<p>Aim: {escape(str(course.aimed))}. Errors are weighted by it.</p>"
    table = f'<div class="wide">{markup.table(columns)}</div><p class="made">{TWO_ERRORS}</p>'
    return f"<h2>How good is the map?</h2>{said}{table}"


def _three_digits(values: Iterable[float]) -> list[float]:
    """As many as an estimated error is worth, and as the page shows."""
    return [float(f"{value:.3g}") for value in values]


def _findings(map: Map) -> str:
    """What is odd about the data, each with what to do; nothing if nothing is."""
    found = map.diagnostics()
    return f"<h2>What the data say</h2>{markup.notes(str(f) for f in found)}" if found else ""


def _sensitivity(map: Map) -> str:
    """Shares of the map's variance, with their intervals."""
    found = map.sensitivity()
    shares = found.effects
    columns: list[tuple[str, list[Any]]] = [
        ("parameter", [e.parameter for e in shares]),
        ("response", [e.response for e in shares]),
        ("alone", [f"{e.first.value:.2f} ({e.first.low:.2f} to {e.first.high:.2f})" for e in shares]),
        ("with others", [f"{e.total.value:.2f} ({e.total.low:.2f} to {e.total.high:.2f})" for e in shares]),
    ]
    caption = (
        f"Share of the map's variance that each parameter explains, with 95 % intervals. {found.note}".strip()
    )
    return f'<h2>Which parameters matter?</h2><div class="wide">{markup.table(columns, caption)}</div>'


def _advice(course: Course) -> str:
    advice = "One may stop: " if course.advice.stop else "Going on is worth it: "
    return f'<p class="advice">{escape(advice + course.advice.reason)}.</p>'


def _experiments(campaign: Campaign) -> str:
    found = campaign.experiments()
    if not found:
        return ""
    columns: list[tuple[str, list[Any]]] = [
        ("no.", [e.id for e in found]),
        *_directions(campaign.domain, found),
        *((_titled(campaign, name), [e.point[name] for e in found]) for name in campaign.domain.names),
        *(
            (_titled(campaign, name), [e.shown.get(name, np.nan) for e in found])
            for name in campaign.responses
        ),
        *((name, [e.block.get(name, "") for e in found]) for name in campaign.spec.blocks),
        *([("sample", [e.sample for e in found])] if any(e.sample for e in found) else []),
        ("state", [_state(e) for e in found]),
    ]
    return f'<h2>Experiments</h2><div class="wide experiments">{markup.table(columns)}</div>'


def _directions(domain: Domain, found: list[Experiment]) -> list[tuple[str, list[Any]]]:
    """Directions as two angles, which one can point to; nothing where there are none."""
    view = domain.view()
    if view.kind != "globe":
        return []
    along = along_axes(domain, np.array([domain.numbers(e.point) for e in found])).round(1) + 0.0
    axes = followed(domain).axes
    return [(axes[k].label, along[:, k].tolist()) for k in range(view.vector, view.vector + 2)]


def _titled(campaign: Campaign, name: str) -> str:
    """A parameter or response with its unit."""
    known = {part["name"]: part.get("unit", "") for part in campaign.domain.describe() if "name" in part}
    known |= {r.name: r.unit for r in campaign.spec.responses}
    return f"{name} ({known[name]})" if known.get(name) else name


def _state(e: Experiment) -> str:
    about = [
        e.state,
        *([e.reason.split("\n")[0]] if e.reason else []),
        *(["added"] if e.origin == "added" else []),
    ]
    return ", ".join(about if e.inside else [*about, "outside the domain"])
