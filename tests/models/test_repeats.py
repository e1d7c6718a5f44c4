"""Stated noise that repeats refute is raised to what they show; all other noise is left as it is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

import equiwarp as ew
from equiwarp.models.repeats import Repeats, credible_noise

BOX = ew.Box.unit(2)
TRUE = 0.1


def function(x):
    return np.sin(5 * x[:, 0]) + x[:, 1]


def data(seed, places=14, again=6):
    rng = np.random.default_rng(seed)
    x = BOX.sample(places, rng)
    x = np.vstack([x, x[:again]])
    return x, function(x) + TRUE * rng.standard_normal(len(x))


def deviation_from_truth(map):
    x = BOX.sample(2000, np.random.default_rng(9))
    return float(np.sqrt(np.mean((map.predict(x).mean[:, 0] - function(x)) ** 2)))


@pytest.mark.parametrize("stated", [0.0, 1e-4, 1e-2])
@pytest.mark.parametrize("seed", range(4))
def test_a_map_with_refuted_noise_is_about_as_good_as_one_with_estimated_noise(seed, stated):
    x, y = data(seed)
    wrong, free = (ew.build_map(BOX, x, y, noise=noise) for noise in (stated, None))
    assert 0.5 < wrong.error()[0].value / free.error()[0].value < 2
    assert 0.5 < deviation_from_truth(wrong) / deviation_from_truth(free) < 2


@pytest.mark.parametrize("stated", [0.06, 0.1, 0.5])
def test_noise_that_repeats_do_not_refute_is_the_same_array(stated):
    x, y = data(0)
    noise = np.full(len(y), stated)
    assert credible_noise(x, y, noise) is noise
    assert credible_noise(x[:14], y[:14], 0 * noise[:14]).max() == 0.0  # nothing was repeated
    assert credible_noise(x[:1], y[:1], noise[:1]) is not None


def test_it_is_raised_to_the_scatter_of_all_repeats():
    x, y = data(0)
    half = (y[:6] - y[14:]) / 2
    scatter = np.sqrt(np.sum(2 * half**2) / 6)
    for stated in (0.0, 1e-3):
        assert credible_noise(x, y, np.full(20, stated)) == pytest.approx(np.full(20, scatter))


def test_one_place_that_differs_is_taken_for_noisier_alone():
    x, y = data(0)
    y[14] = y[0] + 5
    raised = credible_noise(x, y, np.full(20, TRUE))
    assert raised[[0, 14]] == pytest.approx(5 / np.sqrt(2))
    assert (np.delete(raised, [0, 14]) == TRUE).all()


def test_such_a_place_does_not_make_all_others_noisy():
    x, y = data(0)
    others = credible_noise(x, np.where(np.arange(20) == 14, y[0], y), np.full(20, 1e-3))[1]
    y[14] = y[0] + 5
    raised = credible_noise(x, y, np.full(20, 1e-3))
    assert raised[[0, 14]] == pytest.approx(5 / np.sqrt(2))
    assert (np.delete(raised, [0, 14]) < 2 * others).all()


def test_a_value_of_much_less_noise_is_raised_by_no_larger_factor():
    """Repeats of a poor instrument say little of a good one."""
    x, y = data(0)
    noise = np.full(20, TRUE / 5)
    noise[10] = TRUE / 500
    noise[11] = 50.0
    raised = credible_noise(x, y, noise)
    assert raised[10] / noise[10] == pytest.approx(raised[0] / noise[0])
    assert raised[11] == 50.0


def test_refuting_is_rare_where_the_noise_is_right():
    rng = np.random.default_rng(0)
    x = np.repeat(np.arange(8.0)[:, None], 2, axis=0)
    said = [Repeats.of(x, y, np.ones(16)).refute for y in rng.standard_normal((2000, 16))]
    assert np.mean(said) < 0.003


def test_the_probability_is_that_of_a_chi_square_test_place_by_place():
    rng = np.random.default_rng(1)
    x = np.repeat([0.0, 1.0, 2.0, 3.0], [3, 1, 2, 4])[:, None]
    y, noise = rng.standard_normal(10) + 10 * x[:, 0], rng.uniform(0.5, 2, 10)
    repeats = Repeats.of(x, y, noise)
    groups = [np.flatnonzero(x[:, 0] == place) for place in (0, 2, 3)]
    away = np.concatenate([y[rows] - y[rows].mean() for rows in groups])
    rows = np.concatenate(groups)
    assert repeats.rows.tolist() == rows.tolist()
    ratio = np.sum((away / noise[rows]) ** 2)
    assert repeats.freedom.sum() == 6
    assert repeats.scatter == pytest.approx(np.sqrt(np.sum(away**2) / 6))
    assert repeats.excess == pytest.approx(np.sqrt(ratio / 6))
    assert repeats.probability == pytest.approx(2 * min(chi2.sf(ratio, 6), chi2.cdf(ratio, 6)))
    fewer = repeats.without(1)
    assert fewer.rows.tolist() == [*groups[0], *groups[2]]
    assert fewer.relative.sum() == pytest.approx(np.sum((away / noise[rows])[[0, 1, 2, 5, 6, 7, 8]] ** 2))
    assert set(fewer.place.tolist()) == {0, 1}
