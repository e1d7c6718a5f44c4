"""The families that know a structure: pairs of parameters, and one direction across all of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

import equiwarp as ew
from equiwarp.bench.functions.random_families import random_function
from equiwarp.models import DEFAULT_MODELS, find_model
from equiwarp.models.average import fit_average, stacked, stacked_with
from equiwarp.models.covariance import SingleIndex, matern52
from equiwarp.models.fitting import STARTING_LENGTHSCALES, FitTask, fit
from equiwarp.models.pairs import TwoByTwo
from equiwarp.models.single_index import HANDICAP


def errors(domain, function, n, families, seed=0, noise=0.05):
    """Root mean square errors of some families, and of the average of all, on the same random points."""
    rng = np.random.default_rng(seed)
    Z, places = rng.random((n, domain.dim)), rng.random((2000, domain.dim))
    y = function(Z) + noise * rng.standard_normal(n)
    truth, noises = function(places), np.full(n, noise)
    fitted = [find_model(name).fit_map(domain, Z, y, noises) for name in families]
    used = {name: find_model(name) for name in DEFAULT_MODELS if find_model(name).applies(domain)}
    fitted.append(fit_average(used, domain, Z, y, noises, {}))
    return [float(np.sqrt(np.mean((model.predict(places) - truth) ** 2))) for model in fitted]


def test_pairs_are_the_sum_of_all_products_of_two():
    rng = np.random.default_rng(0)
    A, B = rng.random((7, 4)), rng.random((5, 4))
    groups = np.array([0, 1, 1, 2])  # the second parameter has two coordinates
    t = np.array([0.3, -0.5, 0.2, -1.0])
    columns = [[0], [1, 2], [3]]
    parts = [
        matern52(cdist(A[:, c], B[:, c], "sqeuclidean") / np.exp(2 * ell))[0]
        for c, ell in zip(columns, t[1:], strict=True)
    ]
    expected = sum(p * q for p, q in itertools.combinations(parts, 2)) / 3 * np.exp(0.6)
    np.testing.assert_allclose(TwoByTwo(groups).gram(t, A, B), expected)


def test_a_single_index_is_a_function_of_one_direction():
    rng = np.random.default_rng(0)
    A, w = rng.random((6, 3)), np.array([2.0, -1.0, 0.5])
    across = np.linalg.svd(w[None])[2][1:]  # two directions along which nothing changes
    term, t = SingleIndex(3), np.append(0.2, w)
    moved = A + rng.standard_normal((6, 2)) @ across
    np.testing.assert_allclose(term.gram(t, A, moved), term.gram(t, A, A), rtol=1e-9)
    index = A @ w
    expected = np.exp(0.4) * matern52((index[:, None] - index) ** 2)[0]
    np.testing.assert_allclose(term.gram(t, A, A), expected)
    assert term.gram(t, A, A + 0.3 * w)[0, 0] < 0.7 * np.exp(0.4)


@pytest.mark.parametrize("n", [30, 55])
def test_a_direction_is_as_likely_as_the_likeliest_that_any_start_leads_to(n):
    """After five steps another start was ahead, and it ended 12 and 21 in log likelihood below this one."""
    X = np.random.default_rng(88).random((n, 2))
    y = random_function("oblique", 2, 88)(X)
    covariance = find_model("single-index").covariance_on(ew.Box.unit(2), X)
    task = FitTask(covariance, X, (y - y.mean()) / y.std(), np.full(n, 1e-3))
    bounds = np.array(task.bounds())
    starts = [np.clip(task.start(length), *bounds.T) for length in STARTING_LENGTHSCALES]
    ends = [minimize(task.loss, t, jac=True, method="L-BFGS-B", bounds=bounds).fun for t in starts]
    assert task.loss(fit(task))[0] < min(ends) + 0.5


def test_a_fit_begins_along_the_slope_of_the_values_and_somewhere_if_there_is_none():
    X = np.random.default_rng(1).random((200, 3))
    slope = np.array([3.0, 0.0, -1.0])
    begin = SingleIndex(3).start(0.5, X, X @ slope)[1:]
    np.testing.assert_allclose(begin, slope / np.linalg.norm(slope) / 0.5, atol=0.05)
    assert np.linalg.norm(SingleIndex(3).start(0.5, X, np.zeros(200))[1:]) == pytest.approx(2.0)


def test_its_length_is_held_as_a_lengthscale_is():
    """Minus the log-normal density of 1 / |w|, and none of the direction's."""
    from scipy.stats import lognorm

    term = SingleIndex(2)
    length = lognorm(np.sqrt(3.0), scale=np.exp(np.sqrt(2.0)))
    for w in ([3.0, 4.0], [0.0, -5.0]):
        value = term.penalty(np.array([0.1, *w]))[0]
        rest = term.penalty(np.array([0.1, 1.0, 0.0]))[0]
        assert value - rest == pytest.approx(length.logpdf(1.0) - length.logpdf(0.2))


