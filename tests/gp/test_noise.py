"""The noise estimate: replicates first, likelihood otherwise, a default when there is nothing."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.gp.noise import DEFAULT_SHARE, estimate_noise, replicate_variance


def f(Z):
    return np.sin(5 * Z[:, 0]) + Z[:, 1] ** 2


@pytest.mark.parametrize("sigma", [0.03, 0.1, 0.4])
def test_without_replicates_the_likelihood_finds_the_noise(sigma, rng):
    Z = rng.random((150, 2))
    y = f(Z) + sigma * rng.standard_normal(150)
    assert estimate_noise(Z, y, 0.2) == pytest.approx(sigma, rel=0.4)


def test_a_smooth_noise_free_response_is_called_quiet(rng):
    Z = rng.random((100, 2))
    assert estimate_noise(Z, f(Z), 0.2) < 0.02


def test_pure_noise_is_called_noise(rng):
    y = rng.standard_normal(100)
    assert estimate_noise(rng.random((100, 2)), y, 0.2) > 0.6


def test_replicates_speak_for_themselves(rng):
    Z = np.repeat(rng.random((10, 2)), 4, axis=0)
    noise = 0.2 * rng.standard_normal(40)
    expected = np.sqrt(np.sum((noise - np.repeat(noise.reshape(10, 4).mean(axis=1), 4)) ** 2) / 30)
    assert estimate_noise(Z, 100 * np.repeat(rng.random(10), 4) + noise, 0.2) == pytest.approx(expected)


def test_replicate_variance_pools_groups_of_different_size():
    Z = np.array([[0.0], [0.0], [0.5], [0.5], [0.5], [1.0]])
    variance, freedom = replicate_variance(Z, np.array([1.0, 3.0, 0.0, 0.0, 3.0, 9.0]))
    assert freedom == 3
    assert variance == pytest.approx((2 + 6) / 3)
    assert replicate_variance(Z[[0, 2]], np.array([1.0, 2.0])) == (0.0, 0)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_too_few_values_get_the_default_share(n, rng):
    y = rng.standard_normal(n)
    assert estimate_noise(rng.random((n, 2)), y, 0.2) == pytest.approx(DEFAULT_SHARE * np.std(y))


def test_constant_values_have_no_noise_to_estimate(rng):
    assert estimate_noise(rng.random((30, 2)), np.full(30, 4.0), 0.2) == 0.0


def test_the_estimate_scales_with_the_values(rng):
    Z = rng.random((60, 2))
    y = f(Z) + 0.1 * rng.standard_normal(60)
    assert estimate_noise(Z, 1000 * y, 0.2) == pytest.approx(1000 * estimate_noise(Z, y, 0.2), rel=1e-6)


def test_many_values_are_thinned_and_still_answer(rng):
    Z = rng.random((1500, 2))
    assert estimate_noise(Z, f(Z) + 0.1 * rng.standard_normal(1500), 0.1) == pytest.approx(0.1, rel=0.4)
