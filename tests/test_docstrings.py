"""Public objects have complete numpydoc: parameters, returns, raises and an example."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import equiwarp as ew
from equiwarp import exceptions

#: Inherited or generated, documented by the language.
IGNORED = {"self", "cls"}


def sections(doc: str) -> dict[str, str]:
    """A numpydoc text by its underlined headings; what comes first is under ""."""
    found, name = {"": ""}, ""
    lines = inspect.cleandoc(doc).splitlines()
    for i, line in enumerate(lines):
        below = lines[i + 1] if i + 1 < len(lines) else ""
        if line and below and set(below) == {"-"} and len(below) >= 3:
            name = line.strip()
            found[name] = ""
        elif not (line and set(line) == {"-"} and len(line) >= 3):
            found[name] += line + "\n"
    return found


def listed(section: str) -> set[str]:
    """The names that a section of parameters, attributes or errors describes."""
    heads = [line.split(" : ")[0] for line in section.splitlines() if line and not line.startswith(" ")]
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def parameters_of(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in IGNORED]


def raised_in(function: Callable[..., Any]) -> set[str]:
    """Names of the errors that a function raises in its own lines."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc is not None]
    names = [call.func.id for call in calls if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)]
    return {name for name in names if not name.startswith("_")}


def gaps(function: Callable[..., Any], doc: str | None, example: bool) -> list[str]:
    """What the documentation of a function or method lacks, in words."""
    if not doc:
        return ["a docstring"]
    found = sections(doc)
    described = listed(found.get("Parameters", ""))
    lacks = [f"parameter {name}" for name in parameters_of(function) if name not in described]
    returns = inspect.signature(function).return_annotation
    if returns not in (None, "None", inspect.Signature.empty) and not ({"Returns", "Yields"} & set(found)):
        lacks.append("Returns")
    lacks += [f"Raises {name}" for name in raised_in(function) - listed(found.get("Raises", ""))]
    if example and ">>>" not in doc:
        lacks.append("an example")
    return lacks


def class_gaps(kind: type) -> list[str]:
    """What the documentation of a class lacks: its constructor's parameters or fields, and an example."""
    doc = kind.__doc__ or ""
    found = sections(doc)
    described = listed(found.get("Parameters", "")) | listed(found.get("Attributes", ""))
    own_init = "__init__" in vars(kind) or hasattr(kind, "__dataclass_fields__")
    wanted = parameters_of(kind.__init__) if own_init else []
    lacks = [f"parameter {name}" for name in wanted if name not in described]
    return lacks + ([] if ">>>" in doc else ["an example"])


def methods_of(kind: type) -> Iterator[tuple[str, Callable[..., Any], str | None]]:
    """Public methods that a class defines itself; what overrides a base's is documented there."""
    for name, member in vars(kind).items():
        if name.startswith("_") or any(name in vars(base) for base in kind.__mro__[1:]):
            continue
        if isinstance(member, classmethod | staticmethod):
            member = member.__func__
        if inspect.isfunction(member):
            yield name, member, inspect.getdoc(getattr(kind, name))


OBJECTS = {name: getattr(ew, name) for name in ew.__all__ if name not in exceptions.__all__}
CLASSES = {name: value for name, value in OBJECTS.items() if inspect.isclass(value)}
FUNCTIONS = {name: value for name, value in OBJECTS.items() if inspect.isfunction(value)}
METHODS = [
    pytest.param(member, doc, id=f"{name}.{verb}")
    for name, kind in CLASSES.items()
    for verb, member, doc in methods_of(kind)
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_is_documented(name):
    assert gaps(FUNCTIONS[name], FUNCTIONS[name].__doc__, example=True) == []


@pytest.mark.parametrize("name", CLASSES)
def test_a_public_class_is_documented(name):
    assert class_gaps(CLASSES[name]) == []


@pytest.mark.parametrize(("member", "doc"), METHODS)
def test_a_public_method_is_documented(member, doc):
    assert gaps(member, doc, example=False) == []


@pytest.mark.parametrize("name", exceptions.__all__)
def test_an_error_says_what_it_means(name):
    assert (getattr(exceptions, name).__doc__ or "").strip().endswith((".", "too."))


def test_the_checker_notices_what_is_missing():
    def example(a: int, b: int = 0) -> int:
        """Add.

        Parameters
        ----------
        a : int
        """
        if b < 0:
            raise ew.InvalidInput("no") if a else KeyError("b")
        return a + b

    def failing(a: int) -> None:
        """Fail.

        Parameters
        ----------
        a : int
        """
        raise KeyError(a)

    assert gaps(example, example.__doc__, example=True) == ["parameter b", "Returns", "an example"]
    assert gaps(failing, failing.__doc__, example=False) == ["Raises KeyError"]
    assert gaps(failing, None, example=False) == ["a docstring"]
    assert class_gaps(type("Bare", (), {"__init__": lambda self, x: None})) == ["parameter x", "an example"]
