"""The examples in our docstrings run, and print what they say they print."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

import equiwarp

SOURCE = Path(equiwarp.__file__).parent
WITH_EXAMPLES = [p for p in sorted(SOURCE.rglob("*.py")) if ">>> " in p.read_text(encoding="utf-8")]
#: A skipped example is a promise that nobody checks: it needs a reason on the same line.
SKIPPED = re.compile(r"doctest:.*\+SKIP\s*$", re.M)


def name_of(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def failures(module):
    """What the examples of a module say instead of what they promise."""
    said = []
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__):
        runner.run(test, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=name_of)
def test_the_examples_of_a_module_are_true(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert failures(importlib.import_module(name_of(path))) == ""
    assert not SKIPPED.search(path.read_text(encoding="utf-8")), "an example is skipped without a reason"


def test_a_wrong_example_is_noticed(tmp_path, monkeypatch):
    (tmp_path / "wrong_example.py").write_text('"""Says.\n\n>>> 1 + 1\n3\n"""\n')
    monkeypatch.syspath_prepend(tmp_path)
    assert "Expected:\n    3\nGot:\n    2" in failures(importlib.import_module("wrong_example"))
    assert SKIPPED.search(">>> f()  # doctest: +SKIP\n")
    assert not SKIPPED.search(">>> f()  # doctest: +SKIP (needs a server)\n")
