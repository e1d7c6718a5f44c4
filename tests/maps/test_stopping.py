"""When mapping may stop: every response by its own limits of error and gain."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.maps.stopping import _beside
from tests.maps.plain_gp import BOX, NOISE, measured

UNITS = {"conductivity": "S/cm", "roughness": "", "thickness": "nm"}
SCALES = np.array([1.0, 1e-3, 1e3])


@pytest.fixture(scope="module")
def map():
    """Three responses of very different size, the middle one the smallest."""
    x, y = measured()
    return ew.build_map(BOX, x, y[:, None] * SCALES, noise=NOISE * SCALES, responses=UNITS, strategy="fps")


@pytest.fixture(scope="module")
def errors(map):
    return dict(zip(UNITS, (e.value for e in map.error()), strict=True))


def test_one_number_is_a_limit_for_every_response(map, errors):
    assert errors["roughness"] < errors["conductivity"] < errors["thickness"]
    assert not map.stop(ew.StopRule(error=1.01 * errors["conductivity"])).stop
    assert map.stop(ew.StopRule(error=1.01 * errors["thickness"])).stop
    assert not map.stop(ew.StopRule(error=0.99 * errors["thickness"])).stop


@pytest.mark.parametrize("late", UNITS)
def test_no_response_may_be_above_its_own_limit(map, errors, late):
    """Whichever it is: the first, the last or one between."""
    limits = {name: 1.01 * error for name, error in errors.items()}
    assert map.stop(ew.StopRule(error=limits)).stop
    advice = map.stop(ew.StopRule(error={**limits, late: 0.99 * errors[late]}))
    assert not advice.stop
    sentences = advice.reason.split("; ")
    assert len(sentences) == 3
    [against] = [said for said in sentences if "above" in said]
    assert f"the map error of {late} is" in against


@pytest.mark.parametrize("only", UNITS)
def test_a_response_without_a_limit_is_not_judged(map, errors, only):
    rule = ew.StopRule(error={only: 1.01 * errors[only]})
    assert map.stop(rule).stop
    assert not map.stop(ew.StopRule(error={only: 0.99 * errors[only]})).stop
    assert all(name == only or name not in map.stop(rule).reason for name in UNITS)


def test_the_sentence_names_response_error_unit_and_limit(map, errors):
    limit = float(f"{2 * errors['thickness']:.3g}")
    assert map.stop(ew.StopRule(error={"thickness": limit})).reason == (
        f"the map error of thickness is {errors['thickness']:.3g} nm, within the limit of {limit:g} nm"
    )
    assert map.stop(ew.StopRule(error={"roughness": 1e-9})).reason == (
        f"the map error of roughness is {errors['roughness']:.3g}, above the limit of 1e-09"
    )


@pytest.mark.parametrize("horizon", [2, 5])
@pytest.mark.parametrize("j", range(3))
def test_the_gain_is_counted_per_experiment_and_response(map, horizon, j):
    name, forecast = list(UNITS)[j], map.forecast(horizon)[:, j]
    gain = (forecast[0] - forecast[horizon]) / horizon
    advice = map.stop(ew.StopRule(gain_per_experiment={name: 1.01 * gain}), horizon)
    assert advice.stop
    assert f"forecast to lower it by {gain:.3g}" in advice.reason
    assert not map.stop(ew.StopRule(gain_per_experiment={name: 0.99 * gain}), horizon).stop
    assert not map.stop(ew.StopRule(gain_per_experiment=0.99 * gain / SCALES[j] * 1e-3), horizon).stop


def test_each_response_may_hold_by_either_limit(map, errors):
    """One is good enough, the other does not get better: that is all one can ask for."""
    good = {"conductivity": 2 * errors["conductivity"], "thickness": 1e-9}
    assert map.stop(ew.StopRule(error=good, gain_per_experiment={"thickness": 1e9})).stop
    assert not map.stop(ew.StopRule(error=good, gain_per_experiment={"thickness": 1e-9})).stop
    assert not map.stop(ew.StopRule(error=good, gain_per_experiment={"roughness": 1e9})).stop


def test_what_is_no_rule_is_refused(map):
    with pytest.raises(
        ew.InvalidType, match=r"a stop rule is expected, got 0\.1; write StopRule\(error=0\.1\)"
    ):
        map.stop(0.1)


def test_without_a_rule_nothing_is_judged(map):
    advice = map.stop(ew.StopRule())
    assert (advice.stop, advice.reason) == (False, "there is no stop rule")
    assert not ew.StopRule().is_set
    assert ew.StopRule(gain_per_experiment=1).is_set


def test_an_unknown_response_is_refused_and_known_ones_are_offered(map):
    with pytest.raises(ew.InvalidInput, match="no response 'thicknes'; did you mean 'thickness'"):
        map.stop(ew.StopRule(error={"thicknes": 1}))
    with pytest.raises(ew.InvalidInput, match="known are 'conductivity', 'roughness', 'thickness'"):
        map.stop(ew.StopRule(gain_per_experiment={"x": 1}))


@pytest.mark.parametrize("limit", [{"a": 0}, {"a": -1.0}, {"a": np.nan}, {"a": "low"}, {}, np.inf])
def test_an_impossible_limit_is_refused(limit):
    with pytest.raises(ew.InvalidInput, match="stop rule: error"):
        ew.StopRule(error=limit)


def test_no_rule_holds_before_there_are_five_values():
    x, y = measured(5)
    assert not ew.build_map(BOX, x[:4], y[:4], noise=NOISE).stop(ew.StopRule(error=1e9)).stop
    assert ew.build_map(BOX, x, y, noise=NOISE).stop(ew.StopRule(error=1e9)).stop


def test_values_are_counted_for_each_response_that_has_a_limit():
    """Two equal values look like a map without error, however many rows there are of another response."""
    x, y = measured(12)
    some = np.column_stack([y, np.full(12, np.nan)])
    some[:2, 1] = 1.0
    m = ew.build_map(BOX, x, some, noise=NOISE, responses=["a", "b"])
    advice = m.stop(ew.StopRule(error=1e9))
    assert not advice.stop
    assert "values of b so far: 2, too few to judge the map's error" in advice.reason
    assert "the map error of a is" in advice.reason
    assert m.stop(ew.StopRule(error={"a": 1e9})).stop
    assert not m.stop(ew.StopRule(gain_per_experiment={"b": 1e9})).stop
    some[2:5, 1] = 2.0
    assert ew.build_map(BOX, x, some, noise=NOISE).stop(ew.StopRule(error=1e9)).stop


@pytest.mark.parametrize(("places", "said"), [(1, "1 place"), (2, "2 places"), (4, "4 places")])
def test_many_values_of_a_few_places_cannot_contradict_the_map(places, said):
    """They leave together: nothing is known of what lies between, and a scatter looks like a function."""
    x = np.repeat(BOX.sample(places, np.random.default_rng(0)), 6, axis=0)
    y = np.sin(5 * x[:, 0]) + NOISE * np.random.default_rng(1).standard_normal(len(x))
    advice = ew.build_map(BOX, x, y, noise=NOISE).stop(ew.StopRule(error=1e9))
    assert not advice.stop
    assert advice.reason == f"values so far: {6 * places} at {said}, too few to judge the map's error"


def test_a_domain_of_a_few_places_is_judged_by_all_of_them():
    dial = ew.Box({"dial": ew.Parameter(0, 2, step=1)})
    x = np.tile([[0.0], [1.0], [2.0]], (3, 1))
    y = x[:, 0] + NOISE * np.random.default_rng(1).standard_normal(9)
    rule = ew.StopRule(error=1e9)
    assert ew.build_map(dial, x, y, noise=NOISE).stop(rule).stop
    part = x[:, 0] < 2
    assert not ew.build_map(dial, x[part], y[part], noise=NOISE).stop(rule).stop


@pytest.mark.parametrize("level", [0.0, 7.3])
def test_equal_values_tell_nothing_however_many_they_are(level):
    x = BOX.sample(14, np.random.default_rng(0))
    varied = np.column_stack([np.sin(5 * x[:, 0]), np.full(14, level)])
    m = ew.build_map(BOX, x, varied, noise=0.01, responses=("a", "b"))
    advice = m.stop(ew.StopRule(error=10.0))
    assert not advice.stop
    assert "the map error of a is" in advice.reason
    assert "all 14 values of b are equal, so nothing tells the map's error" in advice.reason
    assert m.stop(ew.StopRule(error={"a": 10.0})).stop


def test_a_response_without_a_value_is_said_to_have_none():
    x, y = measured(6)
    m = ew.build_map(BOX, x, np.column_stack([y, np.full(6, np.nan)]), noise=NOISE, responses=["a", "b"])
    for rule in (ew.StopRule(error={"b": 1.0}), ew.StopRule(gain_per_experiment={"b": 1.0})):
        advice = m.stop(rule)
        assert (advice.stop, advice.reason) == (False, "there is no value of b yet")


def test_so_they_are_in_a_campaign(tmp_path):
    with ew.Campaign("c", BOX, responses=["a", "b"], noise=0.4, store=tmp_path / "lab.db", n0=6) as c:
        c.change(stop=ew.StopRule(error=1e9))
        for i, e in enumerate(c.ask(6)):
            c.tell(e.id, {"a": float(i), "b": 1.0} if i < 2 else {"a": float(i)})
        assert not c.stop_when(error=1e9).stop
        assert "values of b so far: 2, too few" in c.stop_when().reason
        assert c.stop_when(error={"a": 1e9}).stop
        said = c.assess()
        assert said.may_stop is False
        assert "values of b so far: 2, too few" in said.stop_reason
        assert c.status().assessment.stop_reason == said.stop_reason


def listed(n, **more):
    """A map of n of 21 candidates; the others are left."""
    d = ew.Candidates(np.linspace(0, 1, 21)[:, None], names=["a"])
    x = d.points[np.argsort(np.arange(21) * 8 % 21)[:n]]
    return ew.build_map(d, x, np.sin(9 * x[:, 0]), noise=0.3, **more)


@pytest.mark.parametrize(
    ("left", "said"), [(1, "the only experiment left"), (3, "each of the 3 experiments left")]
)
def test_the_gain_near_the_end_of_a_list_is_of_the_experiments_that_are_left(left, said):
    m = listed(21 - left)
    forecast = m.forecast(5)[:, 0]
    assert len(forecast) == left + 1
    gain = (forecast[0] - forecast[-1]) / left
    advice = m.stop(ew.StopRule(gain_per_experiment=0.9 * gain))
    assert not advice.stop
    assert f"{said} is forecast to lower it by {gain:.3g}" in advice.reason
    assert m.stop(ew.StopRule(gain_per_experiment=1.1 * gain)).stop


def test_that_no_experiment_is_left_is_said():
    advice = listed(21).stop(ew.StopRule(gain_per_experiment=0.001))
    assert advice.stop
    assert advice.reason.endswith(", and no experiment is left to lower it")


@pytest.mark.parametrize("horizon", [0, -1, 2.5])
def test_a_horizon_without_experiments_is_refused(map, horizon):
    with pytest.raises(ew.InvalidInput, match="horizon must be a whole number of at least 1"):
        map.stop(ew.StopRule(gain_per_experiment=1.0), horizon=horizon)


def test_one_experiment_ahead_is_named_so(map):
    assert "and the next experiment is forecast" in map.stop(ew.StopRule(gain_per_experiment=1e-9), 1).reason


def test_responses_are_named_as_given_as_in_the_table_or_numbered():
    x, y = measured(5)
    both = np.column_stack([y, y])
    assert ew.build_map(BOX, x, y).responses == ("value",)
    assert ew.build_map(BOX, x, both).responses == ("value1", "value2")
    assert ew.build_map(BOX, x, {"a": y, "b": y}).responses == ("a", "b")
    named = ew.build_map(BOX, x, both, responses={"a": "nm", "b": ""})
    assert (named.responses, named.units) == (("a", "b"), ("nm", ""))
    assert ew.build_map(BOX, x, both, responses=["a", "b"]).units == ("", "")
    with pytest.raises(ew.InvalidInput, match="1 names for 2 columns of y"):
        ew.build_map(BOX, x, both, responses=["a"])
    with pytest.raises(ew.InvalidInput, match="has a name twice"):
        ew.build_map(BOX, x, both, responses=["a", "a"])


def test_an_error_just_above_its_limit_is_said_with_the_digits_that_show_it(map, errors):
    error = errors["thickness"]
    limit = float(f"{error:.3g}")
    said = map.stop(ew.StopRule(error={"thickness": limit})).reason
    shown = float(said.split(" is ")[1].split(" nm")[0])
    assert (shown > limit) == (error > limit)
    assert shown == pytest.approx(error, rel=1e-2)
    assert _beside(4.0031, 4.0) == "4.003"
    assert _beside(3.9999, 4.0) == "3.9999"
    assert _beside(1234.5, 1000.0) == "1230"
