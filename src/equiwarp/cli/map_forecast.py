"""`map`, `forecast`: what the campaign has learned, and what further experiments would add."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from equiwarp.cli.common import campaign_options, format_option, opened, patience, read_file
from equiwarp.cli.output import emit, note, say_findings

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign
    from equiwarp.maps.map import Map


@click.command("map")
@click.option(
    "--points",
    type=click.Path(allow_dash=True),
    help="Predict at the rows of this table, CSV or Excel; - is stdin.",
)
@click.option(
    "-n", "count", type=click.IntRange(1, 1_000_000), help="Predict at this many space-filling points."
)
@click.option("--sensitivity", is_flag=True, help="Which parameters matter, and by how much.")
@campaign_options
@format_option
def map_(
    points: str | None,
    count: int | None,
    sensitivity: bool,
    store: str,
    campaign: str | None,
    who: str | None,
    form: str,
) -> None:
    """The map so far: its error and what is odd, which parameters matter, or predictions with deviations.

    Error and findings are kept: `equiwarp status` shows them from then on.

    \b
    Examples:
      equiwarp map
      equiwarp map --sensitivity
      equiwarp map --points where.csv --format csv > predicted.csv
      equiwarp map -n 1000 --format csv > map.csv
    """
    with opened(store, campaign, who) as c:
        patience("Fitting the map")
        if sensitivity:
            _say_sensitivity(c.map(), form)
        elif points is None and count is None:
            _say_error(c, form)
        else:
            emit(_predictions(c, c.map(), points, count), form)


def _say_error(c: Campaign, form: str) -> None:
    """How wrong the map is and what is odd; `status` shows it from now on."""
    from equiwarp.campaign.assessing import assessed_map

    fitted, said = assessed_map(c)
    rows: list[dict[str, Any]] = [
        {"response": name, "error": e.value, "model": e.model, "correction": e.correction,
         "leave_one_out": e.leave_one_out, "noise": e.noise}
        for name, e in zip(fitted.responses, fitted.error(), strict=True)
    ]  # fmt: skip
    if form == "json":
        for row in rows:
            row["findings"] = [found for found in said.findings if found["response"] == row["response"]]
    emit(rows, form)
    if form == "table":
        say_findings(said.findings)


def _say_sensitivity(fitted: Map, form: str) -> None:
    found = fitted.sensitivity()
    if form == "table":
        click.echo(str(found))
        return
    columns = found.table()
    emit([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)], form)


def _predictions(c: Campaign, fitted: Map, points: str | None, count: int | None) -> list[dict[str, Any]]:
    from equiwarp._util.seeds import stream
    from equiwarp.maps.prediction import as_columns
    from equiwarp.tables.measurements import read_locations

    if points is not None:
        where = read_locations(read_file(points), c.domain)
    else:
        where = c.domain.sample(count or 1, stream(c.spec.seed, "map"))
    predicted = as_columns(fitted.predict(where), c.responses)
    table_columns = {**c.domain.table(where), **predicted}
    return [dict(zip(table_columns, row, strict=True)) for row in zip(*table_columns.values(), strict=True)]


@click.command()
@click.option(
    "-n", "count", type=click.IntRange(1, 1000), default=10, show_default=True, help="How far ahead."
)
@campaign_options
@format_option
def forecast(count: int, store: str, campaign: str | None, who: str | None, form: str) -> None:
    """The map's expected error after each of the next experiments, and whether to go on.

    Pending experiments are the first of them; surprises cannot be foreseen.

    \b
    Examples:
      equiwarp forecast -n 20
    """
    with opened(store, campaign, who) as c:
        patience("Rolling the campaign forward")
        fitted = c.map()
        course = fitted.forecast(count)
        rows = [
            {"experiments": i, **dict(zip(c.responses, map(float, errors), strict=True))}
            for i, errors in enumerate(course.error)
        ]
        emit(rows, form)
        if form == "table" and fitted.prior is not None:
            note(_saved(fitted.prior.name, c.responses, course.saved))
        if form == "table" and c.spec.stop.is_set:
            note(fitted.stop(c.spec.stop).reason)


def _saved(prior: str, responses: Sequence[str], saved: Sequence[int | None]) -> str:
    """How many experiments a prior saved, in a sentence."""
    from equiwarp.maps.prior_worth import MOST_SAVED

    each = [
        f"{f'more than {MOST_SAVED}' if n is None else n} ({name})"
        for name, n in zip(responses, saved, strict=True)
    ]
    return f"Experiments that the prior {prior} saved so far: {', '.join(each)}."
