"""Equalizer tables on disk, so that a second process need not compute them again.

A file is named by a digest of everything its content depends on, repeats it inside, and carries a digest
of the content. Anything that cannot be read, or says something else, is treated as absent and rewritten.
Losing the folder costs seconds and nothing else. ``EQUIWARP_CACHE`` moves it; an empty value turns it off.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from equiwarp.domains import Array
from equiwarp.geometry import reference as ref

#: Raise when the way a table is computed changes.
FORMAT = 2


def folder() -> Path | None:
    """Where tables are kept; None if caching is turned off."""
    chosen = os.environ.get("EQUIWARP_CACHE")
    if chosen is not None:
        return Path(chosen) if chosen else None
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "equiwarp"


def key_of(reference: ref.Reference) -> str:
    """Everything that a table depends on, as text."""
    parts = (
        f"format={FORMAT}",
        f"dim={reference.dim}",
        f"kernel={type(reference.kernel).__name__}",
        f"ell={reference.kernel.ell:.9g}",
        f"noise={reference.noise:.9g}",
        f"n={reference.n}",
        f"nodes={reference.shape[0]}",
        f"designs={reference.designs}x{ref.IMAGES}+{reference.centre_designs}",
    )
    return " ".join(parts)


def remember(
    reference: ref.Reference, compute: Callable[[ref.Reference], tuple[Array, float]]
) -> tuple[Array, float]:
    """The cached table of this reference, or a computed one, stored for next time."""
    key, shape, directory = key_of(reference), reference.shape, folder()
    if directory is None:
        return compute(reference)
    path = directory / f"g-{hashlib.sha256(key.encode()).hexdigest()[:24]}.npz"
    found = _read(path, key, shape)
    if found is not None:
        return found
    table, centre = compute(reference)
    _write(path, key, table, centre)
    return table, centre


def _read(path: Path, key: str, shape: tuple[int, ...]) -> tuple[Array, float] | None:
    try:
        # Opened here, because NumPy leaves a file open that it cannot make sense of.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            table, centre = stored["table"], float(stored["centre"])
            if str(stored["key"]) != key or str(stored["digest"]) != _digest(key, table, centre):
                return None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, TypeError):
        return None
    sound = table.shape == shape and table.dtype == np.float64
    if not (sound and np.isfinite(table).all() and (table > 0).all() and centre > 0):
        return None
    return table, centre


def _digest(key: str, table: Array, centre: float) -> str:
    """What a table must have been when it was written: a wrong number in it would go unnoticed for ever."""
    content = f"{key} {table.dtype} {table.shape} {centre!r} ".encode() + table.tobytes()
    return hashlib.sha256(content).hexdigest()


def _write(path: Path, key: str, table: Array, centre: float) -> None:
    """Write beside, then rename: a reader sees a whole file or none. A full disk is not an error here."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                digest = np.array(_digest(key, table, float(centre)))
                np.savez(file, table=table, centre=np.array(centre), key=np.array(key), digest=digest)
            os.replace(name, path)
        except OSError:
            os.unlink(name)
            raise
