"""The Knothe-Rosenblatt map: monotone, pinned, invertible, identity when flat, and a true transport."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.domains.base import sobol
from equiwarp.engine.configuration import probe_count
from equiwarp.geometry.transport import Interpolation, Transport
from tests.checks import assert_uniform

DIMS = [1, 2, 3, 4, 5, 6]


def density(u):
    """Smooth, not a product, between 0.4 and 3: a ridge that is oblique to the axes."""
    ridge = u.mean(axis=1) + 0.15 * (u[:, 0] - u[:, -1])
    return 0.4 + 2.6 * np.exp(-((ridge - 0.6) ** 2) / 0.08)


def map_of(dim, f=density):
    probes = sobol(dim, probe_count(dim), np.random.default_rng(dim))
    return Transport.of(probes, f(probes))


def drawn_from(f, dim, n, rng):
    """Rejection sampling."""
    u = rng.random((40 * n, dim))
    return u[rng.random(len(u)) * 3.0 < f(u)][:n]


@pytest.mark.parametrize("dim", DIMS)
def test_the_image_of_the_target_density_is_uniform(dim, rng):
    sample = drawn_from(density, dim, 1500, rng)
    with pytest.raises(AssertionError):
        assert_uniform(sample)
    assert_uniform(map_of(dim)(sample))


@pytest.mark.parametrize("dim", DIMS)
def test_the_inverse_carries_uniform_points_to_the_target_density(dim, rng):
    points = map_of(dim).inverse(rng.random((4000, dim)))
    truth = drawn_from(density, dim, 4000, rng)
    np.testing.assert_allclose(points.mean(axis=0), truth.mean(axis=0), atol=0.03)
    np.testing.assert_allclose(np.cov(points.T), np.cov(truth.T), atol=0.01)


@pytest.mark.parametrize("dim", DIMS)
def test_a_flat_density_gives_the_identity(dim, rng):
    u = rng.random((500, dim))
    flat = map_of(dim, lambda p: np.full(len(p), 3.7))
    np.testing.assert_allclose(flat(u), u, atol=1e-12)
    np.testing.assert_allclose(flat.inverse(u), u, atol=1e-12)
    np.testing.assert_allclose(flat.stretch(Interpolation.of(u)), 1.0, atol=1e-11)


@pytest.mark.parametrize("dim", DIMS)
def test_forth_and_back_is_the_identity(dim, rng):
    u, T = rng.random((500, dim)), map_of(dim)
    np.testing.assert_allclose(T.inverse(T(u)), u, atol=1e-9)
    np.testing.assert_allclose(T(T.inverse(u)), u, atol=1e-9)


@pytest.mark.parametrize("dim", DIMS)
def test_each_coordinate_is_monotone_and_pinned_at_its_ends(dim, rng):
    T, others = map_of(dim), rng.random((20, dim))
    line = np.linspace(0, 1, 101)
    for axis in range(dim):
        for other in others:
            u = np.tile(other, (101, 1))
            u[:, axis] = line
            image = T(u)[:, axis]
            assert (np.diff(image) > 0).all()
            assert abs(image[0]) < 1e-12
            assert abs(image[-1] - 1) < 1e-12


@pytest.mark.parametrize("dim", [2, 4])
def test_the_map_is_triangular(dim, rng):
    """Image i depends on coordinates up to i only."""
    T, u = map_of(dim), rng.random((50, dim))
    moved = u.copy()
    moved[:, -1] = rng.random(50)
    np.testing.assert_array_equal(T(moved)[:, :-1], T(u)[:, :-1])


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_the_stretch_is_the_determinant_of_the_map_and_follows_the_density(dim, rng):
    T, h = map_of(dim), 1e-7
    u = 0.01 + 0.98 * rng.random((300, dim))
    determinant = np.prod(
        [(T(u + h * e)[:, i] - T(u - h * e)[:, i]) / (2 * h) for i, e in enumerate(np.eye(dim))], axis=0
    )
    stretch = T.stretch(Interpolation.of(u))
    inner = np.abs(determinant / stretch - 1) < 1e-5  # bin edges between u - h and u + h are rare
    assert inner.mean() > 0.99
    expected = density(u) / density(rng.random((100_000, dim))).mean()
    assert np.median(np.abs(stretch / expected - 1)) < 0.1


def test_empty_cells_and_extreme_densities_stay_a_bijection(rng):
    """Far fewer probes than bins, and a density over ten decades."""
    probes = rng.random((50, 4))
    T = Transport.of(probes, 10.0 ** rng.uniform(-5, 5, 50))
    u = rng.random((200, 4))
    image = T(u)
    assert np.isfinite(image).all()
    assert ((image >= 0) & (image <= 1 + 1e-12)).all()
    np.testing.assert_allclose(T(T.inverse(u)), u, atol=1e-6)
