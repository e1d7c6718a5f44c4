"""SQL and the JSON in columns stay inside the store; typed records come out, equal to what went in."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.engine.explanation import Explanation
from equiwarp.exceptions import StoreOvertaken
from equiwarp.store import Actor, NewAsked, NewMeasurements, Store

ROOT = Path(ew.__file__).parent
OUTSIDE = sorted(p for p in ROOT.rglob("*.py") if "store" not in p.relative_to(ROOT).parts)


def modules(source):
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
    return found


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda p: str(p.relative_to(ROOT)))
def test_nobody_else_knows_the_database_or_its_tables(path):
    found = modules(path.read_text(encoding="utf-8"))
    assert not {m for m in found if m.split(".")[0] in ("sqlalchemy", "alembic", "sqlite3", "psycopg")}
    assert not {m for m in found if m.startswith(("equiwarp.store.schema", "equiwarp.store.statements"))}


#: Who has JSON of their own: cells of tables, bodies of requests, output and result files, the checks' text.
OWN_JSON = (
    "tables/cells.py",
    "web/api.py",
    "web/api_examples.py",
    "web/bounds.py",
    "web/security.py",
    "cli/output.py",
    "cli/bench.py",
    "bench",
    "runner/command.py",
    "runner/values.py",
    "testing",
)


def test_nobody_else_reads_or_writes_the_json_of_columns():
    users = [
        p.relative_to(ROOT).as_posix() for p in OUTSIDE if "json" in modules(p.read_text(encoding="utf-8"))
    ]
    assert [user for user in users if not user.startswith(OWN_JSON)] == []


def test_the_checker_notices_an_import():
    assert "sqlalchemy" in modules("def f():\n    from sqlalchemy import select")
    assert "equiwarp.store.schema" in modules("from equiwarp.store import schema")


@pytest.fixture
def place(tmp_path):
    store = Store(tmp_path / "lab.db")
    settings = {"responses": [{"name": "value", "unit": "", "noise": 0.5}], "settled": True}
    made = store.write(lambda t: t.create("c", {"type": "box"}, settings, "ann"))
    actor = Actor(made.id, "ann")
    yield lambda work: store.write(lambda t: work(t.of(actor)))
    store.close()


def asked(points, keys, ask=0):
    why = Explanation("model", "eig", variance=0.25, score=math.nan, notes=("ä",))
    return NewAsked(np.array(points), keys, [why] * len(keys), ask, sequence=7)


def test_what_was_handed_out_comes_out_as_it_went_in(place):
    points = [[0.1 + 0.2, -0.0], [1e-300, 1 / 3]]
    assert place(lambda t: t.insert_asked(t.take(), asked(points, ["a", "b"]))) == [1, 2]
    first, second = place(lambda t: t.of_ask(0))
    assert [first.point, second.point] == [tuple(p) for p in points]
    assert (first.id, first.state, first.origin, first.inside, first.key) == (
        1,
        "pending",
        "model",
        True,
        "a",
    )
    assert (first.value, first.noise, first.reason, first.created) == (None, None, None, first.since)
    assert (first.why.variance, math.isnan(first.why.score), first.why.notes) == (0.25, True, ("ä",))
    campaign = place(lambda t: t.look())
    assert (campaign.asks, campaign.ids, campaign.sequence, campaign.version) == (1, 2, 7, 1)
    assert (campaign.responses, campaign.noise, campaign.domain) == (("value",), [0.5], {"type": "box"})


def test_a_location_is_claimed_once_and_the_loser_hears_it_in_our_words(place):
    place(lambda t: t.insert_asked(t.take(), asked([[0.5, 0.5]], ["a"])))
    with pytest.raises(StoreOvertaken, match=r"lab\.db: somebody else"):
        place(lambda t: t.insert_asked(t.take(), asked([[0.5, 0.5]], ["a"], ask=1)))
    assert place(lambda t: t.look()).ids == 1
    assert place(lambda t: t.move(1, ("pending",), state="failed", claim=None))
    assert place(lambda t: t.insert_asked(t.take(), asked([[0.5, 0.5]], ["a"], ask=1))) == [2]


def test_a_change_happens_only_from_the_state_it_expects(place):
    place(lambda t: t.insert_asked(t.take(), asked([[0.5, 0.5]], ["a"])))
    assert place(lambda t: t.move(1, ("pending",), state="done", value=[2.0], noise=None))
    version = place(lambda t: t.look()).version
    assert not place(lambda t: t.move(1, ("pending",), state="failed"))
    assert place(lambda t: t.look()).version == version
    found = place(lambda t: t.experiment(1))
    assert (found.state, found.value, found.noise) == ("done", (2.0,), None)
    assert place(lambda t: t.experiment(2)) is None


def test_arrays_hold_all_experiments_with_the_noise_that_is_known(place):
    place(lambda t: t.insert_asked(t.take(), asked([[0.5, 0.5]], ["a"])))
    new = NewMeasurements(
        np.array([[1.0, 2.0], [3.0, 4.0]]),
        ["b", "c"],
        np.array([True, False]),
        np.array([[5.0], [6.0]]),
        None,
        np.array([[""], [""]]),
    )
    place(lambda t: t.insert_measured(t.take(), new))
    place(lambda t: t.move(2, ("done",), noise=[0.1]))
    known = place(lambda t: t.arrays(2, t.look().noise))
    assert known.ids.tolist() == [1, 2, 3]
    assert known.states.tolist() == ["pending", "done", "done"]
    np.testing.assert_array_equal(known.x, [[0.5, 0.5], [1, 2], [3, 4]])
    np.testing.assert_array_equal(known.y, [[np.nan], [5], [6]])
    np.testing.assert_array_equal(known.noise, [[0.5], [0.1], [0.5]])
    assert known.inside.tolist() == [True, True, False]
    assert known.added.tolist() == [False, True, True]
    counts = place(lambda t: t.counts())
    assert (counts.states["pending"], counts.states["done"], counts.states["released"]) == (1, 2, 0)
    assert (counts.added, counts.outside) == (2, 1)
    assert place(lambda t: t.added_inside()) == 1


def test_arrays_of_nothing_have_their_columns(place):
    known = place(lambda t: t.arrays(3, [None, 0.1]))
    assert (known.x.shape, known.y.shape, known.noise.shape) == ((0, 3), (0, 2), (0, 2))


def test_a_token_finds_the_event_of_a_request_that_was_served(place):
    place(lambda t: t.log_many("asked", [(1, {"ask": 4}), (2, {})], token="once"))
    event = place(lambda t: t.event_with("once"))
    assert (event.what, event.who, event.experiment, event.detail) == ("asked", "ann", 1, {"ask": 4})
    assert place(lambda t: t.event_with("never")) is None
    assert [e.what for e in place(lambda t: t.events())] == ["created", "asked", "asked"]
    assert [e.id for e in place(lambda t: t.events(after=event.id))] == [event.id + 1]
