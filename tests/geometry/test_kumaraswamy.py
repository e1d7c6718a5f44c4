"""The trained warp: analytic gradient, bounds, and that training pays."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.geometry.kumaraswamy import LARGEST_SHAPE, LEAST_SHAPE, KumaraswamyWarp, likelihood
from equiwarp.gp.fast.likelihood import RepeatedLikelihood
from equiwarp.gp.kernels import Matern52
from tests.cases import DOMAINS, measurements_of
from tests.reference.gp import gradient, log_likelihood, matern52

KERNEL = Matern52(0.3)


def warp_likelihood(warp, x, y, noise_var):
    return log_likelihood(lambda A, B: matern52(A, B, KERNEL.ell), warp(x), y, noise_var)


@pytest.mark.parametrize("place", ["line", "square", "stepped", "S2"])
def test_the_likelihood_gradient_is_the_derivative(place, rng):
    domain = DOMAINS[place]
    measurements = measurements_of(domain, n=14, k=2)
    u = np.clip(domain.to_cube(measurements.x), 0.02, 0.98)
    noise_var = np.full(14, 0.01)

    values = RepeatedLikelihood(KERNEL, measurements.y, noise_var)

    def value(theta):
        return likelihood(theta, domain, values, u)[0]

    theta = 0.5 * rng.standard_normal(2 * domain.dim)
    analytic = likelihood(theta, domain, values, u)[1]
    np.testing.assert_allclose(analytic, gradient(value, theta), rtol=1e-4, atol=1e-4)


def test_the_likelihood_is_that_of_the_dense_oracle():
    domain = DOMAINS["square"]
    measurements = measurements_of(domain, n=12)
    noise_var = np.full(12, 0.01)
    identity = np.full(4, np.log((1 - LEAST_SHAPE) / (LARGEST_SHAPE - 1)))
    values = RepeatedLikelihood(KERNEL, measurements.y, noise_var)
    found = likelihood(identity, domain, values, domain.to_cube(measurements.x))[0]
    ones = np.ones(2)
    expected = warp_likelihood(KumaraswamyWarp(domain, ones, ones), measurements.x, measurements.y, noise_var)
    assert found == pytest.approx(expected, abs=1e-6)


def test_training_raises_the_likelihood_and_stays_within_bounds(rng):
    domain = ew.Box.unit(1)
    x = np.linspace(0.01, 0.99, 40)[:, None]
    y = np.sin(12 * x**0.3)  # varies near 0: wants to be stretched there
    noise_var = np.full(40, 1e-3)
    warp = KumaraswamyWarp.fit(domain, KERNEL, x, y, noise_var)
    ones = np.ones(1)
    before = warp_likelihood(KumaraswamyWarp(domain, ones, ones), x, y, noise_var)
    assert warp_likelihood(warp, x, y, noise_var) > before + 1
    for exponent in (*warp.a, *warp.b):
        assert LEAST_SHAPE < exponent < LARGEST_SHAPE
    assert warp.stretch(np.array([[0.05]]))[0] > warp.stretch(np.array([[0.8]]))[0]


@pytest.mark.parametrize("n", [0, 1])
def test_with_fewer_than_two_points_it_is_the_identity(n):
    domain = DOMAINS["square"]
    measurements = measurements_of(domain, n=n)
    warp = KumaraswamyWarp.fit(domain, KERNEL, measurements.x, measurements.y, np.full(n, 0.01))
    np.testing.assert_allclose([*warp.a, *warp.b], 1.0)


def test_it_is_pinned_at_the_faces_and_monotone():
    warp = KumaraswamyWarp(ew.Box.unit(1), np.array([0.4]), np.array([2.5]))
    image = warp(np.linspace(0, 1, 201)[:, None])[:, 0]
    assert abs(image[0]) < 1e-3
    assert abs(image[-1] - 1) < 1e-9
    assert (np.diff(image) >= 0).all()