@pytest.mark.parametrize("seed", range(3))
def test_a_boundary_askew_is_learnt_from_few_values(seed):
    """A third of the error of a plain Matern; the average is hardly worse than the family alone."""

    def front(u):
        return np.tanh(20 * (u[:, 0] + 0.7 * u[:, 1] - 0.9))

    matern, index, average = errors(ew.Box.unit(2), front, 50, ("matern", "single-index"), seed)
    assert index < 0.35 * matern
    assert average < 0.4 * matern


def test_pairs_learn_what_is_made_of_pairs():
    ratios = []
    for seed in range(3):
        function = random_function("pairs", 4, 100 + seed)
        matern, pairs, average = errors(ew.Box.unit(4), function, 100, ("matern", "pairs"), seed)
        ratios.append((pairs / matern, average / matern))
    own, averaged = np.exp(np.mean(np.log(ratios), axis=0))
    assert own < 0.95
    assert averaged < 0.97


def test_a_handicap_is_taken_off_before_families_are_compared():
    densities = np.random.default_rng(3).normal([0.0, 0.6, 0.3], 1.0, (40, 3))
    handicaps = np.array([0.0, 0.0, 10.0])
    expected = stacked(densities - handicaps / 40, np.array([1.0, 1.0, 0.0]))
    np.testing.assert_allclose(stacked_with(handicaps, densities), expected)
    assert stacked_with(np.zeros(3), densities)[2] > 2 * expected[2]
    assert stacked_with(np.array([5.0]), densities[:, :1]) == pytest.approx(1.0)  # who is alone counts


def test_a_family_whose_handicap_nothing_can_make_up_counts_for_nothing():
    """Two values in 51 coordinates: its weight is too small for a number, and nobody is warned of that."""
    domain = ew.Box({"heat": (0, 1), "ligand": [f"L{i}" for i in range(50)]})
    x = domain.sample(2, np.random.default_rng(0))
    weights = ew.build_map(domain, x, [0.1, -0.1], noise=0.05).models[0].weights_
    assert weights["single-index"] == 0.0
    assert sum(weights.values()) == pytest.approx(1.0)


def test_few_values_do_not_believe_a_direction():
    """Ten values of an isotropic function in six dimensions lie on many curves."""
    domain = ew.Box.unit(6)
    assert find_model("single-index").handicap(6) == 6 * HANDICAP
    for seed in range(4):
        rng = np.random.default_rng(seed)
        Z, function = rng.random((10, 6)), random_function("isotropic", 6, 200 + seed)
        families = {name: find_model(name) for name in DEFAULT_MODELS}
        average = fit_average(families, domain, Z, function(Z), np.full(10, 0.05), {})
        assert average.weights_["single-index"] == 0.0


def test_where_they_apply():
    three = ew.Box.unit(3)
    index, pairs = find_model("single-index"), find_model("pairs")
    assert pairs.applies(three)
    assert not pairs.applies(ew.Box.unit(2))
    assert not pairs.applies(ew.Sphere(2))
    assert index.applies(ew.Sphere(2))
    assert index.applies(ew.Simplex({"a": 0, "b": 0, "c": 0}))
    assert not index.applies(ew.Box.unit(1))


def turned(domain, x, rng):
    """Points after all that may be turned, each angle and each direction by itself, was turned at random."""
    z = domain.embed(x)
    for group in map(list, domain.turning):
        z[:, group] @= np.linalg.qr(rng.standard_normal((len(group), len(group))))[0]
    return z


@pytest.mark.parametrize(
    "domain",
    [
        ew.Sphere(2),
        ew.Sphere(3),
        ew.Box({"angle": ew.Parameter(0, 360, periodic=True), "t": (0, 1)}),
        ew.Product(ew.Sphere(2), ew.Box({"hour": ew.Parameter(0, 24, periodic=True), "t": (0, 1)})),
    ],
    ids=["S2", "S3", "angle", "direction, hour and number"],
)
def test_a_map_turns_with_spheres_and_angles(domain):
    """Where zero is, is arbitrary: turned measurements give the turned map, whichever family makes it."""
    rng = np.random.default_rng(0)
    x, places = domain.sample(25, rng), domain.sample(100, rng)
    z = domain.embed(x)
    y = np.sin(3 * z[:, 0]) + z[:, 1] * z[:, 2] + (z[:, 0] > 0.3)
    after = [turned(domain, points, np.random.default_rng(1)) for points in (x, places)]
    noise = np.full(25, 0.05)
    for name in DEFAULT_MODELS:
        if find_model(name).applies(domain):
            here, there = (
                find_model(name).fit_map(domain, Z, y, noise).predict(at)
                for Z, at in ((z, domain.embed(places)), after)
            )
            np.testing.assert_allclose(there, here, atol=0.01 * y.std(), err_msg=name)
