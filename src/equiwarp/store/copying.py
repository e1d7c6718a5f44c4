"""A consistent copy of an open SQLite database: complete under its name, or not there at all."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from equiwarp.exceptions import InvalidInput


def new_file(path: str | Path) -> Path:
    """Where a copy may go: a name that is free, in a folder that exists."""
    final = Path(path).expanduser().absolute()
    if final.exists():
        raise InvalidInput(f"{final} exists; choose another name for the copy")
    if not final.parent.is_dir():
        raise InvalidInput(f"the folder {final.parent} does not exist; create it first")
    return final


def copy_database(source: sqlite3.Connection, final: Path) -> Path:
    """Copy by SQLite's own backup, beside others who read and write; the name appears last."""
    draft = final.with_name(f".{final.name}.part-{os.getpid()}")
    try:
        with contextlib.closing(sqlite3.connect(draft)) as target:
            source.backup(target)
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(draft, final)
    finally:
        draft.unlink(missing_ok=True)
    _keep_name(final.parent)
    return final


def _keep_name(folder: Path) -> None:
    """A new name is on the disk when its folder is; some systems cannot say so."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
