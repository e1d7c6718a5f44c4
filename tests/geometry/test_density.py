"""The reconstruction density."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.geometry.density import gradient_norm, target_density


@pytest.mark.parametrize("dim", [1, 2, 4])
def test_the_exponent_is_that_of_the_optimal_density(dim):
    """Doubling the gradient multiplies the part above the floor by 2^(2D / (D + 2))."""
    density = target_density(np.array([1.0, 2.0, 0.0]), dim)
    assert density[2] == 1.0
    assert (density[1] - 1) / (density[0] - 1) == pytest.approx(2 ** (2 * dim / (dim + 2)))


def test_the_exponent_minimises_the_reconstruction_objective(rng):
    """min over p of the sum of |grad|^2 p^(-2/D) at fixed mass: no perturbation does better."""
    dim = 3
    slope = rng.uniform(0.2, 3.0, 400)
    best = target_density(slope, dim, rho_0=0.0)

    def objective(p):
        return np.mean(slope**2 * (p / p.mean()) ** (-2 / dim))

    for _ in range(50):
        assert objective(best * np.exp(0.3 * rng.standard_normal(400))) > objective(best)
    assert objective(np.ones(400)) > objective(best)


def test_only_the_pattern_of_the_gradient_counts(rng):
    slope = rng.random(100)
    np.testing.assert_allclose(target_density(1e5 * slope, 2), target_density(slope, 2), rtol=1e-12)
    np.testing.assert_allclose(target_density(1e-5 * slope, 2), target_density(slope, 2), rtol=1e-12)


def test_the_root_mean_square_gradient_sets_the_scale():
    density = target_density(np.array([3.0, 3.0, 3.0]), 2)
    np.testing.assert_allclose(density, 2.0)


def test_a_flat_mean_gives_the_floor_and_rounding_is_not_amplified():
    np.testing.assert_array_equal(target_density(np.zeros(5), 2), 1.0)
    np.testing.assert_allclose(target_density(np.full(5, 1e-16), 2), 1.0, atol=1e-7)


def test_norm_over_coordinates_and_responses(rng):
    gradient = rng.standard_normal((7, 3, 2))
    expected = [np.linalg.norm(g) for g in gradient]
    np.testing.assert_allclose(gradient_norm(gradient), expected)
