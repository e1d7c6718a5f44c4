"""``Store``: transactions on one file or database.

Work is passed as a function of a :class:`~equiwarp.store.transaction.Transaction`. It runs in one
transaction and is repeated from the start when the connection was lost on the way or the database chose it
to end a deadlock, so it must be safe to repeat: either nothing happened, or it can see that it already did.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
import uuid
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError

from equiwarp.exceptions import EquiwarpError, StoreMissing, StoreOvertaken, StoreUnsuitable
from equiwarp.store import place
from equiwarp.store.acknowledged import Acknowledged, last_event
from equiwarp.store.campaign_transaction import CampaignTransaction
from equiwarp.store.copying import copy_database, new_file
from equiwarp.store.engine import PATIENCE, connect, locate, shown, writing
from equiwarp.store.errors import collided, lost, translate
from equiwarp.store.migrate import bring_up, create_file, use_log
from equiwarp.store.open_file import OpenFile
from equiwarp.store.records import Actor
from equiwarp.store.steps import reached
from equiwarp.store.transaction import Transaction
from equiwarp.store.turns import turn

T = TypeVar("T")
W = TypeVar("W")


class Store:
    """A store, opened and at the newest schema.

    Parameters
    ----------
    where : path or URL
        A path (SQLite) or ``postgresql://...``.
    create : bool
        Whether a missing SQLite file may be created.

    Attributes
    ----------
    backup : path, schema name or None
        Where the copy is that was made before a migration, if one was needed.
    """

    def __init__(self, where: str | Path, create: bool = True) -> None:
        self.url, self.file = locate(where)
        self.name = str(self.file) if self.file else shown(self.url)
        if self.file is not None:
            self._prepare_file(self.file, create)
        self.opened = None if self.file is None else OpenFile(self.file)
        self.acknowledged = None if self.file is None else Acknowledged(self.file)
        self.engine = connect(self.url, self.file)
        # A handle that is dropped rather than closed leaves no open connection behind.
        weakref.finalize(self, _let_go, self.engine, self.acknowledged, os.getpid())
        self.writer = writing(self.engine)
        self._patiently(self._require_acknowledged)
        self.backup = self._patiently(lambda: bring_up(self.engine, self.name, self.file))

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run work on one consistent view of the store."""
        return self.run(self.engine, Transaction, work)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run work in one writing transaction: all of it is kept, on the disk, or nothing.

        :class:`StoreOvertaken` if somebody else has just entered what must not be there twice.
        """
        return self.run(self.writer, Transaction, work)

    def of(self, actor: Actor) -> CampaignStore:
        """The same store, for one campaign and whoever acts in it."""
        return CampaignStore(self, actor)

    def run(self, engine: Engine, make: Callable[[Connection], W], work: Callable[[W], T]) -> T:
        """Run work on what is made of a connection, patiently."""

        def attempt() -> T:
            if self.file is None:
                with engine.begin() as connection:
                    result = work(make(connection))
            elif engine is self.writer:
                result = self._write_file(lambda connection: work(make(connection)))
            else:
                return self._read_file(lambda connection: work(make(connection)))
            if engine is self.writer:
                reached("store:committed")
            return result

        return self._patiently(attempt)

    def _read_file(self, work: Callable[[Connection], T]) -> T:
        """One reading transaction: of a file that lost what was acknowledged, nothing is shown."""
        assert self.acknowledged is not None
        self._check()
        noted = self.acknowledged.read()
        with self.engine.begin() as connection:
            self._check(connection)
            self.acknowledged.require(noted, connection)
            return work(connection)

    def _write_file(self, work: Callable[[Connection], T]) -> T:
        """One writing transaction on a file that is still there, and has all that was acknowledged."""
        assert self.acknowledged is not None
        self._check()
        with turn(self.acknowledged.path, PATIENCE):
            with self.writer.begin() as connection:
                self._check(connection)
                self.acknowledged.require(self.acknowledged.read(), connection)
                result = work(connection)
                last = last_event(connection)
            self._check(after=True)  # what went into a file that is gone must not be acknowledged
            reached("store:unacknowledged")
            self.acknowledged.note(last)
        return result

    def _require_acknowledged(self) -> None:
        """Refuse a file that has lost what was acknowledged, before anything of it is changed."""
        noted = None if self.acknowledged is None else self.acknowledged.read()
        if self.acknowledged is None or self.file is None or noted is None:
            return
        engine = connect(self.url, self.file, look=True)  # to close it otherwise would fold in the log
        try:
            with engine.begin() as connection:
                self.acknowledged.require(noted, connection)
        finally:
            engine.dispose()

    def _check(self, connection: Connection | None = None, after: bool = False) -> None:
        """Refuse to go on if the file is no longer at its path, or has lost its log."""
        if self.opened is None:
            return
        self.opened.check(after)
        if connection is not None:
            self.opened.check_log(connection.info.get("log"))

    def save_copy(self, target: str | Path) -> Path:
        """Copy a SQLite store as this program has it open, even if its file was deleted or replaced.

        Parameters
        ----------
        target : path
            A new file.

        Returns
        -------
        path
            The copy, a whole store.
        """
        final = new_file(target)
        with self.engine.connect() as connection:
            raw = connection.connection.driver_connection
            if self.opened is None or not isinstance(raw, sqlite3.Connection):
                raise StoreUnsuitable(f"{self.name} is no file; copy it with `equiwarp backup`")
            if connection.info.get("file") != self.opened.identity:
                raise StoreMissing(f"this program no longer holds the former {self.name}; nothing was copied")
            copy_database(raw, final)
        return final

    def close(self) -> None:
        """Let go of the file or server."""
        if self.acknowledged is not None and self.acknowledged.read() is not None:
            # The note of what was acknowledged is put away only if all of it is there now.
            with contextlib.suppress(EquiwarpError):
                self.read(lambda transaction: None)
        _let_go(self.engine, self.acknowledged, os.getpid())
        if self.opened is not None:
            self.opened.forget_log()

    def _prepare_file(self, file: Path, create: bool) -> None:
        place.require_local(file)
        if not self._patiently(file.exists):
            if not create:
                raise StoreMissing(f"there is no store at {file}; check the path, or create a campaign first")
            if not file.parent.is_dir():
                raise StoreMissing(f"the folder {file.parent} does not exist; create it first")
            self._patiently(lambda: create_file(self.url, file))
        place.require_file(file)
        if not place.uses_log(file) and place.writable(file) and place.writable(file.parent):
            self._patiently(lambda: use_log(file))

    def _patiently(self, attempt: Callable[[], T]) -> T:
        """Repeat what failed because a server went away or two transactions collided; translate the rest."""
        end, pause = time.monotonic() + PATIENCE, 0.1
        while True:
            try:
                return attempt()
            except IntegrityError as error:  # the caller knows what that means
                raise StoreOvertaken(
                    f"{self.name}: somebody else made the same entry a moment earlier; look again"
                ) from error
            except DBAPIError as error:
                again = lost(error) or collided(error)
                if not again or time.monotonic() + pause > end:
                    raise translate(error.orig, self.name) from error
            except (sqlite3.Error, OSError) as error:
                raise translate(error, self.name) from error
            time.sleep(pause)
            pause = min(2 * pause, 2.0)


@dataclass(frozen=True)
class CampaignStore:
    """One campaign of a store, for one who acts in it."""

    store: Store
    actor: Actor

    @property
    def name(self) -> str:
        """What messages call the store."""
        return self.store.name

    def read(self, work: Callable[[CampaignTransaction], T]) -> T:
        """Run work on one consistent view of the campaign."""
        return self.store.run(self.store.engine, partial(CampaignTransaction, self.actor), work)

    def write(self, work: Callable[[CampaignTransaction], T]) -> T:
        """Run work in one writing transaction; it may be repeated, see the top of this file.

        All attempts carry one token, by which work sees that an earlier one was kept after all.
        """
        make = partial(CampaignTransaction, self.actor, token=uuid.uuid4().hex)
        return self.store.run(self.store.writer, make, work)


def _let_go(engine: Engine, acknowledged: Acknowledged | None, owner: int) -> None:
    """Close the connections, unless they belong to the process that this one was forked from."""
    ours = os.getpid() == owner
    engine.dispose(close=ours)
    if ours and acknowledged is not None:
        acknowledged.put_away()
