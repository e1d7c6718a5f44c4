"""The page's own process computes nothing: whatever is looked at or asked for, other processes do it.

A thread cannot be ended, and takes the interpreter from all other visitors while it computes.
"""

from __future__ import annotations

import os
import time
import traceback

import matplotlib.figure
import pytest
import scipy

from equiwarp import Box, build_map
from equiwarp.maps.map import Map
from equiwarp.plotting.style import png
from equiwarp.web import tasks
from tests.web.endless import who_computes

#: What every fit, choice, prediction with its deviation, and picture goes through.
HEAVY = [
    (scipy.linalg.lapack, "dpotrf"),
    (scipy.linalg.lapack, "dpotrs"),
    (Map, "predict"),
    (matplotlib.figure.Figure, "savefig"),
]
REPORT = "/api/campaigns/1/report.html"
PLACES = {"id": "1", "experiment": "1", "cell": "0", "what": "residuals"}
#: What a program posts to have experiments chosen, or told and followed by a choice.
POSTS = [
    ("ask", {"n": 2}),
    ("ask", {"n": 1, "shared": ["pH"]}),
    ("claim", {"n": 1, "lease": 60}),
    ("experiments/1/repeat", {"n": 1}),
    ("experiments/2/amend", {"values": 2.5, "reason": "typo"}),
]
PAGES = ["/", "/c/1", "/c/1/parts", "/c/1/e/1", "/c/1/settings", *(
    f"/c/1/{view}" for view in ("profiler", "effects", "residuals", "parallel"))]  # fmt: skip


@pytest.fixture
def heavy(monkeypatch):
    """Heavy work that this process does from now on: from where it was called."""
    found = []

    def watched(name, original):
        def spied(*arguments, **options):
            ours = [line for line in traceback.format_stack() if "/equiwarp/" in line]
            found.append((name, "".join(ours[-3:])))
            return original(*arguments, **options)

        return spied

    for owner, name in HEAVY:
        monkeypatch.setattr(owner, name, watched(name, getattr(owner, name)))
    return found


def test_the_watch_sees_a_fit_a_prediction_and_a_picture(heavy, rng):
    box = Box.unit(2)
    x = box.sample(8, rng)
    fitted = build_map(box, x, x[:, 0])
    assert {"dpotrf", "dpotrs"} <= {name for name, _ in heavy}
    heavy.clear()
    fitted.predict(box.sample(5, rng))
    assert [name for name, _ in heavy] == ["predict"]
    heavy.clear()
    png(matplotlib.figure.Figure())
    assert [name for name, _ in heavy] == ["savefig"]


def test_whatever_is_looked_at_is_computed_in_other_processes(client, campaign, heavy):
    described = client.get("/api/openapi.json").json()["paths"]
    paths = [path.format(**PLACES) for path, verbs in described.items() if "get" in verbs]
    paths.remove(REPORT)  # it takes long, see below
    more = ["map?layers=true&overlay=true", "map?upto=4", "map?coarse=true", "map?minus=now&upto=4"]
    for path in [*paths, *(f"/api/campaigns/1/{wanted}" for wanted in more), *PAGES]:
        assert client.get(path).status_code == 200, path
    while client.get("/api/campaigns/1/error").json()["working"]:
        time.sleep(0.05)
    for verb, body in POSTS:
        assert client.post(f"/api/campaigns/1/{verb}", json=body).status_code == 200, verb
    assert heavy == []


def test_a_report_is_made_in_another_process(client, campaign, monkeypatch):
    monkeypatch.setattr(tasks, "report", who_computes)
    assert int(client.get(REPORT).text) not in (0, os.getpid())
