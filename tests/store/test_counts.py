"""Counts of all campaigns of a store at once, as `equiwarp list` shows them."""

from __future__ import annotations

import pytest
from sqlalchemy import event

import equiwarp as ew
from equiwarp.store import Store, Transaction

BOX = ew.Box({"heat": (0, 1)})


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "lab.db")
    yield made
    made.close()


def test_they_are_what_each_campaign_counts_by_itself(store):
    first, empty, late = (ew.Campaign(name, BOX, store=store, n0=4) for name in ("first", "empty", "late"))
    first.tell(first.ask(3)[0].id, 1.0)
    first.tell_failed(2, "tripped")
    first.add([[0.3]], [1.0])
    late.ask(1)
    late.claim(1, lease=1e-6)  # has ended, and nobody has written it down
    counts = store.read(Transaction.counts)
    assert list(counts) == [1, 2, 3]
    for found, campaign in zip(counts.values(), (first, empty, late), strict=True):
        status = campaign.status()
        assert found.states == status.counts
        assert (found.added, found.measured) == (status.added, status.measured)
    assert counts[3].states["released"] == counts[3].states["pending"] == 1


def test_they_take_as_many_queries_for_one_campaign_as_for_many(store):
    asked: list[str] = []
    event.listen(store.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    needed = []
    for names in (range(1), range(1, 9)):
        for i in names:
            ew.Campaign(f"campaign {i}", BOX, store=store).ask(1)
        asked.clear()
        assert len(store.read(Transaction.counts)) == names.stop
        needed.append(len(asked))
    assert needed[0] == needed[1]


@pytest.mark.parametrize("verb", ["tell", "fail", "amend", "status"])
def test_a_verb_about_one_experiment_costs_the_same_with_few_as_with_many(store, verb):
    """Counted in steps of SQLite's machine: a step is a row, a column or a comparison."""
    c = ew.Campaign("c", BOX, store=store, n0=3000, strategy="fps")
    c.ask(8)
    c.tell(7, 1.0)
    steps: list[int] = []

    def watch(connection, *_):
        raw = connection.connection.driver_connection
        raw.set_progress_handler(lambda: steps.append(1), 1)

    for engine in (store.engine, store.writer):
        event.listen(engine, "before_cursor_execute", watch)
    verbs = {
        "tell": lambda id: c.tell(id, 2.0),
        "fail": lambda id: c.tell_failed(id, "tripped"),
        "amend": lambda id: c.amend(7, 2.0 + id),
        "status": lambda id: c.status(),
    }
    needed = []
    for id in (1, 2, 3):
        if id == 3:
            c.add([[i / 5000] for i in range(1, 2001)], [float(i) for i in range(2000)])
        steps.clear()
        verbs[verb](id)
        needed.append(len(steps))
    _, few, many = needed  # the first has one more sort of experiments to begin
    assert 0 < many <= 1.2 * few + 50
