"""More room: levels, categories and lists that grow, beside bounds that move outwards."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.exceptions import InvalidInput
from equiwarp.store import doctor

BOX = ew.Box(
    {
        "pressure": ew.Parameter(1, 100, scale="log", levels=[1, 10, 100]),
        "solvent": ["water", "oil"],
        "angle": ew.Parameter(0, 360, periodic=True, levels=[0, 90, 180]),
        "speed": (1, 9),
    }
)


@pytest.fixture
def campaign(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", strategy="fps", n0=4) as made:
        for e in made.ask(3):
            made.tell(e.id, 1.0 + e.id)
        yield made
    assert doctor(tmp_path / "lab.db").ok


def test_levels_and_categories_are_added_and_what_was_measured_stays(campaign):
    before = [(e.point, e.values, e.inside) for e in campaign.experiments()]
    campaign.widen("pressure", add=[30, 300])
    campaign.widen("solvent", add=["acetone"])
    campaign.widen("angle", add=[270])
    assert [(e.point, e.values, e.inside) for e in campaign.experiments()] == before
    pressure, solvent, angle, _ = campaign.domain.parameters
    assert pressure.levels == (1, 10, 30, 100, 300)
    assert (pressure.low, pressure.high) == (1, 300)
    assert solvent.categories == ("water", "oil", "acetone")
    assert (angle.levels, angle.high) == ((0, 90, 180, 270), 360)
    assert campaign.ask(fixed={"solvent": "acetone", "pressure": 300})[0].point["solvent"] == "acetone"
    seen = campaign.events()
    assert [e.what for e in seen][-4:] == ["widened", "widened", "widened", "asked"]
    assert seen[-3].detail["before"] == ["water", "oil"]
    assert seen[-3].detail["after"] == ["water", "oil", "acetone"]
    assert len(campaign.map().x) == 3


@pytest.mark.parametrize(
    ("parameter", "given", "words"),
    [
        ("pressure", {"add": [10]}, "pressure has the setting 10"),
        ("pressure", {"add": ["water"]}, "must be a number"),
        ("pressure", {"add": [float("nan")]}, "levels must lie within|finite"),
        ("pressure", {"high": 200}, "add to the list"),
        ("pressure", {"add": [-5]}, "positive"),
        ("pressure", {"add": []}, "at least one setting"),
        ("solvent", {"add": ["oil"]}, "solvent has the setting 'oil'"),
        ("solvent", {"add": ["OIL"]}, "appears twice"),
        ("solvent", {"add": [3.0]}, "must be text"),
        ("angle", {"add": [360]}, "same angle"),
        ("speed", {"add": [10]}, "no list of settings"),
        ("speed", {"add": [10], "high": 10}, "not both"),
        ("speed", {}, "give a lower or an upper bound"),
        ("spead", {"high": 10}, "no parameter 'spead'"),
    ],
)
def test_what_cannot_be_added_is_refused_and_nothing_changes(campaign, parameter, given, words):
    edition = campaign._record().edition
    with pytest.raises(InvalidInput, match=words):
        campaign.widen(parameter, **given)
    assert campaign._record().edition == edition


@pytest.mark.parametrize("with_a_box", [False, True])
def test_a_list_grows_and_gives_what_was_added(tmp_path, with_a_box):
    alloys = ew.Candidates({"Cu": [10.0, 20.0, 30.0, 5.0], "Zn": [5.0, 1.0, 8.0, 9.0]})
    domain = ew.Product(alloys, ew.Box({"T": (0, 1)})) if with_a_box else alloys
    fixed = {"T": 0.5} if with_a_box else None
    with ew.Campaign("c", domain, store=tmp_path / "lab.db", strategy="fps", n0=2) as c:
        handed = c.ask(4, fixed=fixed)
        for e in handed:
            c.tell(e.id, 1.0)
        if not with_a_box:
            with pytest.raises(ew.Exhausted):
                c.ask()
        c.widen_list({"Zn": [2.0, 9.0], "Cu": [40.0, 5.0]})
        (new,) = c.ask(fixed=fixed)
        if not with_a_box:
            assert new.point == {"Cu": 40.0, "Zn": 2.0}
        assert [e.point for e in c.experiments("done")] == [e.point for e in handed]
        detail = next(e.detail for e in c.events() if e.what == "widened")
        assert (detail["rows"], detail["before"], detail["after"]) == (1, 4, 5)
        with pytest.raises(InvalidInput, match="all 1 rows are on the list"):
            c.widen_list(np.array([[40.0, 2.0]]))
        with pytest.raises(InvalidInput, match="list of candidates"):
            c.widen("Cu", high=50)
        with pytest.raises(InvalidInput, match="rows"):
            c.widen_list([[1.0, np.nan]])
    assert doctor(tmp_path / "lab.db").ok


def test_a_box_has_no_list(campaign):
    with pytest.raises(InvalidInput, match="no list of candidates"):
        campaign.widen_list([[1.0]])
