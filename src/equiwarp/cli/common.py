"""What the commands share: options, how they find their campaign, how they treat files."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from equiwarp.exceptions import InvalidInput

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign
    from equiwarp.tables.table import Table

#: The store of those who name none.
DEFAULT_STORE = "equiwarp.db"
#: Seconds of the units in which a duration may be given.
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}

F = TypeVar("F", bound=Callable[..., Any])


def _complete_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from equiwarp.campaign import Campaign

    try:
        return [
            n for n in Campaign.names(ctx.params.get("store") or DEFAULT_STORE) if n.startswith(incomplete)
        ]
    except Exception:  # a completion must never disturb the shell
        return []


def _remember_debug(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().meta["equiwarp.debug"] = True


def store_option(command: F) -> F:
    """``--store`` and ``--debug``."""
    command = click.option(
        "--debug", is_flag=True, expose_value=False, callback=_remember_debug, help="Show tracebacks."
    )(command)
    return click.option(
        "--store",
        envvar="EQUIWARP_STORE",
        default=DEFAULT_STORE,
        show_default=True,
        show_envvar=True,
        help="A file, or postgresql://user@host/database.",
    )(command)


def campaign_options(command: F) -> F:
    """``--store``, ``--campaign``, ``--who`` and ``--debug``."""
    command = click.option(
        "--who", envvar="EQUIWARP_WHO", help="Recorded with what you do.  [default: user@machine]"
    )(command)
    command = click.option(
        "-c",
        "--campaign",
        envvar="EQUIWARP_CAMPAIGN",
        show_envvar=True,
        shell_complete=_complete_names,
        help="Needed only if the store has several.",
    )(command)
    return store_option(command)


def format_option(command: F) -> F:
    """``--format``."""
    return click.option(
        "-f",
        "--format",
        "form",
        type=click.Choice(["table", "json", "csv"]),
        default="table",
        show_default=True,
        help="For people or for programs.",
    )(command)


@contextmanager
def opened(store: str, campaign: str | None, who: str | None) -> Iterator[Campaign]:
    """The campaign that was named, or the only one of the store."""
    from equiwarp.campaign import Campaign

    name = campaign or only_campaign(store)
    with Campaign(name, store=store, who=who) as found:
        yield found


def only_campaign(store: str) -> str:
    """Name of the only campaign of a store."""
    from equiwarp.campaign import Campaign
    from equiwarp.store import redacted

    names, place = Campaign.names(store), redacted(store)
    if not names:
        raise InvalidInput(f"{place} has no campaign yet; begin one: equiwarp new FILE.toml --store {place}")
    if len(names) > 1:
        shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        raise click.UsageError(f"{place} has several campaigns ({shown}); choose one with --campaign NAME")
    return names[0]


def read_file(file: str) -> Table:
    """A table, CSV or Excel; ``-`` is standard input."""
    from equiwarp.tables.table import read_table

    return read_table(sys.stdin.buffer.read(), "standard input") if file == "-" else read_table(file)


def words_of_values(responses: Sequence[str]) -> str:
    """How the values of an experiment are typed behind its id."""
    if len(responses) == 1:
        return "VALUE"
    return " ".join(shlex.quote(f"{name}=VALUE") for name in responses)


def named_texts(words: tuple[str, ...], option: str) -> dict[str, str] | None:
    """``NAME=TEXT`` as often as the option was given; None if it was not."""
    named: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise click.UsageError(f"{option} {word}: write NAME=VALUE")
        if name in named:
            raise click.UsageError(f"{option} {word}: {name!r} is given twice")
        named[name] = text
    return named or None


def named_numbers(words: tuple[str, ...], option: str) -> dict[str, float] | None:
    """``NAME=NUMBER`` as often as the option was given; None if it was not."""
    from equiwarp.tables.cells import read_number

    texts = named_texts(words, option)
    return None if texts is None else {n: read_number(t, f"{option} {n}") for n, t in texts.items()}


#: What is wrong with a cell of numbers that may well be the name of a category: water, n/a, +, -.
TEXTS = ("not_a_number", "empty", "formula")


def named_settings(words: tuple[str, ...], option: str) -> dict[str, float | str] | None:
    """``NAME=VALUE`` as often as the option was given: a number, or else the name of a category."""
    from equiwarp.exceptions import TableError
    from equiwarp.tables.cells import read_number

    found: dict[str, float | str] = {}
    for name, text in (named_texts(words, option) or {}).items():
        try:
            found[name] = read_number(text, f"{option} {name}")
        except TableError as error:
            if error.code not in TEXTS:
                raise
            found[name] = text
    return found or None


def duration(text: str) -> timedelta:
    """``90m``, ``12h``, ``7d`` or ``2w``."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw])", text.strip())
    if match is None:
        raise click.UsageError(f"{text!r} is no duration; write 90m, 12h, 7d or 2w")
    try:
        return timedelta(seconds=float(match[1]) * UNITS[match[2]])
    except OverflowError:
        raise click.UsageError(f"{text!r} is longer than a calendar; write 90m, 12h, 7d or 2w") from None


def require_new(file: Path, force: bool) -> None:
    """Refuse to overwrite a file that nobody said may go."""
    if file.exists() and not force:
        raise InvalidInput(f"{file} exists; choose another name, or overwrite it with --force")


def patience(message: str) -> None:
    """A word on a terminal before something that takes seconds."""
    if sys.stderr.isatty():
        click.echo(f"{message} ...", err=True)
