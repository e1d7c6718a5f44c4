"""When mapping may stop: every response by its own limits of error and gain."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
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
