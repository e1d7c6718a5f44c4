"""Measured against predicted is what a map without the value says."""

from __future__ import annotations

import numpy as np

import equiwarp as ew
from equiwarp.maps.left_out import left_out_of


def test_each_value_is_predicted_from_the_others(rng):
    box = ew.Box.unit(1)
    x = np.linspace(0, 1, 14)[:, None]
    y = np.column_stack([np.sin(4 * x[:, 0]), 2 + x[:, 0]]) + rng.normal(0, 0.02, (14, 2))
    y[3, 1] = np.nan
    fitted = ew.build_map(box, x, y, noise=0.02, models="matern", responses=["wave", "line"])
    wave, line = left_out_of(fitted)
    assert (wave.response, line.response) == ("wave", "line")
    np.testing.assert_array_equal(line.rows, [0, 1, 2, *range(4, 14)])
    for one, j in ((wave, 0), (line, 1)):
        np.testing.assert_array_equal(one.measured, y[one.rows, j])
        for k in (5, 8):  # inside, where hyperparameters that are fitted again say nearly the same
            row = int(one.rows[k])
            said = fitted.without([row]).models[j].predict(box.embed(x[[row]]), return_std=True)
            np.testing.assert_allclose(one.predicted[k], said[0][0], atol=0.01)
            np.testing.assert_allclose(one.deviation[k], np.hypot(said[1][0], 0.02), rtol=0.15)
    np.testing.assert_allclose(wave.z, (wave.measured - wave.predicted) / wave.deviation)
    assert 0.7 < wave.within <= 1.0


def test_a_wrong_value_stands_out(rng):
    x = np.linspace(0, 1, 16)[:, None]
    y = np.sin(4 * x[:, 0]) + rng.normal(0, 0.02, 16)
    y[7] += 1.0
    (left,) = left_out_of(ew.build_map(ew.Box.unit(1), x, y, noise=0.02))
    assert int(np.argmax(np.abs(left.z))) == 7
