"""An aim steers every strategy that looks at a pool, and through one weight."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import owens_t
from scipy.stats import norm

import equiwarp as ew
from equiwarp.aims.bound import FLOOR
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import Round
from equiwarp.models.matern import MaternModel
from equiwarp.strategy.contour import wrong_side_fall
from equiwarp.strategy.map_error import MapError

BOX = ew.Box({"a": (0, 10), "b": (0, 1)})


def ramp(x):
    return 100 + 8 * x[:, 0]


@pytest.fixture(scope="module")
def measured():
    x = BOX.sample(14, np.random.default_rng(3))
    return Measurements.of(BOX, x, ramp(x), 0.5)


def frame(strategy, aim, pool=None):
    return prepare(
        BOX, strategy, 0, aim=None if aim is None else ew.Aim.of(aim).on(BOX, ("value",)), pool=pool
    )


@pytest.mark.parametrize("strategy", ["fps", "eig", "equiwarp", "lookahead-gp", "nipv", "refit"])
def test_a_contour_is_where_the_points_go(measured, strategy):
    """The level 140 is crossed at a = 5: without an aim, points lie everywhere."""
    aimed = choose(frame(strategy, {"near": 140}), measured, 4)[0].points[:, 0]
    plain = choose(frame(strategy, None), measured, 4)[0].points[:, 0]
    assert np.abs(aimed - 5).mean() < 0.6 * np.abs(plain - 5).mean()


@pytest.mark.parametrize("strategy", ["fps", "lookahead-gp", "map"])
def test_a_weight_of_zero_is_never_chosen(measured, strategy):
    points = choose(frame(strategy, {"weight": "a > 7"}), measured, 5)[0].points
    if strategy == "map":  # it weighs what is predicted, not where it is measured
        assert (points[:, 0] > 5.5).all()
    else:
        assert (points[:, 0] > 7).all()


def test_the_score_is_multiplied_by_the_belief_of_the_maps_matern_model(measured):
    aim = {"above": 150}
    with_aim, without = (Round(frame("eig", said), measured) for said in (aim, None))
    model = MaternModel.fit_map(BOX, BOX.embed(measured.x), measured.y[:, 0], measured.noise[:, 0])
    mean, sd = model.predict(BOX.embed(with_aim.configuration.pool), return_std=True)
    expected = with_aim.configuration.aim.weights(with_aim.configuration.pool, mean[:, None], sd[:, None])
    np.testing.assert_allclose(with_aim.aimed, expected, atol=0.03)
    np.testing.assert_allclose(with_aim.score, with_aim.aimed * without.score)


def map_round(measured, said, **options):
    """A round of one model, its only response, and mean and deviation at its targets in the values' unit."""
    strategy = ew.Strategy("plain", MapError(families=("matern",), floor=None, targets=64, **options))
    now = Round(frame(strategy, said), measured)
    (response,) = now.state.responses
    scale, center, m = now.values.scale[0], now.values.center[0], len(response.C)
    return now, response, center + scale * response.mean, scale * np.sqrt(response.s2[m:])


@pytest.mark.parametrize(
    ("said", "look_ahead"), [({"above": 140}, True), ({"near": 140}, False), ({"above": 140}, False)]
)
def test_map_weighs_its_targets(measured, said, look_ahead):
    """Against the formula: the mean over targets of w C^2, over the variance of a measurement."""
    now, response, mean, sd = map_round(measured, said, look_ahead=look_ahead)
    m = len(response.C)
    w = now.configuration.aim.weights(now.inputs.targets[:64], mean[:, None], sd[:, None])
    expected = (response.C**2) @ w / 64 / (response.s2[:m] + response.noise_var)
    np.testing.assert_allclose(now.criterion, expected)
    first, after = response.error_after(3)
    s2 = np.average(response.s2[m:], weights=w)
    drop = np.average(response.C[3] ** 2, weights=w) / (response.s2[3] + response.noise_var)
    np.testing.assert_allclose([first, after], np.sqrt([s2, s2 - drop]))


