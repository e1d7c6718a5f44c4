"""When mapping may stop: on the error, and on what each further experiment would bring."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from tests.maps.plain_gp import BOX, NOISE, measured


@pytest.fixture(scope="module")
def map():
    x, y = measured()
    return ew.build_map(BOX, x, np.column_stack([y, 1000 * y]), noise=[NOISE, 1000 * NOISE])


def test_the_error_of_the_first_response_decides(map):
    now = map.error()[0].value
    assert map.stop(ew.StopRule(error=1.01 * now)).stop
    advice = map.stop(ew.StopRule(error=0.99 * now))
    assert not advice.stop
    assert f"{now:.3g}" in advice.reason


@pytest.mark.parametrize("horizon", [2, 5])
def test_the_gain_is_counted_per_experiment(map, horizon):
    forecast = map.forecast(horizon)[:, 0]
    gain = (forecast[0] - forecast[horizon]) / horizon
    advice = map.stop(ew.StopRule(gain_per_experiment=1.01 * gain), horizon)
    assert advice.stop
    assert f"by {gain:.3g} each" in advice.reason
    assert not map.stop(ew.StopRule(gain_per_experiment=0.99 * gain), horizon).stop


def test_either_rule_is_enough(map):
    now = map.error()[0].value
    assert map.stop(ew.StopRule(error=1e-9, gain_per_experiment=1e9)).stop
    assert map.stop(ew.StopRule(error=2 * now, gain_per_experiment=1e-9)).stop
    assert not map.stop(ew.StopRule()).stop


def test_no_rule_holds_before_there_are_five_values():
    x, y = measured(5)
    assert not ew.build_map(BOX, x[:4], y[:4], noise=NOISE).stop(ew.StopRule(error=1e9)).stop
    assert ew.build_map(BOX, x, y, noise=NOISE).stop(ew.StopRule(error=1e9)).stop
