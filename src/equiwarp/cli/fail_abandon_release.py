"""`fail`, `abandon`, `release`: what becomes of an experiment that is not measured."""

from __future__ import annotations

import click

from equiwarp._util.text import several
from equiwarp.cli.common import campaign_options, duration, opened


@click.command()
@click.argument("id", type=click.IntRange(1))
@click.argument("reason", default="")
@click.option("--accident", is_flag=True, help="Its settings are not to blame; they may come again.")
@campaign_options
def fail(id: int, reason: str, accident: bool, store: str, campaign: str | None, who: str | None) -> None:
    """An experiment did not work: the campaign learns where experiments fail, and goes elsewhere first.

    \b
    Examples:
      equiwarp fail 4 "the mixture set before it could be poured"
      equiwarp fail 5 "power cut" --accident
    """
    with opened(store, campaign, who) as c:
        failed = c.tell_failed(id, reason, accident=accident)
    click.echo(f"Experiment {id} failed{f': {failed.reason}' if failed.reason else ''}.")


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
    age = None if older_than is None else duration(older_than)
    with opened(store, campaign, who) as c:
        released = c.release(age)
    ids = f": {', '.join(str(e.id) for e in released)}" if released else ""
    were = "was" if len(released) == 1 else "were"
    click.echo(f"{several(len(released), 'experiment')} {were} released{ids}.")
