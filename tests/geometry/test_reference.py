"""The reference variance: symmetric tables, and agreement with designs of other seeds."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.geometry.reference import Reference, axis_nodes, cube_table, pool_variance
from equiwarp.gp.kernels import Matern52
from tests.reference.criteria import reference_variance
from tests.reference.gp import matern52


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_the_table_is_a_symmetric_grid_with_the_centre_last(dim):
    table, centre = cube_table(Reference(dim, Matern52(0.3), 0.05, 16))
    assert table.shape == (len(axis_nodes(dim)),) * dim
    assert table[(-1,) * dim] == centre
    for order in permutations(range(dim)):
        np.testing.assert_array_equal(table, table.transpose(order))
    assert (table > 0).all()
    assert (table <= 1).all()


def test_the_same_reference_gives_the_same_table():
    reference = Reference(2, Matern52(0.3), 0.05, 16)
    np.testing.assert_array_equal(cube_table(reference)[0], cube_table(reference)[0])


def test_nodes_go_from_the_face_to_the_centre_denser_at_the_face():
    for dim in (1, 2, 3, 4, 5, 6, 7):
        nodes = axis_nodes(dim)
        assert nodes[0] == 0
        assert nodes[-1] == 0.5
        assert (np.diff(nodes) > 0).all()
        assert nodes[1] < nodes[-1] - nodes[-2]


@pytest.mark.parametrize("n", [8, 32])
def test_table_and_pool_agree_with_an_average_over_other_designs(n):
    box, ell = ew.Box.unit(2), 0.25
    points = np.array([[0.5, 0.5], [0.0, 0.0], [0.0, 0.5]])
    expected = reference_variance(box, lambda A, B: matern52(A, B, ell), 0.05, n, points, 400, seed=3).mean(0)
    table, centre = cube_table(Reference(2, Matern52(ell), 0.05, n))
    np.testing.assert_allclose([centre, table[0, 0], table[0, -1]], expected, rtol=0.2)
    pooled = pool_variance(box, Reference(2, Matern52(ell), 0.05, n), points)
    np.testing.assert_allclose(pooled, expected, rtol=0.35)


def test_more_points_and_less_noise_leave_less_variance():
    few, many = (cube_table(Reference(2, Matern52(0.25), 0.05, n))[0] for n in (8, 64))
    assert (many < few).all()
    loud = cube_table(Reference(2, Matern52(0.25), 0.5, 64))[0]
    assert (loud > many).all()


def test_at_least_24_designs_whatever_the_size():
    for n in (1, 10, 300, 5000):
        assert Reference(3, Matern52(0.3), 0.05, n).designs >= 24
