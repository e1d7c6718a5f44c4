"""`export`: experiments, events or a plate, as a file or on standard output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from equiwarp.cli.common import campaign_options, opened
from equiwarp.cli.output import draft_of, emit, written

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign

STATES = ["pending", "done", "failed", "abandoned", "released", "withdrawn"]


@click.command()
@click.option("--state", "states", type=click.Choice(STATES), multiple=True, help="Only these; repeatable.")
@click.option("--events", is_flag=True, help="Who did what when, instead of experiments.")
@click.option("--plate", is_flag=True, help="Pending experiments as a plate to fill in.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to this file; an Excel file (.xlsx) has a sheet of events, too.",
)
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
      equiwarp export -o furnace.xlsx
      equiwarp export --state done --format json
      equiwarp export --events --format json
      equiwarp export --plate -o plate.csv
    """
    from equiwarp.campaign.exports import export_events, export_experiments
    from equiwarp.campaign.plates import write_plate
    from equiwarp.tables.files import is_excel

    if out is not None and is_excel(out):
        with opened(store, campaign, who) as c:
            _save_excel(c, out, states, events, plate)
        return
    with opened(store, campaign, who) as c, written(out) as file:
        if plate:
            write_plate(file, c, c.experiments("pending"))
            return
        export = export_events(c) if events else export_experiments(c, list(states) or None)  # type: ignore[arg-type]
        emit(export.rows, form, export.columns, file)


def _save_excel(c: Campaign, out: Path, states: tuple[str, ...], events: bool, plate: bool) -> None:
    """A plate, the events, or the experiments with the events on a sheet of their own."""
    from equiwarp.campaign.exports import export_events, export_experiments
    from equiwarp.campaign.plates import plate_of
    from equiwarp.tables.files import file_of

    if plate:
        sheets = [plate_of(c, c.experiments("pending"))]
    else:
        history = export_events(c).sheet("events")
        found = export_experiments(c, list(states) or None).sheet("experiments")  # type: ignore[arg-type]
        sheets = [history] if events else [found, history]
    data = file_of(out, sheets)
    with draft_of(out) as draft:
        draft.write_bytes(data)
    click.echo(f"Wrote {out}.")
