"""Factors that survive duplicates, and grow by a row."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.gp.cholesky import extend_cholesky, grow_cholesky, safe_cholesky
from equiwarp.gp.kernels import Matern52


def test_a_plain_matrix_gets_no_jitter(rng):
    K = Matern52(0.2)(*[rng.random((20, 2))] * 2)
    noise_var = rng.uniform(0.01, 0.1, 20)
    L, jitter = safe_cholesky(K, noise_var)
    assert jitter == 0
    np.testing.assert_allclose(L @ L.T, K + np.diag(noise_var), atol=1e-12)
    assert not np.triu(L, 1).any()
    np.testing.assert_array_equal(np.tril(safe_cholesky(K, noise_var, clean=False)[0]), L)


def test_a_singular_matrix_gets_the_jitter_that_is_reported():
    K = np.ones((5, 5))
    L, jitter = safe_cholesky(K, np.zeros(5))
    assert 0 < jitter <= 1e-8
    np.testing.assert_allclose(L @ L.T, K + jitter * np.eye(5), atol=1e-12)


def test_a_matrix_beyond_help_is_an_error():
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        safe_cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]), np.zeros(2))


def test_nothing_has_an_empty_factor():
    L, jitter = safe_cholesky(np.empty((0, 0)), np.empty(0))
    assert L.shape == (0, 0)
    assert jitter == 0


def test_growing_by_rows_equals_factorising_the_whole(rng):
    Z = rng.random((12, 2))
    C = Matern52(0.3)(Z, Z) + 0.01 * np.eye(12)
    L = np.empty((0, 0))
    for n in range(12):
        L = grow_cholesky(L, C[n, :n], C[n, n])
    np.testing.assert_allclose(L, np.linalg.cholesky(C), atol=1e-10)


def test_growing_by_a_duplicate_stays_finite():
    L = grow_cholesky(np.ones((1, 1)), np.ones(1), 1.0)
    assert np.isfinite(L).all()
    assert L[1, 1] > 0


@pytest.mark.parametrize("known", [0, 1, 5])
def test_a_factor_grows_by_several_rows_at_once(known):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((9, 9))
    K = A @ A.T + np.eye(9)
    L = np.asfortranarray(np.linalg.cholesky(K[:known, :known]))
    grown = extend_cholesky(L, K[known:, :known], K[known:, known:])
    assert np.allclose(grown, np.linalg.cholesky(K), rtol=0, atol=1e-12)


def test_rows_that_say_the_same_do_not_stop_it():
    K = np.ones((4, 4))
    grown = extend_cholesky(np.ones((1, 1), order="F"), K[1:, :1], K[1:, 1:])
    assert np.isfinite(grown).all()
    assert np.allclose(grown @ grown.T, K, rtol=0, atol=1e-4)
