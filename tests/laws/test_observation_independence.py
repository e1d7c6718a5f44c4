"""Remark 2.1: without warp or refit, the sequence of points does not depend on what is measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equiwarp as ew
from tests.cases import DOMAINS, NAMES, PAPER, applies, configuration_of, measurements_of, trajectory
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


@pytest.mark.parametrize("place", ["square", "cube", "S2"])
@pytest.mark.parametrize("name", INDEPENDENT)
def test_an_observation_independent_strategy_picks_the_same_points_whatever_y_is(name, place):
    domain = DOMAINS[place]
    if applies(name, domain):
        assert_same_sequence(*two_runs(name, domain, 12))


@pytest.mark.parametrize("place", ["square", "cube", "S2"])
@pytest.mark.parametrize("name", DEPENDENT)
def test_warps_and_refits_follow_the_values(name, place):
    first, second = two_runs(name, DOMAINS[place], 6)
    assert np.abs(first - second).max() > 1e-3
