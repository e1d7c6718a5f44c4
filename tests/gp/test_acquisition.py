"""The acquisition GP against the dense posterior and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.kernels import Matern52, Neumann
from tests.reference.gp import gradient, posterior

KERNELS = [Matern52(0.3), Neumann(0.3)]


def problem(rng, n=15, e=3, k=2):
    return rng.random((n, e)), rng.standard_normal((n, k)), rng.uniform(0.001, 0.1, n), rng.random((25, e))


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("n", [1, 2, 15])
def test_posterior(kernel, n, rng):
    Z, y, noise_var, A = problem(rng, n)
    gp = AcquisitionGP.fit(kernel, Z, y, noise_var)
    mean, covariance = posterior(kernel, Z, y, noise_var, A)
    np.testing.assert_allclose(gp.mean(A), mean, atol=1e-9)
    np.testing.assert_allclose(gp.variance(A), covariance.diagonal(), atol=1e-9)
    np.testing.assert_allclose(gp.covariance(A, A[:4]), covariance[:, :4], atol=1e-9)
    assert gp.jitter == 0


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_mean_gradient(kernel, rng):
    Z, y, noise_var, A = problem(rng)
    gp = AcquisitionGP.fit(kernel, Z, y, noise_var)
    expected = [gradient(lambda a: gp.mean(a[None])[0], a) for a in A]
    np.testing.assert_allclose(gp.mean_gradient(A), expected, atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_conditioning_on_one_more_point_equals_fitting_all(kernel, rng):
    Z, y, noise_var, A = problem(rng)
    grown = AcquisitionGP.fit(kernel, Z[:9], y[:9], noise_var[:9])
    for z, v, values in zip(Z[9:], noise_var[9:], y[9:], strict=True):
        grown = grown.condition(z, v, values)
    whole = AcquisitionGP.fit(kernel, Z, y, noise_var)
    np.testing.assert_allclose(grown.mean(A), whole.mean(A), atol=1e-9)
    np.testing.assert_allclose(grown.mean_gradient(A), whole.mean_gradient(A), atol=1e-8)
    np.testing.assert_allclose(grown.variance(A), whole.variance(A), atol=1e-9)


def test_a_pending_point_lowers_the_variance_and_leaves_the_mean(rng):
    Z, y, noise_var, A = problem(rng)
    gp = AcquisitionGP.fit(KERNELS[0], Z, y, noise_var)
    pending = gp.condition(A[0], 0.01)
    np.testing.assert_array_equal(pending.mean(A), gp.mean(A))
    assert pending.variance(A)[0] < 0.05 < gp.variance(A)[0]
    # The same as observing the mean itself there.
    observed = gp.condition(A[0], 0.01, gp.mean(A[:1])[0])
    np.testing.assert_allclose(observed.mean(A), gp.mean(A), atol=1e-9)
    np.testing.assert_allclose(observed.variance(A), pending.variance(A), atol=1e-9)
    with pytest.raises(ValueError, match="pending point: condition on values first"):
        pending.condition(A[1], 0.01, y[0])


def test_without_data_it_is_the_prior():
    gp = AcquisitionGP.fit(KERNELS[0], np.empty((0, 2)), np.empty((0, 1)), np.empty(0))
    A = np.array([[0.1, 0.2], [0.5, 0.5]])
    np.testing.assert_array_equal(gp.mean(A), np.zeros((2, 1)))
    np.testing.assert_array_equal(gp.variance(A), np.ones(2))


@pytest.mark.parametrize("distance", [0.0, 1e-12, 1e-7])
def test_duplicates_without_noise_need_jitter_and_say_so(distance, rng):
    Z = rng.random((6, 2))
    Z = np.vstack([Z, Z + distance])
    y = np.ones((12, 1))
    gp = AcquisitionGP.fit(Matern52(0.3), Z, y, np.zeros(12))
    assert 0 < gp.jitter <= 1e-6
    np.testing.assert_allclose(gp.mean(Z), 1.0, atol=1e-3)
    assert (gp.variance(Z) < 1e-3).all()
    assert (gp.variance(Z) >= 0).all()


def test_zero_noise_interpolates(rng):
    Z, y = rng.random((10, 2)), rng.standard_normal((10, 1))
    gp = AcquisitionGP.fit(Matern52(0.3), Z, y, np.zeros(10))
    np.testing.assert_allclose(gp.mean(Z), y, atol=1e-6)
    np.testing.assert_allclose(gp.variance(Z), 0, atol=1e-6)
