"""Proposals lie in the domain and avoid what is taken; batches are greedy; seeds decide everything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.design import Design
from equiwarp.setting import prepare
from equiwarp.suggest import choose
from tests.cases import CASES, DOMAINS, OPEN_LOOP, POOL_CASES, design_of, setting_of, trajectory
from tests.checks import assert_new_points, assert_same_sequence


@pytest.mark.parametrize(("name", "place"), CASES)
def test_proposals_lie_in_the_domain_and_avoid_taken_and_pending_points(name, place):
    domain = DOMAINS[place]
    setting = setting_of(name, domain)
    design = design_of(domain, n=12, pending=3)
    if name not in OPEN_LOOP:  # pool points too, or avoiding them would be luck
        design = replace(design, x=np.vstack([design.x[:6], setting.pool[:6]]), pending=setting.pool[6:9])
    suggestion, _ = choose(setting, design, 5)
    assert_new_points(domain, suggestion.points, 5, design.x, design.pending)
    assert len(suggestion.explain) == 5
    assert list(suggestion.table()) == list(domain.names)


@pytest.mark.parametrize(("name", "place"), POOL_CASES)
def test_the_best_free_point_of_the_pool_is_chosen_even_when_few_are_left(name, place):
    domain = DOMAINS[place]
    setting = setting_of(name, domain, pool=9)
    design = design_of(domain, n=6)
    design = replace(design, x=setting.pool[:6])
    suggestion, _ = choose(setting, design, 3)
    assert_new_points(domain, suggestion.points, 3, design.x)
    with pytest.raises(ValueError, match=r"n = 4.*only 3 points.*fewer"):
        choose(setting, design, 4)


@pytest.mark.parametrize("name", OPEN_LOOP)
def test_a_fixed_sequence_uses_a_finite_domain_up_before_it_repeats(name):
    domain = DOMAINS["levels"]
    setting, design = setting_of(name, domain, pool=4096), design_of(domain, n=0)
    everything, _ = choose(setting, design, 100)
    assert_new_points(domain, everything.points, 100)
    with pytest.raises(ValueError, match=r"101.*only 100"):
        choose(setting, design, 101)


@pytest.mark.parametrize("name", OPEN_LOOP)
def test_an_open_loop_continues_where_the_initial_design_stops(name):
    domain = DOMAINS["square"]
    setting = setting_of(name, domain)
    whole = choose(setting, design_of(domain, n=0), 12)[0].points
    first = Design(domain, whole[:5], np.zeros((5, 1)), None, whole[5:8])
    np.testing.assert_array_equal(choose(setting, first, 4)[0].points, whole[8:])


@pytest.mark.parametrize(("name", "place"), [case for case in CASES if case[1] in ("square", "S2")])
def test_a_batch_is_greedy_and_each_point_enters_as_pending(name, place):
    domain = DOMAINS[place]
    setting, design = setting_of(name, domain), design_of(domain, pending=2)
    batch = choose(setting, design, 3)[0].points
    for point in batch:
        alone = choose(setting, design, 1)[0].points
        np.testing.assert_array_equal(alone[0], point)
        design = replace(design, pending=np.vstack([design.pending, point]))


@pytest.mark.parametrize(("name", "place"), [case for case in CASES if case[1] in ("square", "S2")])
def test_the_same_seed_gives_the_same_trajectory_and_another_seed_another(name, place):
    domain = DOMAINS[place]
    design = design_of(domain)
    first = trajectory(setting_of(name, domain, seed=3), design, 4)
    assert_same_sequence(first, trajectory(setting_of(name, domain, seed=3), design, 4))
    assert not np.allclose(first, trajectory(setting_of(name, domain, seed=4), design, 4))


def test_one_seed_gives_all_strategies_the_same_pool():
    domain = ew.Box.unit(2)
    pools = [prepare(domain, name, 7).pool for name in ew.strategies()]
    assert len(pools[0]) == 4096
    for pool in pools[1:]:
        np.testing.assert_array_equal(pool, pools[0])
