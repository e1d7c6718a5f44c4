"""Every family does what a map relies on: against dense formulas, and against refits without each value."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import equiwarp as ew
from equiwarp.models import DEFAULT_MODELS, find_model
from equiwarp.models.average import fit_average
from equiwarp.models.exact import ExactPosterior
from equiwarp.models.gaussian_process import lengthscale_groups
from equiwarp.models.inducing import InducingPosterior
from tests.cases import DOMAINS

BOX = ew.Box.unit(2)
NOISE = 0.1


def data(n=24, seed=0, noise=NOISE):
    rng = np.random.default_rng(seed)
    Z = rng.random((n, 2))
    return Z, 40 + 3 * np.sin(5 * Z[:, 0]) + Z[:, 1] + noise * rng.standard_normal(n)


def fitted(name, Z, y, noise=NOISE):
    if name == "average":
        families = {n: find_model(n) for n in DEFAULT_MODELS}
        return fit_average(families, BOX, Z, y, np.full(len(y), noise), {})
    return find_model(name).fit_map(BOX, Z, y, np.full(len(y), noise))


ALL = (*DEFAULT_MODELS, "average")


def dense(model, Z, y, A):
    """Mean and covariance of a family by the textbook formula, with its hyperparameters."""
    t, prior = model.hyperparameters_["logarithms"], model.posterior_.prior
    s = model.scale_
    K = s**2 * prior.gram(t, Z, Z) + NOISE**2 * np.eye(len(Z))
    k = s**2 * prior.gram(t, A, Z)
    mean = model.center_ + k @ np.linalg.solve(K, y - model.center_)
    return mean, s**2 * prior.gram(t, A, A) - k @ np.linalg.solve(K, k.T)


@pytest.mark.parametrize("name", DEFAULT_MODELS)
def test_mean_and_covariance_are_the_textbooks(name):
    Z, y = data()
    model, A = fitted(name, Z, y), np.random.default_rng(5).random((30, 2))
    mean, covariance = dense(model, Z, y, A)
    np.testing.assert_allclose(model.predict(A), mean, rtol=1e-6)
    np.testing.assert_allclose(model.covariance(A, A), covariance, atol=1e-6)
    np.testing.assert_allclose(model.predict(A, return_std=True)[1] ** 2, covariance.diagonal(), atol=1e-6)


@pytest.mark.parametrize("name", DEFAULT_MODELS)
def test_leaving_one_out_is_refitting_without_it(name):
    Z, y = data()
    Z[5], Z[6] = Z[4], Z[4]  # measured three times: they leave together
    model = fitted(name, Z, y)
    residual, deviation = model.leave_one_out()
    for i in range(len(y)):
        others = np.any(Z[i] != Z, axis=1)
        mean, covariance = dense(model, Z[others], y[others], Z[i : i + 1])
        assert residual[i] == pytest.approx(y[i] - mean[0], rel=1e-4, abs=1e-6)
        assert deviation[i] == pytest.approx(np.sqrt(covariance[0, 0] + NOISE**2), rel=1e-4)


def test_the_average_is_a_mixture():
    Z, y = data()
    model, A = fitted("average", Z, y), np.random.default_rng(5).random((30, 2))
    assert model.weights.sum() == pytest.approx(1)
    assert set(model.weights_) == set(DEFAULT_MODELS)
    means = np.array([m.predict(A) for m in model.members])
    covariances = [m.covariance(A, A) for m in model.members]
    mean = model.weights @ means
    apart = means - mean
    expected = sum(
        w * (c + np.outer(a, a)) for w, c, a in zip(model.weights, covariances, apart, strict=True)
    )
    np.testing.assert_allclose(model.predict(A), mean)
    np.testing.assert_allclose(model.covariance(A, A), expected, atol=1e-9)
    np.testing.assert_allclose(model.predict(A, return_std=True)[1] ** 2, np.diag(expected), atol=1e-9)
    left = [m.leave_one_out() for m in model.members]
    residual = model.weights @ np.array([r for r, _ in left])
    spread = [w * (s**2 + (r - residual) ** 2) for w, (r, s) in zip(model.weights, left, strict=True)]
    np.testing.assert_allclose(model.leave_one_out()[0], residual)
    np.testing.assert_allclose(model.leave_one_out()[1], np.sqrt(np.sum(spread, axis=0)))


@pytest.mark.parametrize("name", ALL)
def test_draws_have_the_mean_and_the_covariance_that_are_predicted(name):
    Z, y = data(10)
    model, A = fitted(name, Z, y), np.random.default_rng(5).random((6, 2))
    draws = model.draw(A, 4000, seed=1)
    C = model.covariance(A, A)
    scale = np.sqrt(C.diagonal())
    np.testing.assert_array_less(np.abs(draws.mean(axis=0) - model.predict(A)) / scale, 0.08)
    np.testing.assert_array_less(np.abs(np.cov(draws.T) - C) / np.outer(scale, scale), 0.12)
    np.testing.assert_array_equal(draws, model.draw(A, 4000, seed=1))


@pytest.mark.parametrize("name", ALL)
def test_rolling_forward_is_conditioning_on_one_point_after_the_other(name):
    Z, y = data()
    model, rng = fitted(name, Z, y), np.random.default_rng(5)
    everywhere, ahead = rng.random((100, 2)), rng.random((4, 2))
    both = np.vstack([everywhere, ahead])
    C = model.covariance(both, both)
    expected = [np.sqrt(np.mean(C.diagonal()[:100]))]
    for i in range(4):
        c = C[:, 100 + i]
        C = C - np.outer(c, c) / (c[100 + i] + model.noise_**2)
        expected.append(np.sqrt(np.mean(C.diagonal()[:100])))
    np.testing.assert_allclose(model.rolled_forward(everywhere, ahead), expected, rtol=1e-5)


@pytest.mark.parametrize("name", DEFAULT_MODELS)
def test_samples_of_a_known_process_are_covered_as_promised(name):
    """A fit to values of a smooth random function holds it between its bands about as often as it says."""
    rng, inside = np.random.default_rng(8), []
    for _ in range(8):
        points = rng.random((150, 2))
        L = np.linalg.cholesky(
            np.exp(-0.5 * cdist(points, points, "sqeuclidean") / 0.25**2) + 1e-8 * np.eye(150)
        )
        f = L @ rng.standard_normal(150)
        Z, y = points[:40], f[:40] + NOISE * rng.standard_normal(40)
        mean, deviation = fitted(name, Z, y).predict(points[40:], return_std=True)
        inside.append(np.mean(np.abs(mean - f[40:]) < 1.2816 * deviation))
    assert 0.6 < np.mean(inside) < 0.99


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
def test_every_family_says_where_it_applies_and_works_there(domain):
    rng = np.random.default_rng(0)
    x = domain.sample(12, rng)
    Z = domain.embed(x)
    y = np.sin(3 * Z[:, 0])
    applying = [name for name in DEFAULT_MODELS if find_model(name).applies(domain)]
    assert {"matern", "smooth", "trend"} <= set(applying)
    for name in applying:
        mean, deviation = (
            find_model(name).fit_map(domain, Z, y, np.full(12, 0.01)).predict(Z, return_std=True)
        )
        assert np.isfinite(mean).all()
        assert np.isfinite(deviation).all()
        np.testing.assert_allclose(mean, y, atol=0.15)


@pytest.mark.parametrize("name", DEFAULT_MODELS)
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_units_do_not_matter(name, scale):
    Z, y = data()
    A = np.random.default_rng(5).random((5, 2))
    plain = fitted(name, Z, y).predict(A, return_std=True)
    scaled = fitted(name, Z, scale * y, scale * NOISE).predict(A, return_std=True)
    for ours, theirs in zip(plain, scaled, strict=True):
        np.testing.assert_allclose(theirs / scale, ours, rtol=1e-4)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("y", [np.zeros(8), np.full(8, 7.0), np.r_[np.zeros(7), 1.0]], ids=["0", "7", "one"])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_odd_values_are_inputs(name, y, noise):
    Z = np.random.default_rng(0).random((8, 2))
    Z[3] = Z[2]
    mean, deviation = fitted(name, Z, y, noise).predict(Z, return_std=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(deviation).all()


def test_inducing_points_come_near_the_exact_posterior():
    Z, y = data(400)
    model = fitted("matern", Z, y)
    exact, t = model.posterior_, model.hyperparameters_["logarithms"]
    values, noise = (y - model.center_) / model.scale_, np.full(400, (NOISE / model.scale_) ** 2)
    few = InducingPosterior(exact.prior, t, Z, values, noise)
    assert len(few.inducing) <= 400
    A = np.random.default_rng(5).random((50, 2))
    for near, true in zip(few.moments(A), exact.moments(A), strict=True):
        np.testing.assert_allclose(near, true, atol=1e-4)
    np.testing.assert_allclose(few.covariance(A, A), exact.covariance(A, A), atol=1e-4)
    for near, true in zip(few.leave_one_out(), exact.leave_one_out(), strict=True):
        np.testing.assert_allclose(near, true, atol=2e-3)


def test_values_of_one_place_leave_together_however_many_there_are():
    """Otherwise a repeat predicts its own place, and an error that is judged by that is too small."""
    rng = np.random.default_rng(2)
    times = rng.integers(1, 8, 60)
    Z = np.repeat(rng.random((60, 2)), times, axis=0)
    truth = np.sign(Z[:, 0] + 0.3 * Z[:, 1] - 0.6)
    noise = rng.choice([0.02, 0.1], len(Z))
    y = truth + noise * rng.standard_normal(len(Z))
    model = find_model("matern").fit_map(BOX, Z, y, noise)
    exact, t = model.posterior_, model.hyperparameters_["logarithms"]
    few = InducingPosterior(
        exact.prior, t, Z, (y - model.center_) / model.scale_, (noise / model.scale_) ** 2
    )
    for near, true in zip(few.leave_one_out(), exact.leave_one_out(), strict=True):
        np.testing.assert_allclose(near, true, atol=2e-3)


def test_more_than_enough_values_are_all_used(monkeypatch):
    """With a hundred inducing points the map is nearly that of all values, and far from that of a hundred."""
    monkeypatch.setattr("equiwarp.models.gaussian_process.MOST_EXACT", 300)
    monkeypatch.setattr("equiwarp.models.inducing.INDUCING", 100)
    Z, y = data(1200, noise=1.0)
    A, truth = data(500, seed=9, noise=0.0)
    few = fitted("matern", Z, y, 1.0)
    assert isinstance(few.posterior_, InducingPosterior)
    assert len(few.posterior_.inducing) == 100
    monkeypatch.setattr("equiwarp.models.gaussian_process.MOST_EXACT", 5000)
    exact, thinned = fitted("matern", Z, y, 1.0), fitted("matern", Z[:100], y[:100], 1.0)
    assert isinstance(exact.posterior_, ExactPosterior)
    error = [float(np.sqrt(np.mean((m.predict(A) - truth) ** 2))) for m in (few, exact, thinned)]
    assert error[0] < 1.1 * error[1]
    assert error[2] > 1.3 * error[1]


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
def test_columns_of_one_parameter_share_a_lengthscale(domain):
    e = domain.embed(domain.sample(1, np.random.default_rng(0))).shape[1]
    groups = lengthscale_groups(domain, e)
    assert groups.shape == (e,)
    for group in domain.groups:
        assert len(set(groups[list(group)])) == 1
    assert sorted(set(groups)) == list(range(groups.max() + 1))


def test_every_number_angle_and_category_has_a_lengthscale_of_its_own():
    box = ew.Box({"heat": (0, 1), "turn": ew.Parameter(0, 90, periodic=True), "base": list("acgt")})
    assert lengthscale_groups(box, 7).tolist() == [0, 1, 1, 2, 2, 2, 2]
    assert lengthscale_groups(DOMAINS["torus"], 4).tolist() == [0, 0, 1, 1]
    assert lengthscale_groups(DOMAINS["S2"], 3).tolist() == [0, 0, 0]
    for domain, applies in ((box, True), (DOMAINS["torus"], True), (DOMAINS["S2"], False)):
        assert find_model("additive").applies(domain) is applies
    assert not find_model("warped").applies(box)


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
def test_the_average_works_on_every_domain(domain):
    Z = domain.embed(domain.sample(12, np.random.default_rng(0)))
    y = np.sin(3 * Z[:, 0])
    families = {name: find_model(name) for name in DEFAULT_MODELS if find_model(name).applies(domain)}
    model = fit_average(families, domain, Z, y, np.full(12, 0.01), {})
    mean, deviation = model.predict(Z, return_std=True)
    np.testing.assert_allclose(mean, y, atol=0.1)
    assert np.isfinite(deviation).all()


def test_how_alike_categories_are_is_learnt():
    box = ew.Box({"x": (0, 1), "kind": ["a", "b", "c"]})
    rng = np.random.default_rng(0)
    x = box.sample(30, rng)
    lengths = []
    for phase in (0.0, 2.0):  # of one category against the next
        y = np.sin(5 * x[:, 0] + phase * x[:, 1])
        model = find_model("matern").fit_map(box, box.embed(x), y, np.full(30, 0.05))
        lengths.append(model.hyperparameters_["logarithms"][2])
    assert lengths[0] > lengths[1] + 1
