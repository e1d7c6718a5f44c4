"""The line that a terminal shows while a run works."""

from __future__ import annotations

from weakref import WeakSet

import pytest
from tqdm import tqdm

import equiwarp as ew
from equiwarp.runner.progress import ProgressBar

NOW = ew.RunProgress(done=3, failed=1, running=2, elapsed=60.0, error=0.12, ahead=20, forecast=0.08)
SAID = "3 done, 2 running, 1 failed, 4 per minute, map error 0.12, 0.08 after 20 more"


@pytest.fixture(autouse=True)
def a_line_of_its_own(monkeypatch):
    """Below twenty bars that tests before this one left open, tqdm would hide ours; where it knows the
    terminal's width, which workers of pytest may inherit, it would cut it."""
    monkeypatch.setattr(tqdm, "_instances", WeakSet(), raising=False)
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("budget", [None, 8])
def test_the_line_says_what_is_done_and_how_good_the_map_is(budget, capsys):
    ProgressBar(budget)(NOW)
    shown = capsys.readouterr().err
    lines = [line.strip() for line in shown.replace("\r", "\n").splitlines() if SAID in line]
    assert lines, repr(shown)
    before = lines[0].removesuffix(SAID)
    if budget is None:
        assert before == ""
    else:
        assert before.startswith("50%|")  # four of eight have ended
        assert before.endswith("| ")


def test_a_reason_with_braces_is_shown_as_it_is(capsys):
    ProgressBar(8)(ew.RunProgress(done=8, elapsed=60.0, reason="the budget {8} is spent"))
    assert "the budget {8} is spent" in capsys.readouterr().err
