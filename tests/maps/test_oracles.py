"""A map that is wrong by a fifth is noticed: by samples of a known process, and by refits without a point.

Nothing here looks at hyperparameters, so the tests hold whatever models a map is made of.
"""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.bench.functions.random_families import random_function

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
NOISE, OFFSET = 0.05, 7.0


def sample(seed, n=30):
    """A draw of a Matern process of unit deviation around 7, measured with noise; and the same without."""
    function = random_function("isotropic", 2, seed)
    rng = np.random.default_rng(seed)
    x = BOX.sample(n, rng)
    y = OFFSET + function(BOX.to_cube(x)) + NOISE * rng.standard_normal(n)
    return x, y, lambda points: OFFSET + function(BOX.to_cube(points))


@pytest.fixture(scope="module")
def judged():
    """Predictions of twelve maps at 300 places each: mean, deviation and truth, in rows."""
    found = []
    for seed in range(12):
        x, y, truth = sample(seed)
        places = BOX.sample(300, np.random.default_rng(100 + seed))
        prediction = ew.build_map(BOX, x, y, noise=NOISE).predict(places)
        found.append((prediction.mean[:, 0], prediction.deviation[:, 0], truth(places)))
    return np.array(found)


def test_the_mean_is_the_truth_up_to_the_deviation(judged):
    """A mean times 0.8 would have slope 0.8 and miss by a fifth of the offset."""
    mean, _, truth = (judged[:, i].ravel() for i in range(3))
    assert np.sqrt(np.mean((mean - truth) ** 2)) < 0.35 * truth.std()
    assert np.polyfit(truth - OFFSET, mean - OFFSET, 1)[0] == pytest.approx(1.0, abs=0.1)
    assert (mean - truth).mean() == pytest.approx(0.0, abs=0.1)


def test_the_deviation_is_as_large_as_what_is_missed(judged):
    """Over many functions and places: a deviation that is half or twice as large would not be."""
    z = [(truth - mean) / deviation for mean, deviation, truth in judged]
    assert 0.7 < np.sqrt(np.mean(np.square(z))) < 1.4
    # Half of the places lie within 0.67 deviations if these are right, 0.83 of them if they are doubled.
    assert 0.4 < np.mean(np.abs(z) < 0.674) < 0.72


def test_leaving_one_out_is_what_refitting_without_it_gives():
    """Each value in turn against a map that never saw it; hyperparameters may move a little."""
    x, y, _ = sample(3, 40)
    map = ew.build_map(BOX, x, y, noise=NOISE)
    residual, deviation = map.models[0].leave_one_out()
    again, expected = [], []
    for i in range(0, 40, 2):
        mean, sd = map.without([i]).models[0].predict(BOX.embed(x[[i]]), return_std=True)
        again.append(y[i] - mean[0])
        expected.append(np.hypot(sd[0], NOISE))
    assert np.sum(residual[::2] * again) / np.sum(np.square(again)) == pytest.approx(1.0, abs=0.15)
    assert np.corrcoef(residual[::2], again)[0, 1] > 0.97
    assert np.median(deviation[::2] / expected) == pytest.approx(1.0, abs=0.1)
