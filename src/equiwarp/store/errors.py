"""What can go wrong with a store, in the user's words, and the way out.

Drivers report the same trouble in many dialects ("database is locked", "disk I/O error", SQLSTATEs).
:func:`translate` maps them to a handful of classes, each of which names the store and a remedy.
"""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError

from equiwarp.exceptions import (
    StoreBusy,
    StoreCancelled,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
    StoreRefused,
    StoreTimeout,
    StoreUnreachable,
)

#: Parts of messages, the class they belong to, and what to do.
Dialect = tuple[tuple[tuple[str, ...], type[StoreError], str], ...]

#: How a PostgreSQL server says that it will not let us in. To try again would change nothing.
_REFUSALS: Dialect = (
    (
        ("too many connections", "too many clients", "connection slots are reserved"),
        StoreBusy,
        "the server's connection limit is reached; close programs that use it, or raise the limit",
    ),
    (
        ("password", "authentication failed", "pg_hba.conf", "not permitted to log in"),
        StoreRefused,
        "the server refuses this user or password; check the URL, PGPASSWORD or ~/.pgpass",
    ),
    (
        ('role "',),
        StoreRefused,
        "the server knows no such user; check the URL, or create the user",
    ),
    (
        ('database "',),
        StoreMissing,
        "there is no such database on the server; check the URL, or create it with createdb",
    ),
)

#: Parts of SQLite's and PostgreSQL's messages.
_DIALECTS: Dialect = (
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
    if error is not None and _ended(error):
        return _ended_by(message, place)
    for signs, kind, remedy in (*(_REFUSALS if error is not None and refused(error) else ()), *_DIALECTS):
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
    if error.orig is not None and (_ended(error.orig) or refused(error.orig)):
        return False
    return error.connection_invalidated or (error.orig is not None and gone(error.orig))


def collided(error: DBAPIError) -> bool:
    """Whether the database ended this transaction for the sake of another: a deadlock, or no common order."""
    return _state(error.orig) in ("40001", "40P01")


def gone(error: BaseException) -> bool:
    """Whether a driver says that the server has gone, is starting, or cannot be reached."""
    if not _is_postgres(error) or refused(error):
        return False
    # Class 08: connection exceptions; 57P01 to 57P05: the server is stopping or starting, or it hung up.
    state = _state(error)
    return state.startswith(("08", "57P")) or (not state and type(error).__name__ == "OperationalError")


def refused(error: BaseException) -> bool:
    """Whether a server that answers will not let us in."""
    if not _is_postgres(error):
        return False
    # Class 28: authorization; 3D000: no such database; 53300: connection limit. Where a connection cannot be
    # made, the driver knows the message only.
    state, message = _state(error), str(error).lower()
    if state:
        return state.startswith("28") or state in ("3D000", "53300")
    known = "fatal:" in message or "no password supplied" in message
    return known and any(sign in message for signs, _, _ in _REFUSALS for sign in signs)


def _ended(error: BaseException) -> bool:
    """Whether the server ended a statement or a transaction that it had begun to serve."""
    return _state(error) in ("57014", "25P03", "25P04") and "lock timeout" not in str(error)


def _ended_by(message: str, place: str) -> StoreError:
    if "user request" in message:
        return StoreCancelled(
            f"{place}: somebody cancelled it on the server; nothing of this change was kept: repeat it "
            f"({_first_line(message)})"
        )
    return StoreTimeout(
        f"{place}: it took longer than the server allows; nothing of this change was kept: repeat it, or "
        f"raise the server's timeout ({_first_line(message)})"
    )


def _is_postgres(error: BaseException) -> bool:
    return type(error).__module__.split(".")[0] == "psycopg"


def _state(error: BaseException | None) -> str:
    """PostgreSQL's code for what happened; empty if there is none."""
    return str(getattr(error, "sqlstate", None) or "")


def _first_line(message: str) -> str:
    return message.strip().splitlines()[0] if message.strip() else "no further message"
