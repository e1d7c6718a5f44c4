"""`export`, `list`, `doctor`: what is in a store. Nothing is changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from equiwarp.cli.common import campaign_options, format_option, opened, store_option
from equiwarp.cli.output import emit, written
from equiwarp.exceptions import STORE, Mismatch

if TYPE_CHECKING:
    pass

STATES = ["pending", "done", "failed", "abandoned", "released"]


@click.command()
@click.option("--state", "states", type=click.Choice(STATES), multiple=True, help="Only these; repeatable.")
@click.option("--events", is_flag=True, help="Who did what when, instead of experiments.")
@click.option("--plate", is_flag=True, help="Pending experiments as a plate to fill in.")
@click.option("-o", "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file.")
@campaign_options
@click.option(
    "-f", "--format", "form", type=click.Choice(["csv", "json", "table"]), default="csv", show_default=True
)
def export(
    states: tuple[str, ...], events: bool, plate: bool, out: Path | None, store: str, campaign: str | None,
    who: str | None, form: str,
) -> None:  # fmt: skip
    """All experiments with their values, or all events, in full precision.

    Cells that a spreadsheet would run as a formula are neutralised with an apostrophe.

    \b
    Examples:
      equiwarp export -o furnace.csv
      equiwarp export --state done --format json
      equiwarp export --events --format json
      equiwarp export --plate -o plate.csv
    """
    from equiwarp.tables.plates import experiment_row, export_columns, write_plate

    with opened(store, campaign, who) as c, written(out) as file:
        if plate:
            write_plate(file, c, c.experiments("pending"))
        elif events:
            rows = [{**vars(e), "detail": e.detail if form == "json" else str(e.detail)} for e in c.events()]
            emit(rows, form, ["id", "at", "who", "what", "experiment", "detail"], file)
        else:
            found = c.experiments(list(states) or None)  # type: ignore[arg-type]
            emit([experiment_row(e) for e in found], form, export_columns(c, found), file)


@click.command("list")
@store_option
@format_option
def list_(store: str, form: str) -> None:
    """The campaigns of a store.

    \b
    Examples:
      equiwarp list --store lab.db
    """
    from equiwarp.campaign import Campaign

    rows: list[dict[str, Any]] = []
    for name in Campaign.names(store):
        try:
            with Campaign(name, store=store) as c:
                rows.append({"name": name, **c.status().counts})
        except Mismatch as error:  # a domain that only Python can describe
            rows.append({"name": name, "note": str(error)})
    columns = ["name", "done", "pending", "failed", "abandoned", "released"]
    emit(rows, form, columns + (["note"] if any("note" in row for row in rows) else []))


@click.command()
@click.argument("where", required=False)
@store_option
@format_option
def doctor(where: str | None, store: str, form: str) -> None:
    """Check a store and say what to do. Changes nothing.

    Exit code 0 if it is sound, 4 if it is not.

    \b
    Examples:
      equiwarp doctor
      equiwarp doctor lab.db
    """
    from equiwarp.store import doctor as examine

    report = examine(where or store)
    if form == "table":
        click.echo(str(report))
    else:
        emit([vars(finding) for finding in report.findings], form, ["level", "check", "message", "remedy"])
    if not report.ok:
        raise click.exceptions.Exit(STORE)
