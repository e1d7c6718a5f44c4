"""Files that are whole or absent, whenever the process dies."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np


def write_npz(path: Path, **arrays: Any) -> None:
    """Write beside, then rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, **arrays)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def safe_name(name: str) -> str:
    """A file name: ``module:callable@2`` must not read as a drive or a folder."""
    return name.replace(":", "--").replace("/", "_").replace("\\", "_")
