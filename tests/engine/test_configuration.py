"""What a run fixes, and how values reach the acquisition GP."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.engine.configuration import POOL_SIZE, TARGET_COUNT, prepare, probe_count
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import Round
from tests.cases import DOMAINS, configuration_of, measurements_of

BOX = ew.Box.unit(2)


def test_a_setting_has_the_papers_sizes():
    configuration = prepare(BOX, "equiwarp", 5)
    assert configuration.pool.shape == (POOL_SIZE, 2) == (4096, 2)
    assert configuration.probes.shape == (8192, 2)
    assert configuration.targets.shape == (TARGET_COUNT, 2) == (1024, 2)
    assert configuration.lengthscale == pytest.approx(20**-0.5)
    assert [probe_count(d) for d in (1, 3, 4, 6)] == [8192, 8192, 16384, 16384]


def test_pool_probes_and_targets_are_different_points_of_the_seed():
    first, again, other = prepare(BOX, "eig", 1), prepare(BOX, "equiwarp", 1), prepare(BOX, "eig", 2)
    for field in ("pool", "probes", "targets"):
        np.testing.assert_array_equal(getattr(first, field), getattr(again, field))
        assert not np.allclose(getattr(first, field), getattr(other, field))
    assert not np.allclose(first.pool[:1024], first.targets)
    assert not np.allclose(first.pool, first.probes[:4096])


def test_a_lengthscale_and_a_pool_of_ones_own():
    pool = BOX.sample(64, np.random.default_rng(0))
    configuration = prepare(BOX, "eig", lengthscale=0.3, pool=pool)
    assert configuration.lengthscale == 0.3
    np.testing.assert_array_equal(configuration.pool, pool)


def test_taken_finds_pool_points_and_only_those():
    configuration = configuration_of("eig", DOMAINS["square"], pool=50)
    x = np.vstack([configuration.pool[[3, 7]], configuration.pool[9] * (1 + 1e-14), [[50.0, 5.0]]])
    np.testing.assert_array_equal(np.sort(configuration.taken(x)), [3, 7, 9])
    assert len(configuration.taken(np.empty((0, 2)))) == 0


def test_values_are_centred_and_scaled_by_the_sample():
    measurements = measurements_of(BOX, k=2)
    values = Round(
        configuration_of("eig", BOX), replace(measurements, y=measurements.y * [10, 0.1] + 5)
    ).values
    np.testing.assert_allclose(values.y.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(values.y.std(axis=0), 1)
    assert not values.estimated


def test_a_fixed_deviation_scales_values_and_noise():
    measurements = measurements_of(BOX)
    values = Round(configuration_of("eig", BOX, response_scale=np.array([2.0])), measurements).values
    np.testing.assert_allclose(values.y, (measurements.y - measurements.y.mean()) / 2)
    np.testing.assert_allclose(values.noise_var, (0.05 / 2) ** 2)
    assert values.typical_noise == pytest.approx(0.025)


def test_noise_of_several_responses_is_their_mean_square():
    measurements = measurements_of(BOX, k=2)
    noisy = replace(measurements, noise=np.tile([0.1, 0.3], (measurements.n, 1)))
    values = Round(configuration_of("eig", BOX, response_scale=np.array([1.0, 2.0])), noisy).values
    np.testing.assert_allclose(values.noise_var, (0.1**2 + 0.15**2) / 2)


def test_a_constant_response_is_exactly_zero_whatever_its_size():
    measurements = measurements_of(BOX)
    for constant in (0.0, 0.1, 1e10 / 3, -1e300, 1e-300):
        values = Round(
            configuration_of("eig", BOX), replace(measurements, y=np.full((measurements.n, 1), constant))
        ).values
        np.testing.assert_array_equal(values.y, 0.0)
        np.testing.assert_allclose(values.noise_var, 0.05**2)


def test_missing_noise_is_estimated_and_says_so():
    measurements = measurements_of(DOMAINS["square"], n=60, noise=None)
    values = Round(configuration_of("eig", DOMAINS["square"]), measurements).values
    assert values.estimated
    assert 0.01 < values.typical_noise < 0.2
    np.testing.assert_allclose(values.noise_var, values.typical_noise**2)


@pytest.mark.parametrize("noise", [None, 0.05])
def test_nothing_measured_assumes_five_percent(noise):
    values = Round(configuration_of("eig", BOX), Measurements.of(BOX, [], [], noise)).values
    assert values.typical_noise == 0.05
    assert values.y.shape == (0, 1)
