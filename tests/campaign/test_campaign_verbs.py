"""What each verb of a campaign does, refuses, and leaves in the events."""

from __future__ import annotations

import math
import re
from datetime import timedelta

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.exceptions import Conflict, Mismatch, OutsideDomain, StoreMissing, UnknownExperiment
from equiwarp.spec import CampaignSpec, Response

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


@pytest.fixture
def campaign(tmp_path):
    with ew.Campaign("furnace", BOX, store=tmp_path / "lab.db", strategy="fps", n0=4, who="ann") as made:
        yield made


def test_the_first_experiments_are_the_seeds_sobol_points(campaign):
    points = [list(e.point.values()) for e in campaign.ask(4)]
    sequence = ew.strategies()["sobol"].criterion.points(BOX, 0, 4, 0)
    np.testing.assert_array_equal(points, BOX.rounded(sequence))


def test_an_experiment_says_what_it_is(campaign):
    first, *_ = campaign.ask(4)
    assert first.id == 1
    assert first.state == "pending"
    assert set(first.point) == {"temperature", "pH"}
    assert "Space-filling start" in str(first.why)
    chosen = campaign.ask()[0]
    assert chosen.why.source == "model"
    assert "Chosen by fps" in str(chosen.why)
    assert chosen.why.score > 0
    assert campaign.experiment(chosen.id) == chosen


def test_why_puts_the_numbers_into_words(tmp_path):
    c = ew.Campaign("furnace", BOX, store=tmp_path / "lab.db", noise=0.1, n0=3)
    for e in c.ask(3):
        c.tell(e.id, e.point["temperature"])
    why = c.ask()[0].why
    assert 0 < why.variance <= 1
    assert f"{100 * why.variance:.0f} % of the prior uncertainty" in str(why)


def test_why_names_the_response_whose_error_falls_most_and_its_unit(tmp_path):
    responses = [Response("yield", "%", noise=0.5), Response("impurity", "ppm", noise=2.0)]
    with ew.Campaign("furnace", BOX, store=tmp_path / "lab.db", responses=responses, n0=8, seed=0) as c:
        for e in c.ask(8):
            heat = e.point["temperature"]
            c.tell(e.id, {"yield": 40 + heat / 9, "impurity": 100 * np.sin(heat * e.point["pH"] / 60)})
        why = c.experiment(c.ask()[0].id).why
        c.rename_response(why.name, "renamed")
        assert str(c.experiments("pending")[-1].why) == str(why).replace(
            f"of {why.name} from", "of renamed from"
        )
    unit = {1: ("yield", "%"), 2: ("impurity", "ppm")}[why.response][1]
    assert (why.name, why.unit) == {1: ("yield", "%"), 2: ("impurity", "ppm")}[why.response]
    fall = f"error of {why.name} from {why.error_now:.3g} {unit} to {why.error_after:.3g} {unit}, by "
    assert fall in str(why)


def test_why_of_a_large_batch_says_which_points_are_spread_evenly(tmp_path):
    with ew.Campaign("furnace", BOX, store=tmp_path / "lab.db", noise=0.1, n0=6, seed=0) as c:
        for e in c.ask(6):
            c.tell(e.id, e.point["temperature"] / 90)
        asked = [c.experiment(e.id) for e in c.ask(10)]
    said = ["more points wait for a value than have one" in str(e.why) for e in asked]
    assert said == [True] * 5 + [False] * 5


def test_telling_the_same_value_twice_is_a_no_op_and_another_is_a_conflict(campaign):
    number = campaign.ask()[0].id
    campaign.tell(number, 3.1)
    before = campaign.events()
    assert campaign.tell(number, 3.1).value == 3.1
    assert campaign.events() == before
    with pytest.raises(Conflict, match=r"3\.1.*3\.2") as caught:
        campaign.tell(number, 3.2)
    assert "amend" in str(caught.value)
    assert campaign.experiment(number).value == 3.1


