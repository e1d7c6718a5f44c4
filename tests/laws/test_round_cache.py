"""Memory passed between rounds saves time and changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import Taken, prepare
from equiwarp.engine.round import RoundCache
from tests.cases import CASES, DOMAINS, NAMES, configuration_of, extend, measurements_of, values


@pytest.mark.parametrize(
    ("name", "place", "deviation"),
    [(name, place, None) for name, place in CASES] + [(name, "square", 1.0) for name in NAMES],
)
def test_rounds_with_and_without_memory_choose_the_same_points_with_the_same_scores(name, place, deviation):
    """With the sample's deviation (None), the standardised noise changes every round."""
    domain = DOMAINS[place]
    configuration = configuration_of(
        name, domain, response_scale=None if deviation is None else np.array([deviation])
    )
    measurements, cache = measurements_of(domain), None
    # The warp of kumaraswamy is fitted anew each round, with or without memory, which takes its time.
    long = place == "square" and deviation is None and name != "kumaraswamy"
    for _ in range(30 if long else 3):
        remembered, cache = choose(configuration, measurements, 1, cache)
        fresh, _ = choose(configuration, measurements, 1)
        np.testing.assert_array_equal(remembered.points, fresh.points)
        np.testing.assert_allclose(remembered.explain[0].score, fresh.explain[0].score, rtol=1e-8)
        measurements = extend(measurements, fresh.points, values(domain, fresh.points))


@pytest.mark.parametrize("name", ["eig", "nipv", "epig", "fps", "equiwarp"])
def test_memory_of_a_longer_or_another_design_is_not_used(name):
    """A retracted measurement, or another campaign's cache, must not leak into the choice."""
    domain = DOMAINS["square"]
    configuration = configuration_of(name, domain)
    measurements = measurements_of(domain, n=15)
    _, cache = choose(configuration, measurements, 2)
    shorter, other = measurements_of(domain, n=10), measurements_of(domain, n=15, seed=99)
    for changed in (shorter, other):
        expected = choose(configuration, changed)[0].points
        np.testing.assert_array_equal(choose(configuration, changed, 1, cache)[0].points, expected)


def test_memory_of_another_noise_is_not_used():
    domain = DOMAINS["square"]
    configuration = configuration_of("eig", domain)
    quiet, loud = measurements_of(domain, noise=0.01), measurements_of(domain, noise=0.8)
    _, cache = choose(configuration, quiet)
    expected, got = choose(configuration, loud)[0], choose(configuration, loud, 1, cache)[0]
    assert got.explain[0].score == pytest.approx(expected.explain[0].score, rel=1e-9)
    assert choose(configuration, quiet)[0].explain[0].score < 0.95 * expected.explain[0].score


def test_empty_memory_is_no_memory():
    domain = DOMAINS["square"]
    configuration, measurements = configuration_of("equiwarp", domain), measurements_of(domain)
    np.testing.assert_array_equal(
        choose(configuration, measurements, 1, RoundCache())[0].points,
        choose(configuration, measurements)[0].points,
    )


def test_points_are_looked_up_in_the_pool_once():
    domain = DOMAINS["square"]
    configuration, measurements = configuration_of("eig", domain), measurements_of(domain)
    x = np.concatenate([measurements.x, configuration.pool[[3, 5]]])
    known = Taken.of(configuration.pool_index, x)
    assert sorted(known.rows) == [3, 5]
    more = np.concatenate([x, configuration.pool[[9, 3]]])
    assert set(Taken.of(configuration.pool_index, more, known).rows) == {3, 5, 9}
    assert set(Taken.of(configuration.pool_index, more[::-1], known).rows) == {3, 5, 9}
    retracted = np.delete(more, len(measurements.x) + 1, axis=0)
    assert set(Taken.of(configuration.pool_index, retracted, known).rows) == {3, 9}


def test_two_rows_of_the_pool_at_one_place_are_both_taken():
    pool = DOMAINS["square"].sample(50, np.random.default_rng(0))
    pool[8] = pool[5] * (1 + 1e-14)
    configuration = prepare(DOMAINS["square"], "equiwarp", pool=pool)
    known = Taken.of(configuration.pool_index, pool[[3]])
    assert set(Taken.of(configuration.pool_index, pool[[3, 5]], known).rows) == {3, 5, 8}
