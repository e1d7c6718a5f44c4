"""`tell`, `add`, `amend`: values come in, and are corrected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from equiwarp._util.text import several
from equiwarp.cli.common import (
    campaign_options,
    named_settings,
    named_texts,
    opened,
    read_file,
    words_of_values,
)
from equiwarp.cli.output import emit, note
from equiwarp.exceptions import InvalidInput

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign, Experiment

#: Settings of a command that takes values: -1.5 is one, not an option.
NEGATIVE = {"ignore_unknown_options": True}
dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would be taken, and take nothing.")


@click.command(context_settings=NEGATIVE)
@click.argument("what", nargs=-1, required=True)
@click.option("--noise", type=float, help="Standard deviation of this value, if it is known.")
@click.option(
    "--at", multiple=True, metavar="PARAMETER=VALUE", help="A setting that was used instead; repeatable."
)
@click.option("--actual", is_flag=True, help="Settings of a plate that differ are those that were used.")
@click.option("--sure", is_flag=True, help="Take values outside the plausible range.")
@click.option("--sample", help="Identifier of the sample.")
@click.option("--block", multiple=True, metavar="COLUMN=TEXT", help="Such as day=Monday; repeatable.")
@dry_run_option
@campaign_options
def tell(
    what: tuple[str, ...], noise: float | None, at: tuple[str, ...], actual: bool, sure: bool,
    sample: str | None, block: tuple[str, ...], dry_run: bool, store: str, campaign: str | None,
    who: str | None,
) -> None:  # fmt: skip
    """Values of experiments: one by its id, or a whole plate.

    Of several responses, some may be told now and others later. The same value again changes nothing;
    another one is a conflict (exit code 3) that names both. "<0.5" is a value below that detection limit,
    ">90" one above the instrument's range.
    A plate (CSV or Excel) is taken whole or not at all. Rows without a value stay pending; a yes or a reason
    in the column "failed" marks a failure; columns "noise" or "noise RESPONSE" give the noise of single
    values; "sample" and the campaign's blocks are recorded.

    \b
    Examples:
      equiwarp tell 3 1.25
      equiwarp tell 3 yield=81.5 cost=2.4
      equiwarp tell 3 yield=81.5 --at temperature=41.7 --sample S-17
      equiwarp tell 4 "<0.5"
      equiwarp tell 4 ">90"
      equiwarp tell plate.csv
      equiwarp tell plate.csv --actual
      equiwarp tell plate.xlsx --dry-run     show what would be taken, and take nothing
      cat plate.csv | equiwarp tell -
    """
    no_options(what)
    with opened(store, campaign, who) as c:
        if not what[0].isdecimal():
            if at or sample or block or noise is not None:
                raise click.UsageError("--noise, --at, --sample and --block belong to one experiment")
            _tell_plate(c, what, actual, sure, dry_run)
            return
        if dry_run:
            raise click.UsageError("--dry-run is for plates; a single value is what you typed")
        experiment = c.tell(
            int(what[0]), parse_values(what[1:], c.responses), noise, at=named_settings(at, "--at"),
            sure=sure, sample=sample, block=named_texts(block, "--block"),
        )  # fmt: skip
        click.echo(f"Experiment {experiment.id}: {told_text(experiment)}.")
        if experiment.missing:
            note(f"Still to come: {', '.join(experiment.missing)}")


def _tell_plate(c: Campaign, what: tuple[str, ...], actual: bool, sure: bool, dry_run: bool) -> None:
    from equiwarp.campaign.plates import Assured, read_plate

    if len(what) > 1:
        raise click.UsageError("give an id and its values, or one plate")
    plate = read_plate(c, read_file(what[0]), Assured(actual=actual, sure=sure))
    if dry_run:
        _show(plate.rows, plate.notes)
        return
    taken = plate.take()
    for said in plate.notes:
        note(f"warning: {said}")
    new, known = ("new ", f", {taken.known} known already") if taken.known else ("", "")
    values, failures = several(taken.values, f"{new}value"), several(taken.failures, f"{new}failure")
    click.echo(f"{values} and {failures} were taken{known}.")
    for names in dict.fromkeys(taken.lacking.values()):
        rows = [id for id, lacking in taken.lacking.items() if lacking == names]
        lack = (
            f"{several(len(rows), 'row')} still {'lacks' if len(rows) == 1 else 'lack'} {' and '.join(names)}"
        )
        note(f"{lack}: {_experiments(rows)}")
    if taken.open:
        left = "left as it is" if len(taken.open) == 1 else "left as they are"
        note(f"{several(len(taken.open), 'row')} without a value, {left}: {_experiments(taken.open)}")


def _experiments(ids: Sequence[int]) -> str:
    """``experiment 2``, ``experiments 2, 3``."""
    return f"experiment{'s' if len(ids) > 1 else ''} {', '.join(map(str, ids))}"


def _show(rows: list[dict[str, Any]], notes: Sequence[str]) -> None:
    """What would be taken."""
    for said in notes:
        note(f"warning: {said}")
    columns = [name for name in dict.fromkeys(k for row in rows for k in row) if name != "what"]
    emit(rows, "table", [*columns, "what"])
    refused = sum(row["what"].startswith("REFUSED") for row in rows)
    because = f"; {several(refused, 'row')} would refuse all of it" if refused else ""
    note(f"This is what would be taken{because}. Nothing was changed.")


@click.command()
@click.argument("file", type=click.Path(allow_dash=True))
@click.option("--again", is_flag=True, help="Take rows that are known already: they were measured again.")
@click.option("--sure", is_flag=True, help="Take values outside the plausible range.")
@click.option("--key", help="Your name for this request: repeated with it, nothing is added twice.")
@dry_run_option
@campaign_options
def add(
    file: str, again: bool, sure: bool, key: str | None, dry_run: bool, store: str, campaign: str | None,
    who: str | None,
) -> None:  # fmt: skip
    """Measurements made earlier or elsewhere, from a table with a column per parameter and response.

    All rows are taken or none, except those that are known already, with the same settings and values:
    they are left out unless --again says that they were measured again. Points outside the domain are
    kept and used for prediction, with a warning; they are never suggested. A value may be a limit, "<0.5" or
    ">90"; of several responses, some cells may be empty. Columns "sample" and those of the campaign's blocks
    are recorded.

    \b
    Examples:
      equiwarp add last-year.csv
      equiwarp add last-year.xlsx --dry-run     show what would be added, and add nothing
      equiwarp add repeats.csv --again
      equiwarp add repeats.csv --again --key "tray 7"     safe to repeat
    """
    from equiwarp.campaign.plates import Assured, read_measured

    with opened(store, campaign, who) as c:
        measured = read_measured(c, read_file(file), Assured(again=again, sure=sure, key=key))
        if dry_run:
            _show(measured.rows, measured.notes)
            return
        taken = measured.take()
    for said in taken.notes:
        note(f"warning: {said}")
    ids = taken.added
    if ids:
        if len(ids) == 1:
            click.echo(f"1 measurement was added as experiment {ids[0]}.")
            return
        click.echo(f"{len(ids)} measurements were added as experiments {ids[0]} to {ids[-1]}.")
    else:
        click.echo("No measurement was added: all of them are known already.")


@click.command(context_settings=NEGATIVE)
@click.argument("id", type=click.IntRange(1))
@click.argument("values", nargs=-1, required=True)
@click.option("--noise", type=float, help="Standard deviation of this value, if it is known.")
@click.option("--reason", default="", help="Kept with the correction.")
@click.option("--sure", is_flag=True, help="Take a value outside the plausible range.")
@campaign_options
def amend(
    id: int, values: tuple[str, ...], noise: float | None, reason: str, sure: bool, store: str,
    campaign: str | None, who: str | None,
) -> None:  # fmt: skip
    """Correct a value, or that of one response. The old one stays in the history.

    \b
    Examples:
      equiwarp amend 3 1.52 --reason "misread the scale"
      equiwarp amend 3 yield=81.5 cost=2.6
    """
    no_options(values)
    with opened(store, campaign, who) as c:
        before = c.experiment(id)
        after = c.amend(id, parse_values(values, c.responses), noise, reason, sure=sure)
        click.echo(f"Experiment {id}: {told_text(after)}, before {told_text(before)}.")


def no_options(words: tuple[str, ...]) -> None:
    """Misspelt options, which these commands would otherwise take for values."""
    for word in words:
        if word.startswith("-") and word != "-" and not re.match(r"-[\d.]", word):
            raise click.NoSuchOption(word)


def told_text(experiment: Experiment) -> str:
    """``yield = 81.5, cost = <0.5``."""
    shown = experiment.shown.items()
    return ", ".join(f"{name} = {v if isinstance(v, str) else f'{v:.6g}'}" for name, v in shown)


def parse_values(words: tuple[str, ...], responses: tuple[str, ...]) -> Any:
    """``1.5``, ``1.5 2.5`` in order, or ``yield=1.5 cost=2.5``."""
    from equiwarp.tables.cells import number_or_limit

    if not words:
        raise click.UsageError("give a value after the id")
    words = tuple(word.replace("<=", "<").replace(">=", ">") for word in words)  # a limit either way
    if not any("=" in word[1:] for word in words):
        values = [number_or_limit(word, f"value {i + 1}") for i, word in enumerate(words)]
        if len(responses) > 1 and len(values) != len(responses):
            raise InvalidInput(
                f"{several(len(values), 'value')} for {len(responses)} responses; "
                f"give {words_of_values(responses)}"
            )
        return values[0] if len(values) == 1 else values
    named: dict[str, float | str] = {}
    for word in words:
        name, equals, text = word.rpartition("=")
        if not equals:
            raise click.UsageError(f"{word!r}: name every value, as in {responses[0]}=1.5, or none of them")
        if len(responses) > 1 and name not in responses:
            raise InvalidInput(f"there is no response {name!r}; give {words_of_values(responses)}")
        if name in named:
            raise InvalidInput(f"{name!r} is given twice; give one value")
        named[name] = number_or_limit(text, f"value of {name!r}")
    return named