def test_a_correction_keeps_the_history(campaign):
    number = campaign.ask()[0].id
    with pytest.raises(Conflict, match="no value to amend"):
        campaign.amend(number, 1.0)
    campaign.tell(number, 31.0, noise=0.5)
    assert campaign.amend(number, 3.1, reason="decimal point").value == 3.1
    assert campaign.experiment(number).noise == {"value": 0.5}
    campaign.amend(number, 3.1)
    amended = [e for e in campaign.events(number) if e.what == "amended"]
    assert len(amended) == 1
    assert amended[0].detail["before"]["value"] == [31.0]
    assert amended[0].detail["after"]["value"] == [3.1]
    assert amended[0].detail["reason"] == "decimal point"


def test_failures_and_values_exclude_each_other_unless_the_value_comes_later(campaign):
    one, two = campaign.ask(2)
    campaign.tell_failed(one.id, "furnace tripped")
    assert campaign.experiment(one.id).reason == "furnace tripped"
    campaign.tell_failed(one.id, "furnace tripped")
    assert [e.what for e in campaign.events(one.id)] == ["asked", "failed"]
    campaign.tell(one.id, 2.0)
    assert campaign.experiment(one.id).state == "done"
    campaign.tell(two.id, 1.0)
    with pytest.raises(Conflict, match="amend"):
        campaign.tell_failed(two.id, "no")
    with pytest.raises(Conflict):
        campaign.abandon(two.id)


def test_an_abandoned_experiment_takes_no_value(campaign):
    number = campaign.ask()[0].id
    campaign.abandon(number, "explosive")
    campaign.abandon(number, "explosive")
    with pytest.raises(Conflict, match="add the measurement"):
        campaign.tell(number, 1.0)
    assert [e.what for e in campaign.events(number)] == ["asked", "abandoned"]


def test_what_is_stale_is_released_and_handed_out_again(campaign):
    first = campaign.ask(2)
    assert campaign.release(older_than=timedelta(hours=1)) == []
    released = campaign.release()
    assert [e.state for e in released] == ["released", "released"]
    again = campaign.ask(3)
    assert [e.point for e in again[:2]] == [e.point for e in first]
    assert again[2].point not in [e.point for e in first]
    # The first person comes back after all: both values are measurements.
    campaign.tell(first[0].id, 1.0)
    campaign.tell(again[0].id, 1.1)
    assert campaign.status().counts["done"] == 2


def test_another_reason_for_a_failure_is_recorded_and_the_same_one_is_not(campaign):
    id = campaign.ask()[0].id
    for reason in ("tripped", "tripped", "wrong gas"):
        assert campaign.tell_failed(id, reason).reason == reason
    assert [e.detail.get("reason") for e in campaign.events(id)] == [None, "tripped", "wrong gas"]


def test_what_failed_can_still_be_abandoned(campaign):
    id = campaign.ask()[0].id
    campaign.tell_failed(id, "tripped")
    assert campaign.abandon(id, "will not be repeated").state == "abandoned"
    assert [e.what for e in campaign.events(id)] == ["asked", "failed", "abandoned"]


@pytest.mark.parametrize("since", ["0001-01-01", "9999-01-01"])
def test_a_correction_of_another_state_than_was_read_is_refused(campaign, since):
    id = campaign.ask()[0].id
    read = campaign.tell(id, 1.0)
    with pytest.raises(Conflict, match="after it was shown to you"):
        campaign.amend(id, 2.0, since=since)
    assert campaign.amend(id, 2.0, since=read.since).value == 2.0


def test_a_released_location_comes_once_even_if_the_sequence_returns_to_it(tmp_path):
    """The sequence of seed 2 begins with 2, 2, 1, 3."""
    box = ew.Box({"x": {"levels": [1, 2, 3]}})
    with ew.Campaign("c", box, store=tmp_path / "a.db", strategy="sobol", seed=2) as c:
        c.ask()
        c.release()
        assert [e.point["x"] for e in c.ask(3)] == [2, 1, 3]


