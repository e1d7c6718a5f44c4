"""What was said about a campaign can change later; what was handed out stays."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.exceptions import Conflict, InvalidInput, SpecError
from equiwarp.store import doctor

BOX = ew.Box({"temp": ew.Parameter(20, 90, step=5), "pH": (3, 9)})


@pytest.fixture
def store(tmp_path):
    return tmp_path / "lab.db"


@pytest.fixture
def campaign(store):
    domain = ew.Constrained(BOX, ["temp + 5*pH <= 120"])
    costs = {"temp": 3.0}
    with ew.Campaign("old", domain, store=store, responses=["a", "b"], n0=4, change_cost=costs) as made:
        for e in made.ask(6):
            made.tell(e.id, [e.point["temp"], e.point["pH"]])
        made.ask(1)
        yield made
    assert doctor(store).ok


def test_a_campaign_gets_another_name_and_open_handles_go_on(campaign, store):
    other = ew.Campaign("old", store=store)
    before = campaign.experiments()
    campaign.rename("new")
    assert campaign.name == "new"
    assert ew.Campaign.names(store) == ["new"]
    assert other.experiments() == before
    assert other.name == "new"
    assert other.status().name == "new"
    ew.Campaign("taken", BOX, store=store)
    with pytest.raises(Conflict, match="has a campaign 'taken' already"):
        campaign.rename("taken")
    with pytest.raises(SpecError, match="name"):
        campaign.rename("")
    assert [e.what for e in campaign.events()][-1] == "renamed"


def test_a_response_that_the_stop_rule_names_is_renamed_there_too(campaign):
    campaign.change(stop=ew.StopRule(error={"a": 3, "b": 50}, gain_per_experiment=0.1))
    campaign.rename_response("b", "purity")
    assert campaign.spec.stop == ew.StopRule(error={"a": 3, "purity": 50}, gain_per_experiment=0.1)


def test_a_parameter_and_a_response_get_other_names_everywhere(campaign, store):
    other = ew.Campaign("old", store=store)
    campaign.rename_parameter("temp", "temperature")
    campaign.rename_response("b", "purity")
    assert campaign.domain.names == ("temperature", "pH")
    assert campaign.responses == ("a", "purity")
    assert campaign.spec.change_cost == {"temperature": 3.0}
    assert campaign.domain.contains(np.array([[90.0, 9.0]])).tolist() == [False]
    assert set(other.ask()[0].point) == {"temperature", "pH"}
    assert set(other.experiment(1).values) == {"a", "purity"}
    assert len(campaign.map().error()) == 2
    with pytest.raises(SpecError, match=r"temperature|two columns|also the name"):
        campaign.rename_response("a", "temperature")
    with pytest.raises(InvalidInput, match="no parameter 'speed'"):
        campaign.rename_parameter("speed", "rate")
    with pytest.raises(InvalidInput, match="no response 'c'"):
        campaign.rename_response("c", "d")


def test_names_that_a_domain_gives_itself_stay(store):
    with ew.Campaign("sky", ew.Sphere(2), store=store) as c, pytest.raises(InvalidInput, match="cannot be"):
        c.rename_parameter("x3", "up")


def test_bounds_are_widened_and_what_was_handed_out_stays(campaign, store):
    other = ew.Campaign("old", store=store)
    with pytest.warns(ew.OutsideDomain):
        campaign.add([[95, 4]], [[1.0, 2.0]])
    before = [(e.id, e.point, e.state) for e in campaign.experiments()]
    campaign.widen("temp", low=10, high=110)
    assert campaign.domain.whole.parameters[0] == ew.Parameter(10, 110, step=5)
    assert [(e.id, e.point, e.state) for e in campaign.experiments()] == before
    assert campaign.experiment(8).inside
    known = {tuple(e.point.values()) for e in other.experiments()}
    for asked in (other.ask(4), campaign.ask(4)):
        points = {tuple(e.point.values()) for e in asked}
        assert not points & known
        known |= points
    assert campaign.events()[-1].what == "asked"
    widened = next(e for e in campaign.events() if e.what == "widened")
    said = {name: widened.detail[name] for name in ("parameter", "before", "after")}
    assert said == {"parameter": "temp", "before": [20, 90], "after": [10, 110]}


def test_every_place_is_recognised_after_widening(store):
    """On a grid of settings, the places move onto each other's old coordinates."""
    grid = ew.Box({"x": ew.Parameter(0, 4, step=1)})
    with ew.Campaign("grid", grid, store=store, strategy="fps", n0=1) as c:
        for e in c.ask(5):
            c.tell(e.id, 1.0)
        c.widen("x", high=8)
        assert {e.point["x"] for e in c.ask(4)} == {5.0, 6.0, 7.0, 8.0}
        with pytest.raises(ew.Exhausted):
            c.ask()


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"low": 30}, "outwards from 20 only"),
        ({"high": 80}, "outwards from 90 only"),
        ({"low": 17}, "whole steps"),
        ({"high": 92}, "lead to 90 and to 95, not to 92; move the upper bound by whole steps"),
        ({}, "give a lower or an upper bound"),
    ],
)
def test_bounds_cannot_be_narrowed_or_leave_the_steps(campaign, bounds, words):
    with pytest.raises(InvalidInput, match=words):
        campaign.widen("temp", **bounds)


