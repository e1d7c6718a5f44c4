"""The likelihood in kept memory is the textbook's, and so is its gradient by the places."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.gp.fast.likelihood import INVERTED_ROWS, RepeatedLikelihood, invert
from equiwarp.gp.kernels import STRIPE, Matern52
from tests.reference.gp import gradient, log_likelihood, matern52

ELL = 0.4
#: Around the ends of stripes and of inverted rows.
SIZES = [1, 2, STRIPE, STRIPE + 1, INVERTED_ROWS, 2 * INVERTED_ROWS + 3]


def expected_value(Z, y, noise_var):
    return log_likelihood(lambda A, B: matern52(A, B, ELL), Z, y, noise_var)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("k", [1, 2])
def test_value_and_gradient_are_the_textbooks(n, k, rng):
    y, noise_var = rng.standard_normal((n, k)), 0.01 + 0.1 * rng.random(n)
    values = RepeatedLikelihood(Matern52(ELL), y, noise_var)
    values(rng.random((n, 3)))  # what an earlier call leaves behind is not seen
    Z = rng.random((n, 3))
    value, by_Z = values(Z)
    assert value == pytest.approx(expected_value(Z, y, noise_var), rel=1e-10)
    for row in {0, n // 2, n - 1}:

        def moved(z, row=row):
            return expected_value(np.vstack([Z[:row], z[None], Z[row + 1 :]]), y, noise_var)

        np.testing.assert_allclose(by_Z[row], gradient(moved, Z[row]), rtol=1e-5, atol=1e-5)


def test_places_that_coincide_take_a_jitter(rng):
    Z, y = rng.random((60, 2)), np.zeros((60, 1))
    Z[1] = Z[0]
    value, by_Z = RepeatedLikelihood(Matern52(ELL), y, np.zeros(60))(Z)
    assert np.isfinite(value)
    assert np.isfinite(by_Z).all()


@pytest.mark.parametrize("n", SIZES)
def test_the_inverse_is_that_of_the_product(n, rng):
    A = rng.standard_normal((n, n + 5))
    C = A @ A.T + np.eye(n)
    L = np.linalg.cholesky(C)
    invert(L)
    np.testing.assert_allclose(L, np.tril(np.linalg.inv(C)), rtol=1e-8, atol=1e-10)
