"""`status`, `why`, `map`, `forecast`: what is known, and why it was asked. Nothing is changed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from equiwarp.cli.common import campaign_options, format_option, opened, patience
from equiwarp.cli.output import emit, note, say_json

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign
    from equiwarp.campaign.experiment import Experiment
    from equiwarp.maps.map import Map


@click.command()
@click.option("--quick", is_flag=True, help="Counts only; do not fit the map.")
@campaign_options
@format_option
def status(quick: bool, store: str, campaign: str | None, who: str | None, form: str) -> None:
    """The campaign at a glance: counts, how good the map is, and whether one may stop.

    \b
    Examples:
      equiwarp status
      equiwarp status --format json
    """
    with opened(store, campaign, who) as c:
        glance = c.status()
        answer: dict[str, Any] = {
            "name": glance.name,
            "store": glance.store,
            "strategy": glance.strategy,
            "seed": glance.seed,
            **glance.counts,
            "added": glance.added,
            "outside": glance.outside,
            "start_left": glance.start_left,
            "oldest_pending": glance.oldest_pending,
        }
        if not quick and glance.counts["done"]:
            patience("Fitting the map")
            fitted = c.map()
            answer["error"] = {n: e.value for n, e in zip(c.responses, fitted.error(), strict=True)}
            advice = fitted.stop(c.spec.stop)
            answer["may_stop"], answer["stop_reason"] = advice.stop, advice.reason
        _say_status(answer, form, c, glance.notes)


def _say_status(answer: dict[str, Any], form: str, c: Campaign, notes: tuple[str, ...]) -> None:
    if form == "json":
        say_json({**answer, "notes": list(notes)})
        return
    flat = {k: v for k, v in answer.items() if k != "error"}
    units = {r.name: f" {r.unit}" if r.unit else "" for r in c.spec.responses}
    if form == "table":
        shown = {
            f"map error of {n}": f"{v:.4g}{units.get(n, '')}" for n, v in answer.get("error", {}).items()
        }
        rows = {**flat, **shown}
        rows["may_stop"] = "yes" if rows.get("may_stop") else "no" if "may_stop" in rows else None
        width = max(map(len, rows))
        for key, value in rows.items():
            if value is not None:
                click.echo(f"{key.replace('_', ' ').ljust(width)}  {value}")
        for text in notes:
            note(f"note: {text}")
    else:
        emit([{**flat, **{f"error {n}": v for n, v in answer.get("error", {}).items()}}], form)


@click.command()
@click.argument("id", type=click.IntRange(1))
@campaign_options
@format_option
def why(id: int, store: str, campaign: str | None, who: str | None, form: str) -> None:
    """Why an experiment was suggested, in words and in numbers, and what happened to it.

    \b
    Examples:
      equiwarp why 12
    """
    with opened(store, campaign, who) as c:
        experiment, events = c.experiment(id), c.events(id)
    numbers = experiment.why.as_dict()
    if form == "json":
        history = [vars(event) for event in events]
        said = {"id": id, "point": experiment.point, "state": experiment.state, "words": str(experiment.why)}
        say_json({**said, "numbers": numbers, "events": history})
        return
    if form == "csv":
        emit([{"id": id, **{k: v for k, v in numbers.items() if k != "notes"}}], form)
        return
    click.echo(f"Experiment {id} ({experiment.state}): {_point(experiment)}")
    click.echo(str(experiment.why))
    used = {k: v for k, v in numbers.items() if isinstance(v, float)}
    if experiment.origin == "model" and used:
        click.echo("  ".join(f"{key} {value:.4g}" for key, value in used.items()))
    for event in events:
        detail = "; ".join(f"{k}: {v}" for k, v in event.detail.items() if v not in (None, "", [], {}))
        click.echo(f"{event.at[:19]}Z  {event.who}  {event.what}{f'  ({detail})' if detail else ''}")


def _point(experiment: Experiment) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in experiment.point.items())


@click.command("map")
@click.option(
    "--points", type=click.Path(allow_dash=True), help="Predict at the rows of this CSV; - is stdin."
)
@click.option(
    "-n", "count", type=click.IntRange(1, 1_000_000), help="Predict at this many space-filling points."
)
@campaign_options
@format_option
def map_(
    points: str | None, count: int | None, store: str, campaign: str | None, who: str | None, form: str
) -> None:
    """The map so far: its error, or its predictions with their standard deviations.

    \b
    Examples:
      equiwarp map
      equiwarp map --points where.csv --format csv > predicted.csv
      equiwarp map -n 1000 --format csv > map.csv
    """
    with opened(store, campaign, who) as c:
        patience("Fitting the map")
        fitted = c.map()
        if points is None and count is None:
            rows = [
                {"response": name, "error": e.value, "model": e.model, "correction": e.correction,
                 "leave_one_out": e.leave_one_out, "noise": e.noise}
                for name, e in zip(c.responses, fitted.error(), strict=True)
            ]  # fmt: skip
            emit(rows, form)
            return
        emit(_predictions(c, fitted, points, count), form)


def _predictions(c: Campaign, fitted: Map, points: str | None, count: int | None) -> list[dict[str, Any]]:
    from equiwarp._util.seeds import stream
    from equiwarp.maps.prediction import as_columns
    from equiwarp.tables.table import Numbers, numbers, read_table

    names = c.domain.names
    if points is not None:
        table = read_table(sys.stdin, "standard input") if points == "-" else read_table(points)
        where = Numbers(names, numbers(table, names)).rows
    else:
        where = c.domain.sample(count or 1, stream(c.spec.seed, "map"))
    predicted = as_columns(fitted.predict(where), c.responses)
    table_columns = {**{n: where[:, i].tolist() for i, n in enumerate(names)}, **predicted}
    return [dict(zip(table_columns, row, strict=True)) for row in zip(*table_columns.values(), strict=True)]


@click.command()
@click.option(
    "-n", "count", type=click.IntRange(1, 1000), default=10, show_default=True, help="How far ahead."
)
@campaign_options
@format_option
def forecast(count: int, store: str, campaign: str | None, who: str | None, form: str) -> None:
    """The map's expected error after each of the next experiments, and whether to go on.

    Pending experiments count as done; surprises cannot be foreseen.

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
            for i, errors in enumerate(course)
        ]
        emit(rows, form)
        if form == "table":
            note(fitted.stop(c.spec.stop).reason)
