"""``doctor``: is this store sound, and if not, what now? It looks and never changes anything."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from equiwarp.exceptions import StoreError
from equiwarp.store import audit, place
from equiwarp.store.acknowledged import Acknowledged, LastEvent
from equiwarp.store.engine import connect, locate, shown
from equiwarp.store.errors import translate
from equiwarp.store.findings import Finding, Report
from equiwarp.store.migrate import revisions, version

#: Pending for longer than this is worth a word.
STALE = timedelta(days=7)
#: A log larger than this has not been folded into the file for long.
LARGE_LOG = 64 * 2**20
#: Less room than this, and the next change may not fit.
LITTLE_ROOM = 50 * 2**20

#: The state in which each kind of event leaves its experiment.
LEAVES = {
    "asked": "pending",
    "told": "done",
    "reopened": "pending",
    "restored": "done",
    "withdrawn": "withdrawn",
    "failed": "failed",
    "abandoned": "abandoned",
    "released": "released",
}


def doctor(where: str | Path) -> Report:
    """Examine a store: file, place, schema, every row against its events, stale experiments."""
    url, file = locate(where)
    name = str(file) if file else shown(url)
    findings: list[Finding] = []
    if file is not None:
        findings += _file(file)
        if any(f.level == "error" for f in findings):
            return Report(name, tuple(findings))
    engine = connect(url, file, look=True)
    noted = None if file is None else Acknowledged(file).read()
    try:
        with engine.begin() as connection:
            findings += _content(connection)
            if file is not None and noted is not None and version(connection) == revisions()[-1]:
                findings.append(_acknowledged(Acknowledged(file), noted, connection))
    except DBAPIError as error:
        findings.append(Finding("error", "content", str(translate(error.orig, name))))
    finally:
        engine.dispose()
    return Report(name, tuple(findings))


def _file(file: Path) -> Iterator[Finding]:
    if not file.exists():
        yield Finding("error", "file", "it does not exist", "check the path, or restore a copy")
        return
    for check, look in (("place", place.require_local), ("file", place.require_file)):
        try:
            look(file)
        except StoreError as error:
            yield Finding("error", check, str(error))
            return
        yield Finding("ok", check, "local disk" if check == "place" else f"{file.stat().st_size:,} bytes")
    yield from _integrity(file)
    yield from _log(file)
    free = shutil.disk_usage(file.parent).free
    if free < LITTLE_ROOM:
        yield Finding("warning", "room", f"{free / 2**20:.0f} MiB free", "make room before going on")
    if not place.writable(file):
        yield Finding("warning", "permissions", "read-only for you", "chmod u+w it to continue the campaign")
    for draft in sorted(file.parent.glob(f".{file.name}.new-*")):
        yield Finding("warning", "leftover", f"{draft.name} is from an interrupted start", "delete it")


def _integrity(file: Path) -> Iterator[Finding]:
    good = "restore the last good copy beside it; what can still be read: sqlite3 FILE .recover"
    try:
        with contextlib.closing(sqlite3.connect(place.read_only(file), uri=True)) as raw:
            problems = [row[0] for row in raw.execute("PRAGMA integrity_check(5)")]
            mode = raw.execute("PRAGMA journal_mode").fetchone()[0]
    except sqlite3.Error as error:
        yield Finding("error", "integrity", str(error), good)
        return
    if problems == ["ok"]:
        yield Finding("ok", "integrity", "every page and index is consistent")
    else:
        yield Finding("error", "integrity", "; ".join(problems), good)
    if mode != "wal":
        yield Finding(
            "warning", "log", f"journal mode is {mode}", "set it back: sqlite3 FILE 'PRAGMA journal_mode=WAL'"
        )


def _log(file: Path) -> Iterator[Finding]:
    log = file.with_name(file.name + "-wal")
    size = log.stat().st_size if log.exists() else 0
    if size > LARGE_LOG:
        yield Finding(
            "warning", "log", f"{size / 2**20:.0f} MiB wait to be folded in", "close all programs that use it"
        )
    elif size:
        yield Finding("ok", "log", f"{size:,} bytes wait to be folded in; copy the -wal file along")
    else:
        yield Finding("ok", "log", "empty: the file alone is a complete copy")


def _content(connection: Connection) -> Iterator[Finding]:
    found = version(connection)
    newest = revisions()[-1]
    if found is None:
        yield Finding("error", "schema", "there are no campaigns here", "check the path or URL")
        return
    if found not in revisions():
        yield Finding("error", "schema", f"{found} is newer than {newest}", "upgrade equiwarp")
        return
    if found != newest:
        yield Finding(
            "warning", "schema", f"{found}, older than {newest}", "opening it migrates it, with a copy"
        )
    else:
        yield Finding("ok", "schema", found)
    for check in _CHECKS:
        yield check(connection)
    if found == newest:
        yield _counts(connection)
        yield from audit.audit(connection)


def _acknowledged(file: Acknowledged, noted: LastEvent, connection: Connection) -> Finding:
    problem = file.missing(noted, connection)
    if problem:
        return Finding("error", "acknowledged", problem, file.remedy())
    return Finding("ok", "acknowledged", f"all up to event {noted.id} are there")


def _orphans(connection: Connection) -> Finding:
    lost = _one(
        connection,
        "SELECT count(*) FROM equiwarp_events e WHERE e.number IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
        "equiwarp_experiments x WHERE x.campaign = e.campaign AND x.number = e.number)",
    )
    if lost:
        return Finding("error", "events", f"{lost} belong to no experiment", "restore the last good copy")
    return Finding("ok", "events", f"{_one(connection, 'SELECT count(*) FROM equiwarp_events')} in order")


def _states(connection: Connection) -> Finding:
    """Replay: the last event of an experiment must explain its state."""
    last = connection.execute(
        text(
            "SELECT x.campaign, x.number, x.state, x.origin, (SELECT e.what FROM equiwarp_events e WHERE "
            "e.campaign = x.campaign AND e.number = x.number AND e.what NOT IN ('amended', 'noted', "
            "'renewed', 'told in part') ORDER BY e.id DESC LIMIT 1) AS what "
            "FROM equiwarp_experiments x"
        )
    )
    wrong = [row for row in last if _left(row) != row.state]
    if wrong:
        row = wrong[0]
        return Finding(
            "error",
            "states",
            f"{len(wrong)} experiments are not what their events say, the first: experiment {row.number} is "
            f"{row.state}, its last event is {row.what}",
            "somebody changed the tables by hand; the events are right: restore the last good copy",
        )
    return Finding("ok", "states", "every state follows from its events")


def _left(row: Any) -> str | None:
    return "done" if row.origin == "added" and row.what is None else LEAVES.get(row.what)


def _counts(connection: Connection) -> Finding:
    """The numbers that a summary shows, counted again."""
    wrong = _one(
        connection,
        "SELECT count(*) FROM (SELECT campaign, state, origin, inside, valued, sum(n) FROM (SELECT campaign, "
        "state, origin, inside, valued, n FROM equiwarp_counts UNION ALL SELECT campaign, state, origin, "
        "inside, value IS NOT NULL, -1 FROM equiwarp_experiments) AS both_sides GROUP BY campaign, state, "
        "origin, inside, valued HAVING sum(n) <> 0) AS wrong",
    )
    if wrong:
        return Finding(
            "error", "counts", f"{wrong} differ from the experiments", "restore the last good copy"
        )
    return Finding("ok", "counts", "as many experiments of each state as are counted")


def _stale(connection: Connection) -> Finding:
    limit = (datetime.now(UTC) - STALE).isoformat(timespec="microseconds")
    stale = _one(
        connection,
        "SELECT count(*) FROM equiwarp_experiments WHERE state = 'pending' AND changed < :limit",
        limit=limit,
    )
    if stale:
        return Finding(
            "warning",
            "pending",
            f"{stale} experiments are pending for more than {STALE.days} days",
            "tell their values, or make them available again with `equiwarp release`",
        )
    return Finding("ok", "pending", "none is stale")


_CHECKS: tuple[Callable[[Connection], Finding], ...] = (_orphans, _states, _stale)


def _one(connection: Connection, statement: str, **parameters: Any) -> int:
    return int(connection.execute(text(statement), parameters).scalar_one())
