"""Batches with rules: what is fixed, what is shared, and in which order they come."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.campaign.ordering import change_costs, cheapest_order, path_cost
from equiwarp.exceptions import Exhausted, InvalidInput

BOX = ew.Box(
    {"temperature": ew.Parameter(20, 90, step=0.5), "pH": (3, 9), "dose": ew.Parameter(1, 100, scale="log")}
)


def begun(folder):
    made = ew.Campaign("c", BOX, store=folder / "lab.db", noise=0.1, n0=4)
    for e in made.ask(6):
        made.tell(e.id, e.point["temperature"] / 10 + e.point["pH"])
    return made


@pytest.fixture
def campaign(tmp_path):
    with begun(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    """For whoever is refused: nothing comes of it."""
    with begun(tmp_path_factory.mktemp("untouched")) as made:
        yield made


def test_what_is_fixed_is_given_and_the_rest_is_chosen(campaign):
    shown = campaign.preview(3, fixed={"temperature": 40})
    batch = campaign.ask(3, fixed={"temperature": 40})
    assert [e.point for e in batch] == [p.point for p in shown]
    assert {e.point["temperature"] for e in batch} == {40.0}
    assert len({e.point["pH"] for e in batch}) == 3
    assert {e.origin for e in batch} == {"model"}


@pytest.mark.parametrize("strategy", ["lookahead-gp", "eig", "fps", "sobol"])
def test_before_the_start_is_done_too_and_the_start_stays_for_later(tmp_path, strategy):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", strategy=strategy, n0=4) as c:
        start = c.preview(2)
        batch = c.ask(2, fixed={"pH": 5})
        assert {e.point["pH"] for e in batch} == {5.0}
        assert [e.point for e in c.ask(2)] == [p.point for p in start]


def test_what_is_shared_is_one_setting_and_better_than_others(campaign):
    others = [
        sum(p.why.score for p in campaign.preview(3, fixed={"temperature": t})) for t in (25, 60, 75, 85)
    ]
    batch = campaign.ask(3, shared=["temperature"])
    assert len({e.point["temperature"] for e in batch}) == 1
    assert len({e.point["pH"] for e in batch}) == 3
    assert sum(e.why.score for e in batch) >= max(others)
    campaign.release()
    both = campaign.preview(2, fixed={"pH": 4}, shared=["temperature"])
    assert {p.point["pH"] for p in both} == {4.0}
    assert len({p.point["temperature"] for p in both}) == 1


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"fixed": {"speed": 3}}, "unknown parameter 'speed'"),
        ({"shared": ["speed"]}, "unknown parameter 'speed'"),
        ({"fixed": {"pH": 4}, "shared": ["pH"]}, "both fixed and shared"),
        ({"fixed": {"temperature": 40.3}}, "cannot be set to 40.3; the nearest setting is 40.5"),
        ({"fixed": {"pH": 12}}, r"no experiment of the domain has pH = 12 \(pH = 12 is outside"),
        ({"fixed": {"pH": "low"}}, "fixed, pH: 'low' is not a number"),
        ({"fixed": {"pH": float("nan")}}, "fixed, pH: nan is not a finite number; give a setting"),
        ({"order": "fastest"}, "order must be one of"),
        ({"order": "cheapest"}, "knows no costs"),
        ({"block": {"day": "Monday"}}, "the campaign has none"),
    ],
)
def test_rules_that_cannot_be_followed_are_refused(untouched, rules, words):
    with pytest.raises(InvalidInput, match=words):
        untouched.ask(2, **rules)
    assert untouched.status().counts["pending"] == 0


def test_mixtures_constraints_and_lists_keep_their_rules(tmp_path):
    mix = ew.Simplex({"water": 20, "ethanol": 0, "glycerol": 0}, total=100)
    thin = ew.Constrained(mix, ["ethanol <= 30"])
    alloys = ew.Candidates({"copper": [60, 60, 80, 90], "zinc": [40, 25, 10, 5]})
    for name, domain, fixed in (("m", mix, {"water": 50}), ("t", thin, {"water": 50})):
        with ew.Campaign(name, domain, store=tmp_path / "lab.db") as c:
            points = np.array([list(e.point.values()) for e in c.ask(4, fixed=fixed)])
            assert domain.contains(points).all()
            np.testing.assert_allclose(points[:, 0], 50)
    with ew.Campaign("a", alloys, store=tmp_path / "lab.db") as c:
        assert {e.point["zinc"] for e in c.ask(2, fixed={"copper": 60})} == {40, 25}
        with pytest.raises(Exhausted, match="0 are free with copper = 60"):
            c.ask(1, fixed={"copper": 60})
        with pytest.raises(InvalidInput, match="copper cannot be set to 65"):
            c.ask(1, fixed={"copper": 65})


def test_the_order_is_the_cheapest_from_where_the_instrument_stands(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", change_cost={"temperature": 10}) as c:
        batch = c.ask(5)
        temperatures = [e.point["temperature"] for e in batch]
        assert temperatures in (sorted(temperatures), sorted(temperatures, reverse=True))
        here = temperatures[-1]
        nearest = [e.point["temperature"] for e in c.ask(5)]
        down, up = here - min(nearest), max(nearest) - here
        costs = [abs(a - b) for a, b in zip([here, *nearest], nearest, strict=False)]
        assert sum(costs) == pytest.approx(max(down, 0) + max(up, 0) + max(0, min(down, up)))
        assert [e.id for e in batch] == [1, 2, 3, 4, 5]


def test_a_random_order_has_the_same_points_and_comes_again_with_the_seed(tmp_path):
    plain, mixed = (
        ew.Campaign("c", BOX, store=tmp_path / f"{name}.db", n0=12, seed=3) for name in ("plain", "mixed")
    )
    here, there = plain.ask(8), mixed.preview(8, order="random")
    assert [e.point for e in here] != [p.point for p in there]
    assert sorted(str(e.point) for e in here) == sorted(str(p.point) for p in there)
    assert [p.point for p in there] == [e.point for e in mixed.ask(8, order="random")]


def test_costs_are_in_proportion_to_the_way_on_the_scale():
    x = np.array([[20.0, 3.0, 1.0], [90.0, 3.0, 10.0]])
    costs = change_costs(BOX, x, {"temperature": 7.0, "dose": 2.0})
    np.testing.assert_allclose(costs, [[0.0, 8.0], [8.0, 0.0]])


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("n", [2, 3, 6, 7])
def test_the_order_of_a_few_is_exact(n, first):
    rng = np.random.default_rng(n)
    place = rng.random((n, 2))
    costs = np.linalg.norm(place[:, None] - place[None], axis=2)
    order = cheapest_order(costs, first)
    assert sorted(order) == list(range(n))
    assert not first or order[0] == 0
    every = (list(p) for p in permutations(range(n)) if not first or p[0] == 0)
    assert path_cost(costs, order) == pytest.approx(min(path_cost(costs, p) for p in every))


def test_the_order_does_not_depend_on_the_unit_of_the_costs(tmp_path):
    costs = change_costs(BOX, BOX.sample(14, np.random.default_rng(3)), {"temperature": 2.0, "pH": 1.0})
    for n in (6, 14):
        orders = [cheapest_order(unit * costs[:n, :n], False) for unit in (1e-200, 1e-9, 1.0, 1e200)]
        assert all(order == orders[2] for order in orders)
    for wrong in ({"pH": 1e308}, [30]):
        with pytest.raises(ew.EquiwarpError, match="change_cost"):
            ew.Campaign("c", BOX, change_cost=wrong, store=tmp_path / "lab.db")


def test_the_order_of_many_is_nearly_as_cheap_as_can_be():
    """On a line the cheapest way is known: from end to end."""
    rng = np.random.default_rng(0)
    place = rng.random(40)
    costs = np.abs(place[:, None] - place[None])
    assert path_cost(costs, cheapest_order(costs, False)) <= 1.05 * (place.max() - place.min())
    plane = rng.random((30, 2))
    costs = np.linalg.norm(plane[:, None] - plane[None], axis=2)
    plain = path_cost(costs, list(range(30)))
    assert path_cost(costs, cheapest_order(costs, True)) < 0.45 * plain
