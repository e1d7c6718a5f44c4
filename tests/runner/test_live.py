"""A run in a notebook: its line, and the picture that is redrawn in place until the end."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace

import pytest

import equiwarp as ew
from equiwarp.plotting.live import LiveRun, show_live
from tests.faces.test_notebook_html import Tags
from tests.runner import functions
from tests.runner.test_processes import LIMIT

BOX = ew.Box({"x": (0, 1), "y": (0, 2)})


def test_a_run_shows_where_it_stands_and_a_picture_once_there_is_a_value(monkeypatch):
    hold = threading.Event()

    def function(x, y):
        hold.wait(LIMIT)
        return x + y

    runner = ew.start_run(function, BOX, budget=6, executor="threads", workers=2, strategy="fps")
    live = LiveRun(runner)
    assert "first value" in "".join(Tags(live.html()).texts)
    hold.set()
    runner.wait(LIMIT)
    page = Tags(live.html())
    assert "6 done, 0 running" in "".join(page.texts)
    assert page.sources[0].startswith("data:image/png;base64,")
    assert [n for n, _ in live.course] == [6]
    assert "the budget of 6 experiments is used up" in "".join(Tags(runner._repr_html_()).texts)


def test_the_picture_is_redrawn_in_place_until_the_run_has_ended(monkeypatch):
    shown = []
    handle = SimpleNamespace(update=shown.append)

    def display(page, display_id):
        shown.append(page)
        return handle

    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display, HTML=str))
    runner = ew.start_run(functions.product, BOX, budget=6, executor="threads", strategy="fps")
    thread = show_live(runner, every=0.01)
    thread.join(LIMIT)
    assert not thread.is_alive()
    assert "used up" in shown[-1]
    assert len(shown) >= 2


def test_without_a_notebook_the_remedy_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    runner = ew.start_run(functions.product, BOX, budget=2, executor="threads", strategy="fps")
    with pytest.raises(ew.MissingPart, match=r"equiwarp\[notebook\]"):
        runner.live()
    runner.wait(LIMIT)
