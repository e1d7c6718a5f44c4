"""The forecast, against the same model conditioned on the points that would be measured next."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.maps.forecast import LEARNING_RATE, log_falls
from tests.maps.plain_gp import BOX, NOISE, everywhere, fixed, measured, plain_map, rms


@pytest.mark.parametrize("waiting", [0, 3])
def test_it_is_the_corrected_error_with_the_pending_and_the_next_points_measured(waiting):
    x, y = measured()
    pending = BOX.sample(waiting, np.random.default_rng(4))
    map = plain_map(x, y, noise=NOISE, pending=pending, strategy="eig", seed=3)
    more = ew.suggest(BOX, x, y, n=4 - waiting, noise=NOISE, pending=pending, strategy="eig", seed=3).points
    ahead = np.concatenate([pending, more])
    expected = []
    for count in range(5):
        Z = BOX.to_cube(np.concatenate([x, ahead[:count]]))
        expected.append(rms(fixed(map, Z, np.zeros(len(Z))).predict(everywhere(), return_std=True)[1]))
    ratio = np.array(expected) / expected[0] * (1 + np.arange(5) / len(x)) ** -LEARNING_RATE
    found = map.forecast(4)
    assert found.shape == (5, 1)
    np.testing.assert_allclose(found[:, 0], map.error()[0].value * ratio, rtol=0.03)
    assert (np.diff(found[:, 0]) < 0).all()


def test_it_begins_with_the_present_error_and_its_interval_pending_or_not():
    x, y = measured()
    for pending in (None, BOX.sample(2, np.random.default_rng(4))):
        map = ew.build_map(BOX, x, y, noise=NOISE, pending=pending)
        now, found = map.error()[0], map.forecast(3)
        assert found[0, 0] == now.value
        assert (found.low[0, 0], found.high[0, 0]) == pytest.approx((now.low, now.high))
        width = found.high[:, 0] / found.low[:, 0]
        assert (np.diff(width) > 0).all()  # the farther ahead, the less is known


def test_the_error_falls_as_the_model_says_and_a_little_faster():
    rolled = np.array([2.0, 1.0, 0.5])
    expected = np.log([1.0, 2.0 * 1.1**0.4, 4.0 * 1.2**0.4])
    np.testing.assert_allclose(log_falls(rolled, 10), expected)
    np.testing.assert_array_equal(log_falls(np.zeros(3), 10), 0.0)  # nothing is unknown, nothing can fall


def test_it_ends_where_a_list_ends():
    domain = ew.Candidates({"a": list(range(12)), "b": [(5 * i) % 12 for i in range(12)]})
    listed = domain.listed
    map = ew.build_map(domain, listed[:7], np.arange(7.0), noise=0.1, pending=listed[7:9])
    assert map.forecast(20).shape == (6, 1)  # 12 in all, 7 measured: 2 pending and 3 more are left


def test_it_serves_as_an_array():
    map = ew.build_map(BOX, *measured(), noise=NOISE)
    found = map.forecast(2)
    assert len(found) == 3
    np.testing.assert_array_equal(np.asarray(found), found.error)
    assert [row.shape for row in found] == [(1,)] * 3
