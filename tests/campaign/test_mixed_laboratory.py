"""A day in the laboratory with categories, angles and products: people see names at every place."""

from __future__ import annotations

import io
from itertools import pairwise

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.campaign.ordering import change_costs
from equiwarp.campaign.plates import plate_of, read_measured
from equiwarp.exceptions import InvalidInput
from equiwarp.tables.table import read_table

BOX = ew.Box(
    {"heat": (20, 90), "solvent": ["water", "heat oil", "wax"], "angle": ew.Parameter(0, 360, periodic=True)}
)
ALLOWED = ew.Constrained(BOX, ["heat <= 60 + 30 * (solvent != 'heat oil')"])
PAINT = ew.Product(
    ew.Simplex(["resin", "water", "dye"]), ew.Box({"heat": (20, 60), "mill": ["ball", "sand"]})
)


def opened(tmp_path, domain=BOX, **more):
    return ew.Campaign("c", domain, store=tmp_path / "lab.db", noise=0.1, n0=4, **more)


@pytest.mark.parametrize("strategy", ["lookahead-gp", "fps", "sobol"])
def test_a_category_is_fixed_by_its_name_or_shared(tmp_path, strategy):
    with opened(tmp_path, strategy=strategy) as c:
        shown = c.preview(3, fixed={"solvent": "wax"})
        batch = c.ask(3, fixed={"solvent": "wax"})
        assert [e.point for e in batch] == [p.point for p in shown]
        assert {e.point["solvent"] for e in batch} == {"wax"}
        assert len({e.point["heat"] for e in batch}) == 3
        assert len({e.point["solvent"] for e in c.ask(3, shared="solvent")}) == 1
        with pytest.raises(InvalidInput, match="no category 'wex'; did you mean 'wax'"):
            c.ask(1, fixed={"solvent": "wex"})


def test_an_angle_outside_its_period_is_fixed_within(tmp_path):
    with opened(tmp_path) as c, pytest.warns(ew.WrappedAngle):
        assert c.ask(1, fixed={"angle": 370})[0].point["angle"] == 10


def test_what_cannot_be_is_said_in_words(tmp_path):
    with (
        opened(tmp_path, ALLOWED) as c,
        pytest.raises(InvalidInput, match="has heat = 80, solvent = heat oil"),
    ):
        c.ask(1, fixed={"heat": 80, "solvent": "heat oil"})


def test_a_product_holds_what_is_fixed_and_keeps_its_sums(tmp_path):
    with opened(tmp_path, PAINT) as c:
        batch = c.ask(4, fixed={"mill": "sand", "resin": 0.5})
    for e in batch:
        assert (e.point["mill"], e.point["resin"]) == ("sand", 0.5)
        assert e.point["resin"] + e.point["water"] + e.point["dye"] == pytest.approx(1)


def test_other_settings_are_told_by_name_and_what_was_asked_stays(tmp_path):
    with opened(tmp_path) as c:
        (e,) = c.ask()
        other = next(name for name in BOX.categories["solvent"] if name != e.point["solvent"])
        told = c.tell(e.id, 1.0, at={"solvent": other})
        assert told.point == {**e.point, "solvent": other}
        assert told.asked == e.point
        (again,) = c.repeat(e.id)
        assert again.point == told.point
        details = [event.detail for event in c.events()]
        assert details[-2]["at"] == told.point
        assert details[-1]["point"] == told.point


def test_a_change_of_category_costs_the_whole_range(rng):
    x = np.array([[20.0, 0, 0], [20.0, 2, 0], [90.0, 0, 0]])
    costs = change_costs(BOX, x, {"heat": 2.0, "solvent": 5.0})
    np.testing.assert_allclose(costs, [[0, 5, 2], [5, 0, 7], [2, 7, 0]])


def test_a_batch_in_the_cheapest_order_changes_the_solvent_seldom(tmp_path):
    with opened(tmp_path, change_cost={"solvent": 10.0}) as c:
        solvents = [e.point["solvent"] for e in c.ask(8)]
    changes = sum(a != b for a, b in pairwise(solvents))
    assert changes == len(set(solvents)) - 1


def test_renaming_a_parameter_leaves_names_of_categories_alone(tmp_path):
    with opened(tmp_path, ALLOWED) as c:
        c.rename_parameter("heat", "warmth")
        assert c.domain.constraints[0].text == "warmth <= 60 + 30 * (solvent != 'heat oil')"
        assert c.ask()[0].point["warmth"] >= 20


@pytest.mark.parametrize(("name", "said"), [("solvent", "list of settings"), ("angle", "its period")])
def test_what_has_no_bounds_cannot_be_widened(tmp_path, name, said):
    with opened(tmp_path) as c:
        with pytest.raises(InvalidInput, match=said):
            c.widen(name, high=400)
        c.widen("heat", high=100)
        assert c.domain.parameters[0].high == 100


def test_plates_offer_the_categories_and_tables_show_them(tmp_path):
    with opened(tmp_path) as c:
        sheet = plate_of(c, c.ask(2))
        assert sheet.allowed == {"solvent": BOX.categories["solvent"]}
        rows = "heat,solvent,angle,value\n30,wax,370,1\n30,wax,10,2\n30,water,20,3\n"
        seen = read_measured(c, read_table(io.StringIO(rows), "old.csv"))
        assert [(r["solvent"], r["angle"], r["what"]) for r in seen.rows] == [
            ("wax", 10, "new"), ("wax", 10, "new"), ("water", 20, "new"),
        ]  # fmt: skip
        taken = seen.take()
        assert taken.counts == {"added": 3, "outside": 0, "known": 0}
        assert [
            note
            for note in taken.notes
            if "1 of 3 rows have an angle outside its period (first: line 2" in note
        ]
        assert read_measured(c, read_table(io.StringIO(rows), "old.csv")).known.all()
