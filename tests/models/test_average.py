"""How much each model counts: against a plain maximiser, and with more values than all models are given."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

import equiwarp as ew
from equiwarp.bench.functions.random_families import random_function
from equiwarp.models import DEFAULT_MODELS, find_model
from equiwarp.models.average import (
    EQUAL_VALUES,
    MOST_MEMBERS,
    fit_average,
    log_density,
    log_density_by_place,
    stacked,
)

BOX = ew.Box.unit(2)


def test_weights_maximise_the_density_of_what_was_left_out_held_towards_equal_ones():
    rng = np.random.default_rng(3)
    densities = rng.normal([0.0, 0.7, -0.5], 1.0, (40, 3))

    def loss(logits):
        weights = np.exp(logits - logits.max())
        weights /= weights.sum()
        mixed = np.log(np.exp(densities) @ weights)
        return -(mixed.sum() + EQUAL_VALUES * np.log(weights).sum())

    found = minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12})
    expected = np.exp(found.x) / np.exp(found.x).sum()
    np.testing.assert_allclose(stacked(densities), expected, atol=1e-3)
    assert expected[1] > 2 * expected[2]  # else there would be nothing to see


def test_a_density_left_out_is_the_normal_one():
    x = np.random.default_rng(0).random((12, 2))
    model = find_model("matern").fit_map(BOX, x, np.sin(4 * x[:, 0]), np.full(12, 0.1))
    residual, deviation = model.leave_one_out()
    expected = np.log(np.exp(-0.5 * (residual / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi)))
    np.testing.assert_allclose(log_density(model), expected)


def test_what_repeats_say_is_the_density_of_their_mean():
    """With equal noise, leaving out a place of a design with repeats is leaving out one value, their mean."""
    rng = np.random.default_rng(2)
    x, count = rng.random((8, 2)), np.array([1, 4, 1, 2, 1, 1, 3, 1])
    Z = np.repeat(x, count, axis=0)
    y = np.sin(4 * Z[:, 0]) + 0.3 * rng.standard_normal(len(Z))
    means = np.array([y[(place == Z).all(axis=1)].mean() for place in x])
    whole = find_model("matern").fit_map(BOX, Z, y, np.full(len(Z), 0.3))
    alike = whole.conditioned_on(BOX, x, means, 0.3 / np.sqrt(count))  # the same posterior
    order = np.lexsort(np.round(x, 9).T[::-1])
    np.testing.assert_allclose(
        log_density_by_place(whole, Z, np.full(len(Z), 0.3)), log_density(alike)[order], rtol=1e-6
    )


def test_repeats_alone_make_up_for_no_handicap():
    """Ten copies of 24 values say no more than those: a direction that they fit had a third of the weight."""
    families = {name: find_model(name) for name in DEFAULT_MODELS}
    weights = {1: 0.0, 10: 0.0}
    for seed, copies in itertools.product(range(3), weights):
        rng = np.random.default_rng(seed)
        Z, function = rng.random((24, 4)), random_function("isotropic", 4, 900 + seed)
        Z, y = (np.repeat(part, copies, axis=0) for part in (Z, function(Z)))
        noise = np.full(len(Z), 0.02 * np.sqrt(copies))
        average = fit_average(families, ew.Box.unit(4), Z, y, noise, {})
        weights[copies] += average.weights_["single-index"] / 3
    assert weights[10] == pytest.approx(weights[1], abs=0.03)


def test_of_very_many_values_the_best_models_are_given_all(monkeypatch):
    rng = np.random.default_rng(1)
    x = rng.random((600, 2))
    truth = np.sin(9 * x[:, 0]) + np.abs(x[:, 1] - 0.4)
    y = truth + 0.3 * rng.standard_normal(600)
    families = {name: find_model(name) for name in DEFAULT_MODELS}
    noise = np.full(600, 0.3)
    monkeypatch.setattr("equiwarp.models.average.MANY_VALUES", 150)
    many = fit_average(families, BOX, x, y, noise, {})
    monkeypatch.setattr("equiwarp.models.average.MANY_VALUES", 1000)
    rows = np.sort(np.random.default_rng(0).choice(600, 150, replace=False))
    part = fit_average(families, BOX, x[rows], y[rows], noise[rows], {})
    best = sorted(part.weights_, key=part.weights_.__getitem__, reverse=True)[:MOST_MEMBERS]
    assert set(many.names) == set(best)
    shares = np.array([part.weights_[name] for name in many.names])
    np.testing.assert_allclose(many.weights, shares / shares.sum())
    assert set(many.hyperparameters_) == set(DEFAULT_MODELS)  # the next fit starts all of them from there
    missed = [float(np.sqrt(np.mean((m.predict(x) - truth) ** 2))) for m in (many, part)]
    assert missed[0] < 0.8 * missed[1]


@pytest.mark.parametrize("name", DEFAULT_MODELS)
def test_a_model_given_more_values_keeps_its_hyperparameters(name):
    rng = np.random.default_rng(2)
    x = rng.random((60, 2))
    y = 40 + np.sin(5 * x[:, 0])
    first = find_model(name).fit_map(BOX, x[:30], y[:30], np.full(30, 0.1))
    more = first.conditioned_on(BOX, x, y, np.full(60, 0.1))
    again = first.conditioned_on(BOX, x[:30], y[:30], np.full(30, 0.1))
    assert more.hyperparameters_ is first.hyperparameters_ or np.array_equal(
        more.hyperparameters_["logarithms"], first.hyperparameters_["logarithms"]
    )
    np.testing.assert_allclose(again.predict(x), first.predict(x), rtol=1e-6)
    assert np.mean(more.predict(x, return_std=True)[1]) < np.mean(first.predict(x, return_std=True)[1])


@pytest.mark.parametrize("most", [2000, 10])
def test_each_model_that_is_fitted_is_told(monkeypatch, most):
    monkeypatch.setattr("equiwarp.models.average.MANY_VALUES", most)
    x, told = np.random.default_rng(0).random((20, 2)), []
    families = {name: find_model(name) for name in ("matern", "additive")}
    fit_average(families, BOX, x, x[:, 0], np.full(20, 0.1), {}, progress=lambda *far: told.append(far))
    assert told == [(1, 2), (2, 2)]
