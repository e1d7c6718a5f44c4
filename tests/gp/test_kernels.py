"""Kernels: values against plain formulas, gradients against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.gp.kernels import Matern52, Neumann, scaled_distance
from tests.reference.gp import gradient, matern52, neumann

ELLS = [0.05, 0.4, 5.0]


@pytest.mark.parametrize("ell", ELLS)
@pytest.mark.parametrize("e", [1, 3, 6])
def test_matern_values(ell, e, rng):
    A, B = rng.random((20, e)), rng.random((15, e))
    np.testing.assert_allclose(Matern52(ell)(A, B), matern52(A, B, ell), atol=1e-12)


@pytest.mark.parametrize("ell", ELLS)
@pytest.mark.parametrize("e", [1, 2, 3])
def test_neumann_values(ell, e, rng):
    A, B = rng.random((12, e)), rng.random((9, e))
    np.testing.assert_allclose(Neumann(ell)(A, B), neumann(A, B, ell), atol=1e-12)


@pytest.mark.parametrize("kernel", [Matern52(0.3), Matern52(2.0), Neumann(0.3), Neumann(1.5)], ids=repr)
def test_gradients(kernel, rng):
    A, B, w = rng.random((6, 3)), rng.random((10, 3)), rng.standard_normal(10)
    B[0] = A[0]  # a point of its own, where the radial slope is 0/0
    found = kernel.weighted_gradient(A, B, w)
    expected = [gradient(lambda a: kernel(a[None], B)[0] @ w, a) for a in A]
    np.testing.assert_allclose(found, expected, atol=1e-7)


@pytest.mark.parametrize("ell", ELLS)
def test_slope_is_the_derivative_over_the_distance(ell, rng):
    kernel, A, h = Matern52(ell), rng.random((30, 2)), 1e-6
    slope = kernel.slopes(A, A)
    r = np.linalg.norm(A[:, None] - A[None], axis=2)

    def value(r):
        return kernel.of_scaled_distance(np.sqrt(5) * r / ell)

    np.testing.assert_allclose(slope * r, (value(r + h) - value(r - h)) / (2 * h), atol=1e-7 / ell)
    assert slope[0, 0] == pytest.approx(-5 / (3 * ell**2), rel=1e-6)


def test_coincident_points_are_at_distance_nearly_zero(rng):
    A = 1e3 + rng.random((50, 3))
    assert scaled_distance(A, A, 1.0).diagonal().max() < 1e-4
    np.testing.assert_allclose(Matern52(1.0)(rng.random((5, 2)), np.empty((0, 2))).shape, (5, 0))
    unit = rng.random((50, 3))
    np.testing.assert_allclose(Matern52(0.2)(unit, unit).diagonal(), 1.0, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 95, 96, 97, 250])
@pytest.mark.parametrize("kernel", [Matern52(0.3), Neumann(0.3)])
def test_the_symmetric_matrix_is_the_whole_one(kernel, n, rng):
    A = rng.random((n, 3))
    K = kernel.gram(A)
    np.testing.assert_allclose(K, kernel(A, A), atol=1e-14)


@pytest.mark.parametrize("kernel", [Matern52(0.3), Neumann(0.3)])
def test_covariances_of_one_point_are_a_row_of_all(kernel, rng):
    A = rng.random((40, 3))
    for z in (A[7], rng.random(3)):
        np.testing.assert_allclose(kernel.of_point(z, A), kernel(z[None], A)[0], rtol=1e-12, atol=1e-15)
    assert kernel.of_point(A[0], A[:0]).shape == (0,)


def test_slopes_from_one_point_are_a_row_of_all_slopes(rng):
    kernel, A, B = Matern52(0.3), rng.random((4, 3)), rng.random((50, 3))
    B[:4] = A  # coincident points too
    square = (B**2).sum(axis=1)
    apart = np.sqrt(5) / 0.3 * np.linalg.norm(A[:, None] - B, axis=2)
    for z, row in zip(A, -5 / (3 * 0.3**2) * (1 + apart) * np.exp(-apart), strict=True):
        np.testing.assert_allclose(kernel.slopes_from(z, B, square), row, rtol=1e-10)
        np.testing.assert_allclose(kernel.slopes_from(z, np.asfortranarray(B), square), row, rtol=1e-10)