def test_released_points_of_an_open_loop_come_again(tmp_path):
    c = ew.Campaign("furnace", BOX, store=tmp_path / "lab.db", strategy="sobol")
    first = c.ask(3)
    c.tell(first[0].id, 1.0)
    c.release()
    assert [e.point for e in c.ask(2)] == [e.point for e in first[1:]]


def test_measurements_from_elsewhere_are_added_with_a_warning_when_outside(campaign):
    with pytest.warns(OutsideDomain, match=r"1 of 2 points.*temperature = 95 is outside"):
        ids = campaign.add([[30, 4], [95, 4]], [1.0, 2.0], noise=[0.1, 0.2])
    inside, outside = (campaign.experiment(i) for i in ids)
    assert (inside.inside, outside.inside) == (True, False)
    assert (inside.noise, outside.noise) == ({"value": 0.1}, {"value": 0.2})
    assert campaign.status().outside == 1
    assert "not suggested" in str(inside.why)
    more = campaign.ask(5)
    assert all(20 <= e.point["temperature"] <= 90 for e in more)
    for e in more:
        campaign.tell(e.id, e.point["pH"])
    assert 95.0 in campaign.map().x[:, 0]


def test_earlier_measurements_serve_as_a_start(campaign):
    campaign.add({"temperature": [30, 50, 70], "pH": [4, 5, 6]}, {"value": [1.0, 2.0, 3.0]})
    assert campaign.status().start_left == 1
    assert [e.why.source for e in campaign.ask(2)] == ["sequence", "model"]


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, "1,5", "3.0", None, 1e308, True, [1, 2], {"x": 1}]
)
def test_what_is_not_a_usable_number_is_refused_by_name(campaign, value):
    number = campaign.ask()[0].id
    campaign.tell(campaign.ask()[0].id, 0.5)
    with pytest.raises(ValueError, match=f"experiment {number}") as caught:
        campaign.tell(number, value)
    shown = {"[1, 2]": "2 values", "{'x': 1}": "'value'"}.get(str(value), str(value).replace("e+", "e"))
    assert shown in str(caught.value).replace("e+", "e")
    assert campaign.experiment(number).state == "pending"


def test_a_table_with_one_bad_cell_is_refused_whole(campaign):
    x = np.full((1000, 2), [30.0, 5.0])
    y = np.zeros(1000)
    y[617] = np.nan
    with pytest.raises(ValueError, match=r"row 617.*nan"):
        campaign.add(x, y)
    y[617] = 1e308
    with pytest.raises(ValueError, match=r"row 617.*1e\+308"):
        campaign.add(x, y)
    x[44, 1] = np.inf
    with pytest.raises(ValueError, match=r"row 44.*pH"):
        campaign.add(x, np.zeros(1000))
    with pytest.raises(ValueError, match=r"y has shape|rows"):
        campaign.add(x[:10], np.zeros(9))
    assert campaign.experiments() == []
    assert campaign.add([], []) == []


def test_a_point_that_no_scale_can_hold_is_refused(tmp_path):
    box = ew.Box({"dose": {"low": 1, "high": 1000, "scale": "log"}})
    c = ew.Campaign("dose", box, store=tmp_path / "lab.db")
    with pytest.raises(ValueError, match=r"row 1: dose = -3 cannot be placed"):
        c.add([[10], [-3]], [1.0, 2.0])


@pytest.mark.parametrize("temperature", [1e101, 1e300, -1e300])
def test_settings_that_no_map_can_hold_are_refused_when_told_as_when_added(tmp_path, temperature):
    """One of them, and no map of the campaign could be fitted any more."""
    c = ew.Campaign("far", BOX, store=tmp_path / "lab.db")
    (e,) = c.ask(1)
    with pytest.raises(ew.InvalidInput, match="cannot be placed"):
        c.tell(e.id, 1.0, at={"temperature": temperature})
    with pytest.raises(ew.InvalidInput, match="cannot be placed"):
        c.add([{**e.point, "temperature": temperature}], [1.0])
    assert c.experiment(e.id).state == "pending"


