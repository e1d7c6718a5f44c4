"""The forecast, against the same model conditioned on the points that would be measured next."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from tests.maps.plain_gp import BOX, NOISE, everywhere, fixed, measured, rms


@pytest.mark.parametrize("waiting", [0, 3])
def test_it_is_the_error_with_the_pending_and_the_next_points_measured(waiting):
    x, y = measured()
    pending = BOX.sample(waiting, np.random.default_rng(4))
    map = ew.build_map(BOX, x, y, noise=NOISE, pending=pending, strategy="eig", seed=3)
    ahead = ew.suggest(BOX, x, y, n=4, noise=NOISE, pending=pending, strategy="eig", seed=3).points
    correction, expected = map.error()[0].correction, []
    for count in range(5):
        Z = BOX.to_cube(np.concatenate([x, pending, ahead[:count]]))
        deviation = fixed(map.models[0], Z, np.zeros(len(Z))).predict(everywhere(), return_std=True)[1]
        expected.append(correction * rms(deviation))
    found = map.forecast(4)
    assert found.shape == (5, 1)
    np.testing.assert_allclose(found[:, 0], expected, rtol=0.05)
    assert (np.diff(found[:, 0]) < 0).all()


def test_without_anything_pending_it_begins_with_the_present_error():
    x, y = measured()
    map = ew.build_map(BOX, x, y, noise=NOISE)
    assert map.forecast(0)[0, 0] == pytest.approx(map.error()[0].value, rel=0.05)


def test_it_ends_where_a_list_ends():
    domain = ew.Candidates({"a": list(range(12)), "b": [(5 * i) % 12 for i in range(12)]})
    listed = domain.listed
    map = ew.build_map(domain, listed[:7], np.arange(7.0), noise=0.1, pending=listed[7:9])
    assert map.forecast(20).shape == (4, 1)  # 12 in all, 7 measured, 2 pending: 3 are left
