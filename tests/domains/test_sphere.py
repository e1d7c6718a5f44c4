"""Sphere: chart and inverse in any frame, tangents, membership. Its measure: theory/test_sphere.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ortho_group

import equiwarp as ew
from tests.reference.gp import gradient

DIMS = [1, 2, 3, 4, 6]


def directions(d, n, rng):
    x = rng.standard_normal((n, d + 1))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("d", DIMS)
@pytest.mark.parametrize("turned", [False, True])
def test_forth_and_back_through_the_chart(d, turned, rng):
    sphere = ew.Sphere(d)
    frame = ortho_group.rvs(d + 1, random_state=rng) if turned else None
    x, u = directions(d, 300, rng), rng.random((300, d))
    np.testing.assert_allclose(sphere.from_cube(sphere.to_cube(x, frame), frame), x, atol=1e-7)
    np.testing.assert_allclose(sphere.to_cube(sphere.from_cube(u, frame), frame), u, atol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(sphere.from_cube(u, frame), axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_the_pole_has_first_coordinate_zero(d, rng):
    frame = ortho_group.rvs(d + 1, random_state=rng)
    assert ew.Sphere(d).to_cube(frame[:1], frame)[0, 0] == pytest.approx(0, abs=1e-7)
    assert ew.Sphere(d).to_cube(-frame[:1], frame)[0, 0] == pytest.approx(1, abs=1e-7)


def test_the_poles_themselves_survive_the_chart():
    for d in DIMS:
        ends = np.vstack([np.eye(d + 1), -np.eye(d + 1)])
        sphere = ew.Sphere(d)
        u = sphere.to_cube(ends)
        assert np.isfinite(u).all()
        np.testing.assert_allclose(sphere.from_cube(u), ends, atol=1e-7)


@pytest.mark.parametrize(("d", "volume"), [(1, 2 * math.pi), (2, 4 * math.pi), (3, 2 * math.pi**2)])
def test_volume(d, volume):
    assert ew.Sphere(d).volume == pytest.approx(volume)


def test_the_tangent_part_of_a_gradient_is_what_moves_along_the_sphere(rng):
    sphere, x, c = ew.Sphere(2), directions(2, 1, rng)[0], rng.standard_normal(3)

    def extended(p):
        return (c @ (p / np.linalg.norm(p))) ** 3  # constant along rays: its gradient is tangent already

    plain = 3 * (c @ x) ** 2 * c
    np.testing.assert_allclose(sphere.tangent(x[None], plain[None])[0], gradient(extended, x), atol=1e-8)
    assert abs(sphere.tangent(x[None], plain[None])[0] @ x) < 1e-12


def test_the_pole_of_a_density_is_its_mean_direction(rng):
    sphere, centre = ew.Sphere(2), directions(2, 1, rng)[0]
    probes = sphere.sample(4096, rng)
    found = sphere.frame(probes, 1 + 10 * (probes @ centre > 0.8))
    assert found[0] @ centre > 0.999
    both = np.vstack([probes, -probes])
    assert sphere.frame(both, np.ones(len(both))) is None


@pytest.mark.parametrize("d", DIMS)
def test_the_frame_turns_with_the_points_and_points_where_the_density_lies(d, rng):
    sphere, R = ew.Sphere(d), ortho_group.rvs(d + 1, random_state=rng)
    probes = sphere.sample(2048, rng)
    weights = 1 + 5 * np.exp(3 * probes[:, 0]) + 3 * np.exp(6 * probes[:, -1])
    frame = sphere.frame(probes, weights)
    np.testing.assert_allclose(frame @ frame.T, np.eye(d + 1), atol=1e-12)
    np.testing.assert_allclose(sphere.frame(probes @ R.T, weights), frame @ R.T, atol=1e-9)
    along = (probes @ frame.T)[:, 1:]
    spread = weights @ along**2
    assert (np.diff(spread) <= 0).all()
    assert (weights @ along**3 > 0).all()


def test_membership_and_its_words():
    sphere = ew.Sphere(2)
    x = np.array([[1.0, 0, 0], [0, 0.6, 0.8], [0, 0, 2]])
    np.testing.assert_array_equal(sphere.contains(x), [True, True, False])
    assert sphere.problem(x[0]) is None
    assert sphere.problem(x[2]) == "its length is 2, not 1: divide the vector by its length"


def test_spheres_compare_by_dimension():
    assert ew.Sphere(2) == ew.Sphere(2) != ew.Sphere(3)
    assert hash(ew.Sphere(2)) == hash(ew.Sphere(2))
    assert repr(ew.Sphere(3)) == "Sphere(3)"
    assert ew.Sphere(3).names == ("x1", "x2", "x3", "x4")


@pytest.mark.parametrize("d", [0, -1])
def test_a_sphere_needs_a_dimension(d):
    with pytest.raises(ValueError, match=rf"at least 1, got {d}"):
        ew.Sphere(d)
