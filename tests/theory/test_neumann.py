"""The reflected kernel: unit diagonal, positive definite, no slope across a face."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.gp.kernels import Matern52, Neumann


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("ell", [0.05, 0.3, 2.0])
def test_unit_diagonal_and_positive_definite(dim, ell, rng):
    A = np.vstack([rng.random((60, dim)), np.zeros((1, dim)), np.ones((1, dim))])
    K = Neumann(ell)(A, A)
    np.testing.assert_allclose(K.diagonal(), 1.0, atol=1e-12)
    np.testing.assert_allclose(K, K.T, atol=1e-12)
    assert np.linalg.eigvalsh(K).min() > -1e-12
    # Well separated points: strictly positive, a thousand times above rounding.
    grid = np.stack(np.meshgrid(*[[0.0, 0.5, 1.0]] * dim), axis=-1).reshape(-1, dim)
    assert np.linalg.eigvalsh(Neumann(ell)(grid, grid)).min() > 1e-12


@pytest.mark.parametrize("ell", [0.1, 0.4])
@pytest.mark.parametrize("face", [0.0, 1.0])
def test_no_slope_across_a_face(ell, face, rng):
    A, B = rng.random((10, 2)), rng.random((8, 2))
    A[:, 0] = face
    inward = A.copy()
    h = 1e-4
    inward[:, 0] += h if face == 0 else -h
    change = {
        kernel: np.abs(kernel(inward, B) - kernel(A, B)).max() / h for kernel in (Neumann(ell), Matern52(ell))
    }
    assert change[Neumann(ell)] < 30 * h / ell**2
    assert change[Matern52(ell)] > 0.5
    for w in np.eye(8):
        np.testing.assert_allclose(Neumann(ell).weighted_gradient(A, B, w)[:, 0], 0, atol=1e-9)


def test_it_flattens_the_variance_that_the_plain_kernel_inflates_at_a_face(rng):
    from equiwarp.gp.acquisition import AcquisitionGP

    Z = (np.arange(10)[:, None] + 0.5) / 10
    at = {}
    for kernel in (Matern52(0.1), Neumann(0.1)):
        gp = AcquisitionGP.fit(kernel, Z, np.zeros((10, 1)), np.full(10, 1e-4))
        at[type(kernel)] = gp.variance(np.array([[0.0], [0.5]]))
    assert at[Matern52][0] > 1.3 * at[Matern52][1]
    assert at[Neumann][0] < 1.1 * at[Neumann][1]
