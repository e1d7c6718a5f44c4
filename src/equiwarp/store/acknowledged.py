"""The number of the last acknowledged event of a SQLite store, kept outside the database and its log.

A log that is lost or damaged takes changes along that were confirmed, and what is left is a sound database
of an earlier moment: SQLite cannot know. So ``furnace.db-ack`` beside ``furnace.db`` says how far it went.
It is there as long as the log is, and is on the disk after each commit, before anybody hears of it.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, inspect

from equiwarp.exceptions import StoreDamaged
from equiwarp.store import statements
from equiwarp.store.open_file import log_of

#: First word of the file. All of it fits into one sector, so that it is written whole or not at all.
_MARK = "equiwarp-last-event"


@dataclass(frozen=True)
class LastEvent:
    """Number of an event, and the digest of it and of all before it."""

    id: int
    chain: str


class Acknowledged:
    """The small file beside a SQLite store."""

    def __init__(self, file: Path) -> None:
        self.file, self.path = file, file.with_name(file.name + "-ack")
        self._complete = self._chained = False

    def read(self) -> LastEvent | None:
        """What was acknowledged last; None where nothing is noted, or cannot be read."""
        try:
            mark, id, chain = self.path.read_text(encoding="ascii").split()
            return LastEvent(int(id), chain) if mark == _MARK else None
        except (OSError, ValueError):
            return None

    def note(self, last: LastEvent | None) -> None:
        """Say how far the store went. No room or no permission is no reason to refuse what is committed."""
        noted = self.read()
        if last is None or (noted is not None and noted.id >= last.id):
            return
        with contextlib.suppress(OSError):
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, self.file.stat().st_mode & 0o777)
            try:
                os.write(handle, f"{_MARK} {last.id:020d} {last.chain}\n".encode())
                os.fsync(handle)  # or a power cut could take both the log and the note of it along
            finally:
                os.close(handle)

    def put_away(self) -> None:
        """Without a log, there is none to lose. The note of a loss stays."""
        if self._complete and not log_of(self.file).exists():
            with contextlib.suppress(OSError):
                self.path.unlink(missing_ok=True)

    def require(self, noted: LastEvent | None, connection: Connection) -> None:
        """Refuse a store that lacks what was acknowledged; ``noted`` was read before the transaction."""
        problem = self.missing(noted, connection)
        self._complete = not problem
        if problem:
            raise StoreDamaged(f"{self.file}: {problem}; {self.remedy()}")

    def missing(self, noted: LastEvent | None, connection: Connection) -> str:
        """What the store lacks, in a sentence; empty if it has all that was acknowledged."""
        if noted is None:
            return ""
        if not self._chained:
            columns = inspect(connection).get_columns("equiwarp_events")
            self._chained = any(column["name"] == "chain" for column in columns)
        if not self._chained:
            return f"changes up to event {noted.id} were acknowledged, and this is an older store"
        if connection.execute(statements.CHAIN_OF, {"event": noted.id}).scalar() == noted.chain:
            return ""
        last = last_event(connection)
        if last is None or last.id < noted.id:
            have = "has none" if last is None else f"ends with event {last.id}"
            return f"changes up to event {noted.id} were acknowledged, and the store {have}: the rest is lost"
        return f"event {noted.id} is not the one that was acknowledged: this is the store of another history"

    def remedy(self) -> str:
        """What to do about it."""
        return (
            f"{log_of(self.file).name} was lost or damaged, or an older copy was put in place: restore the "
            f"last good copy, or go on with what is left by deleting {self.path.name}"
        )


def last_event(connection: Connection) -> LastEvent | None:
    """How far the store goes."""
    row = connection.execute(statements.LAST_EVENT).one_or_none()
    return None if row is None or row.chain is None else LastEvent(row.id, row.chain)
