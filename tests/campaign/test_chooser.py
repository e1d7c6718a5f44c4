"""What the strategy is told of a campaign: which values, which noise, and which places are spoken for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.campaign.chooser import (
    MOST_NOISE,
    NEAR,
    SHIELD,
    Chooser,
    acquisition_measurements,
    full_noise,
    relative_distance,
    shielded,
    stated_noise,
)
from equiwarp.exceptions import Exhausted
from equiwarp.gp.noise import estimate_noise
from equiwarp.spec import CampaignSpec
from equiwarp.store import ExperimentArrays

BOX = ew.Box.unit(2)
NOWHERE = np.empty((0, 2))


def known(states, x=None, **changes):
    """Experiments in these states, at places of their own unless they are given."""
    n = len(states)
    x = BOX.sample(n, np.random.default_rng(0)) if x is None else np.asarray(x, dtype=float)
    y = np.where(np.array(states)[:, None] == "done", np.arange(n, dtype=float)[:, None], np.nan)
    no, yes = np.full(n, False), np.full(n, True)
    fields = {"y": y, "noise": np.full((n, 1), 0.1), "inside": yes, "added": no, "accident": no}
    return ExperimentArrays(np.arange(1, n + 1), np.array(states), x, **{**fields, **changes})


@pytest.mark.parametrize("successes", [SHIELD - 1, SHIELD])
def test_an_isolated_failure_waits_for_some_successes(successes):
    around = [[0.5 + 0.1 * np.cos(t), 0.5 + 0.1 * np.sin(t)] for t in range(successes)]
    waits = shielded(BOX, known(["failed"] + ["done"] * successes, [[0.5, 0.5], *around]))
    assert waits.tolist() == [successes < SHIELD] + [False] * successes


def test_failures_that_lie_together_wait_as_long_as_nothing_works_there():
    lost = [[0.8, 0.8], [0.85, 0.8], [0.8, 0.85], [0.9, 0.9]]
    elsewhere = [[0.02 * i, 0.1] for i in range(3 * SHIELD)]
    states = ["failed"] * 4 + ["done"] * len(elsewhere)
    assert shielded(BOX, known(states, [*lost, *elsewhere]))[:4].all()
    among = [[0.8 + 0.01 * i, 0.81] for i in range(SHIELD)]
    assert not shielded(BOX, known(states + ["done"] * SHIELD, [*lost, *elsewhere, *among]))[:3].any()


def test_an_accident_does_not_wait_and_nothing_is_learnt_from_it():
    all = known(["done"] * 3 + ["failed"] * 2, accident=np.array([False] * 4 + [True]))
    assert shielded(BOX, all).tolist() == [False] * 3 + [True, False]
    np.testing.assert_array_equal(acquisition_measurements(BOX, all, NOWHERE).failed, all.x[3:4])


def test_only_later_successes_that_were_asked_for_count():
    states = ["done"] * SHIELD + ["failed"] + ["done"] * SHIELD
    assert not shielded(BOX, known(states)).any()
    added = np.arange(len(states)) == len(states) - 1
    assert shielded(BOX, known(states, added=added)).sum() == 1
    assert shielded(BOX, known(states[:-1])).sum() == 1


def test_values_count_inside_the_domain_and_every_place_spoken_for_is_pending():
    states = ["done", "done", "pending", "abandoned", "failed", "released"]
    all = known(states, inside=np.array([True, False, True, True, True, True]))
    also = np.array([[0.3, 0.3]])
    found = acquisition_measurements(BOX, all, also)
    np.testing.assert_array_equal(found.x, all.x[:1])
    np.testing.assert_array_equal(found.y, [[0.0]])
    np.testing.assert_array_equal(found.pending, [all.x[2], all.x[3], *also])
    np.testing.assert_array_equal(found.spoken_for, [all.x[0], all.x[2], all.x[3], *also, all.x[4]])
    unshielded = acquisition_measurements(BOX, all, also, shield=False)
    np.testing.assert_array_equal(unshielded.spoken_for, unshielded.locations)


def test_unknown_noise_is_estimated_for_its_own_response():
    rng = np.random.default_rng(1)
    x = BOX.sample(20, rng)
    y = np.column_stack([np.sin(4 * x[:, 0]), 100 * x[:, 1]]) + [0.05, 5] * rng.standard_normal((20, 2))
    noise = np.full((20, 2), np.nan)
    noise[:3, 0], noise[:, 1] = 0.2, np.where(np.arange(20) < 10, 7.0, np.nan)
    found = full_noise(BOX, x, y, noise)
    own = [estimate_noise(x, y[:, j], BOX.spacing()) for j in (0, 1)]
    assert own[1] > 10 * own[0]
    np.testing.assert_allclose(found[:, 0], np.where(np.arange(20) < 3, 0.2, own[0]))
    np.testing.assert_allclose(found[:, 1], np.where(np.arange(20) < 10, 7.0, own[1]))
    assert full_noise(BOX, x, y, np.full((20, 2), np.nan)) is None


def test_limits_are_wider_and_say_nothing_of_the_noise_of_other_values():
    rng = np.random.default_rng(3)
    x = BOX.sample(20, rng)
    y = np.column_stack([np.sin(3 * x[:, 0]), 100 * x[:, 1]]) + rng.normal(0, [0.01, 5.0], (20, 2))
    unknown, width = np.full((20, 2), np.nan), np.zeros((20, 2))
    y[4, 1], width[4, 1] = 900.0, 300.0
    found, plain = full_noise(BOX, x, y, unknown, width), np.arange(20) != 4
    own = estimate_noise(x[plain], y[plain, 1], BOX.spacing())
    np.testing.assert_allclose(found[:, 1], np.where(plain, own, np.hypot(own, 300.0)))
    np.testing.assert_allclose(found[:, 0], estimate_noise(x, y[:, 0], BOX.spacing()))
    assert stated_noise(BOX, x, y, unknown, width) is None
    unknown[7, 0] = 0.5
    stated = stated_noise(BOX, x, y, unknown, width)
    assert stated[7, 0] == 0.5
    assert np.isnan(stated[:, 1]).all()


def test_absurd_noise_says_no_more_than_that_a_value_says_nothing():
    x, y = BOX.sample(4, np.random.default_rng(0)), np.array([[1.0], [2.0], [3.0], [4.0]])
    found = full_noise(BOX, x, y, np.array([[1e30], [0.1], [0.1], [0.1]]))
    assert found[:, 0].tolist() == [MOST_NOISE * y.std(), 0.1, 0.1, 0.1]


def test_what_is_too_near_depends_on_the_spacing_of_the_design():
    here = np.array([[0.5, 0.5], [0.9, 0.9]])
    for count in (20, 2000):
        step = NEAR * BOX.spacing(count) * np.array([[1.0, 0.0]])
        assert relative_distance(BOX, here, here[:1] + 0.98 * step, count)[0] == pytest.approx(0.98)
        assert relative_distance(BOX, here, here[:1] + 1.02 * step, count)[0] == pytest.approx(1.02)
        assert relative_distance(BOX, here, here[:1] + step, count)[1] > 1
    assert np.isinf(relative_distance(BOX, here, NOWHERE, 20)).all()


def test_the_last_places_are_given_even_if_they_failed_and_then_there_are_none():
    levels = ew.Box({"a": {"levels": [1, 2]}, "b": {"levels": [1, 2]}})
    chooser = Chooser(CampaignSpec("c", levels, strategy="fps"))
    all = known(["done", "failed", "pending"], [[1, 1], [1, 2], [2, 1]])
    points, whys = chooser.suggest(all, NOWHERE, 0, 2)
    assert sorted(points.tolist()) == [[1, 2], [2, 2]]
    assert all_known(whys)
    with pytest.raises(Exhausted, match=r"3 experiments were asked for and 2 are left of the 4"):
        chooser.suggest(all, NOWHERE, 0, 3)


def all_known(whys):
    """Numbers of an explanation are finite or not known; JSON has no infinity."""
    return all(
        math.isnan(v) or math.isfinite(v) for why in whys for v in (why.variance, why.stretch, why.score)
    )


def test_an_infinite_score_is_not_known():
    """Before anything was measured, every point is infinitely far from it."""
    chooser = Chooser(CampaignSpec("c", BOX, strategy="fps"))
    _, whys = chooser.suggest(
        known([], np.empty((0, 2)), y=np.empty((0, 1)), noise=np.empty((0, 1))), NOWHERE, 0, 1
    )
    assert math.isnan(whys[0].score)
