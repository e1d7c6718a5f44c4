"""What is known of the noise before a fit: repeats that refute it, beside values that are limits."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.maps.noise import KnownNoise, borne_out
from equiwarp.models.repeats import credible_noise

Z = np.array([[0.1], [0.1], [0.5], [0.5], [0.7], [0.9]])
Y = np.array([1.0, 2.0, 3.0, 4.5, 2.0, 1.0])
STATED = np.full(6, 1e-3)


def test_repeats_raise_the_noise_and_not_the_width_of_limits():
    width = np.array([0.0, 0.0, 0.0, 0.0, 0.4, 0.0])
    found = borne_out(Z, Y, STATED, width)
    whole = credible_noise(Z, Y, np.hypot(STATED, width))
    assert whole[0] > 100 * STATED[0]  # else nothing was raised
    np.testing.assert_allclose(np.hypot(found, width), whole, rtol=1e-6)
    assert found[4] < 0.9 * whole[4]  # of the limit, its width is added once
    np.testing.assert_array_equal(borne_out(Z, Y, STATED, None), credible_noise(Z, Y, STATED))


@pytest.mark.parametrize("width", [None, np.array([0.0, 0.0, 0.0, 0.0, 0.4, 0.0])])
def test_without_repeats_or_with_repeats_that_agree_it_is_what_was_stated(width):
    apart = np.linspace(0, 1, 6)[:, None]
    assert borne_out(apart, Y, STATED, width) is STATED
    calm = np.full(6, 1.0)
    np.testing.assert_array_equal(borne_out(Z, Y, calm, width), calm)


@pytest.mark.parametrize("noise", [0.01, None])
def test_the_noise_of_a_measurement_is_not_that_of_limits(noise):
    """However many values are limits, the next measurement has the noise that was stated or found."""
    box = ew.Box.unit(1)
    x = box.sample(24, np.random.default_rng(0))
    y = np.sin(5 * x[:, 0]) + 0.01 * np.random.default_rng(1).standard_normal(24)
    limit = y < np.sort(y)[16]
    width = np.where(limit, 0.5, 0.0)[:, None]
    stated = None if noise is None else np.full((24, 1), noise)
    map = ew.build_map(box, x, y, KnownNoise(stated, width), models="matern")
    assert map.error()[0].noise == pytest.approx(0.01, rel=1e-6 if noise else 1.0)
    np.testing.assert_allclose(map.assumed_noise(0)[limit], np.hypot(map.error()[0].noise, 0.5))
