"""`withdraw`, `undo`, `note`, `repeat`, `claim`, `renew`: what else happens in a laboratory."""

from __future__ import annotations

import click

from equiwarp._util.text import assigned, several
from equiwarp.cli.common import campaign_options, duration, format_option, named_texts, opened, patience
from equiwarp.cli.output import emit, released_unless_written, standard_output
from equiwarp.cli.output import note as say

LEASE = click.option(
    "--lease", metavar="TIME", default="1h", show_default=True, help="How long: 90s, 10m, 2h, 1d."
)


@click.command()
@click.argument("id", type=click.IntRange(1))
@click.argument("reason", default="")
@campaign_options
def withdraw(id: int, reason: str, store: str, campaign: str | None, who: str | None) -> None:
    """Take back a value that is neither wrong nor right. It stays in the history and leaves the map.

    \b
    Examples:
      equiwarp withdraw 4 "contaminated sample"
      equiwarp repeat 4                          to measure there again
    """
    with opened(store, campaign, who) as c:
        c.withdraw(id, reason)
    click.echo(f"The value of experiment {id} is withdrawn{f': {reason}' if reason else ''}.")


@click.command()
@click.argument("id", type=click.IntRange(1))
@campaign_options
def undo(id: int, store: str, campaign: str | None, who: str | None) -> None:
    """Undo the last fail, abandon, release or withdraw of an experiment.

    \b
    Examples:
      equiwarp undo 4
    """
    with opened(store, campaign, who) as c:
        state = c.undo(id).state
    click.echo(f"Experiment {id} is {state} again.")


@click.command()
@click.argument("id", type=click.IntRange(1))
@click.argument("text", default="")
@click.option("--sample", help="Identifier of the sample.")
@click.option("--block", multiple=True, metavar="COLUMN=TEXT", help="Such as day=Monday; repeatable.")
@campaign_options
def note(
    id: int, text: str, sample: str | None, block: tuple[str, ...], store: str, campaign: str | None,
    who: str | None,
) -> None:  # fmt: skip
    """Write down something about an experiment.

    \b
    Examples:
      equiwarp note 4 "cloudy after an hour"
      equiwarp note 4 --sample S-17 --block day=Monday
    """
    with opened(store, campaign, who) as c:
        c.note(id, text, sample=sample, block=named_texts(block, "--block"))
    click.echo(f"Noted for experiment {id}.")


@click.command()
@click.argument("id", type=click.IntRange(1))
@click.option(
    "-n", "count", type=click.IntRange(1, 1000), default=1, show_default=True, help="How many times."
)
@campaign_options
def repeat(id: int, count: int, store: str, campaign: str | None, who: str | None) -> None:
    """Measure an experiment again, on purpose. The map pools repeats, and the noise is estimated from them.

    \b
    Examples:
      equiwarp repeat 4 -n 3
    """
    with opened(store, campaign, who) as c:
        repeats = c.repeat(id, count)
        with released_unless_written(c, repeats):
            ids = ", ".join(str(e.id) for e in repeats)
            click.echo(f"{several(count, 'repeat')} of experiment {id}: {ids}.", file=standard_output())


@click.command()
@click.option("-n", "count", type=click.IntRange(1, 10_000), default=1, show_default=True, help="How many.")
@LEASE
@campaign_options
@format_option
def claim(count: int, lease: str, store: str, campaign: str | None, who: str | None, form: str) -> None:
    """The next experiments for a limited time: for programs, which may die.

    If neither a value nor `renew` comes in time, they are released when somebody next asks. A value that
    comes later is still welcome.

    \b
    Examples:
      equiwarp claim --lease 10m --format json
    """
    with opened(store, campaign, who) as c:
        patience(f"Choosing {count}")
        claimed = c.claim(count, duration(lease))
        with released_unless_written(c, claimed):
            rows = [{"id": e.id, **e.point, "lease": e.lease} for e in claimed]
            emit(rows, form, ["id", *c.domain.names, "lease"])


@click.command()
@click.argument("id", type=click.IntRange(1))
@LEASE
@campaign_options
def renew(id: int, lease: str, store: str, campaign: str | None, who: str | None) -> None:
    """Hold a claimed experiment for longer, counted from now.

    \b
    Examples:
      equiwarp renew 4 --lease 10m
    """
    with opened(store, campaign, who) as c:
        held = c.renew(id, duration(lease))
    click.echo(f"Experiment {id} ({assigned(held.point)}) is held until {(held.lease or '')[:19]}Z.")
    say("Tell its value, or renew it again.")
