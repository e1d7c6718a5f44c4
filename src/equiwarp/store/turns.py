"""Whose turn is it to write? Processes that share a SQLite file wait in a queue, in the order they came.

SQLite itself lets waiting processes try again after pauses that grow, so that newcomers overtake those who
have waited longest, and some of many wait until their patience ends. Here they wait for a lock of the
operating system on a small file beside the store: it wakes the one who is next, and nobody asks in
between. SQLite's own lock still decides; the queue only keeps order among those who use it.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from equiwarp.exceptions import StoreBusy

try:
    import fcntl
except ImportError:  # Windows: SQLite's own waiting has to do
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def turn(path: Path, patience: float) -> Iterator[None]:
    """Wait for one's turn, which may be long; but nobody waits longer than this for a turn that does not end.

    ``path`` is any file that all who wait have in common; whoever's turn begins leaves the moment on it.
    """
    handle = _opened(path)
    if handle is None:
        yield
        return
    if not _acquired(handle, patience):
        raise StoreBusy(
            f"{path}: another process has kept its turn to write for {patience:g} seconds; try again, or end "
            "that process"
        )
    try:
        with contextlib.suppress(OSError):
            os.utime(handle)
        yield
    finally:
        os.close(handle)  # which ends the turn


def _opened(path: Path) -> int | None:
    """A descriptor of our own; None where there is no such lock or no permission."""
    if fcntl is None:
        return None
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        return None


def _acquired(handle: int, patience: float) -> bool:
    """Whether it became our turn in time; otherwise the descriptor is closed when it does."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return _Waiting(handle).until(patience)
    except OSError:  # a file system without such locks
        return True


def _begun(handle: int) -> int:
    """When the present turn began."""
    return os.fstat(handle).st_mtime_ns


class _Waiting:
    """A place in the queue, kept by a thread: the system's call to wait knows no limit of time."""

    def __init__(self, handle: int) -> None:
        self._handle, self._lock, self._ours = handle, threading.Lock(), threading.Event()
        self._given_up = False
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(self._handle, fcntl.LOCK_EX)
        with self._lock:
            if self._given_up:
                os.close(self._handle)
            else:
                self._ours.set()

    def until(self, patience: float) -> bool:
        """Whether it became our turn before somebody kept theirs for so many seconds."""
        begun = None
        while begun != (begun := _begun(self._handle)):
            if self._ours.wait(patience):
                return True
        with self._lock:
            self._given_up = not self._ours.is_set()
        return not self._given_up
