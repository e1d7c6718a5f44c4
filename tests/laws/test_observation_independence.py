"""Remark 2.1: without warp or refit, the sequence of points does not depend on what is measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equiwarp as ew
from tests.cases import CASES, DOMAINS, FINITE, NAMES, PAPER, configuration_of, measurements_of, trajectory
from tests.checks import assert_same_sequence

INDEPENDENT = tuple(name for name, strategy in ew.strategies().items() if strategy.observation_independent)
DEPENDENT = tuple(name for name in NAMES if name not in INDEPENDENT)
UNIT = np.array([1.0])  # a fixed scale of the values; the sample's would let them in through the noise


def surprising(domain, x):
    """Nothing like the values of the other run."""
    return 5 * np.cos(37 * domain.embed(x)[:, :1]) - 3


def two_runs(name, domain, rounds):
    configuration, measurements = configuration_of(name, domain, response_scale=UNIT), measurements_of(domain)
    other = replace(measurements, y=surprising(domain, measurements.x))
    return trajectory(configuration, measurements, rounds), trajectory(
        configuration, other, rounds, f=surprising
    )


def test_the_registry_knows_which_strategies_look_at_values():
    assert {name for name in DEPENDENT if name in PAPER} == {"equiwarp", "warp", "kumaraswamy", "refit"}


@pytest.mark.parametrize(("name", "place"), [case for case in CASES if case[0] in INDEPENDENT])
def test_an_observation_independent_strategy_picks_the_same_points_whatever_y_is(name, place):
    assert_same_sequence(*two_runs(name, DOMAINS[place], 8))


@pytest.mark.parametrize(("name", "place"), [case for case in CASES if case[0] in DEPENDENT])
def test_warps_and_refits_follow_the_values(name, place):
    domain = DOMAINS[place]
    if name == "kumaraswamy" and not any(axis.kind == "interval" for axis in domain.chart_axes):
        pytest.skip("it bends axes that have two ends, and there is none")
    # Of few points the same ones can be best for a while, whatever is measured.
    longest = 12 if place in (*FINITE, "direction and dose") else 3
    for rounds in (1, 3, 12):
        first, second = two_runs(name, domain, min(rounds, longest))
        if np.abs(first - second).max() > 1e-3:
            return
    pytest.fail(f"{longest} rounds are the same, whatever was measured")
