"""Points are found in the pool by place, whatever their hashes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equiwarp.engine.configuration import PoolIndex, point_keys
from tests.cases import DOMAINS

SQUARE = DOMAINS["square"]


def test_equal_hashes_are_not_equal_places(rng):
    pool = SQUARE.sample(40, rng)
    index = PoolIndex.of(SQUARE, pool)
    colliding = replace(index, powers=0 * index.powers, order=np.arange(40), hashes=0 * index.hashes)
    x = np.vstack([pool[[31, 7]], SQUARE.sample(3, rng)])
    np.testing.assert_array_equal(index.rows(x), [7, 31])
    np.testing.assert_array_equal(colliding.rows(x), [7, 31])


def test_all_rows_at_a_place_are_found_once(rng):
    pool = SQUARE.sample(20, rng)
    pool[[4, 11]] = pool[2] * (1 + 1e-14)
    index = PoolIndex.of(SQUARE, pool)
    np.testing.assert_array_equal(index.rows(pool[[2, 2, 4]]), [2, 4, 11])
    assert len(index.rows(np.empty((0, 2)))) == 0


def test_points_at_one_place_have_one_key(rng):
    x = SQUARE.sample(2, rng)
    same, other = point_keys(SQUARE, np.vstack([x[0], x[0] * (1 + 1e-14)])), point_keys(SQUARE, x)
    assert same[0] == same[1]
    assert other[0] != other[1]
