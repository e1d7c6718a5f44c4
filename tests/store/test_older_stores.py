"""A store that an earlier version of the code wrote opens, reads the same, and goes on.

``data/store-0002.sql`` holds three campaigns with experiments in every state; ``data/store-0002.json``
what the code that wrote it showed of them, and which two points each of them gave next.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.store import doctor

DATA = Path(__file__).parent / "data"
EXPECTED = json.loads((DATA / "store-0002.json").read_text())


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "old.db"
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.executescript((DATA / "store-0002.sql").read_text())
    raw.close()
    return path


def test_every_campaign_is_listed_and_sound(store):
    assert ew.Campaign.names(store) == list(EXPECTED)
    assert doctor(store).ok


@pytest.mark.parametrize("name", EXPECTED)
def test_experiments_and_events_read_as_they_did(store, name):
    with ew.Campaign(name, store=store) as campaign:
        shown = [{**vars(e), "why": e.why.as_dict()} for e in campaign.experiments()]
        # Nothing was known of failures when these were suggested, and nobody foretold the error.
        assert {e["why"].pop("works") for e in shown} <= {1.0}
        came_later = {"error_now": None, "error_after": None, "response": 0, "name": "", "unit": ""}
        for later, unknown in {**came_later, "aim": 1.0}.items():
            assert {e["why"].pop(later) for e in shown} <= {unknown}
        for now, then in zip(json.loads(json.dumps(shown)), EXPECTED[name]["experiments"], strict=True):
            assert {key: now[key] for key in then} == then
            assert not any(value for key, value in now.items() if key not in then)  # fields that came later
        assert [vars(e) for e in campaign.events()] == EXPECTED[name]["events"]
        assert [campaign.experiment(e["id"]).state for e in shown] == [e["state"] for e in shown]


@pytest.mark.parametrize("name", EXPECTED)
def test_the_next_points_are_those_that_the_earlier_code_gave_rounded_to_what_can_be_typed(store, name):
    with ew.Campaign(name, store=store) as campaign:
        released = [list(e.point.values()) for e in campaign.experiments("released")]
        previewed = campaign.preview(2)
        asked = campaign.ask(2)
    points = [list(e.point.values()) for e in asked]
    before = EXPECTED[name]["next"]
    rounded = campaign.domain.rounded(np.array(before)).tolist()
    # A released one is handed out again as it was.
    expected = [old if old in released else new for old, new in zip(before, rounded, strict=True)]
    np.testing.assert_allclose(points, expected, rtol=1e-12)
    assert [p.point for p in previewed] == [e.point for e in asked]


def test_it_takes_new_values_corrections_and_measurements(store):
    with ew.Campaign("furnace", store=store) as campaign:
        waiting = campaign.experiments("pending")[0]
        assert campaign.tell(waiting.id, 4.0).value == 4.0
        assert campaign.amend(waiting.id, 5.0).value == 5.0
        added = campaign.add([[50.0, 5.0]], [2.5])
        assert campaign.experiment(added[0]).values == {"value": 2.5}
        assert len(campaign.map().x) == campaign.status().counts["done"]
    with ew.Campaign("paint", store=store) as paint:
        late = paint.experiments("released")[0]
        assert paint.tell(late.id, [1.0, 2.0]).values == {"gloss": 1.0, "hardness": 2.0}
    assert doctor(store).ok
