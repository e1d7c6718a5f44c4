"""What a campaign hands out can be typed: the same on a preview, on a plate and in the record."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.campaign.plates import plate_of

BOX = ew.Box(
    {
        "time": {"low": 1, "high": 100, "scale": "log"},
        "pH": (3, 9),
        "dial": ew.Parameter(0, 5, resolution=0.5),
    }
)


@pytest.mark.parametrize("strategy", ["lookahead-gp", "sobol", "equiwarp"])
def test_experiments_are_rounded_from_the_first_to_the_last(tmp_path, strategy):
    with ew.Campaign("a", BOX, store=tmp_path / "a.db", n0=6, strategy=strategy, noise=0.1) as c:
        for _ in range(3):
            coming = [p.point for p in c.preview(4)]
            asked = c.ask(4)
            assert [e.point for e in asked] == coming
            for e in asked:
                c.tell(e.id, e.point["pH"] ** 2)
        points = np.array([list(e.point.values()) for e in c.experiments()])
        assert {e.origin for e in c.experiments()} == (
            {"sequence"} if strategy == "sobol" else {"sequence", "model"}
        )
        np.testing.assert_array_equal(points, BOX.rounded(points))
        assert len(np.unique(points, axis=0)) == len(points)
        np.testing.assert_array_equal(points[:, 2] % 0.5, 0)
        sheet = plate_of(c, c.experiments())
        assert [list(row[1:4]) for row in sheet.rows] == points.tolist()
        recorded = [event.detail["point"] for event in c.events() if event.what == "asked"]
        assert recorded == [e.point for e in c.experiments()]


def test_a_coarse_resolution_is_used_up_like_a_grid(tmp_path):
    box = ew.Box({"a": ew.Parameter(0, 2, resolution=1), "b": ew.Parameter(0, 1, resolution=1)})
    with ew.Campaign("a", box, store=tmp_path / "a.db", n0=3, noise=0.1) as c:
        asked = c.ask(6)
        assert len({tuple(e.point.values()) for e in asked}) == 6
        with pytest.raises(ew.exceptions.Exhausted):
            c.ask(1)


def test_suggest_rounds_nothing():
    s = ew.suggest(BOX, [[10, 4, 1.0], [20, 5, 2.0]], [1.0, 2.0], n=2, noise=0.1)
    assert not np.array_equal(s.points, BOX.rounded(s.points))


def test_what_was_handed_out_before_stays_as_it_is(tmp_path, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr(ew.Domain, "rounded", lambda self, x: x)
        with ew.Campaign("a", BOX, store=tmp_path / "a.db", n0=6, noise=0.1) as c:
            earlier = [e.point for e in c.ask(3)]
            c.release()
    with ew.Campaign("a", store=tmp_path / "a.db") as c:
        assert [e.point for e in c.experiments()] == earlier
        again = c.ask(4)
        assert [e.point for e in again[:3]] == earlier  # released, and handed out as they were
        new = np.array([list(again[3].point.values())])
        np.testing.assert_array_equal(new, BOX.rounded(new))


def test_a_batch_with_rules_is_rounded_and_what_is_given_stays_as_it_is(tmp_path):
    with ew.Campaign("a", BOX, store=tmp_path / "a.db", n0=4, noise=0.1) as c:
        asked = c.ask(3, fixed={"pH": 4.23456}, shared=["dial"])
    points = np.array([list(e.point.values()) for e in asked])
    assert set(points[:, 1]) == {4.23456}
    assert len(set(points[:, 2])) == 1
    others = [0, 2]
    np.testing.assert_array_equal(points[:, others], BOX.rounded(points)[:, others])
