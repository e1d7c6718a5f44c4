"""The numbers of a summary are those of the experiments, whatever was done and on whichever database."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

import equiwarp as ew
from equiwarp.store import Store, campaign_transaction, doctor

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


def _verbs(c, chance):
    def any_id():
        return chance.randint(1, max(1, len(c.experiments())))

    return [
        lambda: c.ask(chance.randint(1, 3)),
        lambda: c.claim(1, lease=chance.choice([20, 500])),
        lambda: c.tell(any_id(), {"a": chance.random()}),
        lambda: c.tell(any_id(), {"a": chance.random(), "b": 1.0}),
        lambda: c.tell_failed(any_id(), "tripped"),
        lambda: c.abandon(any_id()),
        lambda: c.withdraw(any_id(), "spilt"),
        lambda: c.undo(any_id()),
        lambda: c.repeat(any_id()),
        lambda: c.release(ids=[any_id()]),
        lambda: c.add([[chance.uniform(0, 110), 5.0]], {"a": [1.0], "b": [chance.random()]}),
        lambda: c.widen("temperature", high=c.domain.parameters[0].high + 1),
    ]


def test_what_is_counted_is_what_is_there(quick_store, monkeypatch, recwarn):
    recwarn.clear()
    chance, ahead = random.Random(3), timedelta(0)
    monkeypatch.setattr(
        campaign_transaction, "now", lambda: (datetime.now(UTC) + ahead).isoformat(timespec="microseconds")
    )
    with ew.Campaign("c", BOX, store=quick_store, responses=["a", "b"], strategy="fps", n0=90) as c:
        for i in range(70):
            ahead = timedelta(seconds=i)  # so that leases end on the way
            try:
                chance.choice(_verbs(c, chance))()
            except ew.EquiwarpError:
                continue
            experiments, status = c.experiments(), c.status()
            assert {k: n for k, n in status.counts.items() if n} == Counter(e.state for e in experiments)
            assert status.measured == sum(
                e.values is not None and e.state != "withdrawn" for e in experiments
            )
            assert status.added == sum(e.origin == "added" for e in experiments)
            assert status.outside == sum(not e.inside for e in experiments)
        assert {"lease": "ended"} in [e.detail for e in c.events()]
    assert doctor(quick_store).ok


def test_doctor_finds_a_count_that_somebody_changed(quick_store):
    with ew.Campaign("c", BOX, store=quick_store, n0=4) as c:
        c.ask(3)
    store = Store(quick_store)
    with store.writer.begin() as connection:
        connection.execute(sa.text("UPDATE equiwarp_counts SET n = n + 1"))
    store.close()
    report = doctor(quick_store)
    assert not report.ok
    assert [f.check for f in report.findings if f.level == "error"] == ["counts"]
