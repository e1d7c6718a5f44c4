"""What reads a whole campaign grows no faster than it does: in steps, calls and memory, not in seconds."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner
from sqlalchemy import Engine, event

import equiwarp as ew
from equiwarp.campaign.exports import export_experiments
from equiwarp.campaign.looking import map_inputs
from equiwarp.cli import main
from equiwarp.report.document import _experiments
from equiwarp.store import Store

BOX = ew.Box({"heat": (0, 1), "time": (0, 1)})
#: Each twice the one before: what comes on top of a constant doubles, and is four times as much if quadratic.
SIZES = (200, 400, 800)
MOST = 2.6
PAIRS = "SELECT sum(a.number * b.number) FROM equiwarp_experiments a, equiwarp_experiments b"
#: Differences below these are of no size: a cache that grows, a page of the file.
NOISE = {"steps": 50, "calls": 300, "bytes": 200_000}


def work_of(run):
    """Tens of steps of SQLite's machine, calls of functions (not only Python's), and the peak of memory.

    The least of a few runs: what other tests have left is tidied up at any moment, and is not this run's.
    """
    found = [_work_once(run) for _ in range(3)]
    return {kind: min(work[kind] for work in found) for kind in NOISE}


def _work_once(run):
    steps, calls = [0], [0]

    def step():
        steps[0] += 1

    def watch(connection, *_):
        connection.connection.driver_connection.set_progress_handler(step, 10)

    def called(frame, what, _):
        calls[0] += what in ("call", "c_call")

    gc.collect()
    gc.disable()
    event.listen(Engine, "before_cursor_execute", watch)
    sys.setprofile(called)
    try:
        run()
    finally:
        sys.setprofile(None)
        gc.enable()
        event.remove(Engine, "before_cursor_execute", watch)
    tracemalloc.start()
    try:
        run()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return {"steps": steps[0], "calls": calls[0], "bytes": peak}


def require_linear(runs):
    """Refuse what grows faster than the size, for runs of one size, of twice and of four times that size."""
    runs[0]()  # what is loaded or kept with the first one counts for nobody
    found = [work_of(run) for run in runs]
    for kind, noise in NOISE.items():
        few, more, many = (work[kind] for work in found)
        assert many - more <= MOST * (more - few) + noise, f"{kind}: {few}, {more}, {many}"


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    return [made(tmp_path_factory.mktemp("growth") / "lab.db", n) for n in SIZES]


def made(path, n):
    """A store with a campaign of so many measurements, some of them amended, and eight pending."""
    with ew.Campaign("c", BOX, store=path, n0=n + 8, strategy="fps", noise=0.1) as c:
        x = np.random.default_rng(0).random((n, 2))
        c.add(x, x.sum(axis=1))
        c.ask(8)
        for id in range(1, n + 1, 10):
            c.amend(id, 1.0)
    return path


def typed(*words):
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    "words",
    [("export", "-c", "c"), ("export", "--events", "-c", "c"), ("doctor",), ("list",), ("status", "--quick")],
    ids=" ".join,
)
def test_commands_that_read_a_whole_campaign(stores, words):
    require_linear([partial(typed, *words, "--store", str(store)) for store in stores])


@pytest.mark.parametrize(
    "look",
    [export_experiments, _experiments, lambda c: c._do(map_inputs), lambda c: c.events()],
    ids=["export", "table of the report", "what a map is fitted to", "events"],
)
def test_what_reports_and_maps_read(stores, look):
    campaigns = [ew.Campaign("c", store=store) for store in stores]
    require_linear([partial(look, c) for c in campaigns])
    for c in campaigns:
        c.close()


def test_a_list_of_many_campaigns(tmp_path):
    runs = []
    for many in (8, 16, 32):
        store = Store(tmp_path / f"{many}.db")
        for i in range(many):
            ew.Campaign(f"c{i}", BOX, store=store).ask(1)
        store.close()
        runs.append(partial(typed, "list", "--store", str(tmp_path / f"{many}.db")))
    require_linear(runs)


def test_a_choice_among_many_measurements(tmp_path):
    """With the plainest strategy: what models cost is counted in ``tests/engine/test_work.py``."""
    runs = []
    for n in SIZES:
        c = ew.Campaign("c", BOX, store=tmp_path / f"{n}.db", n0=4, strategy="fps", noise=0.1)
        c.add(np.random.default_rng(0).random((n, 2)), np.zeros(n))
        runs.append(partial(c.ask, 1))
    require_linear(runs)


@pytest.mark.parametrize(
    ("kind", "work"),
    [
        ("calls", lambda n: sum(abs(i - j) for i in range(n) for j in range(n))),
        ("bytes", lambda n: np.zeros((n, n))),
    ],
)
def test_quadratic_growth_is_refused(kind, work):
    with pytest.raises(AssertionError, match=kind):
        require_linear([partial(work, n) for n in SIZES])


def test_quadratic_growth_in_the_database_is_refused(stores):
    def pairs(store):
        opened = Store(store)
        with opened.engine.begin() as connection:
            connection.exec_driver_sql(PAIRS)
        opened.close()

    with pytest.raises(AssertionError, match="steps"):
        require_linear([partial(pairs, store) for store in stores])
