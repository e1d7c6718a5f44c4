"""Lengthscale rules."""

from __future__ import annotations

import math

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.spacing import REFIT_RANGE, log_prior, refit_lengthscale
from tests.reference.gp import log_likelihood, matern52


def test_spacing_is_the_volume_per_point_to_the_power_one_over_d():
    assert ew.Box.unit(2).spacing(20) == pytest.approx((1 / 20) ** 0.5)
    assert ew.Box({"a": (0, 1000)}).spacing(10) == pytest.approx(0.1)
    assert ew.Sphere(2).spacing(20) == pytest.approx((4 * math.pi / 20) ** 0.5)
    assert 2.0 * ew.Box.unit(4).spacing(60) == pytest.approx(2 * 60**-0.25)
    # The paper's initial sizes are the default.
    assert ew.Box.unit(4).spacing() == pytest.approx(60**-0.25)
    with pytest.raises(ValueError, match="at least one point, got 0"):
        ew.Box.unit(2).spacing(0)


def test_the_prior_is_the_log_normal_one():
    from scipy.stats import lognorm

    ells, dim = np.array([0.05, 0.3, 1.0, 4.0, 20.0]), 3
    exact = lognorm(s=math.sqrt(3), scale=math.exp(math.sqrt(2) + math.log(dim) / 2)).logpdf(ells)
    ours = np.array([log_prior(float(ell), dim) for ell in ells])
    np.testing.assert_allclose(ours - ours[0], exact - exact[0], atol=1e-12)


@pytest.mark.parametrize("true_ell", [0.08, 0.25, 0.7])
def test_refit_finds_the_maximum_of_likelihood_and_prior(true_ell, rng):
    box, start = ew.Box.unit(2), ew.Box.unit(2).spacing()
    Z = rng.random((60, 2))
    noise_var = np.full(60, 0.01)
    y = np.linalg.cholesky(Matern52(true_ell)(Z, Z) + 0.01 * np.eye(60)) @ rng.standard_normal((60, 1))

    def posterior(ell):
        return log_likelihood(lambda A, B: matern52(A, B, ell), Z, y, noise_var) + log_prior(ell, 2)

    found = refit_lengthscale(box, Z, y, noise_var, start)
    grid = np.geomspace(start * REFIT_RANGE[0], start * REFIT_RANGE[1], 200)
    assert posterior(found) >= max(posterior(float(ell)) for ell in grid) - 1e-4
    assert true_ell / 2 < found < true_ell * 2


def test_refit_without_information_keeps_the_spacing_rule(rng):
    box = ew.Box.unit(2)
    assert refit_lengthscale(box, rng.random((2, 2)), np.ones((2, 1)), np.full(2, 0.01), 0.3) == 0.3
    assert refit_lengthscale(box, rng.random((9, 2)), np.ones((9, 1)), np.full(9, 0.01), 0.3) == 0.3
