"""A database server that goes away and comes back."""

from __future__ import annotations

import time

import fault_actions as act
import pytest

import equiwarp as ew
from equiwarp.exceptions import StoreUnreachable, StoreUnsuitable
from equiwarp.store import core, doctor

pytestmark = pytest.mark.postgres


def _wait_for(path, child):
    while not path.exists():
        assert child.is_alive(), f"the child ended with {child.exitcode}"
        time.sleep(0.01)


def test_a_restart_in_the_middle_of_a_tell_is_survived(postgres, tmp_path, start):
    store, acks = postgres.database(), tmp_path / "acks"
    campaign = ew.Campaign("furnace", act.BOX, store=store, strategy="random")
    campaign.ask(2)
    child = start(act.tell_slowly, store, acks, tmp_path / "here", tmp_path / "go")
    _wait_for(tmp_path / "here", child)
    postgres.control("restart", "-m", "immediate")
    (tmp_path / "go").touch()
    child.join()
    assert child.exitcode == 0
    assert act.Acknowledged(acks).read() == [["told", 1, 2.5]]
    # This process held a connection to the old server as well.
    assert campaign.experiment(1).value == 2.5
    assert [e.what for e in campaign.events(1)] == ["asked", "told"]
    campaign.tell(2, 1.0)
    assert doctor(store).ok


def test_work_whose_commit_was_lost_is_not_done_twice(postgres):
    """The answer to a commit can get lost: the repetition must see that it was done."""
    store = postgres.database()
    campaign = ew.Campaign("furnace", act.BOX, store=store, strategy="random")

    run = campaign.store.run

    def twice(engine, make, work):
        if engine is campaign.store.writer:
            run(engine, make, work)
        return run(engine, make, work)

    campaign.store.run = twice
    try:
        first = campaign.ask(3)
        campaign.tell(first[0].id, 1.0)
        campaign.tell_failed(first[1].id, "tripped")
        campaign.amend(first[0].id, 2.0)
        assert len(campaign.add([[30.0, 4.0]], [3.0])) == 1
        assert [e.id for e in campaign.release()] == [first[2].id]
    finally:
        campaign.store.run = run
    assert [e.what for e in campaign.events()] == [
        "created", "asked", "asked", "asked", "told", "failed", "amended", "added", "released",
    ]  # fmt: skip
    assert len(campaign.experiments()) == 4


def test_a_server_that_stays_away_is_named(monkeypatch):
    monkeypatch.setattr(core, "PATIENCE", 0.3)
    with pytest.raises(StoreUnreachable, match=r"127\.0\.0\.1.*does not answer"):
        ew.Campaign("furnace", act.BOX, store="postgresql://lab:secret@127.0.0.1:1/lab")
    with pytest.raises(StoreUnreachable) as caught:
        ew.Campaign("furnace", act.BOX, store="postgresql://lab:secret@127.0.0.1:1/lab")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("where", ["mysql://lab/x", ":memory:", "", "postgresql//x://"])
def test_other_places_are_refused(where):
    with pytest.raises(StoreUnsuitable):
        ew.Campaign("furnace", act.BOX, store=where)
