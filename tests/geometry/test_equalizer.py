"""The mechanics of the equalizer: sizes, noise levels, interpolation. What g promises: theory/."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

import equiwarp as ew
from equiwarp.geometry.equalizer import Equalizer, bracket, deepest, interpolate, nearest_noise
from equiwarp.geometry.reference import axis_nodes
from equiwarp.gp.kernels import Matern52


def test_every_size_lies_between_two_tabulated_ones_with_log_linear_weight():
    for n in range(1, 400):
        lower, upper, weight = bracket(n)
        assert lower <= n <= upper
        assert upper <= math.ceil(1.5 * lower) + 1
        if weight:
            assert math.log(n) == pytest.approx(
                (1 - weight) * math.log(lower) + weight * math.log(upper), abs=1e-9
            )
        else:
            assert lower == n


def test_g_is_continuous_in_the_size_and_exact_at_tabulated_sizes():
    box = ew.Box.unit(2)
    g = Equalizer(box, Matern52(0.22), 0.05, box.sample(200, np.random.default_rng(0)))
    for n in (20, 30):
        assert np.abs(g(n + 1) - g(n)).max() < 0.1


@pytest.mark.parametrize("noise", [1e-9, 0.0, 0.01, 0.013, 0.05, 0.4, 0.99, 2.0, 40.0])
def test_noise_is_rounded_by_less_than_a_quarter(noise):
    level = nearest_noise(noise)
    assert abs(math.log(level / max(noise, 0.01))) < 0.26
    assert nearest_noise(level) == level


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_interpolation_is_multilinear_in_the_folded_position(dim, rng):
    nodes = axis_nodes(dim)
    table = rng.random((len(nodes),) * dim)
    u = np.vstack([rng.random((100, dim)), np.zeros((1, dim)), np.ones((1, dim)), np.full((1, dim), 0.5)])
    oracle = RegularGridInterpolator((nodes,) * dim, table)(np.minimum(u, 1 - u))
    np.testing.assert_allclose(interpolate([table], u)[0], oracle, atol=1e-12)


def test_interpolation_returns_the_table_at_its_nodes(rng):
    nodes = axis_nodes(2)
    table = rng.random((len(nodes),) * 2)
    grid = np.array(list(itertools.product(nodes, nodes)))
    np.testing.assert_allclose(interpolate([table], grid)[0], table.ravel(), atol=1e-12)


def test_tables_are_the_same_only_for_the_same_problem():
    box, pool = ew.Box.unit(2), np.zeros((3, 2))
    base = Equalizer(box, Matern52(0.2), 0.05, pool)
    assert base.same_tables(Equalizer(box, Matern52(0.2), 0.0501, pool))
    assert not base.same_tables(Equalizer(box, Matern52(0.2), 0.2, pool))
    assert not base.same_tables(Equalizer(box, Matern52(0.3), 0.05, pool))
    assert not base.same_tables(Equalizer(box, Matern52(0.2), 0.05, pool.copy()))


def test_the_deepest_point_is_where_the_surroundings_are_known_best(rng):
    P = rng.random((500, 2))
    bowl = 0.2 + ((P - 0.5) ** 2).sum(axis=1)
    lucky = bowl.copy()
    lucky[np.argmax(bowl)] = 0.0
    assert deepest(P, bowl, bowl) == pytest.approx(0.2, abs=0.02)
    assert deepest(P, lucky, bowl) == pytest.approx(0.2, abs=0.02)


def test_the_smallest_of_noisy_estimates_does_not_judge_itself(rng):
    P = rng.random((2000, 2))
    finding, judging = (np.exp(0.5 * rng.standard_normal(2000)) for _ in range(2))
    honest = np.exp(0.125)
    assert deepest(P, finding, judging) == pytest.approx(honest, rel=0.4)
    assert deepest(P, finding, finding) < 0.75 * honest


def test_the_interior_of_a_stepped_box_is_left_alone():
    """Without symmetry v is measured; the correction must still be one where there is no boundary."""
    box = ew.Box({"a": {"low": 0, "high": 1, "step": 0.02}, "b": {"low": 0, "high": 1, "step": 0.02}})
    pool = box.pool(1024, np.random.default_rng(0))
    g = Equalizer(box, Matern52(0.22), 0.05, pool)(32)
    inner = np.all(np.abs(pool - 0.5) < 0.2, axis=1)
    corner = np.all(np.minimum(pool, 1 - pool) < 0.06, axis=1)
    assert g[inner].mean() > 0.85
    assert g[corner].mean() < 0.6


def test_no_points_yet_is_treated_as_one():
    box = ew.Box.unit(1)
    g = Equalizer(box, Matern52(0.1), 0.05, np.array([[0.0], [0.5]]))
    np.testing.assert_array_equal(g(0), g(1))
