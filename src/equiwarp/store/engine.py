"""Connections: from a path or URL to an engine whose transactions mean what they say.

SQLite: write-ahead log, ``synchronous=FULL`` (a commit is on the disk), 30 s of patience, and every
writing transaction opened with BEGIN IMMEDIATE, so that it never fails halfway because someone else
wrote. PostgreSQL: a row lock on the campaign does the same, see
:mod:`equiwarp.store.campaign_transaction`; whoever reads sees one moment (REPEATABLE READ).
"""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DisconnectionError

from equiwarp._util.text import unstorable
from equiwarp.exceptions import StoreUnsuitable
from equiwarp.store import open_file, place

PATIENCE = 30.0  # seconds


def locate(where: str | Path) -> tuple[URL, Path | None]:
    """URL of a store, and its file if it is one. A bare path means SQLite."""
    text = os.fspath(where)
    if unstorable(text):
        raise StoreUnsuitable(f"{redacted(text)!r} holds characters that no path or URL can have")
    if "://" not in text:
        if text in ("", ":memory:"):
            raise StoreUnsuitable(f"a store is a file or a PostgreSQL URL, got {text!r}")
        path = Path(text).expanduser().absolute()
        return URL.create("sqlite", database=str(path)), path
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise StoreUnsuitable(
            f"{redacted(text)!r} is not a database URL; give postgresql://user@host:port/name"
        ) from None
    if url.port is not None and not 0 < url.port < 65536:
        raise StoreUnsuitable(f"{shown(url)}: there is no port {url.port}; ports are 1 to 65535")
    if url.get_backend_name() == "sqlite":
        return locate(url.database or "")
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise StoreUnsuitable(
            f"{url.get_backend_name()} is not supported; use a file (SQLite) or postgresql://"
        )
    return url.set(drivername="postgresql+psycopg"), None


def shown(url: URL) -> str:
    """A URL for messages: no password in it, wherever it was given."""
    return redacted(url.render_as_string(hide_password=True))


def redacted(text: str) -> str:
    """The same for what somebody typed, which may not even be a URL."""
    text = re.sub(r"(://[^:/?#]*):.*@", r"\1:***@", text)
    return re.sub(r"(?i)(password=)[^&\s]*", r"\1***", text)


def writing(engine: Engine) -> Engine:
    """The same engine for transactions that write: they wait for each other and see what is newest."""
    if engine.dialect.name == "sqlite":
        return engine.execution_options(writing=True)
    return engine.execution_options(writing=True, isolation_level="READ COMMITTED")


def connect(url: URL, file: Path | None, look: bool = False) -> Engine:
    """An engine for this store. Opens nothing yet. To ``look`` changes nothing, not even the log."""
    if file is None:
        return _postgres(url)
    name = place.read_only(file) if look and place.has_log(file) else place.sqlite_name(file)
    engine = create_engine(_sqlite(name), connect_args={"timeout": PATIENCE})
    event.listen(engine, "connect", partial(_prepare_sqlite, file))
    event.listen(engine, "close", _end_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    _survive_fork(engine)
    return engine


def _sqlite(name: str) -> URL:
    """The URL of SQLite's own name for a file that exists; none is made if it does not."""
    path, _, options = name.partition("?")
    query = dict(option.split("=", 1) for option in options.split("&"))
    return URL.create("sqlite", database=path, query={**query, "uri": "true"})


def _prepare_sqlite(file: Path, connection: Any, record: Any) -> None:
    record.info["file"] = open_file.identity_of(file)
    open_file.begin_connection(record.info["file"], id(record))
    # The driver must not open transactions of its own accord; `_begin_sqlite` does.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    # To ask for the mode opens the log.
    logged = cursor.execute("PRAGMA journal_mode").fetchone()[0] == "wal" and place.writable(file)
    record.info["log"] = open_file.identity_of(open_file.log_of(file)) if logged else None
    cursor.close()


def _end_sqlite(_connection: Any, record: Any) -> None:
    open_file.end_connection(record.info.get("file"), id(record))


def _begin_sqlite(connection: Connection) -> None:
    writing = connection.get_execution_options().get("writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _postgres(url: URL) -> Engine:
    try:
        # No ping before use: a connection that died is noticed by the work, which is then repeated.
        # Readers see one moment, however many statements they need.
        engine = create_engine(url, connect_args={"connect_timeout": 10}, isolation_level="REPEATABLE READ")
    except ModuleNotFoundError as error:
        raise StoreUnsuitable(
            f"a PostgreSQL store needs the driver psycopg: pip install 'equiwarp[postgres]' ({error})"
        ) from None
    event.listen(engine, "connect", _prepare_postgres)
    _survive_fork(engine)
    return engine


def _prepare_postgres(connection: Any, _record: Any) -> None:
    connection.execute(f"SET lock_timeout = '{int(PATIENCE)}s'")
    connection.commit()


def _survive_fork(engine: Engine) -> None:
    """A connection belongs to the process that opened it; a forked child opens its own."""

    def mark(_connection: Any, record: Any) -> None:
        record.info["process"] = os.getpid()

    def check(_connection: Any, record: Any, proxy: Any) -> None:
        if record.info["process"] != os.getpid():
            record.dbapi_connection = proxy.dbapi_connection = None
            raise DisconnectionError("this connection belongs to the parent process")

    event.listen(engine, "connect", mark)
    event.listen(engine, "checkout", check)
