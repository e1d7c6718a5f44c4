"""What a map says of itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import equiwarp as ew

BOX = ew.Box({"temperature": {"low": 20, "high": 90, "unit": "°C"}, "pH": (3, 9)})


def two_responses():
    x = BOX.sample(12, np.random.default_rng(0))
    y = np.column_stack([np.sin(x[:, 0] / 20), x[:, 1]])
    return ew.build_map(BOX, x, y, noise=0.05, pending=BOX.sample(3, np.random.default_rng(1)))


def test_print_shows_a_summary_and_no_arrays():
    map = two_responses()
    first, second = map.error()
    assert str(map).splitlines() == [
        f"Map from 12 measurements (3 pending) over {BOX!r}",
        f"  value1: error {first.value:.4g}, leave-one-out {first.leave_one_out:.4g}, noise 0.05",
        f"  value2: error {second.value:.4g}, leave-one-out {second.leave_one_out:.4g}, noise 0.05",
    ]
    assert repr(map) == f"Map(2 responses, 12 measurements (3 pending), {BOX!r})"


def test_the_error_is_the_models_times_the_correction():
    for error in two_responses().error():
        assert error.value == error.model * error.correction
        assert error.low < error.value < error.high


def test_a_band_has_the_quantiles_of_a_t_distribution_with_the_maps_deviation():
    predicted = ew.build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.01).predict(
        [[0.7]]
    )
    drawn = stats.t(5).rvs(200_000, random_state=0) * np.sqrt(3 / 5)  # of deviation 1
    for share in (0.5, 0.8, 0.95):
        low, high = ((end - predicted.mean) / predicted.deviation for end in predicted.band(share))
        assert np.mean((low[0, 0] < drawn) & (drawn < high[0, 0])) == pytest.approx(share, abs=0.004)


@pytest.mark.parametrize("share", [0, 1, 1.5, -0.1, float("nan"), "half", None])
def test_a_band_of_no_share_is_refused(share):
    predicted = ew.build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.01).predict(
        [[0.7]]
    )
    with pytest.raises(ew.InvalidInput, match="above 0 and below 1"):
        predicted.band(share)


def _two_responses(x):
    return np.column_stack([x[:, 0], x[:, 1] ** 2 + x[:, 0]])


@pytest.mark.parametrize("prior", [None, _two_responses], ids=["plain", "prior"])
def test_a_map_says_how_many_of_its_models_are_fitted(prior):
    box, told = ew.Box.unit(2), []
    x = box.sample(12, np.random.default_rng(1))
    both = ("matern", "additive")
    made = ew.build_map(
        box, x, _two_responses(x), 0.1, models=both, prior=prior, progress=lambda *far: told.append(far)
    )
    total = 2 * 2 * (1 if prior is None else 2)
    assert told == [(i + 1, total) for i in range(total)]
    told.clear()
    made.sensitivity(progress=lambda *far: told.append(far))
    assert told == [(i + 1, 10) for i in range(10)]


@pytest.mark.parametrize("dose", [0.0, -1.0])
def test_a_point_that_a_log_scale_has_no_place_for_is_refused_in_words_alone(dose):
    """Not by a warning of NumPy."""
    doses = ew.Box({"dose": {"low": 1e-3, "high": 10, "scale": "log"}})
    with pytest.raises(ew.InvalidInput, match="cannot be placed on the domain's scale"):
        ew.build_map(doses, [[dose]], [1.0])


@pytest.mark.parametrize(("high", "far"), [(1.0, 1e300), (1e-60, 1e90)])
def test_a_point_whose_distances_are_infinite_is_refused(high, far):
    with pytest.raises(ew.InvalidInput, match="cannot be placed on the domain's scale"):
        ew.build_map(ew.Box({"x": (0, high)}), [[0.0], [far]], [1.0, 2.0])
    assert len(ew.build_map(ew.Box({"x": (-far, far)}), [[0.0], [far]], [1.0, 2.0], noise=0.1).x) == 2
