"""Kept radial factors give the derivatives that the kernel gives, however they were collected."""

from __future__ import annotations

import numpy as np

from equiwarp.gp.fast.curves import Curves
from equiwarp.gp.kernels import Matern52

RNG = np.random.default_rng(4)
A, Z, W = RNG.random((40, 3)), RNG.random((17, 3)), RNG.normal(size=17)
KERNEL = Matern52(0.4)


def test_the_derivatives_are_the_kernels() -> None:
    gradient, hessian = Curves.of(KERNEL, A, Z).weighted_derivatives(W)
    expected_gradient, expected_hessian = KERNEL.weighted_derivatives(A, Z, W)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(hessian, expected_hessian, rtol=1e-10, atol=1e-9)
    np.testing.assert_array_equal(hessian, hessian.transpose(0, 2, 1))


def test_growing_row_by_row_is_starting_with_all() -> None:
    grown = Curves.of(KERNEL, A, Z[:5]).extend(KERNEL, Z[:6])
    assert grown is not None
    grown = grown.extend(KERNEL, Z)
    assert grown is not None
    for part, whole in zip(
        grown.weighted_derivatives(W), Curves.of(KERNEL, A, Z).weighted_derivatives(W), strict=True
    ):
        np.testing.assert_allclose(part, whole, rtol=1e-12, atol=1e-12)


def test_another_kernel_or_other_points_are_refused() -> None:
    known = Curves.of(KERNEL, A, Z[:5])
    assert known.extend(Matern52(0.5), Z) is None
    assert known.extend(KERNEL, Z[:4]) is None
    assert known.extend(KERNEL, Z[::-1]) is None


def test_without_measurements_everything_is_flat() -> None:
    gradient, hessian = Curves.of(KERNEL, A, Z[:0]).weighted_derivatives(W[:0])
    assert not gradient.any()
    assert not hessian.any()
