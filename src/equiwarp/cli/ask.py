"""`ask`: the next experiments, as a table or as a plate to fill in."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from equiwarp._util.text import several
from equiwarp.cli.common import (
    campaign_options,
    format_option,
    named_settings,
    named_texts,
    opened,
    patience,
    require_new,
    words_of_values,
)
from equiwarp.cli.output import emit, note, released_unless_written, standard_output
from equiwarp.exceptions import InvalidInput

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign
    from equiwarp.campaign.experiment import Experiment


@click.command()
@click.option("-n", "count", type=click.IntRange(1, 10_000), default=1, show_default=True, help="How many.")
@click.option(
    "--csv",
    "--plate",
    "plate",
    type=click.Path(path_type=Path),
    help="Write a plate to fill in, CSV or Excel (.xlsx); - is stdout.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing plate.")
@click.option("--fix", multiple=True, metavar="PARAMETER=VALUE", help="A setting that is given; repeatable.")
@click.option("--share", multiple=True, metavar="PARAMETER", help="The same in all of them; repeatable.")
@click.option(
    "--order",
    type=click.Choice(["chosen", "cheapest", "random"]),
    help="In which order they come.  [default: cheapest if the campaign has change costs, else chosen]",
)
@click.option("--block", multiple=True, metavar="COLUMN=TEXT", help="Such as day=Monday; repeatable.")
@campaign_options
@format_option
def ask(
    count: int, plate: Path | None, force: bool, fix: tuple[str, ...], share: tuple[str, ...],
    order: str | None, block: tuple[str, ...], store: str, campaign: str | None, who: str | None, form: str,
) -> None:  # fmt: skip
    """The next experiments. They are pending until they are told, failed, abandoned or released.

    \b
    Examples:
      equiwarp ask
      equiwarp ask -n 8 --csv plate.csv      fill in the column, then: equiwarp tell plate.csv
      equiwarp ask -n 8 --plate plate.xlsx   the same for Excel, with drop-downs
      equiwarp ask -n 4 --format json
      equiwarp ask -n 4 --fix temperature=40 --share pH
      equiwarp ask -n 4 --fix solvent=water
      equiwarp ask -n 8 --order random --block day=Monday
    """
    if plate is not None and str(plate) != "-":
        _writable(plate, force)
    with opened(store, campaign, who) as c:
        patience(f"Choosing {count}")
        experiments = c.ask(
            count, fixed=named_settings(fix, "--fix"), shared=share or None, order=order,
            block=named_texts(block, "--block"),
        )  # fmt: skip
        with released_unless_written(c, experiments):
            if plate is not None:
                _save_plate(plate, c, experiments)
            else:
                rows = [{"id": e.id, **e.point, "why": str(e.why)} for e in experiments]
                emit(rows, form, ["id", *c.domain.names, *([] if form == "table" else ["why"])])
        if plate is not None:
            _say_saved(plate, c, experiments, campaign)
        elif form == "table":
            values = words_of_values(c.responses)
            note(f"Tell a value: equiwarp tell {experiments[0].id} {values}    Reasons: equiwarp why ID")


def _writable(plate: Path, force: bool) -> None:
    """Before anything is handed out: a plate that cannot be written would leave experiments behind."""
    require_new(plate, force)
    if not plate.parent.is_dir():
        raise InvalidInput(f"{plate.parent} is not a folder; create it first")
    from equiwarp.tables.files import require_writer

    require_writer(plate)


def _save_plate(plate: Path, c: Campaign, experiments: list[Experiment]) -> None:
    from equiwarp.campaign.plates import plate_of, write_plate
    from equiwarp.tables.files import file_of

    if str(plate) == "-":
        write_plate(standard_output(), c, experiments)
        return
    data = file_of(plate, [plate_of(c, experiments)])
    try:
        plate.write_bytes(data)
    except OSError:
        if plate.is_file():
            plate.unlink()  # a part of a plate looks like a plate
        raise


def _say_saved(plate: Path, c: Campaign, experiments: list[Experiment], campaign: str | None) -> None:
    """Once the plate is there: whoever does not hear this has it all the same."""
    if str(plate) != "-":
        of = "" if campaign is None else f" -c {shlex.quote(campaign)}"
        click.echo(f"Wrote {several(len(experiments), 'experiment')} to {plate}.")
        click.echo(f"Fill in {', '.join(c.responses)}, then: equiwarp tell {shlex.quote(str(plate))}{of}")
