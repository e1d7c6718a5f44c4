"""Values of any size: what a map says of them follows their unit, however small."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp._util.magnitude import SMALL, unit_of
from equiwarp.maps.error import root_mean_square
from equiwarp.models.rescaled import Rescaled
from tests.maps.plain_gp import BOX, NOISE, measured

#: Numbers of findings that are in the unit of the values.
IN_ITS_UNIT = {
    *("value", "predicted", "deviation", "error", "error_without", "scatter", "noise", "change"),
    *("stated", "estimated", "low", "high"),
}
UNITS = [1e-120, 1e-150, 1e-200, 1e-280]


def mapped(unit, noise=NOISE, **more):
    x, y = measured(20)
    return ew.build_map(BOX, x, y * unit, noise=None if noise is None else noise * unit, **more)


@pytest.fixture(scope="module")
def usual():
    return mapped(1.0)


@pytest.mark.parametrize("unit", UNITS)
def test_the_error_and_its_forecast_follow_the_unit(usual, unit):
    tiny, known = mapped(unit), usual.error()[0]
    for name in ("value", "low", "high", "model", "leave_one_out", "noise"):
        assert getattr(tiny.error()[0], name) / unit == pytest.approx(getattr(known, name), rel=1e-4)
    assert tiny.error()[0].correction == pytest.approx(known.correction, rel=1e-4)
    assert np.asarray(tiny.forecast(3)) / unit == pytest.approx(np.asarray(usual.forecast(3)), rel=1e-3)


@pytest.mark.parametrize("unit", UNITS)
def test_predictions_and_draws_follow_the_unit(usual, unit):
    points = BOX.sample(5, np.random.default_rng(1))
    tiny, known = mapped(unit).predict(points), usual.predict(points)
    assert tiny.mean / unit == pytest.approx(known.mean, rel=1e-4)
    assert tiny.deviation / unit == pytest.approx(known.deviation, rel=1e-3)
    drawn = [m.models[0].draw(m.coordinates(points), 3) / u for m, u in ((mapped(unit), unit), (usual, 1.0))]
    assert drawn[0] == pytest.approx(drawn[1], rel=1e-2)


def test_noise_that_is_estimated_follows_it_too():
    tiny, usual = (mapped(unit, None).error()[0].noise / unit for unit in (1e-200, 1.0))
    assert tiny == pytest.approx(usual, rel=1e-2)


def test_so_does_noise_that_repeats_refute():
    x, y = measured(12)
    x, y = np.vstack([x, x[:6]]), np.append(y, y[:6] + NOISE * np.array([1, -2, 1, 2, -1, 2]))
    tiny, usual = (ew.build_map(BOX, x, y * u, 0.0).credible_noise[0] / u for u in (1e-200, 1.0))
    assert usual.min() > 0.3 * NOISE
    assert tiny == pytest.approx(usual)


def test_a_prior_is_read_in_the_same_unit():
    def prior(x):
        return np.cos(x[:, 0] / 9)

    known = mapped(1.0, prior=prior)
    tiny = mapped(1e-200, prior=lambda x: 1e-200 * prior(x))
    assert tiny.error()[0].value / 1e-200 == pytest.approx(known.error()[0].value, rel=1e-3)
    points = BOX.sample(5, np.random.default_rng(1))
    assert tiny.predict(points).mean / 1e-200 == pytest.approx(known.predict(points).mean, rel=1e-3)


def faulty(fault):
    """Values that something is to be said of, and their stated noise."""
    x, y = measured(40)
    rng = np.random.default_rng(3)
    if fault == "contradicted":
        y[7] += 10 * y.std()
    if fault == "replicates":
        x, y = np.vstack([x, x[:8]]), np.append(y, y[:8] + 20 * NOISE * rng.standard_normal(8))
    if fault == "drift":
        y += np.linspace(0, 2 * y.std(), len(y))
    if fault == "no structure":
        y = rng.standard_normal(len(y))
    return x, y, None if fault == "no structure" else NOISE


@pytest.mark.parametrize("fault", ["contradicted", "replicates", "drift", "no structure"])
def test_what_is_noticed_follows_it_in_kind_and_number(fault):
    x, y, noise = faulty(fault)
    usual, tiny = (
        ew.build_map(BOX, x, y * unit, None if noise is None else noise * unit).diagnostics()
        for unit in (1.0, 2.0**-650)
    )
    assert fault in [finding.kind for finding in usual]
    assert [finding.kind for finding in tiny] == [finding.kind for finding in usual]
    for one, other in zip(usual, tiny, strict=True):
        for name, number in one.numbers.items():
            unit = 2.0**-650 if name in IN_ITS_UNIT else 1.0
            assert other.numbers[name] / unit == pytest.approx(number, rel=0.01), name


def test_only_very_small_values_have_a_unit_of_their_own():
    y = np.array([3.0, -5.0])
    assert unit_of(y, None) == unit_of(0 * y, None) == unit_of(0 * y, 0 * y) == 1.0
    assert unit_of(SMALL * y, None) == 1.0
    assert unit_of(1e-200 * y, np.array([1.0, 1.0])) == 1.0
    unit = unit_of(1e-200 * y, None)
    assert 0.5 < unit / 5e-200 <= 1.0
    assert np.log2(unit).is_integer()
    assert unit_of(np.array([5e-324]), None) == 5e-324
    assert not isinstance(mapped(1.0).models[0], Rescaled)
    assert isinstance(mapped(1e-200).models[0], Rescaled)


def test_the_root_of_the_mean_square_has_room_for_any_size():
    values = np.random.default_rng(0).standard_normal(99)
    assert root_mean_square(values) == np.sqrt(np.mean(values**2))
    assert root_mean_square(1e-200 * values) == pytest.approx(1e-200 * root_mean_square(values), rel=1e-12)
    assert root_mean_square(1e200 * values) == pytest.approx(1e200 * root_mean_square(values), rel=1e-12)
    assert root_mean_square(0 * values) == 0.0
    assert np.isnan(root_mean_square(values * np.nan))
