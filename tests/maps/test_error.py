"""The error of a map, against the same model refitted without one value at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import equiwarp as ew
from equiwarp.bench.functions.random_families import random_function
from equiwarp.maps.error import CORRECTION_PRIOR, correction, shares
from tests.maps.plain_gp import BOX, NOISE, centre, everywhere, fixed, measured, plain_map, rms


def left_out(map, Z, y):
    """Residuals of each value against the model without it, and the deviations expected of them."""
    residual, expected = [], []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        mean, deviation = fixed(map, Z[others], y[others]).predict(Z[i : i + 1], return_std=True)
        residual.append(y[i] - centre(map) - mean[0])
        expected.append(np.hypot(deviation[0], map.models[0].noise_))
    return np.array(residual), np.array(expected)


def by_bayes(residual, expected, noise, share, dim):
    """The root of the mean square of c, by quadrature over its posterior density."""
    missed = residual**2 * (1 + CORRECTION_PRIOR.freedom * dim / len(residual))
    of_function = expected**2 - noise**2
    weight = share / np.sum(share) / np.sum((share / np.sum(share)) ** 2)
    prior, part = CORRECTION_PRIOR, float(np.average(of_function / expected**2, weights=share))
    center = part * prior.expected + (1 - part) * prior.amid_noise

    def density(g):
        variance = math.exp(2 * g) * of_function + noise**2
        fit = -0.5 * float(weight @ (missed / variance + np.log(variance / expected**2)))
        return math.exp(fit - 0.5 * ((g - center) / prior.spread) ** 2)

    whole = quad(density, -3, 1.5, limit=200)[0]
    return math.sqrt(quad(lambda g: math.exp(2 * g) * density(g), -3, 1.5, limit=200)[0] / whole)


@pytest.mark.parametrize("claimed", [NOISE, NOISE / 8])
def test_the_error_is_the_models_deviation_corrected_by_what_it_misses(claimed):
    """With too little noise claimed, the values left out lie farther away than the model expects."""
    x, y = measured()
    Z = BOX.to_cube(x)
    map = plain_map(x, y, noise=claimed)
    error = map.error()[0]
    residual, expected = left_out(map, Z, y)
    nearest = np.argmin(((everywhere()[:, None] - Z) ** 2).sum(axis=2), axis=1)
    share = np.bincount(nearest, minlength=len(Z)) / len(nearest)
    factor = by_bayes(residual, expected, claimed, share, 2)
    deviation = fixed(map, Z, y).predict(everywhere(), return_std=True)[1]
    assert error.correction == pytest.approx(factor, rel=0.02)
    assert error.leave_one_out == pytest.approx(rms(residual), rel=1e-4)
    assert error.model == pytest.approx(rms(deviation), rel=0.03)
    assert error.value == pytest.approx(factor * rms(deviation), rel=0.04)
    assert error.low < 0.75 * error.value < error.high / 1.7
    assert error.noise == pytest.approx(claimed)


def test_the_correction_goes_both_ways():
    rng = np.random.default_rng(2)
    expected, share = np.full(200, 2.0), np.full(200, 1 / 200)
    residual = expected * rng.standard_normal(200)
    found = [correction(f * residual, expected, np.full(200, 1e-3), share, 1) for f in (0.5, 1.0, 2.0)]
    np.testing.assert_allclose(found, [0.5, 1.0, 2.0], rtol=0.12)
    # A value that hardly any part of the domain is nearest to hardly counts.
    crowded = np.where(np.arange(200) < 100, 1e-6, 1.0)
    residual[:100] *= 10
    assert correction(residual, expected, np.full(200, 1e-3), crowded, 1) < 1.3


def test_noise_is_not_taken_for_error():
    """Where every residual is noise alone, the map is far better than the model thinks."""
    rng = np.random.default_rng(2)
    noise, expected = np.ones(300), np.full(300, math.sqrt(2.0))
    found = correction(rng.standard_normal(300), expected, noise, np.full(300, 1 / 300), 2)
    assert found < 0.6


def test_replicates_share_their_part_of_the_domain():
    Z = np.array([[0.25], [0.75], [0.75]])
    places = np.linspace(0, 1, 1001)[:, None]
    np.testing.assert_allclose(shares(Z, places), [0.5, 0.25, 0.25], atol=2e-3)


def test_measuring_the_same_again_does_not_make_the_map_look_better_elsewhere():
    x, y = measured(20)
    once = plain_map(x, y, noise=NOISE).error()[0]
    twice = plain_map(np.vstack([x, x]), np.append(y, y), noise=NOISE).error()[0]
    assert twice.leave_one_out > 0.8 * once.leave_one_out


def test_the_deviation_of_a_prediction_is_corrected_alike():
    x, y = measured(seed=5)
    map = plain_map(x, y, noise=0.05)
    places = BOX.sample(20, np.random.default_rng(5))
    mean, deviation = fixed(map, BOX.to_cube(x), y).predict(BOX.to_cube(places), return_std=True)
    found, factor = map.predict(places), map.error()[0].correction
    assert abs(factor - 1) > 0.1
    np.testing.assert_allclose(found.mean[:, 0], centre(map) + mean, rtol=1e-5)
    np.testing.assert_allclose(found.deviation[:, 0], factor * deviation, rtol=1e-3)


def test_few_values_cannot_contradict_the_model():
    x, y = measured(4)
    found = {ew.build_map(BOX, x, s * y, noise=1e-3).error()[0].correction for s in (1.0, 0.1)}
    assert len(found) == 1
    assert found.pop() > 1


def test_the_estimate_is_right_in_the_mean_of_random_functions():
    """What the whole estimate is for: wrong by a factor of 1.5 in the mean, and this fails."""
    box, ratios = ew.Box.unit(2), []
    places = box.sample(1000, np.random.default_rng(1))
    for seed, family in enumerate(("isotropic", "anisotropic", "additive", "smooth", "local") * 2):
        f, rng = random_function(family, 2, 1000 + seed), np.random.default_rng(seed)
        x = box.sample(45, rng)
        map = ew.build_map(box, x, f(x) + 0.05 * rng.standard_normal(45), noise=0.05)
        ratios.append(map.error()[0].value / rms(map.predict(places).mean[:, 0] - f(places)))
    assert 0.8 < np.exp(np.mean(np.log(ratios))) < 1.25


def test_the_values_of_one_place_say_as_much_as_one():
    """They leave together and miss together: as one residual, the root of the mean of their squares."""
    rng = np.random.default_rng(4)
    x = np.repeat(BOX.sample(8, rng), 4, axis=0)
    y = np.sin(x[:, 0] / 9) + x[:, 1] + 0.3 * rng.standard_normal(len(x))
    map = ew.build_map(BOX, x, y, noise=0.3, models="matern")
    error, model = map.error()[0], map.models[0]
    residual, expected = model.leave_one_out()
    rows = np.arange(len(x)).reshape(8, 4)
    missed = np.sqrt(np.mean((residual / expected)[rows] ** 2, axis=1))
    noise = np.sqrt(np.mean((0.3 / expected)[rows] ** 2, axis=1))
    share = shares(BOX.embed(x), map.everywhere)[rows].sum(axis=1)
    assert share.sum() == pytest.approx(1.0)
    expected_factor = by_bayes(missed, np.ones(8), noise, share, 2)
    assert error.correction == pytest.approx(expected_factor, rel=0.01)
    assert error.high / error.value == pytest.approx(math.exp(1.2816 * math.sqrt(0.09 + 2.5 / 8)))
    forecast = map.forecast(1)
    assert forecast.low[0, 0] == pytest.approx(error.low)
    assert forecast.high[0, 0] == pytest.approx(error.high)


def test_repeats_of_two_places_do_not_vouch_for_the_rest_of_the_domain():
    """They scatter little, and say nothing of what lies between: the model's own error is enlarged."""
    x = np.repeat([[0.2], [0.8]], 6, axis=0)
    y = np.tile([0.0, 0.01, -0.01], 4)
    error = ew.build_map(ew.Box.unit(1), x, y, noise=0.01).error()[0]
    assert error.correction > 1.0
