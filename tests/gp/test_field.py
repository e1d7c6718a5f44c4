"""The field at the pool against the dense posterior, and growth against conditioning at once."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp.gp.fast.growing import GrowingRows
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52, Neumann
from tests.reference.gp import posterior


@pytest.mark.parametrize("kernel", [Matern52(0.3), Neumann(0.4)], ids=repr)
@pytest.mark.parametrize("begin", [0, 1, 12])
def test_growing_equals_conditioning_at_once(kernel, begin, rng):
    Z, P, noise_var = rng.random((12, 2)), rng.random((40, 2)), rng.uniform(0.001, 0.1, 12)
    field = Field.of(kernel, P, Z[:begin], noise_var[:begin])
    for z, v in zip(Z[begin:], noise_var[begin:], strict=True):
        field = field.add(z, v)
    expected = posterior(kernel, Z, np.zeros((12, 1)), noise_var, P)[1].diagonal()
    np.testing.assert_allclose(field.variance, expected, atol=1e-9)
    np.testing.assert_array_equal(field.Z, Z)


def test_the_last_row_is_covariance_over_deviation(rng):
    kernel, Z, P, z = Matern52(0.3), rng.random((8, 2)), rng.random((30, 2)), rng.random(2)
    field = Field.of(kernel, P, Z, np.full(8, 0.01)).add(z, 0.04)
    both = np.vstack([z, P])
    covariance = posterior(kernel, Z, np.zeros((8, 1)), np.full(8, 0.01), both)[1]
    np.testing.assert_allclose(
        field.last_row, covariance[0, 1:] / np.sqrt(covariance[0, 0] + 0.04), atol=1e-9
    )


def test_adding_leaves_the_old_field_as_it_was(rng):
    field = Field.of(Matern52(0.3), rng.random((20, 2)), rng.random((5, 2)), np.full(5, 0.01))
    variance, rows = field.variance.copy(), field.V.rows.copy()
    first, second = field.add(np.zeros(2), 0.01), field.add(np.ones(2), 0.01)
    assert not np.allclose(first.variance, second.variance)
    np.testing.assert_array_equal(field.variance, variance)
    np.testing.assert_array_equal(field.V.rows, rows)
    np.testing.assert_array_equal(first.V.rows[:5], rows)
    np.testing.assert_array_equal(second.V.rows[:5], rows)


def test_conditioning_twice_on_the_same_point_without_noise_keeps_the_variance_sound(rng):
    P = rng.random((20, 2))
    field = Field.of(Matern52(0.3), P, P[:3], np.zeros(3))
    again = field.add(P[0], 0.0).add(P[0], 0.0)
    assert np.isfinite(again.variance).all()
    assert (again.variance >= 0).all()
    np.testing.assert_allclose(again.variance, field.variance, atol=1e-4)


def test_growing_rows_share_a_buffer_and_never_each_others_rows(rng):
    start = rng.random((3, 4))
    base = GrowingRows.of(start, spare=2)
    one, other = base.append(np.full(4, 1.0)), base.append(np.full(4, 2.0))
    np.testing.assert_array_equal(base.rows, start)
    np.testing.assert_array_equal(one.rows[-1], 1.0)
    np.testing.assert_array_equal(other.rows[-1], 2.0)
    long = one
    for i in range(10):  # past the spare room
        long = long.append(np.full(4, float(i)))
    np.testing.assert_array_equal(long.rows[:3], start)
    np.testing.assert_array_equal(long.rows[4:, 0], np.arange(10))
    assert one.n == 4
    with pytest.raises(ValueError, match="read-only"):
        long.rows[0, 0] = 5.0
    start[:] = 0
    assert base.rows.any()
