"""A SQLite file while it is open: is it still the file at its path, and is its log still the log?

A file that is deleted, moved or replaced stays open in the processes that use it. What they write then
goes where nobody will look for it. So every transaction makes sure first, and every change once more after
its commit.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from equiwarp.exceptions import StoreMoved

#: Device and inode: what a file is, whatever it is called.
FileIdentity = tuple[int, int]

#: The connections that this process has, each with the file that it is to.
_connections: set[tuple[FileIdentity, int]] = set()
#: Held while a file is opened and closed again, and while a connection is begun.
closing = threading.Lock()


def identity_of(path: Path) -> FileIdentity | None:
    """What lies at a path; None if nothing does."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def log_of(file: Path) -> Path:
    """Where SQLite keeps the write-ahead log of a file."""
    return file.with_name(file.name + "-wal")


def in_use_here(path: Path) -> bool:
    """Whether this process has connections to a file. Call it, and act on it, while holding ``closing``.

    To close any descriptor of a file gives up all locks that the process holds on it, SQLite's too.
    """
    identity = identity_of(path)
    return any(found == identity for found, _ in tuple(_connections))


def begin_connection(identity: FileIdentity | None, number: int) -> None:
    """A connection is being opened; ``number`` is any that no other has."""
    if identity is not None:
        with closing:
            _connections.add((identity, number))


def end_connection(identity: FileIdentity | None, number: int) -> None:
    """It is closed. Takes no lock: a handle that is dropped is closed at any moment, in any thread."""
    if identity is not None:
        _connections.discard((identity, number))


class OpenFile:
    """The file of a store from when it was opened, and its log from the first transaction on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.identity = identity_of(path)
        self._log: FileIdentity | None = None
        self._process = os.getpid()

    def check(self, after: bool = False) -> None:
        """Refuse to go on if the file at the path is not the open one; ``after`` a commit, or before it."""
        now = identity_of(self.path)
        if now != self.identity:
            kept = "the last change went with it" if after else "nothing was written"
            raise StoreMoved(f"{self._gone() if now is None else self._replaced()} ({kept})")

    def check_log(self, opened: FileIdentity | None) -> None:
        """Refuse to go on without the log that this connection opened, or with a second one."""
        if self._process != os.getpid():  # a forked child opens everything anew
            self._log, self._process = None, os.getpid()
        if opened is None:
            return
        self._log = self._log or opened
        log = log_of(self.path)
        if opened != self._log or identity_of(log) != self._log:
            raise StoreMoved(
                f"{self.path}: its log {log.name} was deleted, moved or replaced while this program had the "
                f"store open. Put the log back, or {self._rescue()} (nothing was written)"
            )

    def forget_log(self) -> None:
        """All connections are closed: SQLite has put the log away and will make another."""
        self._log = None

    def _gone(self) -> str:
        found = self._other_name()
        if found is not None:
            return (
                f"{self.path} was renamed to {found.name} while this program had it open. Rename it back, "
                f"and the files beside it whose names begin like it, or close this program and open {found}"
            )
        return (
            f"{self.path} was deleted, or moved to another folder, while this program had it open. If it was "
            f"moved, move it back together with {log_of(self.path).name}; if it was deleted, {self._rescue()}"
        )

    def _replaced(self) -> str:
        found = self._other_name()
        where = "" if found is None else f" (the former one is now {found.name})"
        return (
            f"another file was put in the place of {self.path} while this program had it open{where}. To go "
            f"on with the new one, close this program and open it again; to keep the former, {self._rescue()}"
        )

    def _rescue(self) -> str:
        return (
            f"save what this program (process {os.getpid()}) still holds before it ends: "
            "campaign.store.save_copy(PATH)"
        )

    def _other_name(self) -> Path | None:
        """The same file under another name in its folder."""
        try:
            entries = list(os.scandir(self.path.parent))
        except OSError:
            return None
        return next((Path(e.path) for e in entries if identity_of(Path(e.path)) == self.identity), None)
