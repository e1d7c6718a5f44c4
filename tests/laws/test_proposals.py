"""Proposals lie in the domain and avoid what is taken; batches are greedy; seeds decide everything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from tests.cases import (
    CASES,
    DOMAINS,
    FINITE,
    OPEN_LOOP,
    POOL_CASES,
    ask,
    configuration_of,
    measurements_of,
    trajectory,
)
from tests.checks import assert_new_points, assert_same_sequence


@pytest.mark.parametrize(("name", "place"), CASES)
def test_proposals_lie_in_the_domain_and_avoid_taken_and_pending_points(name, place):
    domain = DOMAINS[place]
    configuration = configuration_of(name, domain)
    measurements = measurements_of(domain, n=12, pending=3)
    if name not in OPEN_LOOP:  # pool points too, or avoiding them would be luck
        measurements = replace(
            measurements,
            x=np.vstack([measurements.x[:6], configuration.pool[:6]]),
            pending=configuration.pool[6:9],
        )
    suggestion, _ = ask(configuration, measurements, 5)
    assert_new_points(domain, suggestion.points, 5, measurements.x, measurements.pending)
    assert len(suggestion.explain) == 5
    assert list(suggestion.table()) == list(domain.names)


@pytest.mark.parametrize(("name", "place"), POOL_CASES)
def test_the_best_free_point_of_the_pool_is_chosen_even_when_few_are_left(name, place):
    domain = DOMAINS[place]
    configuration = configuration_of(name, domain, pool=9)
    measurements = measurements_of(domain, n=6)
    measurements = replace(measurements, x=configuration.pool[:6])
    suggestion, _ = ask(configuration, measurements, 3)
    assert_new_points(domain, suggestion.points, 3, measurements.x)
    with pytest.raises(ValueError, match=r"n = 4.*only 3 points.*fewer"):
        ask(configuration, measurements, 4)


@pytest.mark.parametrize("name", OPEN_LOOP)
def test_a_fixed_sequence_uses_a_finite_domain_up_before_it_repeats(name):
    domain = DOMAINS["levels"]
    configuration, measurements = configuration_of(name, domain, pool=4096), measurements_of(domain, n=0)
    everything, _ = ask(configuration, measurements, 100)
    assert_new_points(domain, everything.points, 100)
    with pytest.raises(ValueError, match=r"101.*only 100"):
        ask(configuration, measurements, 101)


@pytest.mark.parametrize("name", OPEN_LOOP)
def test_an_open_loop_continues_where_the_initial_design_stops(name):
    domain = DOMAINS["square"]
    configuration = configuration_of(name, domain)
    whole = ask(configuration, measurements_of(domain, n=0), 12)[0].points
    first = Measurements(domain, whole[:5], np.zeros((5, 1)), None, whole[5:8])
    np.testing.assert_array_equal(ask(configuration, first, 4)[0].points, whole[8:])


@pytest.mark.parametrize(("name", "place"), CASES)
def test_a_batch_is_greedy_and_each_point_enters_as_pending(name, place):
    domain = DOMAINS[place]
    configuration, measurements = configuration_of(name, domain), measurements_of(domain, pending=2)
    batch = ask(configuration, measurements, 3)[0].points
    for point in batch:
        alone = ask(configuration, measurements, 1)[0].points
        np.testing.assert_array_equal(alone[0], point)
        measurements = replace(measurements, pending=np.vstack([measurements.pending, point]))


@pytest.mark.parametrize(("name", "place"), CASES)
def test_the_same_seed_gives_the_same_trajectory_and_another_seed_another(name, place):
    domain = DOMAINS[place]
    measurements = measurements_of(domain)
    first, again, other = (
        trajectory(configuration_of(name, domain, seed, pool=100), measurements, 2) for seed in (3, 3, 4)
    )
    assert_same_sequence(first, again)
    if place not in FINITE:  # those are their own pool, whatever the seed
        assert not np.allclose(first, other)


def test_one_seed_gives_all_strategies_the_same_pool():
    domain = ew.Box.unit(2)
    pools = [prepare(domain, name, 7).pool for name in ew.strategies()]
    assert len(pools[0]) == 4096
    for pool in pools[1:]:
        np.testing.assert_array_equal(pool, pools[0])
