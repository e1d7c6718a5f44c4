"""`tell`, `add`, `amend`: values come in, and are corrected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from equiwarp._util.text import assigned, several
from equiwarp.cli.common import campaign_options, opened, read_file, words_of_values
from equiwarp.cli.output import emit, note
from equiwarp.exceptions import InvalidInput

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign

#: Settings of a command that takes values: -1.5 is one, not an option.
NEGATIVE = {"ignore_unknown_options": True}
dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would be taken, and take nothing.")


@click.command(context_settings=NEGATIVE)
@click.argument("what", nargs=-1, required=True)
@click.option("--noise", type=float, help="Standard deviation of this value, if it is known.")
@dry_run_option
@campaign_options
def tell(
    what: tuple[str, ...],
    noise: float | None,
    dry_run: bool,
    store: str,
    campaign: str | None,
    who: str | None,
) -> None:
    """Values of experiments: one by its id, or a whole plate.

    The same value again changes nothing; another one is a conflict (exit code 3) that names both. A
    plate (CSV or Excel) is taken whole or not at all. Rows without a value stay pending; a yes or a reason
    in the column "failed" marks a failure; columns "noise" or "noise RESPONSE" give the noise of single
    values.

    \b
    Examples:
      equiwarp tell 3 1.25
      equiwarp tell 3 yield=81.5 cost=2.4
      equiwarp tell plate.csv
      equiwarp tell plate.xlsx --dry-run     show what would be taken, and take nothing
      cat plate.csv | equiwarp tell -
    """
    no_options(what)
    with opened(store, campaign, who) as c:
        if not what[0].isdecimal():
            _tell_plate(c, what, dry_run)
            return
        if dry_run:
            raise click.UsageError("--dry-run is for plates; a single value is what you typed")
        experiment = c.tell(int(what[0]), parse_values(what[1:], c.responses), noise)
        click.echo(f"Experiment {experiment.id}: {assigned(experiment.values or {})}.")


def _tell_plate(c: Campaign, what: tuple[str, ...], dry_run: bool) -> None:
    from equiwarp.campaign.plates import read_plate

    if len(what) > 1:
        raise click.UsageError("give an id and its values, or one plate")
    plate = read_plate(c, read_file(what[0]))
    if dry_run:
        _show(plate.rows)
        return
    taken = plate.take()
    click.echo(f"{several(len(taken.told), 'value')} and {several(len(taken.failed), 'failure')} were taken.")
    if taken.open:
        ids = ", ".join(map(str, taken.open))
        note(f"{several(len(taken.open), 'row')} without a value, left as they are: experiments {ids}")


def _show(rows: list[dict[str, Any]]) -> None:
    """What would be taken."""
    columns = [name for name in dict.fromkeys(k for row in rows for k in row) if name != "what"]
    emit(rows, "table", [*columns, "what"])
    refused = sum(row["what"].startswith("REFUSED") for row in rows)
    because = f"; {several(refused, 'row')} would refuse all of it" if refused else ""
    note(f"This is what would be taken{because}. Nothing was changed.")


@click.command()
@click.argument("file", type=click.Path(allow_dash=True))
@dry_run_option
@campaign_options
def add(file: str, dry_run: bool, store: str, campaign: str | None, who: str | None) -> None:
    """Measurements made earlier or elsewhere, from a table with a column per parameter and response.

    All rows are taken or none. Points outside the domain are kept and used for prediction, with a
    warning; they are never suggested.

    \b
    Examples:
      equiwarp add last-year.csv
      equiwarp add last-year.xlsx --dry-run     show what would be added, and add nothing
    """
    from equiwarp.campaign.plates import read_measured

    with opened(store, campaign, who) as c:
        measured = read_measured(c, read_file(file))
        if dry_run:
            _show(measured.rows)
            return
        taken = measured.take()
    for said in taken.notes:
        note(f"warning: {said}")
    ids = taken.added
    click.echo(f"{len(ids)} measurements were added as experiments {ids[0]} to {ids[-1]}.")


@click.command(context_settings=NEGATIVE)
@click.argument("id", type=click.IntRange(1))
@click.argument("values", nargs=-1, required=True)
@click.option("--noise", type=float, help="Standard deviation of this value, if it is known.")
@click.option("--reason", default="", help="Kept with the correction.")
@campaign_options
def amend(
    id: int,
    values: tuple[str, ...],
    noise: float | None,
    reason: str,
    store: str,
    campaign: str | None,
    who: str | None,
) -> None:
    """Correct a value. The old one stays in the history.

    \b
    Examples:
      equiwarp amend 3 1.52 --reason "misread the scale"
      equiwarp amend 3 yield=81.5 cost=2.6
    """
    no_options(values)
    with opened(store, campaign, who) as c:
        before = c.experiment(id)
        after = c.amend(id, parse_values(values, c.responses), noise, reason)
        click.echo(
            f"Experiment {id}: {assigned(after.values or {})}, before {assigned(before.values or {})}."
        )


def no_options(words: tuple[str, ...]) -> None:
    """Misspelt options, which these commands would otherwise take for values."""
    for word in words:
        if word.startswith("-") and word != "-" and not re.match(r"-[\d.]", word):
            raise click.NoSuchOption(word)


def parse_values(words: tuple[str, ...], responses: tuple[str, ...]) -> Any:
    """``1.5``, ``1.5 2.5`` in order, or ``yield=1.5 cost=2.5``."""
    from equiwarp.tables.cells import read_number

    if not words:
        raise click.UsageError("give a value after the id")
    if not any("=" in word[1:] for word in words):
        values = [read_number(word, f"value {i + 1}") for i, word in enumerate(words)]
        if len(responses) > 1 and len(values) != len(responses):
            raise InvalidInput(
                f"{several(len(values), 'value')} for {len(responses)} responses; "
                f"give {words_of_values(responses)}"
            )
        return values[0] if len(values) == 1 else values
    named: dict[str, float] = {}
    for word in words:
        name, equals, text = word.rpartition("=")
        if not equals:
            raise click.UsageError(f"{word!r}: name every value, as in {responses[0]}=1.5, or none of them")
        if len(responses) > 1 and name not in responses:
            raise InvalidInput(f"there is no response {name!r}; give {words_of_values(responses)}")
        named[name] = read_number(text, f"value of {name!r}")
    return named
