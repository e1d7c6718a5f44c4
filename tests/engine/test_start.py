"""The space-filling start: the sequence's points in their order, without those that are taken."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import equiwarp as ew
from equiwarp._util.seeds import DESIGN, stream
from equiwarp.engine.start import free_of_sequence, left_of_start
from equiwarp.integrations.guide import Guide
from tests.cases import DOMAINS, measurements_of, values


def walk(numbers, taken, places, n):
    """Along a list of numbers, each its own key."""
    asked = []

    def points(place, count):
        asked.append(count)
        return np.array(numbers[place : place + count], dtype=float).reshape(-1, 1)

    def keys(x):
        return [int(v) for v in x[:, 0]]

    found, place = free_of_sequence(points, keys, set(taken).intersection, places, n)
    return [int(v[0]) for v in found], place, asked


def test_taken_and_repeated_points_are_left_out_and_the_place_is_after_the_last():
    assert walk([4, 5, 4, 6, 7, 8], {5}, range(6), 3)[:2] == ([4, 6, 7], 5)
    assert walk([4, 5, 4, 6, 7, 8], set(), range(1, 6), 2)[:2] == ([5, 4], 3)


def test_the_walk_ends_with_its_part_of_the_sequence_or_with_the_sequence():
    assert walk([1, 2, 3, 4], set(), range(2), 3)[:2] == ([1, 2], 2)
    assert walk([1, 2, 3, 4], {2}, range(100), 9)[:2] == ([1, 3, 4], 4)
    assert walk([1, 2], set(), range(0), 1)[:2] == ([], 0)


def test_blocks_grow_while_little_is_found():
    found, place, asked = walk(list(range(40)), set(range(30)), range(40), 2)
    assert (found, place) == ([30, 31], 32)
    assert asked == [2, 4, 8, 16, 10]


@pytest.mark.parametrize(("n0", "n", "expected"), [(20, 3, 3), (16, 5, 2), (14, 5, 0), (5, 5, 0), (0, 1, 0)])
def test_pending_points_count_for_the_start(n0, n, expected):
    assert left_of_start(measurements_of(DOMAINS["square"], n=12, pending=2), n0, n) == expected


def test_a_guide_starts_with_the_sequence_and_then_chooses():
    domain = DOMAINS["square"]
    guide, x = Guide(noise=0.05, seed=3, n0=6), np.empty((0, 2))
    for _ in range(4):
        x = np.vstack([x, guide.points(domain, x, values(domain, x), 2)])
    np.testing.assert_array_equal(x[:6], domain.sample(6, stream(3, DESIGN)))
    expected = ew.suggest(domain, x[:6], values(domain, x[:6]), 2, noise=0.05, seed=3).points
    np.testing.assert_array_equal(x[6:], expected)


@pytest.mark.parametrize("strategy", ["fps", "equiwarp"])
def test_what_a_guide_learns_of_some_points_is_not_used_for_all(strategy):
    domain = ew.Candidates({"a": np.linspace(0, 1, 60).tolist(), "b": (np.linspace(0, 7, 60) % 1).tolist()})
    x = domain.sample(10, stream(0, DESIGN))
    fresh, used = (Guide(strategy, noise=0.05, n0=0) for _ in range(2))
    used.points(domain, x, values(domain, x), allowed=domain.points[20:])
    more = np.vstack([x, used.points(domain, x, values(domain, x), allowed=domain.points[30:])])
    y = values(domain, more)
    np.testing.assert_array_equal(used.points(domain, more, y), fresh.points(domain, more, y))


def test_a_pickled_guide_leaves_behind_what_can_be_recomputed():
    domain = DOMAINS["square"]
    guide, data = Guide(noise=0.05, n0=0), measurements_of(domain)
    first = guide.extend(data)
    bare, again = len(pickle.dumps(Guide(noise=0.05, n0=0))), pickle.dumps(guide)
    assert len(again) < 2 * bare
    np.testing.assert_array_equal(pickle.loads(again).extend(data), first)
