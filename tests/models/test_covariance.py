"""Covariances and their gradients, against differences and against scikit-learn's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import lognorm, norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern

import equiwarp as ew
from equiwarp.models import DEFAULT_MODELS, find_model
from equiwarp.models.covariance import gaussian, matern52
from equiwarp.models.exact import ExactPosterior
from equiwarp.models.fitting import FitTask

BOX = ew.Box.unit(3)


def task_of(name, noise=None, n=25):
    rng = np.random.default_rng(3)
    Z = rng.random((n, 3))
    y = np.sin(4 * Z[:, 0]) + Z[:, 1] ** 2
    return FitTask(find_model(name).covariance_on(BOX, Z), Z, (y - y.mean()) / y.std(), noise)


@pytest.mark.parametrize("name", DEFAULT_MODELS)
@pytest.mark.parametrize("known", [True, False], ids=["known", "estimated"])
def test_gradients_are_what_small_steps_give(name, known):
    task = task_of(name, np.full(25, 0.01) if known else None)
    t = task.start(0.5)
    t = t + 0.2 * np.random.default_rng(1).standard_normal(len(t))
    step = 1e-5 * np.eye(len(t))
    slopes = [(task.loss(t + e)[0] - task.loss(t - e)[0]) / 2e-5 for e in step]
    np.testing.assert_allclose(task.loss(t)[1], slopes, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", DEFAULT_MODELS)
def test_a_covariance_is_symmetric_has_its_diagonal_and_does_not_depend_on_what_else_is_asked(name):
    task = task_of(name)
    covariance, t = task.covariance, task.start(0.4)[: task.covariance.size] + 0.1
    K = covariance.gram(t, task.X, task.X)
    np.testing.assert_allclose(K, K.T)
    np.testing.assert_allclose(K.diagonal(), covariance.diagonal(t, task.X), rtol=1e-9)
    np.testing.assert_allclose(covariance.gram(t, task.X[3:7], task.X), K[3:7], rtol=1e-9)
    np.testing.assert_allclose(covariance.with_gradient(t, task.X)[0], K, rtol=1e-9)
    assert np.linalg.eigvalsh(K).min() > -1e-9


@pytest.mark.parametrize(("name", "kernel"), [("matern", Matern(nu=2.5)), ("smooth", RBF())])
def test_the_likelihood_is_scikit_learns(name, kernel):
    task = task_of(name, np.full(25, 0.02))
    lengths = np.array([0.3, 0.8, 2.0])
    t = np.log([1.3, *lengths])
    varying = ConstantKernel(1.3**2) * type(kernel)(**{**kernel.get_params(), "length_scale": lengths})
    whole = varying + ConstantKernel(1.0, "fixed")
    plain = GaussianProcessRegressor(whole, alpha=0.02, optimizer=None).fit(task.X, task.y)
    value, gradient = task.minus_log_likelihood(t)
    found, slope = plain.log_marginal_likelihood(plain.kernel_.theta, eval_gradient=True)
    assert -value - 0.5 * 25 * math.log(2 * math.pi) == pytest.approx(found)
    # Its constant is a variance, ours a deviation: half the logarithm.
    np.testing.assert_allclose(-gradient, slope * np.array([2.0, 1.0, 1.0, 1.0]), rtol=1e-6)


@pytest.mark.parametrize("name", [name for name in DEFAULT_MODELS if name != "trend"])
def test_between_measurements_a_function_returns_to_its_level_not_to_the_mean_of_crowded_values(name):
    """Sixty values on a hill and thirty on the plain around it: far from all of them, the plain goes on."""
    rng = np.random.default_rng(0)
    X = np.vstack([0.45 + 0.1 * rng.random((60, 2)), rng.random((30, 2))])
    on_hill = (np.abs(X - 0.5) < 0.06).all(axis=1)
    y = on_hill - on_hill.mean()
    covariance = find_model(name).covariance_on(ew.Box.unit(2), X)
    t = covariance.start(0.05, X, y)
    posterior = ExactPosterior(covariance, t, X, y, np.full(len(y), 1e-4))
    plain = rng.random((400, 2))
    plain = plain[(np.abs(plain - 0.5) > 0.2).any(axis=1)]
    expected, mean_of_values = -on_hill.mean(), 0.0
    found = float(posterior.mean(plain).mean())
    assert abs(found - expected) < 0.25 * abs(mean_of_values - expected)


def test_a_noise_that_nothing_speaks_for_is_the_expected_one_not_none():
    """Few values are explained without noise by any flexible function; the prior must hold against that."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(12):
        Z = rng.random((10, 1))
        y = np.sin(5 * Z[:, 0]) + 0.1 * rng.standard_normal(10)
        found.append(find_model("matern").fit_map(ew.Box.unit(1), Z, y, None).noise_)
    assert min(found) > 0.01
    assert 0.03 < np.median(found) < 0.3


@pytest.mark.parametrize(
    ("name", "places", "spread"),
    [("matern", slice(1, 4), 0.7), ("warped", slice(4, 10), 0.5), ("envelope", slice(4, 10), 0.25)],
)
def test_what_few_values_cannot_tell_is_held_by_a_normal_density(name, places, spread):
    """Lengthscales near their common mean, exponents and envelope near no effect: by so many spreads."""
    covariance = task_of(name).covariance
    t = np.zeros(covariance.size)
    moved = t.copy()
    moved[places] = np.tile([0.6, -0.4, -0.2], (places.stop - places.start) // 3)
    gained = covariance.penalty(moved)[0] - covariance.penalty(t)[0]
    apart = -float(np.sum(norm(0.0, spread).logpdf(moved[places]) - norm(0.0, spread).logpdf(0.0)))
    if name == "matern":  # beside it, the log-normal prior of the lengthscales themselves, density by length
        lengths = lognorm(math.sqrt(3.0), scale=math.exp(math.sqrt(2.0) + 0.5 * math.log(3)))
        apart -= float(np.sum(lengths.logpdf(np.exp(moved[places])) - lengths.logpdf(1.0)))
    assert gained == pytest.approx(apart)


@pytest.mark.parametrize("radial", [matern52, gaussian])
def test_a_matrix_made_in_pieces_is_the_matrix(radial, monkeypatch):
    rng = np.random.default_rng(1)
    A, B = rng.random((50, 3)), rng.random((20, 3))
    whole = radial(cdist(A, B, "sqeuclidean"))[0]
    monkeypatch.setattr("equiwarp.models.covariance.PIECE", 70)  # three rows and a half
    assert np.array_equal(radial.between(A, B), whole)
    assert radial.between(A[:0], B).shape == (0, 20)
    assert radial.between(A, B[:0]).shape == (50, 0)
