"""Many processes at once: no error, no point handed out twice, one winner."""

from __future__ import annotations

import json

import fault_actions as act
import numpy as np
import pytest

import equiwarp as ew
from equiwarp.store import doctor

PROCESSES, PAIRS = 32, 15


def _given(folder):
    """What all children say they were given: (id, point) pairs."""
    files = sorted(folder.glob("acks-*"))
    return files, [tuple(entry) for f in files for (batch,) in act.Acknowledged(f).read() for entry in batch]


def _run_many(start, store, folder, strategy, processes, pairs):
    children = [start(act.many_pairs, store, folder / f"acks-{i}", strategy, pairs) for i in range(processes)]
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0] * processes
    files, given = _given(folder)
    assert len(files) == processes
    return given


def test_32_processes_ask_and_tell_many_times_each(quick_store, tmp_path, start):
    store = quick_store
    given = _run_many(start, store, tmp_path, "random", PROCESSES, PAIRS)
    assert sorted(number for number, _ in given) == list(range(1, PROCESSES * PAIRS + 1))
    assert len({tuple(point) for _, point in given}) == PROCESSES * PAIRS
    campaign = ew.Campaign("furnace", store=store)
    assert campaign.status().counts["done"] == PROCESSES * PAIRS
    assert all(e.value == float(e.id) for e in campaign.experiments())
    assert doctor(store).ok, str(doctor(store))


def test_choices_made_at_the_same_time_keep_their_distance(store, tmp_path, start):
    """The strategy chooses from all that is pending, whoever holds it."""
    given = _run_many(start, store, tmp_path, "fps", 4, 6)
    Z = act.BOX.embed(np.array([point for _, point in given]))
    distance = np.linalg.norm(Z[:, None] - Z[None], axis=2) + np.eye(len(Z))
    # 24 points spread over the unit square are about 0.2 apart; less than 0.3 of that is chosen again.
    assert distance.min() > 0.06


def test_of_two_tellers_one_wins_and_the_other_learns_both_values(store, tmp_path, start):
    campaign = ew.Campaign("furnace", act.BOX, store=store)
    campaign.ask()
    go = tmp_path / "go"
    values = [1.25, 2.75, 3.5, 4.5]
    children = [start(act.tell_once, store, tmp_path / f"acks-{v}", v, go) for v in values]
    go.touch()
    for child in children:
        child.join()
        assert child.exitcode == 0
    outcomes = [act.Acknowledged(tmp_path / f"acks-{v}").read()[0] for v in values]
    winners = [entry[1] for entry in outcomes if entry[0] == "won"]
    assert len(winners) == 1
    assert campaign.experiment(1).value == winners[0]
    for _, value, message in (entry for entry in outcomes if entry[0] == "lost"):
        assert repr(value) in message
        assert repr(winners[0]) in message
    assert [e.what for e in campaign.events(1)] == ["asked", "told"]


def test_many_processes_may_begin_the_same_campaign_at_once(store, tmp_path, start):
    given = _run_many(start, store, tmp_path, "sobol", 8, 1)
    assert sorted(number for number, _ in given) == list(range(1, 9))
    campaign = ew.Campaign("furnace", store=store)
    assert [e.what for e in campaign.events() if e.what == "created"] == ["created"]


def test_the_count_of_children_notices_a_missing_one(tmp_path):
    (tmp_path / "acks-0").write_text(json.dumps([[[1, [0.0, 0.0]]]]) + "\n")
    files, given = _given(tmp_path)
    assert (len(files), given) == (1, [(1, [0.0, 0.0])])
    with pytest.raises(AssertionError):
        assert sorted(number for number, _ in given) == [1, 2]