def test_stop_rule_noise_and_the_rest_are_edited(campaign):
    seen = campaign.preview(2)
    campaign.change(stop=ew.StopRule(error=0.5), noise={"a": 0.2}, description="second oven")
    spec = campaign.spec
    assert spec.stop.error == 0.5
    assert [r.noise for r in spec.responses] == [0.2, None]
    assert spec.description == "second oven"
    assert campaign.map().noise[0, 0] == 0.2
    assert set(campaign.events()[-1].detail) == {"stop", "responses", "description", "now"}
    assert len(seen) == 2
    before = campaign.events()
    campaign.change(description="second oven")
    assert campaign.events() == before
    campaign.change(blocks=["day"])
    assert campaign.ask(block={"day": "Monday"})[0].block == {"day": "Monday"}
    with pytest.raises(InvalidInput, match="cannot be left out"):
        campaign.change(blocks=["operator"])
    with pytest.raises(SpecError, match=r"change_cost\.speed"):
        campaign.change(change_cost={"speed": 1.0})


def test_a_domain_of_python_keeps_its_bounds(store):
    domain = ew.Constrained(ew.Box({"x": (0, 1)}), [lambda p: p["x"] < 0.9])
    with ew.Campaign("c", domain, store=store) as c:
        c.change(description="told apart")
        assert c.spec.description == "told apart"
        with pytest.raises(InvalidInput, match="described in Python"):
            c.widen("x", high=2)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("rate", "pull speed", "`flow rate` * `pull speed`"),
        ("flow rate", "flow", "flow * rate"),
        ("flow rate", "gas flow", "`gas flow` * rate"),
        ("rate", "lambda", "`flow rate` * `lambda`"),
    ],
)
def test_a_parameter_is_renamed_in_constraints_whatever_it_is_called(old, new, text, store):
    """A name of several words needs backticks there, and a name may be a part of another one."""
    box = ew.Box({"flow rate": (1, 20), "rate": (1, 9), "gas": ["rate", "flow"]})
    domain = ew.Constrained(box, ["`flow rate` * rate + 5 * (gas == 'rate') <= 100"])
    aim = ew.Aim(weight="1 + `flow rate` * rate")
    with ew.Campaign("c", domain, store=store, n0=4, aim=aim) as c:
        before = c.preview(4)
        c.rename_parameter(old, new)
        assert [list(p.point.values()) for p in c.preview(4)] == [list(p.point.values()) for p in before]
        (constraint,) = c.domain.to_dict()["constraints"]
        assert constraint == f"{text} + 5 * (gas == 'rate') <= 100"
        assert c.spec.aim == ew.Aim(weight=f"1 + {text}")


@pytest.mark.parametrize("response", ["names", "constraints", "name", "weight"])
def test_a_parameter_is_renamed_whatever_a_response_of_the_aim_is_called(response, store):
    aim = ew.Aim(near={response: 1.0})
    with ew.Campaign("c", BOX, store=store, responses=[response], aim=aim) as c:
        c.rename_parameter("pH", "acidity")
        assert c.domain.names == ("temp", "acidity")
        assert c.spec.aim == aim


@pytest.mark.parametrize(
    "change",
    [
        {"plausible": {"value": (0, 10)}},
        {"stop": ew.StopRule(error={"value": 0.1})},
        {"noise": {"value": 0.1}},
    ],
)
def test_who_names_a_response_in_a_change_has_named_it(change, store):
    """The first value cannot give it another name any more: a range or a limit would be left behind."""
    with ew.Campaign("c", BOX, store=store) as c:
        c.change(**change)
        with pytest.raises(InvalidInput, match="unknown response 'yield'"):
            c.tell(c.ask()[0].id, {"yield": 1000.0})
    assert doctor(store).ok


def test_the_first_value_is_held_against_what_is_plausible(store):
    with ew.Campaign("c", BOX, store=store) as c:
        c.change(plausible={"value": (0, 10)})
        with pytest.raises(InvalidInput, match="value = 1000 is above 10"):
            c.tell(c.ask()[0].id, 1000.0)
        with pytest.raises(InvalidInput, match="above 10"):
            c.add([[30, 4]], [1000.0])


def test_noise_of_all_responses_leaves_their_names_to_the_first_value(store):
    with ew.Campaign("c", BOX, store=store) as c:
        c.change(noise=0.1, stop=ew.StopRule(error=0.5))
        c.tell(c.ask()[0].id, {"yield": 1000.0})
        assert c.responses == ("yield",)


def test_names_that_tables_cannot_tell_apart_are_refused(campaign, store):
    """Blanks around a heading are lost, so that our own plate would have had two columns of one name."""
    campaign.rename_response("a", " yield ")
    campaign.rename_parameter("pH", " acidity ")
    assert (campaign.responses, campaign.domain.names) == (("yield", "b"), ("temp", "acidity"))
    with pytest.raises(SpecError, match="twice"):
        campaign.rename_response("yield", " b")
    with pytest.raises(SpecError, match="the name ' b ' appears twice"):
        ew.Campaign("blanks", BOX, store=store, responses=["b", " b "])
