"""The course of a campaign: errors of earlier maps, the present one, and what comes."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.maps.course import FEWEST, MOST_REFITTED, STEPS, course_of, earlier_counts
from tests.maps.plain_gp import BOX, NOISE, measured


@pytest.mark.parametrize("n", [0, 1, FEWEST, FEWEST + 1, 20, 137, MOST_REFITTED, MOST_REFITTED + 1, 10_000])
def test_earlier_maps_are_smaller_than_the_present_one(n):
    counts = earlier_counts(n)
    assert counts == sorted(set(counts))
    assert all(FEWEST <= count < n and count <= MOST_REFITTED for count in counts)
    assert len(counts) < STEPS
    assert bool(counts) == (n > FEWEST)


def test_past_errors_are_those_of_the_maps_from_the_first_measurements():
    x, y = measured(24)
    map = ew.build_map(
        BOX, x, y, noise=NOISE, pending=BOX.sample(2, np.random.default_rng(1)), strategy="fps"
    )
    steps, known = [], {}
    course = course_of(
        map, ew.StopRule(error=1e9), ahead=3, progress=lambda *at: steps.append(at), remember=known
    )
    assert course.counts.tolist() == [*earlier_counts(24), 24]
    earlier = [ew.build_map(BOX, x[:n], y[:n], noise=NOISE).error()[0].value for n in course.counts]
    np.testing.assert_allclose(course.errors[:, 0], earlier, rtol=1e-9)
    np.testing.assert_array_equal(course.forecast, map.forecast(3))
    assert (course.now, course.pending, course.advice.stop) == (map.error(), 2, True)
    assert steps == [(i + 1, len(earlier) + 1) for i in range(len(earlier) + 1)]
    assert len(known) == len(earlier) - 1


def test_what_is_remembered_is_not_fitted_again():
    x, y = measured(12)
    map, known = ew.build_map(BOX, x, y, noise=NOISE, strategy="fps"), {}
    course_of(map, ew.StopRule(), ahead=0, remember=known)
    changed = {key: 7 * error for key, error in known.items()}
    again = course_of(map, ew.StopRule(), ahead=0, remember=changed)
    np.testing.assert_array_equal(again.errors[:-1], list(changed.values()))


def test_a_list_is_looked_ahead_to_its_end():
    domain = ew.Candidates({"a": list(range(12)), "b": [(5 * i) % 12 for i in range(12)]})
    map = ew.build_map(domain, domain.listed[:7], np.arange(7.0), noise=0.1, pending=domain.listed[7:9])
    assert len(course_of(map, ew.StopRule(), ahead=20).forecast) == 6
