"""Bring a store to the newest schema, or refuse it, never leaving it in between.

A new file is prepared beside its place and linked in whole. An older store is copied first and then
migrated in one transaction. A newer one is left alone. Alembic is imported only where there is something to
migrate: every command opens a store, and hardly any has to.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.engine import URL

from equiwarp.exceptions import StoreNewer
from equiwarp.store import schema
from equiwarp.store.copying import copy_database
from equiwarp.store.engine import connect, writing
from equiwarp.store.steps import reached

if TYPE_CHECKING:
    from alembic.config import Config

#: Where the steps from one schema to the next are, for Alembic.
MIGRATIONS = Path(__file__).parent / "migrations"
#: Any number: what must be equal is that all processes ask for the same lock.
_LOCK = 0x65_71_77_70


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


@cache
def revisions() -> tuple[str, ...]:
    """All schema versions that this equiwarp knows, oldest first: ``r0002_append_only.py`` leads to 0002."""
    steps = (MIGRATIONS / "versions").glob("r*_*.py")
    return tuple(sorted(step.name[1:].partition("_")[0] for step in steps))


def version(connection: Connection) -> str | None:
    """Schema version of a store; None for an empty database."""
    if not inspect(connection).has_table(schema.VERSION_TABLE):
        return None
    found: str | None = connection.scalar(text(f"SELECT version_num FROM {schema.VERSION_TABLE}"))
    return found


def require_known(found: str | None, place: str) -> None:
    """Refuse what a newer equiwarp has written."""
    if found is not None and found not in revisions():
        raise StoreNewer(
            f"{place} has schema {found}, this equiwarp knows schemas up to {revisions()[-1]}; "
            "upgrade equiwarp (pip install --upgrade equiwarp); nothing was changed"
        )


def create_file(url: URL, file: Path) -> None:
    """A new SQLite store at ``file``, complete or not at all; no harm if another process is first."""
    draft = file.with_name(f".{file.name}.new-{os.getpid()}")
    _remove(draft)
    try:
        use_log(draft)
        engine = connect(url.set(database=str(draft)), draft)
        try:
            with writing(engine).begin() as connection:
                _to(connection, revisions()[-1])
        finally:
            engine.dispose()
        reached("create:drafted")
        with contextlib.suppress(FileExistsError):
            _place(draft, file)
    finally:
        _remove(draft)


def use_log(file: Path) -> None:
    """Set a file to keep a write-ahead log, so that readers and a writer do not wait for each other."""
    with contextlib.closing(sqlite3.connect(file)) as raw:
        raw.execute("PRAGMA journal_mode = WAL")  # kept in the file


def _remove(draft: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        draft.with_name(draft.name + ending).unlink(missing_ok=True)


def _place(draft: Path, file: Path) -> None:
    """Give the draft its name, unless that name is taken meanwhile."""
    with draft.open("rb") as written:
        os.fsync(written.fileno())
    try:
        os.link(draft, file)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if not file.exists():
            os.replace(draft, file)


def bring_up(engine: Engine, place: str, file: Path | None) -> Path | str | None:
    """Migrate an older store after a copy of it; returns where the copy is, None if none was needed."""
    with engine.connect() as connection:
        found = version(connection)
    require_known(found, place)
    if found == revisions()[-1]:
        return None
    copy: Path | str | None = None
    with writing(engine).begin() as connection:
        if file is None:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        # Another process may have been faster while we waited for the lock.
        found = version(connection)
        if found == revisions()[-1]:
            return None
        if found is not None:
            copy = _copy_file(file, found) if file else _copy_schema(connection, found)
            reached("migrate:copied")
        _to(connection, revisions()[-1])
        reached("migrate:done")
    reached("migrate:committed")
    return copy


def _to(connection: Connection, revision: str) -> None:
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _stamp() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


def _copy_file(file: Path, found: str) -> Path:
    with contextlib.closing(sqlite3.connect(file)) as source:
        return copy_database(source, file.with_name(f"{file.name}.backup-{found}-{_stamp()}"))


def _copy_schema(connection: Connection, found: str) -> str:
    """Copies of our tables in a schema of their own, in the transaction that migrates them."""
    name = f"equiwarp_backup_{found}_{_stamp()}".lower()
    connection.execute(text(f'CREATE SCHEMA "{name}"'))
    for table in inspect(connection).get_table_names():
        if table.startswith("equiwarp_"):
            connection.execute(text(f'CREATE TABLE "{name}"."{table}" AS TABLE "{table}"'))
    return name
