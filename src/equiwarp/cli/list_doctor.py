"""`list`, `doctor`: what is in a store, and whether it is sound. Nothing is changed."""

from __future__ import annotations

from contextlib import closing

import click

from equiwarp.cli.common import format_option, store_option
from equiwarp.cli.output import emit
from equiwarp.exceptions import STORE


@click.command("list")
@store_option
@format_option
def list_(store: str, form: str) -> None:
    """The campaigns of a store.

    \b
    Examples:
      equiwarp list --store lab.db
    """
    from equiwarp.store import Store

    with closing(Store(store, create=False)) as place:
        rows = place.read(lambda found: [
            {"name": entry.name, **counts.states}
            for entry, counts in zip(found.entries(), found.counts().values(), strict=True)
        ])  # fmt: skip
    emit(rows, form, ["name", "done", "pending", "failed", "abandoned", "released"])


@click.command()
@click.argument("where", required=False)
@store_option
@format_option
def doctor(where: str | None, store: str, form: str) -> None:
    """Check a store and say what to do. Changes nothing.

    Exit code 0 if it is sound, 4 if it is not.

    \b
    Examples:
      equiwarp doctor
      equiwarp doctor lab.db
    """
    from equiwarp.store import doctor as examine

    report = examine(where or store)
    if form == "table":
        click.echo(str(report))
    else:
        emit([vars(finding) for finding in report.findings], form, ["level", "check", "message", "remedy"])
    if not report.ok:
        raise click.exceptions.Exit(STORE)
