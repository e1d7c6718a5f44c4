"""The boundary-free domain: its chart preserves the measure, and variance there is farthest points."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial import cKDTree

import equiwarp as ew
from tests.cases import configuration_of, measurements_of, trajectory
from tests.checks import assert_uniform


def uniform_on_sphere(d, n, rng):
    x = rng.standard_normal((n, d + 1))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_the_chart_of_uniform_points_is_uniform_around_any_pole(d, rng):
    sphere, x = ew.Sphere(d), uniform_on_sphere(d, 4000, rng)
    assert_uniform(sphere.to_cube(x))
    frame = np.linalg.qr(rng.standard_normal((d + 1, d + 1)))[0]
    assert_uniform(sphere.to_cube(x, frame))


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_sobol_points_cover_the_sphere_evenly(d):
    """Every moment of order one and two is that of the uniform distribution."""
    x = ew.Sphere(d).sample(4096, np.random.default_rng(1))
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=0.01)
    np.testing.assert_allclose(x.T @ x / len(x), np.eye(d + 1) / (d + 1), atol=0.01)


def test_the_colatitude_follows_the_measure_of_its_own_sphere():
    psi = np.linspace(0, math.pi, 50)
    on_2 = np.column_stack([np.cos(psi), np.sin(psi), np.zeros(50)])
    on_3 = np.column_stack([on_2, np.zeros(50)])
    cap_2, cap_3 = (1 - np.cos(psi)) / 2, (psi - np.sin(psi) * np.cos(psi)) / math.pi
    np.testing.assert_allclose(ew.Sphere(2).to_cube(on_2)[:, 0], cap_2, atol=1e-12)
    np.testing.assert_allclose(ew.Sphere(3).to_cube(on_3)[:, 0], cap_3, atol=1e-12)
    assert np.abs(cap_2 - cap_3).max() > 0.05  # the formula of one is wrong on the other


@pytest.mark.parametrize("d", [2, 3])
def test_variance_on_a_sphere_is_close_to_farthest_points(d):
    """The error of nearest-neighbour maps, summed over the run, and the coverage at its end."""
    sphere = ew.Sphere(d)
    test = sphere.sample(4096, np.random.default_rng(77))
    centre = np.eye(d + 1)[0]

    def cap(x):
        return 1 / (1 + np.exp(-20 * (x @ centre - math.cos(0.8))))

    areas, cover = {}, {}
    for name in ("fps", "eig"):
        areas[name] = cover[name] = 0.0
        for seed in range(3):
            measurements = measurements_of(sphere, n=20 * (d - 1), seed=seed)
            configuration = configuration_of(name, sphere, seed, pool=2048, response_scale=np.array([1.0]))
            x = np.vstack([measurements.x, trajectory(configuration, measurements, 40)])
            for n in range(len(measurements.x) + 1, len(x) + 1):
                distance, nearest = cKDTree(x[:n]).query(test)
                areas[name] += np.mean((cap(x)[nearest] - cap(test)) ** 2)
            cover[name] += distance.max()
    assert abs(areas["eig"] / areas["fps"] - 1) < 0.08
    assert abs(cover["eig"] / cover["fps"] - 1) < 0.1
