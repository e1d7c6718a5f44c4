"""`ask`, `tell`, `add`: experiments go out, values come in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from equiwarp.cli.common import campaign_options, format_option, opened, patience
from equiwarp.cli.output import emit, note, several
from equiwarp.cli.values import NEGATIVE, no_options, read_values, shown
from equiwarp.exceptions import InvalidInput

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign
    from equiwarp.campaign.experiment import Experiment


@click.command()
@click.option("-n", "count", type=click.IntRange(1, 10_000), default=1, show_default=True, help="How many.")
@click.option(
    "--csv", "plate", type=click.Path(path_type=Path), help="Write a plate to fill in; - is stdout."
)
@click.option("--force", is_flag=True, help="Overwrite an existing plate.")
@campaign_options
@format_option
def ask(
    count: int, plate: Path | None, force: bool, store: str, campaign: str | None, who: str | None, form: str
) -> None:
    """The next experiments. They are pending until they are told, failed, abandoned or released.

    \b
    Examples:
      equiwarp ask
      equiwarp ask -n 8 --csv plate.csv      fill in the column, then: equiwarp tell plate.csv
      equiwarp ask -n 4 --format json
    """
    if plate is not None and str(plate) != "-":
        _writable(plate, force)
    with opened(store, campaign, who) as c:
        patience(f"Choosing {count}")
        experiments = c.ask(count)
        if plate is not None:
            _save_plate(plate, c, experiments)
            return
        rows = [{"id": e.id, **e.point, "why": str(e.why)} for e in experiments]
        emit(rows, form, ["id", *c.domain.names, *([] if form == "table" else ["why"])])
        if form == "table":
            note(f"Tell a value: equiwarp tell {experiments[0].id} VALUE    Reasons: equiwarp why ID")


def _writable(plate: Path, force: bool) -> None:
    """Before anything is handed out: a plate that cannot be written would leave experiments behind."""
    if plate.exists() and not force:
        raise InvalidInput(f"{plate} exists; choose another name, or overwrite it with --force")
    if not plate.parent.is_dir():
        raise InvalidInput(f"{plate.parent} is not a folder; create it first")


def _save_plate(plate: Path, c: Campaign, experiments: list[Experiment]) -> None:
    from equiwarp.tables.plates import write_plate

    if str(plate) == "-":
        write_plate(sys.stdout, c, experiments)
        return
    try:
        with plate.open("w", encoding="utf-8", newline="") as file:
            write_plate(file, c, experiments)
    except OSError as error:
        raise InvalidInput(
            f"{plate}: {error.strerror}; the experiments are pending all the same: "
            "equiwarp export --plate writes them again"
        ) from None
    click.echo(f"Wrote {len(experiments)} experiments to {plate}.")
    click.echo(f"Fill in {', '.join(c.responses)}, then: equiwarp tell {plate}")


@click.command(context_settings=NEGATIVE)
@click.argument("what", nargs=-1, required=True)
@click.option("--noise", type=float, help="Standard deviation of this value, if it is known.")
@campaign_options
def tell(
    what: tuple[str, ...], noise: float | None, store: str, campaign: str | None, who: str | None
) -> None:
    """Values of experiments: one by its id, or a whole plate.

    The same value again changes nothing; another one is a conflict (exit code 3) that names both. A
    plate is taken whole or not at all. Rows without a value stay pending; a reason in the column
    "failed" marks a failure; columns "noise" or "noise RESPONSE" give the noise of single values.

    \b
    Examples:
      equiwarp tell 3 1.25
      equiwarp tell 3 yield=81.5 cost=2.4
      equiwarp tell plate.csv
      cat plate.csv | equiwarp tell -
    """
    no_options(what)
    with opened(store, campaign, who) as c:
        if not what[0].isdecimal():
            _tell_plate(c, what)
            return
        experiment = c.tell(int(what[0]), read_values(what[1:], c.responses), noise)
        click.echo(f"Experiment {experiment.id}: {shown(experiment)}.")


def _tell_plate(c: Campaign, what: tuple[str, ...]) -> None:
    from equiwarp.tables.plates import read_plate
    from equiwarp.tables.table import read_table

    if len(what) > 1:
        raise click.UsageError("give an id and its values, or one plate")
    table = read_table(sys.stdin, "standard input") if what[0] == "-" else read_table(what[0])
    filled = read_plate(c, table)
    if not filled.told and not filled.failed:
        raise InvalidInput(f"{table.source}: no row has a value; fill in {', '.join(c.responses)}")
    c.tell_many(filled.told, filled.failed)
    click.echo(
        f"{several(len(filled.told), 'value')} and {several(len(filled.failed), 'failure')} were taken."
    )
    if filled.open:
        ids = ", ".join(map(str, filled.open))
        note(f"{several(len(filled.open), 'row')} without a value, left as they are: experiments {ids}")


@click.command()
@click.argument("file", type=click.Path(allow_dash=True))
@campaign_options
def add(file: str, store: str, campaign: str | None, who: str | None) -> None:
    """Measurements made earlier or elsewhere, from a CSV with a column per parameter and response.

    All rows are taken or none. Points outside the domain are kept and used for prediction, with a
    warning; they are never suggested.

    \b
    Examples:
      equiwarp add last-year.csv
    """
    from equiwarp.tables.plates import read_measurements
    from equiwarp.tables.table import read_table

    with opened(store, campaign, who) as c:
        table = read_table(sys.stdin, "standard input") if file == "-" else read_table(file)
        x, y, noise = read_measurements(c, table)
        ids = c.add(x, y, noise)
    click.echo(f"{len(ids)} measurements were added as experiments {ids[0]} to {ids[-1]}.")
