"""The error of a map, against the same model refitted without one value at a time."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from tests.maps.plain_gp import BOX, NOISE, everywhere, fixed, measured, rms


def left_out(model, Z, y):
    """Residuals of each value against the model without it, and the deviations expected of them."""
    residual, expected = [], []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        mean, deviation = fixed(model, Z[others], y[others]).predict(Z[i : i + 1], return_std=True)
        residual.append(y[i] - model.center_ - mean[0])
        expected.append(np.hypot(deviation[0], model.noise_))
    return np.array(residual), np.array(expected)


@pytest.mark.parametrize("claimed", [NOISE, NOISE / 8])
def test_the_error_is_the_models_deviation_enlarged_by_what_it_misses(claimed):
    """With too little noise claimed, the values left out lie farther away than the model expects."""
    x, y = measured()
    Z = BOX.to_cube(x)
    map = ew.build_map(BOX, x, y, noise=claimed)
    model, error = map.models[0], map.error()[0]
    residual, expected = left_out(model, Z, y)
    deviation = fixed(model, Z, y).predict(everywhere(), return_std=True)[1]
    assert error.correction == pytest.approx(max(1.0, rms(residual / expected)), rel=1e-5)
    assert error.leave_one_out == pytest.approx(rms(residual), rel=1e-5)
    assert error.model == pytest.approx(rms(deviation), rel=0.03)
    assert error.value == pytest.approx(error.correction * rms(deviation), rel=0.03)
    assert error.noise == pytest.approx(claimed)


def test_the_deviation_of_a_prediction_is_enlarged_alike():
    x, y = measured(seed=5)
    map = ew.build_map(BOX, x, y, noise=0.05)
    places = BOX.sample(20, np.random.default_rng(5))
    mean, deviation = fixed(map.models[0], BOX.to_cube(x), y).predict(BOX.to_cube(places), return_std=True)
    found, correction = map.predict(places), map.error()[0].correction
    assert correction > 1.3
    np.testing.assert_allclose(found.mean[:, 0], map.models[0].center_ + mean, rtol=1e-5)
    np.testing.assert_allclose(found.deviation[:, 0], correction * deviation, rtol=1e-3)


def test_few_values_cannot_contradict_the_model():
    x, y = measured(4)
    assert ew.build_map(BOX, x, y, noise=1e-3).error()[0].correction == 1.0
