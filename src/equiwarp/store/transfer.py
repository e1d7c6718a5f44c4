"""Whole campaigns from one store to another, and copies of whole stores.

A campaign moves with all its rows as they are: ids of experiments, times, events and their digests. So it
can be checked on arrival, and is refused there if it is not what its events say. One file with one campaign
is a store like any other: it can be kept with a paper, opened as it is, and taken into another store, on
SQLite or PostgreSQL.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, insert, select

from equiwarp.exceptions import InvalidInput, Mismatch, StoreDamaged, StoreMissing
from equiwarp.store import place
from equiwarp.store.audit import audit
from equiwarp.store.copying import copy_database, new_file
from equiwarp.store.core import Store
from equiwarp.store.engine import locate
from equiwarp.store.findings import Finding
from equiwarp.store.health import doctor
from equiwarp.store.schema import assessments, campaigns, events, experiments
from equiwarp.store.transaction import Transaction

#: Rows per statement.
BLOCK = 2_000


def backup(where: str | Path, target: str | Path | None = None) -> Path:
    """A copy of a whole store as one SQLite file, checked. Others may go on reading and writing."""
    store = Store(where, create=False)
    try:
        final = new_file(target if target is not None else _default_name(store))
        if store.file is not None:
            store.save_copy(final)
        else:
            _copy_into_new(store, final, None)
    finally:
        store.close()
    _require_sound(final)
    return final


def archive(where: str | Path, name: str, target: str | Path) -> Path:
    """One campaign as a file of its own, checked."""
    store = Store(where, create=False)
    try:
        final = new_file(target)
        _copy_into_new(store, final, [name])
    finally:
        store.close()
    _require_sound(final)
    return final


def take_in(file: str | Path, where: str | Path, names: Sequence[str] | None = None) -> list[str]:
    """Take the campaigns of a file, or some of them, into another store: all of them or none."""
    _require_sound(_existing(file))
    with _as_store(_existing(file)) as source:
        target = Store(where)
        try:
            return _copy(source, target, names)
        finally:
            target.close()


def restore(file: str | Path, where: str | Path, force: bool = False) -> Path | None:
    """Put a copy in the place of a store; returns where the former files are, None if there were none.

    Into PostgreSQL, all campaigns of the copy are taken in; none of them may be there.
    """
    source = _existing(file)
    _require_sound(source)
    _, final = locate(where)
    if final is None:
        take_in(source, where)
        return None
    place.require_local(final)
    if final.exists() and not force:
        raise InvalidInput(f"{final} exists; to put the copy in its place and keep it aside, use --force")
    draft = final.with_name(f".{final.name}.restore-{os.getpid()}")
    try:
        with contextlib.closing(sqlite3.connect(place.read_only(source), uri=True)) as raw:
            copy_database(raw, draft)
        aside = _put_aside(final)
        os.replace(draft, final)
    finally:
        draft.unlink(missing_ok=True)
    return aside


def _put_aside(file: Path) -> Path | None:
    """Rename a store with its log and note: a log that stayed behind would be applied to another file."""
    if not file.exists():
        return None
    aside = file.with_name(f"{file.name}.before-restore-{_stamp()}")
    for ending in ("-ack", "-shm", "-wal", ""):
        part = file.with_name(file.name + ending)
        if part.exists():
            os.rename(part, aside.with_name(aside.name + ending))
    return aside


def _stamp() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")


def _default_name(store: Store) -> str:
    if store.file is not None:
        return str(store.file.with_name(f"{store.file.stem}-{_stamp()}.db"))
    return f"{store.url.database or 'equiwarp'}-{_stamp()}.db"


def _existing(file: str | Path) -> Path:
    path = Path(file).expanduser().absolute()
    if not path.exists():
        raise StoreMissing(f"there is no file {path}; check the path")
    return path


def _require_sound(file: Path) -> None:
    report = doctor(file)
    if not report.ok:
        raise StoreDamaged(str(report))


@contextlib.contextmanager
def _as_store(file: Path) -> Iterator[Store]:
    """A file opened at the newest schema, and left as it is: older ones are migrated in a copy."""
    folder = Path(tempfile.mkdtemp(prefix="equiwarp-"))
    try:
        with contextlib.closing(sqlite3.connect(place.read_only(file), uri=True)) as raw:
            copy_database(raw, folder / "copy.db")
        store = Store(folder / "copy.db", create=False)
        try:
            yield store
        finally:
            store.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_into_new(source: Store, final: Path, names: Sequence[str] | None) -> None:
    """A new file with these campaigns, under its name when it is complete."""
    draft = final.with_name(f".{final.name}.part-{os.getpid()}")
    try:
        target = Store(draft)
        try:
            _copy(source, target, names)
        finally:
            target.close()
        os.replace(draft, final)
    finally:
        for ending in ("", "-wal", "-shm", "-ack"):
            draft.with_name(draft.name + ending).unlink(missing_ok=True)


def _copy(source: Store, target: Store, names: Sequence[str] | None) -> list[str]:
    """All campaigns, or those named, in one reading and one writing transaction."""

    def read(from_there: Transaction) -> list[str]:
        found = {entry.name: entry.id for entry in from_there.entries()}
        for name in names or ():
            if name not in found:
                raise StoreMissing(f"there is no campaign {name!r} in {source.name}; it has {list(found)}")
        wanted = list(found) if names is None else list(names)

        def write(to_here: Transaction) -> list[str]:
            there, here = from_there._connection, to_here._connection
            for name in wanted:
                if to_here.entry_named(name) is not None:
                    raise Mismatch(f"{target.name} has a campaign {name!r} already; nothing was taken in")
                _copy_campaign(there, here, found[name])
            _require_as_told(here, wanted, target.name)
            return wanted

        return target.write(write)

    return source.read(read)


def _copy_campaign(there: Connection, here: Connection, id: int) -> None:
    row = dict(there.execute(select(campaigns).where(campaigns.c.id == id)).mappings().one())
    del row["id"]
    here.execute(insert(campaigns), row)
    new = here.execute(select(campaigns.c.id).where(campaigns.c.name == row["name"])).scalar_one()
    _copy_rows(there, here, experiments, (id, new), experiments.c.number)
    # Events get new ids, and lose the tokens of requests that were made to the other store.
    _copy_rows(there, here, events, (id, new), events.c.id, without=("id", "token"))
    _copy_rows(there, here, assessments, (id, new), assessments.c.campaign)


def _copy_rows(
    there: Connection, here: Connection, table: Table, ids: tuple[int, int], order: Any, without: Any = ()
) -> None:
    old, new = ids
    query = select(table).where(table.c.campaign == old).order_by(order)
    found = there.execute(query.execution_options(yield_per=BLOCK)).mappings()
    for block in found.partitions(BLOCK):
        rows = [{k: v for k, v in row.items() if k not in without} | {"campaign": new} for row in block]
        here.execute(insert(table), rows)


def _require_as_told(connection: Connection, names: Sequence[str], place: str) -> None:
    """Refuse what does not say what its events say: the transaction ends with nothing kept."""
    wrong: list[Finding] = [finding for finding in audit(connection, names) if finding.level == "error"]
    if wrong:
        raise StoreDamaged(f"{place}: {'; '.join(f.message for f in wrong)}; nothing was taken in")
