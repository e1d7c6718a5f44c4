"""The lowest versions that pyproject.toml promises, as a constraints file for pip.

    python tools/lowest.py > constraints.txt
    pip install -c constraints.txt '.[test]'

Every requirement of the package and of the extras that its own tests use is pinned to its floor; the tools
of the tests themselves (pytest, ruff, mypy ...) are not, because nobody who uses equiwarp installs them.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
#: Extras that users install and `make test` covers.
EXTRAS = ("web", "excel", "bench", "dask", "postgres")
#: A name, perhaps extras, a floor, perhaps an upper limit.
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(\[[^]]+\])?>=([0-9][0-9.a-z]*)(,<[0-9.]+)?")


def floors(project: Path = PROJECT) -> dict[str, str]:
    """The lowest promised version of every requirement, by name."""
    table = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    lines = [*table["dependencies"]]
    for extra in EXTRAS:
        lines += table["optional-dependencies"][extra]
    found: dict[str, str] = {}
    for line in lines:
        match = REQUIREMENT.fullmatch(line.strip())
        if match is None:
            raise SystemExit(f"pyproject.toml: {line!r} promises no lowest version: write name>=version")
        name, _, floor, _ = match.groups()
        if found.setdefault(name, floor) != floor:
            raise SystemExit(f"pyproject.toml: {name} has two floors, {found[name]} and {floor}: keep one")
    return found


if __name__ == "__main__":
    for name, floor in sorted(floors().items()):
        print(f"{name}=={floor}")
