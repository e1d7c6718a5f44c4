"""A layer imports only from lower layers; read from the source, without importing it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "equiwarp"

#: Every package and loose module, lowest first. One that is missing here fails the test: nothing has a
#: layer by default. Those on one line are a layer and may not import each other.
ORDER = (
    ("exceptions",),
    ("_util",),
    ("domains",),
    ("aims",),
    ("gp",),
    ("models",),
    ("geometry",),
    ("strategy",),
    ("engine",),
    ("maps",),
    ("tables",),
    ("spec",),
    ("store",),
    ("campaign",),
    ("runner",),
    ("plotting",),
    ("report",),
    ("integrations", "bench", "web", "testing"),
    ("cli",),
    ("__main__",),
)
LAYERS = {name: layer for layer, names in enumerate(ORDER, start=1) for name in names}
#: Layers up to this one are pure.
PURE = LAYERS["maps"]


def package_of(module: str) -> str | None:
    """First part of the name below `equiwarp`; None for the package itself and for other packages."""
    parts = module.split(".")
    return parts[1] if parts[0] == "equiwarp" and len(parts) > 1 else None


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
    """Imports that do not point to a lower layer or stay in the package."""
    own = package_of(inside)
    if own is None:
        return []
    found = [(m, package_of(m)) for m in imports_of(source, inside)]
    return [m for m, other in found if other not in (None, own) and LAYERS[other] >= LAYERS[own]]


MODULES = sorted(ROOT.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_downwards(path):
    inside = name_of(path) + (".__init__" if path.name == "__init__.py" and path.parent != ROOT else "")
    assert upward(path.read_text(encoding="utf-8"), inside) == []


def module_imports(tree: ast.AST) -> set[str]:
    """Modules and names that a source imports anywhere, except for types only."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        found |= module_imports(node)
    return found


def circle(imports: dict[str, set[str]]) -> list[str]:
    """Modules on a circle of imports, with those that need them; none if they can be put in an order."""
    left = {module: (found & imports.keys()) - {module} for module, found in imports.items()}
    while left:
        free = {module for module, found in left.items() if not found & left.keys()}
        if not free:
            return sorted(left)
        left = {module: found for module, found in left.items() if module not in free}
    return []


def test_no_modules_import_each_other_in_a_circle():
    """Layers order the packages; within a package it is this that keeps an order."""
    files = [path for path in MODULES if path.name != "__init__.py"]
    sources = {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in files}
    assert circle({name: module_imports(tree) for name, tree in sources.items()}) == []


def test_a_circle_is_noticed():
    late = "def f():\n    from equiwarp.b import g"
    types = "if TYPE_CHECKING:\n    from equiwarp import b"
    back = {"equiwarp.b": module_imports(ast.parse("import equiwarp.a"))}
    assert circle({"equiwarp.a": module_imports(ast.parse(late)), **back}) == ["equiwarp.a", "equiwarp.b"]
    assert circle({"equiwarp.a": module_imports(ast.parse(types)), **back}) == []


def test_every_module_is_listed_and_nothing_else_is():
    assert {package_of(name_of(path)) for path in MODULES} - {None} == set(LAYERS)


@pytest.mark.parametrize(
    "line",
    [
        "from equiwarp.engine.algorithm import choose",
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


@pytest.mark.parametrize(
    "path", [p for p in MODULES if LAYERS.get(package_of(name_of(p)) or "", 99) <= PURE], ids=name_of
)
def test_the_pure_layers_write_no_files_and_read_no_clock(path):
    """The equalizer's cache is the one exception, and losing it costs nothing."""
    if path.name == "cache.py":
        return
    banned = {"os", "pathlib", "tempfile", "time", "datetime", "random", "sqlite3", "socket", "logging"}
    roots = {module.split(".")[0] for module in imports_of(path.read_text(encoding="utf-8"), name_of(path))}
    assert not roots & banned
