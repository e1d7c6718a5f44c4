"""What can go wrong with a store, in the user's words, and the way out.

Drivers report the same trouble in many dialects ("database is locked", "disk I/O error", SQLSTATEs).
:func:`translate` maps them to a handful of classes, each of which names the store and a remedy.
"""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError

from equiwarp.exceptions import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
    StoreUnreachable,
)

#: Parts of SQLite's and PostgreSQL's messages, the class they belong to, and what to do.
_DIALECTS: tuple[tuple[tuple[str, ...], type[StoreError], str], ...] = (
    (
        ("database is locked", "database table is locked", "lock timeout", "canceling statement due to lock"),
        StoreBusy,
        "another process is writing to it for a long time; try again, or end that process",
    ),
    (
        ("readonly database", "read-only", "permission denied"),
        StoreReadOnly,
        "it may not be written; check the permissions of the file and of its folder",
    ),
    (
        ("database or disk is full", "disk i/o error", "no space left", "could not extend file"),
        StoreFull,
        "it could not be written (full disk, quota or file size limit); nothing of this change was kept: "
        "make room and repeat it",
    ),
    (
        ("malformed", "not a database", "disk image", "invalid page", "unsupported file format"),
        StoreDamaged,
        "the file is damaged; run `equiwarp doctor` on it and restore the last good copy",
    ),
    (
        ("unable to open database file",),
        StoreMissing,
        "the file or its folder cannot be opened; check the path and its permissions",
    ),
)


def translate(error: BaseException | None, place: str) -> StoreError:
    """A driver's exception as one of ours, naming the store."""
    message = str(error)
    lowered = message.lower()
    for signs, kind, remedy in _DIALECTS:
        if any(sign in lowered for sign in signs):
            return kind(f"{place}: {remedy} ({_first_line(message)})")
    if error is not None and gone(error):
        return StoreUnreachable(
            f"{place}: the server does not answer; check that it runs and that the address is right "
            f"({_first_line(message)})"
        )
    return StoreError(f"{place}: {_first_line(message)}")


def lost(error: DBAPIError) -> bool:
    """Whether the connection itself is gone, so that repeating the work can succeed."""
    return error.connection_invalidated or (error.orig is not None and gone(error.orig))


def gone(error: BaseException) -> bool:
    """Whether a driver says that the server has gone, is starting, or cannot be reached."""
    if type(error).__module__.split(".")[0] != "psycopg":
        return False
    # Class 08: connection exceptions; 57P01 to 57P03: the server is stopping or starting.
    state = str(getattr(error, "sqlstate", None) or "")
    return state.startswith(("08", "57P")) or (not state and type(error).__name__ == "OperationalError")


def _first_line(message: str) -> str:
    return message.strip().splitlines()[0] if message.strip() else "no further message"
