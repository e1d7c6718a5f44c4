"""What holds for the code as a whole, read from its source."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import equiwarp.domains

ROOT = Path(__file__).parents[1] / "src" / "equiwarp"
#: The classes of domains; other code asks them, not what they are.
DOMAINS = {
    name
    for name in dir(equiwarp.domains)
    if isinstance(kind := getattr(equiwarp.domains, name), type) and issubclass(kind, equiwarp.domains.Domain)
}
#: So many checks may stay outside `domains/`, each with its reason: adapters whose host knows boxes only.
MOST_CHECKS = 5


def names_in(node: ast.AST) -> set[str]:
    """All names below a node, the last parts of dotted ones included."""
    plain = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return plain | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


def asks_for_a_domain(node: ast.AST) -> bool:
    """Whether a node asks what class a domain is, or whether it happens to have something."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) >= 2:
        if node.func.id in ("isinstance", "issubclass"):
            return bool(names_in(node.args[1]) & (DOMAINS - {"Domain"}))
        if node.func.id in ("hasattr", "getattr") and isinstance(node.args[1], ast.Constant):
            return any("domain" in name.lower() for name in names_in(node.args[0]))
    if isinstance(node, ast.Compare):
        calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
        return any(call.func.id == "type" for call in calls) and bool(names_in(node) & DOMAINS)
    return isinstance(node, ast.MatchClass) and bool(names_in(node.cls) & DOMAINS)


def checks_in(source: str) -> list[int]:
    """Lines of a source that ask for the class of a domain."""
    return sorted({node.lineno for node in ast.walk(ast.parse(source)) if asks_for_a_domain(node)})


def test_domains_are_asked_and_not_told_apart():
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        if "domains" in path.relative_to(ROOT).parts[:1]:
            continue
        source = path.read_text(encoding="utf-8")
        for line in checks_in(source):
            found.append(f"{path.relative_to(ROOT)}:{line}")
            here = source.splitlines()[line - 1]
            assert "#" in here, f"{found[-1]} gives no reason: {here.strip()}"
    assert len(found) <= MOST_CHECKS, found


@pytest.mark.parametrize(
    "line",
    [
        "isinstance(domain, Box)",
        "isinstance(spec.domain, ew.Sphere | ew.Simplex)",
        "isinstance(x, (int, Candidates))",
        "type(domain) is Box",
        "type(self.domain) in (Box, Sphere)",
        "issubclass(kind, domains.Constrained)",
        "hasattr(view.domain, 'points')",
        "getattr(domain, 'points', None)",
        "match d:\n    case Box(): pass",
    ],
)
def test_a_check_for_a_class_is_noticed(line):
    assert checks_in(line) != []


@pytest.mark.parametrize(
    "line",
    [
        "isinstance(x, Mapping)",
        "isinstance(x, Domain)",
        "domain.has_faces",
        "getattr(domain, method)(x)",
        "getattr(p, 'low')",
        "Box({})",
    ],
)
def test_other_questions_are_fine(line):
    assert checks_in(line) == []


def types_in(source: str) -> list[str]:
    """Classes and names of types that a module defines; single letters are variables of types."""
    found: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.append(node.targets[0].id)
    return [name for name in found if name[0].isupper() and len(name) > 1 and not name.isupper()]


def test_a_type_has_one_name_and_a_name_one_type():
    places: dict[str, list[str]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        for name in types_in(path.read_text(encoding="utf-8")):
            if "_" not in name:  # constants, private ones too, are read where they stand
                places.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_types_are_found_and_constants_are_not():
    assert types_in("class Map: pass\nRows = list[int]\nT = 1\nMOST = 3\nx = 2\ndef F(): pass") == [
        "Map",
        "Rows",
    ]
