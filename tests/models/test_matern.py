"""The Matern model looks ahead from what it predicts now."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.models import find_model

BOX = ew.Box.unit(2)


@pytest.mark.parametrize("noise", [None, 0.2], ids=["estimated", "known"])
def test_without_further_points_the_look_ahead_is_the_predicted_deviation(noise):
    rng = np.random.default_rng(4)
    Z, everywhere = rng.random((25, 2)), rng.random((200, 2))
    y = np.sin(5 * Z[:, 0]) + Z[:, 1] + 0.2 * rng.standard_normal(25)
    model = find_model("matern").fit_map(BOX, Z, y, None if noise is None else np.full(25, noise))
    assert model.noise_ > 0.02  # else it would not matter
    now = np.sqrt(np.mean(model.predict(everywhere, return_std=True)[1] ** 2))
    nothing = np.empty((0, 2))
    np.testing.assert_allclose(model.rolled_forward(everywhere, nothing, nothing), [now], rtol=1e-6)