def test_several_responses_come_as_a_dict_or_in_order(tmp_path):
    c = ew.Campaign("two", BOX, store=tmp_path / "lab.db", responses=["yield", "purity"], n0=2)
    one, two = c.ask(2)
    c.tell(one.id, {"purity": 0.9, "yield": 12.0}, noise={"yield": 0.5, "purity": 0.01})
    c.tell(two.id, [13.0, 0.8])
    assert c.experiment(one.id).value == {"yield": 12.0, "purity": 0.9}
    assert c.experiment(two.id).values == {"yield": 13.0, "purity": 0.8}
    number = c.ask()[0].id
    with pytest.raises(ValueError, match="unknown response 'cost'"):
        c.tell(number, {"yield": 1.0, "cost": 3.0})
    with pytest.raises(ValueError, match="one number for 2 responses"):
        c.tell(number, 1.0)
    assert len(c.map().error()) == 2


def test_responses_may_be_units_by_name(tmp_path):
    responses = {"yield": "%", "purity": ""}
    c = ew.Campaign("two", BOX, store=tmp_path / "lab.db", responses=responses, noise={"purity": 0.1})
    assert [(r.name, r.unit, r.noise) for r in c.spec.responses] == [
        ("yield", "%", None),
        ("purity", "", 0.1),
    ]
    ew.Campaign("two", store=tmp_path / "lab.db", responses=responses, noise={"purity": 0.1})
    with pytest.raises(ew.InvalidInput, match=r"the unit of yield must be a text, got 0\.5"):
        ew.Campaign("three", BOX, store=tmp_path / "lab.db", responses={"yield": 0.5})


def test_the_first_value_decides_what_the_responses_are(tmp_path):
    c = ew.Campaign("open", BOX, store=tmp_path / "lab.db", strategy="random")
    a, b = c.ask(2)
    c.tell(a.id, {"yield": 1.0, "purity": 0.5})
    assert c.responses == ("yield", "purity")
    assert ew.Campaign("open", store=tmp_path / "lab.db").spec.responses[1].name == "purity"
    with pytest.raises(ValueError, match="one number for 2"):
        c.tell(b.id, 1.0)


