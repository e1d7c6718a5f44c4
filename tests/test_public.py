"""The public surface: what `equiwarp` shows, where it comes from, and that every error of ours is ours."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import equiwarp as ew
from equiwarp import exceptions

SOURCE = Path(ew.__file__).parent

#: The public names, by hand: one that comes or goes is decided here, not by accident.
NAMES = re.findall(
    r"\w+",
    """
    Aim Box Campaign CampaignSpec Candidates Constrained Domain Experiment Map Parameter Product Response
    Simplex Sphere
    RunProgress Runner StopAdvice StopRule Strategy Suggestion build_map run start_run strategies suggest
    CampaignChanged ComputationEnded Conflict EquiwarpError EquiwarpWarning Exhausted ExpressionError
    Implausible InvalidInput InvalidType KnownMeasurements Mismatch
    MissingCells MissingPart OutsideDomain Problem RunStopped SpecError StoreBusy StoreCancelled StoreDamaged
    StoreError StoreFull StoreMissing StoreMoved StoreNewer StoreOvertaken StoreReadOnly StoreRefused
    StoreTimeout StoreUnreachable StoreUnsuitable TableError
    UnknownCampaign UnknownExperiment WorkerLost WrappedAngle
    """,
)


def test_dir_shows_the_public_names_and_nothing_else():
    importlib.import_module("equiwarp.testing")  # a module that was imported is no public name
    assert dir(ew) == sorted(NAMES) == sorted(ew.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_documented_and_so_is_its_module(name):
    value = getattr(ew, name)
    module = importlib.import_module(value.__module__)
    assert value.__module__.startswith("equiwarp.")
    assert getattr(module, value.__name__) is value
    assert inspect.getdoc(module), f"{module.__name__} does not say what it is for"
    own = value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__
    assert own, f"{name} has no docstring of its own"


def test_a_name_that_is_not_there_is_refused_as_python_does_it():
    with pytest.raises(AttributeError, match="module 'equiwarp' has no attribute 'sugest'"):
        _ = ew.sugest


@pytest.mark.parametrize("module", ["equiwarp.testing", "equiwarp.exceptions"])
def test_the_other_public_modules_say_what_they_offer(module):
    found = importlib.import_module(module)
    assert found.__all__ == sorted(found.__all__)
    assert all(hasattr(found, name) for name in found.__all__)


def packages():
    """Every package of ours, the top one included, with the names of the modules in it."""
    for folder in [SOURCE, *(p.parent for p in SOURCE.rglob("*/__init__.py"))]:
        name = ".".join(folder.relative_to(SOURCE.parent).parts)
        yield name, {module.name for module in pkgutil.iter_modules([str(folder)])}


@pytest.mark.parametrize(("package", "modules"), list(packages()))
def test_no_module_shares_its_name_with_something_its_package_offers(package, modules):
    """Whichever was imported last would be found under that name."""
    init = SOURCE.parent.joinpath(*package.split("."), "__init__.py")
    tree = ast.parse(init.read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    offered = {name for name, origin in imported.items() if origin != package}
    offered |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert modules & (offered | (set(NAMES) if package == "equiwarp" else set())) == set()


ERRORS = [value for value in vars(exceptions).values() if inspect.isclass(value)]
ERRORS = [
    value for value in ERRORS if issubclass(value, BaseException) and value.__module__ == exceptions.__name__
]
#: What people already catch.
BUILT_IN = (ValueError, TypeError, LookupError, RuntimeError, UserWarning)


@pytest.mark.parametrize("error", ERRORS)
def test_every_error_is_of_our_family_and_of_the_built_in_that_says_the_same(error):
    assert issubclass(error, ew.EquiwarpError) or issubclass(error, ew.EquiwarpWarning)
    assert error.__name__ in exceptions.__all__
    assert error is ew.EquiwarpError or issubclass(error, BUILT_IN)


#: Built-in errors that a protocol of Python's demands, by the function that follows it; None is any.
PROTOCOLS = {
    "AttributeError": "__getattr__",
    "KeyError": "__getitem__",
    "NotImplementedError": None,  # an abstract method, or a request of the host that we do not serve
    "AssertionError": None,  # what cannot happen
    "TimeoutError": "_give_up",  # an alarm, caught by whoever set it
}


def raised_built_ins(source):
    """Built-in exceptions that a module raises, with the function that does it."""
    found = []

    def visit(node, function):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        if isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            known = getattr(builtins, raised.id, None) if isinstance(raised, ast.Name) else None
            if inspect.isclass(known) and issubclass(known, Exception):
                found.append((known.__name__, function))
        for child in ast.iter_child_nodes(node):
            visit(child, function)

    visit(ast.parse(source), "")
    return found


def out_of_place(source):
    """Built-in exceptions that no protocol asks for."""
    return [
        (name, function)
        for name, function in raised_built_ins(source)
        if name not in PROTOCOLS or PROTOCOLS[name] not in (None, function)
    ]


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_no_module_raises_a_plain_built_in_error(path):
    assert out_of_place(path.read_text(encoding="utf-8")) == []


def test_the_reader_of_sources_finds_plain_errors():
    wrong = "def f():\n    raise ValueError('no')\ndef g():\n    raise KeyError\nraise TypeError from None"
    assert out_of_place(wrong) == [("ValueError", "f"), ("KeyError", "g"), ("TypeError", "")]
    assert out_of_place("def __getitem__(self, k):\n    raise KeyError(k)\nraise InvalidInput('x')") == []
