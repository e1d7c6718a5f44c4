"""`backup`, `restore`, `verify`, `archive`, `import`: copies of stores, and campaigns that move."""

from __future__ import annotations

from pathlib import Path

import click

from equiwarp._util.text import several
from equiwarp.cli.common import campaign_options, only_campaign, store_option
from equiwarp.exceptions import STORE

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("target", type=FILE, required=False)
@store_option
def backup(target: Path | None, store: str) -> None:
    """Copy a whole store into one file, and check the copy. Others may go on working.

    The copy is a SQLite file, also of a PostgreSQL store. Without TARGET it gets the name of the store and
    the time.

    \b
    Examples:
      equiwarp backup
      equiwarp backup /media/stick/furnace.db --store furnace.db
      equiwarp backup lab.db --store postgresql://ann@server/lab
    """
    from equiwarp.store.transfer import backup as copy

    click.echo(f"Wrote and checked {copy(store, target)}.")


@click.command()
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Replace a store that is there; it is kept aside.")
@store_option
def restore(file: Path, force: bool, store: str) -> None:
    """Put a copy in the place of a store. The copy is checked first.

    With --force, a store that is there is renamed and kept. Programs that have it open refuse to go on until
    they are started again. Into PostgreSQL, the campaigns of the copy are taken in.

    \b
    Examples:
      equiwarp restore furnace-20261117T120000Z.db --store furnace.db
      equiwarp restore lab.db --store postgresql://ann@server/lab
    """
    from equiwarp.store import redacted
    from equiwarp.store.transfer import restore as put_back

    aside = put_back(file, store, force)
    click.echo(f"Restored {redacted(store)} from {file}.")
    if aside is not None:
        click.echo(f"The former store is {aside}.")


@click.command()
@click.argument("file", type=FILE)
def verify(file: Path) -> None:
    """Check a copy: every page, every event, every row. Changes nothing.

    Exit code 0 if it is sound, 4 if it is not.

    \b
    Examples:
      equiwarp verify furnace-20261117T120000Z.db
    """
    from equiwarp.store import doctor

    report = doctor(file)
    click.echo(str(report))
    if not report.ok:
        raise click.exceptions.Exit(STORE)


@click.command()
@click.argument("file", type=FILE)
@campaign_options
def archive(file: Path, store: str, campaign: str | None, who: str | None) -> None:
    """Write one campaign with all its history into a file of its own, to keep or to take elsewhere.

    The file is a store: every command can open it. Take it into another store with `equiwarp import`.

    \b
    Examples:
      equiwarp archive furnace-paper.db -c furnace
      equiwarp archive furnace.db -c furnace --store postgresql://ann@server/lab
    """
    from equiwarp.store.transfer import archive as write

    name = campaign or only_campaign(store)
    click.echo(f"Wrote and checked {write(store, name, file)}, with campaign {name!r}.")


@click.command("import")
@click.argument("file", type=FILE)
@click.option("-c", "--campaign", "names", multiple=True, help="Only this one; repeatable.")
@store_option
def import_(file: Path, names: tuple[str, ...], store: str) -> None:
    """Take the campaigns of another store's file into this store, with all their history.

    All are taken or none. A campaign whose name is taken already is refused.

    \b
    Examples:
      equiwarp import furnace-paper.db --store lab.db
      equiwarp import lab.db -c furnace --store postgresql://ann@server/lab
    """
    from equiwarp.store import redacted
    from equiwarp.store.transfer import take_in

    taken = take_in(file, store, names or None)
    shown = f": {', '.join(taken)}" if taken else ""
    click.echo(f"Took {several(len(taken), 'campaign')} into {redacted(store)}{shown}.")
