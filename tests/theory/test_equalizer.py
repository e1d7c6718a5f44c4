"""What the equalizer promises: at most one, one at the centre, symmetric, and a flat mean score."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.geometry.equalizer import Equalizer, interpolate
from equiwarp.geometry.reference import Reference, cube_table
from equiwarp.gp.kernels import Matern52
from tests.reference.criteria import reference_variance
from tests.reference.gp import matern52

NOISE = 0.05
SIZES = {1: 16, 2: 32, 3: 64, 4: 64}


def g_at(points, n=None, domain=None):
    domain = ew.Box.unit(points.shape[1]) if domain is None else domain
    kernel = Matern52(domain.spacing())
    return Equalizer(domain, kernel, NOISE, points)(SIZES[domain.dim] if n is None else n)


@pytest.mark.parametrize("dim", [1, 2, 3, 4])
def test_g_is_at_most_one_positive_and_one_at_the_centre(dim, rng):
    g = g_at(np.vstack([np.full(dim, 0.5), rng.random((500, dim))]))
    assert g[0] == 1.0
    assert (g > 0).all()
    assert (g <= 1).all()
    assert g.min() < 0.6


@pytest.mark.parametrize("dim", [2, 3])
def test_g_is_symmetric_under_reflections_and_permutations(dim, rng):
    u = rng.random((50, dim))
    g = g_at(u)
    for order in permutations(range(dim)):
        for mirrored in product([False, True], repeat=dim):
            image = np.where(mirrored, 1 - u, u)[:, order]
            np.testing.assert_allclose(g_at(image), g, rtol=1e-12)


@pytest.mark.parametrize("dim", [1, 2, 3, 4])
def test_g_falls_towards_faces_and_further_towards_corners(dim):
    face = np.full((1, dim), 0.5)
    face[0, 0] = 0.0
    corner = np.zeros((1, dim))
    towards = np.linspace(0.15, 0.0, 6)[:, None]
    for end in (face, corner):
        path = g_at((1 - towards / 0.5) * end + towards / 0.5 * 0.5)
        assert (np.diff(path) <= 0).all(), path
        assert (np.diff(path)[-3:] < 0).all(), path
    if dim > 1:
        edge = face.copy()
        edge[0, 1] = 0.0
        assert g_at(corner)[0] <= g_at(edge)[0] < 0.9 * g_at(face)[0]


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_the_unclipped_weight_makes_the_mean_score_flat_under_reference_designs(dim, rng):
    """Measured with designs of other seeds than the table's, at points that are no nodes of it."""
    n, kernel = SIZES[dim], Matern52(ew.Box.unit(dim).spacing())
    points = np.vstack([rng.random((30, dim)), np.zeros((1, dim)), np.full((1, dim), 0.02)])
    table, centre = cube_table(Reference(dim, kernel, NOISE, n))
    weight = centre / interpolate([table], points)[0]
    scores = reference_variance(
        ew.Box.unit(dim), lambda A, B: matern52(A, B, kernel.ell), NOISE, n, points, 300, seed=99
    )
    plain, weighted = scores.mean(axis=0), (weight * scores).mean(axis=0)
    error = scores.std(axis=0) * weight / np.sqrt(300)
    assert plain.max() / plain.min() > 1.8
    np.testing.assert_allclose(weighted / centre, 1.0, atol=0.08 + 4 * (error / centre).max())
    assert weighted.std() < 0.2 * plain.std()


def test_g_is_the_ratio_of_measured_reference_variances(rng):
    """Against an oracle that averages over designs at the point itself, between tabulated sizes too."""
    points = np.vstack([np.full((1, 2), 0.5), np.zeros((1, 2)), [[0.0, 0.5]], [[0.03, 0.4]], [[0.2, 0.01]]])
    ell = ew.Box.unit(2).spacing()
    for n in (20, 27, 90):
        v = reference_variance(
            ew.Box.unit(2), lambda A, B: matern52(A, B, ell), NOISE, n, points, 400, seed=5
        ).mean(axis=0)
        # A table entry is a mean over 48 designs, good to 5-10 %, and linear between its nodes.
        np.testing.assert_allclose(g_at(points, n), np.minimum(1, v[0] / v), rtol=0.2)


def test_the_correction_narrows_as_the_design_grows():
    near_face = np.array([[0.1, 0.5]])
    assert g_at(near_face, 16)[0] < g_at(near_face, 256)[0]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_g_is_exactly_one_on_a_sphere(d):
    sphere = ew.Sphere(d)
    points = sphere.sample(64, np.random.default_rng(0))
    np.testing.assert_array_equal(Equalizer(sphere, Matern52(0.5), NOISE, points)(30), 1.0)


def test_a_stepped_box_is_corrected_like_the_cube_it_approximates():
    """No symmetry to fold: the reference is measured on the pool, and must agree with the table."""
    stepped = ew.Box({name: {"low": 0, "high": 1, "step": 0.01} for name in ("a", "b")})
    pool = stepped.pool(2048, np.random.default_rng(0))
    measured, tabulated = g_at(pool, 32, stepped), g_at(pool, 32)
    assert (measured <= 1).all()
    depth = np.minimum(pool, 1 - pool).min(axis=1)
    inner = depth >= 0.2
    # Only the shape counts: a common factor does not move the argmax, and the references differ by one.
    for low, high in ((0, 0.03), (0.03, 0.1), (0.1, 0.2)):
        shell = (depth >= low) & (depth < high)
        shape = [g[shell].mean() / g[inner].mean() for g in (measured, tabulated)]
        assert shape[0] == pytest.approx(shape[1], abs=0.12)
