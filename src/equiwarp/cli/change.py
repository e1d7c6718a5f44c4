"""`rename`, `widen`, `change`: what was said about a campaign, said again. Each is an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from equiwarp._util.text import several
from equiwarp.cli.aim import aim_options, read_aim
from equiwarp.cli.common import campaign_options, named_numbers, named_texts, opened, read_file

if TYPE_CHECKING:
    from equiwarp.campaign import Campaign


@click.command()
@click.argument("name", required=False)
@click.option("--parameter", nargs=2, metavar="OLD NEW", help="Another name for a parameter.")
@click.option("--response", nargs=2, metavar="OLD NEW", help="Another name for a response.")
@campaign_options
def rename(
    name: str | None, parameter: tuple[str, str] | None, response: tuple[str, str] | None, store: str,
    campaign: str | None, who: str | None,
) -> None:  # fmt: skip
    """Another name for the campaign, a parameter or a response.

    \b
    Examples:
      equiwarp rename second-furnace
      equiwarp rename --parameter temp temperature
      equiwarp rename --response a yield
    """
    if sum(said is not None for said in (name, parameter, response)) != 1:
        raise click.UsageError("say one thing: a new NAME, --parameter OLD NEW or --response OLD NEW")
    with opened(store, campaign, who) as c:
        if name is not None:
            old = c.name
            c.rename(name)
            click.echo(f"Campaign {old!r} is now {name!r}.")
        elif parameter is not None:
            c.rename_parameter(*parameter)
            click.echo(f"Parameter {parameter[0]!r} is now {parameter[1]!r}.")
        elif response is not None:
            c.rename_response(*response)
            click.echo(f"Response {response[0]!r} is now {response[1]!r}.")


@click.command()
@click.argument("parameter", required=False)
@click.option("--low", type=float, help="The new lower bound.")
@click.option("--high", type=float, help="The new upper bound.")
@click.option("--add", multiple=True, metavar="SETTING", help="One more level or category; repeatable.")
@click.option(
    "--list",
    "rows",
    type=click.Path(exists=True, dir_okay=False),
    help="More rows of the list of candidates.",
)
@campaign_options
def widen(
    parameter: str | None, low: float | None, high: float | None, add: tuple[str, ...], rows: str | None,
    store: str, campaign: str | None, who: str | None,
) -> None:  # fmt: skip
    """Wider bounds of a parameter, more settings, or more candidates. What was handed out stays.

    \b
    Examples:
      equiwarp widen temperature --high 120
      equiwarp widen pressure --add 20 --add 50
      equiwarp widen solvent --add acetone
      equiwarp widen --list more.csv
    """
    if (parameter is None) == (rows is None):
        raise click.UsageError("say one thing: a PARAMETER, or --list with a file of candidates")
    with opened(store, campaign, who) as c:
        if rows is not None:
            _widen_list(c, rows)
        elif parameter is not None:
            c.widen(parameter, low, high, add=[_setting(text) for text in add] or None)
            row = next(row for row in c.domain.describe() if row["name"] == parameter)
            bounds = "" if add else f"{parameter} runs from {row['low']:g} to {row['high']:g} now."
            click.echo(bounds or f"{parameter} may also be {', '.join(add)} now.")


def _widen_list(c: Campaign, path: str) -> None:
    from equiwarp.campaign.widening import rows_of_table

    c.widen_list(rows_of_table(c.domain, read_file(path)))
    said = c.events()[-1].detail
    were = "was" if said["rows"] == 1 else "were"
    click.echo(
        f"{several(said['rows'], 'candidate')} {were} added to the list, which has {said['after']} now."
    )


def _setting(text: str) -> float | str:
    """A number where it reads as one, else the name of a category."""
    from equiwarp.exceptions import TableError
    from equiwarp.tables.cells import read_number

    try:
        return read_number(text.strip(), "--add")
    except TableError:
        return text


@click.command()
@click.option(
    "--noise", multiple=True, metavar="RESPONSE=NUMBER", help="Noise of one measurement; repeatable."
)
@click.option("--plausible", multiple=True, metavar="RESPONSE=LOW:HIGH", help="Either may be left out.")
@click.option(
    "--stop-error",
    multiple=True,
    metavar="NUMBER|RESPONSE=NUMBER",
    help="Mapping may stop at this map error; with names all of them, repeatable.",
)
@click.option("--stop-gain", type=float, help="Or when an experiment gains less than this.")
@click.option("--description", help="Any text for people.")
@click.option("--change-cost", multiple=True, metavar="PARAMETER=NUMBER", help="All costs; repeatable.")
@click.option("--block", multiple=True, metavar="COLUMN=record|offset", help="All columns; repeatable.")
@aim_options
@campaign_options
def change(store: str, campaign: str | None, who: str | None, **said: Any) -> None:
    """Noise, plausible ranges, the stop rule, the aim and the rest of the description.

    An aim says where the map has to be good. What you give of it replaces the whole former aim.

    \b
    Examples:
      equiwarp change --noise yield=0.5 --plausible yield=0:100
      equiwarp change --stop-error 2
      equiwarp change --stop-error yield=3 --stop-error impurity=50
      equiwarp change --change-cost temperature=30 --block day=offset
      equiwarp change --aim-near yield=60
      equiwarp change --aim-above yield=80 --aim-weight "temperature <= 70"
      equiwarp change --aim-everywhere
    """
    if not any(value not in (None, (), False) for value in said.values()):
        raise click.UsageError("say what to change; see equiwarp change --help")
    aim = read_aim(said)
    with opened(store, campaign, who) as c:
        c.change(
            aim=aim,
            stop=_rule(c, _stop_error(said["stop_error"]), said["stop_gain"]),
            noise=named_numbers(said["noise"], "--noise"),
            plausible=_ranges(said["plausible"]),
            description=said["description"],
            change_cost=named_numbers(said["change_cost"], "--change-cost"),
            blocks=named_texts(said["block"], "--block"),
        )
    click.echo("Changed. Experiments that were handed out stay as they are.")


def _stop_error(words: tuple[str, ...]) -> float | dict[str, float] | None:
    """One number for all responses, or one for each that is named."""
    from equiwarp.tables.cells import read_number

    if len(words) == 1 and "=" not in words[0]:
        return read_number(words[0].strip(), "--stop-error")
    return named_numbers(words, "--stop-error")


def _rule(c: Campaign, error: float | dict[str, float] | None, gain: float | None) -> Any:
    import dataclasses

    if error is None and gain is None:
        return None
    given = {"error": error, "gain_per_experiment": gain}
    return dataclasses.replace(c.spec.stop, **{name: v for name, v in given.items() if v is not None})


def _ranges(words: tuple[str, ...]) -> dict[str, tuple[float | None, float | None]] | None:
    from equiwarp.tables.cells import read_number

    ranges: dict[str, tuple[float | None, float | None]] = {}
    for name, text in (named_texts(words, "--plausible") or {}).items():
        low, colon, high = text.partition(":")
        if not colon:
            raise click.UsageError(f"--plausible {name}={text}: write LOW:HIGH, such as 0:100 or 0:")
        place = f"--plausible {name}"
        ranges[name] = tuple(
            read_number(part.strip(), place) if part.strip() else None for part in (low, high)
        )  # type: ignore[assignment]
    return ranges or None
