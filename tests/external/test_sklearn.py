"""scikit-learn's Gaussian process with a fixed kernel, as an oracle of other hands."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern

from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52


def oracle(Z, y, noise_var, ell):
    return GaussianProcessRegressor(Matern(ell, nu=2.5), alpha=noise_var, optimizer=None).fit(Z, y)


@pytest.mark.parametrize(("n", "dim", "ell"), [(1, 1, 0.3), (15, 2, 0.2), (40, 4, 0.6), (25, 3, 3.0)])
def test_mean_variance_and_covariance(n, dim, ell, rng):
    Z, A, y = rng.random((n, dim)), rng.random((30, dim)), rng.standard_normal((n, 2))
    noise_var = rng.uniform(0.001, 0.1, n)
    gp, other = AcquisitionGP.fit(Matern52(ell), Z, y, noise_var), oracle(Z, y, noise_var, ell)
    mean, covariance = other.predict(A, return_cov=True)
    np.testing.assert_allclose(gp.mean(A), mean, atol=1e-9)
    np.testing.assert_allclose(gp.covariance(A, A), covariance[..., 0], atol=1e-9)
    np.testing.assert_allclose(gp.variance(A), np.diag(covariance[..., 0]), atol=1e-9)


def test_a_field_grown_point_by_point(rng):
    Z, P = rng.random((20, 3)), rng.random((50, 3))
    field = Field.of(Matern52(0.4), P, Z[:5], np.full(5, 0.01))
    for z in Z[5:]:
        field = field.add(z, 0.01)
    deviation = oracle(Z, np.zeros(20), 0.01, 0.4).predict(P, return_std=True)[1]
    np.testing.assert_allclose(np.sqrt(field.variance), deviation, atol=1e-8)


def test_on_a_sphere_the_distance_is_chordal(rng):
    Z, A = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in rng.standard_normal((2, 12, 3)))
    y = rng.standard_normal((12, 1))
    mean = oracle(Z, y[:, 0], 0.01, 0.8).predict(A)
    found = AcquisitionGP.fit(Matern52(0.8), Z, y, np.full(12, 0.01)).mean(A)
    np.testing.assert_allclose(found[:, 0], mean, atol=1e-9)
