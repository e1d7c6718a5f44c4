"""A layer imports only from lower layers; read from the source, without importing it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "equiwarp"

#: Layer by the first part of the module's name below `equiwarp`; 7 is all that keeps or shows state.
LAYERS = {
    "domains": 1,
    "seeds": 1,
    "markup": 1,
    "design": 2,
    "gp": 3,
    "geometry": 4,
    "strategies": 5,
    "rows": 1,
    "heap": 1,
    "engines": 6,
    "setting": 6,
    "suggestion": 6,
    "rounds": 6,
    "suggest": 6,
}
FACES = {"cli", "web", "report", "integrations", "bench"}


def layer_of(module: str) -> int | None:
    """Layer of `equiwarp.<...>`; None for the package itself and for other packages."""
    parts = module.split(".")
    if parts[0] != "equiwarp" or len(parts) < 2:
        return None
    return LAYERS.get(parts[1], 8 if parts[1] in FACES else 7)


def imports_of(source: str, inside: str) -> list[str]:
    """Every module named by an import anywhere in the source, relative ones resolved, typing included."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(inside.split(".")[: -node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            found += [f"{module}.{alias.name}" for alias in node.names] if module == "equiwarp" else [module]
    return found


def upward(source: str, inside: str) -> list[str]:
    """Imports that point upwards."""
    own = layer_of(inside)
    return [m for m in imports_of(source, inside) if own and (layer_of(m) or 0) > own]


MODULES = sorted(ROOT.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_downwards(path):
    if path.parent != ROOT or path.name != "__init__.py":
        inside = name_of(path) + (".__init__" if path.name == "__init__.py" else "")
        assert upward(path.read_text(encoding="utf-8"), inside) == []


@pytest.mark.parametrize("path", sorted((ROOT / "web").rglob("*.py")), ids=name_of)
def test_the_page_does_not_depend_on_the_command_line(path):
    found = imports_of(path.read_text(encoding="utf-8"), name_of(path))
    assert [m for m in found if m.split(".")[:2] == ["equiwarp", "cli"]] == []


@pytest.mark.parametrize(
    "line",
    [
        "from equiwarp.suggest import choose",
        "import equiwarp.geometry.warp",
        "from ..geometry import warp",
        "def f():\n    from equiwarp.campaign import Campaign",
        "from equiwarp import geometry",
    ],
)
def test_an_upward_import_is_noticed(line):
    assert upward(line, "equiwarp.gp.kernels") != []


@pytest.mark.parametrize(
    "line", ["from equiwarp.domains import Array", "import numpy", "from .cholesky import f", "import json"]
)
def test_a_downward_import_is_fine(line):
    assert upward(line, "equiwarp.gp.kernels") == []


def test_the_engine_has_modules_in_every_layer():
    assert {layer_of(name_of(path)) for path in MODULES} >= {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize("path", [p for p in MODULES if (layer_of(name_of(p)) or 9) <= 6], ids=name_of)
def test_the_engine_writes_no_files_and_reads_no_clock(path):
    """Layers 1 to 6 are pure; the equalizer's cache is the one exception, and losing it costs nothing."""
    if path.name == "cache.py":
        return
    banned = {"os", "pathlib", "tempfile", "time", "datetime", "random", "sqlite3", "socket", "logging"}
    roots = {module.split(".")[0] for module in imports_of(path.read_text(encoding="utf-8"), name_of(path))}
    assert not roots & banned