def test_opening_again_needs_no_description_and_refuses_another(campaign, tmp_path):
    store = tmp_path / "lab.db"
    again = ew.Campaign("furnace", store=store)
    assert (again.domain, again.spec.seed, again.spec.strategy, again.spec.n0) == (BOX, 0, "fps", 4)
    wider = ew.Box({"temperature": (20, 95), "pH": (3, 9)})
    with pytest.raises(Mismatch, match=r"domain\.parameters\.temperature\.high is 90\.0 .* and 95\.0 here"):
        ew.Campaign("furnace", wider, store=store)
    with pytest.raises(Mismatch, match="seed is 0 in the store and 7 here"):
        ew.Campaign("furnace", BOX, store=store, seed=7)
    with pytest.raises(Mismatch, match="strategy is 'fps'"):
        ew.Campaign("furnace", store=store, strategy="eig")
    with pytest.raises(StoreMissing, match="no campaign 'oven'"):
        ew.Campaign("oven", store=store)
    with pytest.raises(StoreMissing, match="no store at"):
        ew.Campaign("oven", store=tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()
    assert ew.Campaign.names(store) == ["furnace"]


def test_a_file_that_is_silent_about_the_start_goes_on_with_the_one_that_was_begun(tmp_path):
    """Earlier versions began `map` with the domain's own n0; whoever says another start is refused."""
    silent, store = CampaignSpec("furnace", BOX), tmp_path / "lab.db"
    assert (silent.n0, BOX.n0) == (10, 20)
    with ew.Campaign("furnace", BOX, store=store, n0=20) as begun:
        begun.ask(2)
    with ew.Campaign.from_spec(silent, store=store) as again:
        assert (again.spec.n0, again.status().start_left) == (20, 18)
    with pytest.raises(Mismatch, match="n0 is 20 in the store and 11 here"):
        ew.Campaign.from_spec(CampaignSpec("furnace", BOX, n0=11), store=store)


def test_a_campaign_file_and_its_campaign_agree(tmp_path):
    spec = CampaignSpec("oven", BOX, (Response("yield", "%", 0.5),), n0=6, seed=3)
    store = tmp_path / "lab.db"
    assert ew.Campaign.from_spec(spec, store).spec == spec
    assert ew.Campaign.from_spec(spec, store).status().asks == 0
    assert ew.Campaign("oven", store=store).spec == spec


def test_a_domain_that_only_python_can_describe_is_asked_for_again(tmp_path):
    def below(point):
        return point["temperature"] < 60

    domain = ew.Constrained(BOX, [below])
    store = tmp_path / "lab.db"
    point = ew.Campaign("c", domain, store=store, strategy="random").ask()[0].point
    assert point["temperature"] < 60
    with pytest.raises(Mismatch, match="pass the same domain again"):
        ew.Campaign("c", store=store)
    assert ew.Campaign("c", domain, store=store).ask()[0].point["temperature"] < 60


def test_who_did_what_when_is_kept(campaign, tmp_path):
    number = campaign.ask()[0].id
    ew.Campaign("furnace", store=tmp_path / "lab.db", who="bob").tell(number, 1.0)
    events = campaign.events()
    assert [(e.who, e.what) for e in events] == [("ann", "created"), ("ann", "asked"), ("bob", "told")]
    assert events[2].detail["value"] == {"value": 1.0}
    assert events[0].at < events[1].at < events[2].at
    assert campaign.events(after=events[1].id) == events[2:]


@pytest.mark.parametrize("number", [99, 0, -1, "1", 1.0, None, True])
def test_an_unknown_experiment_is_named(campaign, number):
    campaign.ask()
    with pytest.raises(UnknownExperiment, match=re.escape(str(number))):
        campaign.tell(number, 1.0)


@pytest.mark.parametrize("n", [0, -1, 1.5, "2", True])
def test_a_batch_is_a_whole_number(campaign, n):
    with pytest.raises(ValueError, match="whole number"):
        campaign.ask(n)


def test_a_table_is_told_whole_or_not_at_all(campaign):
    a, b, c = campaign.ask(3)
    with pytest.raises(ValueError, match=f"experiment {b.id}"):
        campaign.tell_many([(a.id, 1.0, None), (b.id, math.nan, None)])
    assert campaign.status().counts["pending"] == 3
    campaign.tell_many([(a.id, 1.0, None), (b.id, 2.0, 0.1)], [(c.id, "spilt")])
    counts = campaign.status().counts
    assert {state: n for state, n in counts.items() if n} == {"done": 2, "failed": 1}


def test_stop_when_reports_and_never_enforces(tmp_path):
    c = ew.Campaign("stop", ew.Box.unit(1), noise=0.01, store=tmp_path / "stop.db", seed=0)
    c.add({"x1": [0.1, 0.3, 0.5, 0.7, 0.9]}, [0.0, 0.1, 0.2, 0.3, 0.4])
    assert c.stop_when(error=10.0).stop
    assert "within the limit of 10" in c.stop_when(error=10.0).reason
    assert not c.stop_when(error=1e-9).stop
    assert c.stop_when(gain=10.0).stop
    assert not c.stop_when().stop
    assert len(c.ask(1)) == 1


def test_a_new_campaign_chooses_by_the_default_strategy(tmp_path) -> None:
    with ew.Campaign("c", ew.Box.unit(2), noise=0.1, store=tmp_path / "c.db") as campaign:
        assert campaign.spec.strategy == "map"


def test_another_name_of_a_strategy_is_the_same_strategy(tmp_path) -> None:
    box, store = ew.Box.unit(2), tmp_path / "c.db"
    for name in ("lookahead", "lookahead-gp", None):
        with ew.Campaign("c", box, noise=0.1, store=store, strategy=name) as campaign:
            assert campaign.spec.strategy == "lookahead-gp"
