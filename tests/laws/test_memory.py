"""Memory passed between rounds saves time and changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.rounds import Memory, Taken
from equiwarp.setting import prepare
from equiwarp.suggest import choose
from tests.cases import DOMAINS, NAMES, POOL_CASES, applies, design_of, extend, setting_of, trajectory, values


@pytest.mark.parametrize(
    ("name", "place", "deviation"),
    [(name, "square", fixed) for name in NAMES for fixed in (None, 1.0)]
    + [(name, "S2", None) for name in NAMES if applies(name, DOMAINS["S2"])],
)
def test_thirty_rounds_with_and_without_memory_choose_the_same_points(name, place, deviation):
    """With the sample's deviation (None), the standardised noise changes every round."""
    domain = DOMAINS[place]
    setting = setting_of(name, domain, deviation=None if deviation is None else np.array([deviation]))
    design = design_of(domain)
    rounds = 8 if name == "kumaraswamy" else 30  # its warp is fitted anew each round, with or without
    remembered = trajectory(setting, design, rounds)
    fresh = trajectory(setting, design, rounds, use_memory=False)
    np.testing.assert_array_equal(remembered, fresh)


@pytest.mark.parametrize(("name", "place"), POOL_CASES)
def test_scores_with_memory_equal_those_without(name, place):
    domain = DOMAINS[place]
    setting, design, memory = setting_of(name, domain), design_of(domain), None
    for _ in range(3):
        with_memory, memory = choose(setting, design, 1, memory)
        without, _ = choose(setting, design, 1)
        np.testing.assert_array_equal(with_memory.points, without.points)
        np.testing.assert_allclose(with_memory.explain[0].score, without.explain[0].score, rtol=1e-8)
        design = extend(design, with_memory.points, values(domain, with_memory.points))


@pytest.mark.parametrize("name", ["eig", "nipv", "epig", "fps", "equiwarp"])
def test_memory_of_a_longer_or_another_design_is_not_used(name):
    """A retracted measurement, or another campaign's memory, must not leak into the choice."""
    domain = DOMAINS["square"]
    setting = setting_of(name, domain)
    design = design_of(domain, n=15)
    _, memory = choose(setting, design, 2)
    shorter, other = design_of(domain, n=10), design_of(domain, n=15, seed=99)
    for changed in (shorter, other):
        expected = choose(setting, changed)[0].points
        np.testing.assert_array_equal(choose(setting, changed, 1, memory)[0].points, expected)


def test_memory_of_another_noise_is_not_used():
    domain = DOMAINS["square"]
    setting = setting_of("eig", domain)
    quiet, loud = design_of(domain, noise=0.01), design_of(domain, noise=0.8)
    _, memory = choose(setting, quiet)
    expected, got = choose(setting, loud)[0], choose(setting, loud, 1, memory)[0]
    assert got.explain[0].score == pytest.approx(expected.explain[0].score, rel=1e-9)
    assert choose(setting, quiet)[0].explain[0].score < 0.95 * expected.explain[0].score


def test_empty_memory_is_no_memory():
    domain = DOMAINS["square"]
    setting, design = setting_of("equiwarp", domain), design_of(domain)
    np.testing.assert_array_equal(
        choose(setting, design, 1, Memory())[0].points, choose(setting, design)[0].points
    )


def test_points_are_looked_up_in_the_pool_once():
    domain = DOMAINS["square"]
    setting, design = setting_of("eig", domain), design_of(domain)
    x = np.concatenate([design.x, setting.pool[[3, 5]]])
    known = Taken.of(setting, x)
    assert sorted(known.rows) == [3, 5]
    more = np.concatenate([x, setting.pool[[9, 3]]])
    assert set(Taken.of(setting, more, known).rows) == {3, 5, 9}
    assert set(Taken.of(setting, more[::-1], known).rows) == {3, 5, 9}
    retracted = np.delete(more, len(design.x) + 1, axis=0)
    assert set(Taken.of(setting, retracted, known).rows) == {3, 9}


def test_what_was_suggested_is_taken_without_looking_it_up(monkeypatch):
    setting = setting_of("equiwarp", DOMAINS["square"], pool=50)
    known = Taken.of(setting, setting.pool[[3]]).expecting([5, 9])
    both, elsewhere = setting.pool[[3, 5, 9]], np.vstack([setting.pool[[3, 7]], [[50.0, 5.0]]])
    # Measured somewhere else, only in part, in another order or once more: the pool is asked.
    for x, rows in ((elsewhere, {3, 7}), (both[:2], {3, 5}), (both[[0, 2, 1]], {3, 5, 9}), (both[:1], {3})):
        assert set(Taken.of(setting, x, known).rows) == rows
    monkeypatch.setattr(type(setting), "taken", lambda self, x: pytest.fail("was looked up"))
    assert set(Taken.of(setting, both, known).rows) == {3, 5, 9}


def test_two_rows_of_the_pool_at_one_place_are_both_taken():
    pool = DOMAINS["square"].sample(50, np.random.default_rng(0))
    pool[8] = pool[5] * (1 + 1e-14)
    setting = prepare(DOMAINS["square"], "equiwarp", pool=pool)
    assert not setting.distinct
    known = Taken.of(setting, pool[[3]]).expecting([5])
    assert set(Taken.of(setting, pool[[3, 5]], known).rows) == {3, 5, 8}
