"""What is known of the noise before a fit: repeats that refute it, beside values that are limits."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.maps.noise import borne_out
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