def test_a_contour_is_looked_for_by_the_chance_of_the_wrong_side(measured):
    """Against many values that a measurement may have, each taken in, and p (1 - p) after it."""
    weight = "1 + (a > 5)"
    now, response, mean, sd = map_round(measured, {"near": 140, "weight": weight}, look_ahead=True)
    m, scale = len(response.C), now.values.scale[0]
    drawn, chance = np.polynomial.hermite_e.hermegauss(80)
    counts = np.where(now.inputs.targets[:64, 0] > 5, 1.0, 0.5)
    p = norm.cdf((mean - 140) / sd)
    for i in np.argsort(now.criterion)[[-1, -m // 2]]:
        unit = response.s2[i] + response.noise_var
        after = mean + scale * np.outer(drawn, response.C[i]) / np.sqrt(unit)
        left = scale * np.sqrt(response.s2[m:] - response.C[i] ** 2 / unit)
        q = norm.cdf((after - 140) / left)
        fall = np.mean(counts * (p * (1 - p) - np.average(q * (1 - q), axis=0, weights=chance)))
        everywhere = FLOOR * np.mean(counts * response.C[i] ** 2) / unit  # beliefs may be wrong
        assert now.criterion[i] == pytest.approx(fall + everywhere, rel=2e-3)


def test_the_fall_is_owens_function():
    a, r = np.linspace(-3.9, 3.9, 7), np.array([[0.0], [0.01], [0.4], [0.9], [1.0]])
    expected = 2 * (owens_t(a, 1.0) - owens_t(a, np.sqrt((1 - r) / (1 + r))))
    np.testing.assert_allclose(wrong_side_fall(a, np.broadcast_to(r, (5, 7))), expected, rtol=2e-3, atol=1e-9)


def test_levels_are_in_the_units_of_the_response(measured):
    """A million times the values and the level: the same points."""
    huge = Measurements.of(BOX, measured.x, measured.y[:, 0] * 1e6, 0.5e6)
    for strategy in ("lookahead-gp", "map"):
        small_points = choose(frame(strategy, {"near": 140}), measured, 2)[0].points
        huge_points = choose(frame(strategy, {"near": 140e6}), huge, 2)[0].points
        np.testing.assert_array_equal(small_points, huge_points)


def test_the_other_of_two_responses_can_be_aimed_at(measured):
    y = np.column_stack([np.sin(9 * measured.x[:, 1]), measured.y[:, 0]])
    both = Measurements.of(BOX, measured.x, y, [0.1, 5.0])
    aim = ew.Aim(near={"second": 140}).on(BOX, ("first", "second"))
    points = choose(prepare(BOX, "fps", 0, aim=aim), both, 3)[0].points
    assert np.abs(points[:, 0] - 5).mean() < 2.5
    now = Round(prepare(BOX, "map", 0, aim=aim), both)
    for response in now.state.responses:  # one weight for all of them
        near = np.abs(now.inputs.targets[: len(response.aimed), 0] - 5) < 1
        assert response.aimed[near].mean() > 5 * response.aimed[~near].mean()


def test_a_cached_round_chooses_as_a_fresh_one(measured):
    for strategy in ("lookahead-gp", "map"):
        configuration = frame(strategy, {"near": 140})
        x, cache = measured.x, None
        for _ in range(3):
            known = Measurements.of(BOX, x, ramp(x), 0.5)
            chosen, cache = choose(configuration, known, 2, cache)
            np.testing.assert_allclose(chosen.points, choose(configuration, known, 2)[0].points)
            x = np.concatenate([x, chosen.points])


def test_what_was_done_about_the_aim_is_said(measured):
    x, y = measured.x, measured.y[:, 0]

    def said(strategy, aim):
        return ew.suggest(BOX, x, y, strategy=strategy, noise=0.5, aim=aim)

    for strategy in ("equiwarp", "map"):
        assert "no value has come to that: they run from" in said(strategy, {"above": 1000}).notes[0]
    assert "aim" in said("sobol", {"near": 140}).notes[0]
    near = said("fps", {"near": 140}).explain[0]
    assert 0 < near.aim <= 1
    assert near.equalizer == pytest.approx(1)
    assert "For the aim it counts" in str(said("equiwarp", {"above": 1000}).explain[0])
    assert said("equiwarp", {}).points == pytest.approx(said("equiwarp", None).points)
