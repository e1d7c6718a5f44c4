"""Files that are whole or absent, whenever the process dies."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """A file beside the path, which takes its place if nothing fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write_npz(path: Path, **arrays: Any) -> None:
    """Arrays in one compressed file."""
    with written_whole(path) as file:
        np.savez_compressed(file, **arrays)


def write_json(path: Path, content: Any) -> None:
    """Plain data in one file."""
    with written_whole(path) as file:
        file.write(json.dumps(content).encode())


def safe_name(name: str) -> str:
    """A file name: ``module:callable@2`` must not read as a drive or a folder."""
    return name.replace(":", "--").replace("/", "_").replace("\\", "_")
