"""`ask`, `tell`, `fail`, `abandon`, `amend`, `add`, `release`: live with a campaign."""

from __future__ import annotations

import re
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from equiwarp.cli.common import campaign_options, format_option, opened, patience
from equiwarp.cli.output import emit, note, several

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign
    from equiwarp.experiment import Experiment

NEGATIVE = {"ignore_unknown_options": True}  # so that -1.5 is a value, not an option
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


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
        raise ValueError(f"{plate} exists; choose another name, or overwrite it with --force")
    if not plate.parent.is_dir():
        raise ValueError(f"{plate.parent} is not a folder; create it first")


def _save_plate(plate: Path, c: Campaign, experiments: list[Experiment]) -> None:
    from equiwarp.plates import write_plate

    if str(plate) == "-":
        write_plate(sys.stdout, c, experiments)
        return
    try:
        with plate.open("w", encoding="utf-8", newline="") as file:
            write_plate(file, c, experiments)
    except OSError as error:
        raise ValueError(
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
    _no_options(what)
    with opened(store, campaign, who) as c:
        if not what[0].isdecimal():
            _tell_plate(c, what)
            return
        experiment = c.tell(int(what[0]), _values(what[1:], c.responses), noise)
        click.echo(f"Experiment {experiment.id}: {_shown(experiment)}.")


def _tell_plate(c: Campaign, what: tuple[str, ...]) -> None:
    from equiwarp.plates import read_plate
    from equiwarp.tables import read_table

    if len(what) > 1:
        raise click.UsageError("give an id and its values, or one plate")
    table = read_table(sys.stdin, "standard input") if what[0] == "-" else read_table(what[0])
    filled = read_plate(c, table)
    if not filled.told and not filled.failed:
        raise ValueError(f"{table.source}: no row has a value; fill in {', '.join(c.responses)}")
    c.tell_many(filled.told, filled.failed)
    click.echo(
        f"{several(len(filled.told), 'value')} and {several(len(filled.failed), 'failure')} were taken."
    )
    if filled.open:
        ids = ", ".join(map(str, filled.open))
        note(f"{several(len(filled.open), 'row')} without a value, left as they are: experiments {ids}")


@click.command()
@click.argument("id", type=click.IntRange(1))
@click.argument("reason", default="")
@campaign_options
def fail(id: int, reason: str, store: str, campaign: str | None, who: str | None) -> None:
    """An experiment did not work. It may be suggested again later, but not soon.

    \b
    Examples:
      equiwarp fail 4 "furnace tripped"
    """
    with opened(store, campaign, who) as c:
        c.tell_failed(id, reason)
    click.echo(f"Experiment {id} failed{f': {reason}' if reason else ''}.")


@click.command()
@click.argument("id", type=click.IntRange(1))
@click.argument("reason", default="")
@campaign_options
def abandon(id: int, reason: str, store: str, campaign: str | None, who: str | None) -> None:
    """An experiment will not be done, now or later.

    \b
    Examples:
      equiwarp abandon 5 "would foam over"
    """
    with opened(store, campaign, who) as c:
        c.abandon(id, reason)
    click.echo(f"Experiment {id} is abandoned and will not be suggested again.")


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
    _no_options(values)
    with opened(store, campaign, who) as c:
        before = c.experiment(id)
        after = c.amend(id, _values(values, c.responses), noise, reason)
        click.echo(f"Experiment {id}: {_shown(after)}, before {_shown(before)}.")


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
    from equiwarp.plates import read_measurements
    from equiwarp.tables import read_table

    with opened(store, campaign, who) as c:
        table = read_table(sys.stdin, "standard input") if file == "-" else read_table(file)
        x, y, noise = read_measurements(c, table)
        ids = c.add(x, y, noise)
    click.echo(f"{len(ids)} measurements were added as experiments {ids[0]} to {ids[-1]}.")


@click.command()
@click.option("--older-than", metavar="TIME", help="Only those pending for longer: 90m, 12h, 7d, 2w.")
@click.option("--all", "everything", is_flag=True, help="Every pending experiment.")
@campaign_options
def release(
    older_than: str | None, everything: bool, store: str, campaign: str | None, who: str | None
) -> None:
    """Make pending experiments that nobody is working on available again.

    A value that arrives for a released experiment is still welcome.

    \b
    Examples:
      equiwarp release --older-than 7d
      equiwarp release --all
    """
    if everything == (older_than is not None):
        raise click.UsageError("say which: --older-than TIME or --all")
    age = None if older_than is None else _duration(older_than)
    with opened(store, campaign, who) as c:
        released = c.release(age)
    numbers = f": {', '.join(str(e.id) for e in released)}" if released else ""
    were = "was" if len(released) == 1 else "were"
    click.echo(f"{several(len(released), 'experiment')} {were} released{numbers}.")


def _duration(text: str) -> timedelta:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw])", text.strip())
    if match is None:
        raise click.UsageError(f"{text!r} is no duration; write 90m, 12h, 7d or 2w")
    return timedelta(seconds=float(match[1]) * UNITS[match[2]])


def _no_options(words: tuple[str, ...]) -> None:
    """Misspelt options, which these commands would otherwise take for values."""
    for word in words:
        if word.startswith("-") and word != "-" and not re.match(r"-[\d.]", word):
            raise click.NoSuchOption(word)


def _values(words: tuple[str, ...], responses: tuple[str, ...]) -> Any:
    """``1.5``, ``1.5 2.5`` in order, or ``yield=1.5 cost=2.5``."""
    from equiwarp.tables import number

    if not words:
        raise click.UsageError("give a value after the id")
    if not any("=" in word[1:] for word in words):
        values = [number(word, f"value {i + 1}") for i, word in enumerate(words)]
        return values[0] if len(values) == 1 else values
    named: dict[str, float] = {}
    for word in words:
        name, equals, text = word.rpartition("=")
        if not equals:
            raise click.UsageError(f"{word!r}: name every value, as in {responses[0]}=1.5, or none of them")
        named[name] = number(text, f"value of {name!r}")
    return named


def _shown(experiment: Experiment) -> str:
    values = experiment.values or {}
    return ", ".join(f"{name} = {value:.6g}" for name, value in values.items())
