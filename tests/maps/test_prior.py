"""Maps that begin with a prior: scale and offset, the difference, and priors that mislead."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.maps.prior import _generalised, differences, scale_of
from equiwarp.maps.prior_map import MappedValues, read_prior
from equiwarp.models.informed import WITH, WITHOUT

LINE = ew.Box({"x": (0, 1)})
TEST = np.linspace(0, 1, 200)[:, None]


def dear(x):
    """Forrester et al. (2007)."""
    return (6 * x[:, 0] - 2) ** 2 * np.sin(12 * x[:, 0] - 4)


def cheap(x):
    return 0.5 * dear(x) + 10 * (x[:, 0] - 0.5) - 5


def wrong(x):
    return 5 * np.cos(40 * x[:, 0])


def missed(known):
    return float(np.sqrt(np.mean((known.predict(TEST).mean[:, 0] - dear(TEST)) ** 2)))


def few(n):
    return LINE.sample(n, np.random.default_rng(1))


def with_prior(n, prior, noise=0.01):
    x = few(n)
    return ew.build_map(LINE, x, dear(x), noise, prior=prior)


def test_a_good_prior_saves_most_of_the_experiments():
    known = with_prior(6, cheap)
    (worth,) = known.prior_worth()
    assert worth.scale == pytest.approx(2.0, abs=0.02)  # dear = 2 cheap - 20 (x - 0.5) + 10
    assert worth.trust > 0.98
    assert worth.helps
    assert missed(known) < 0.02 * missed(known.without_prior())
    assert str(worth).startswith("value = 2 cheap + 11 + difference: the prior accounts for")
    assert known.forecast(2).saved == (None,)  # more than sixty experiments
    assert known.forecast(2).shape == (3, 1)
    assert not [found for found in known.diagnostics() if found.kind == "prior"]


def test_a_prior_that_misleads_is_faded_out_and_named():
    known = with_prior(12, wrong)
    (worth,) = known.prior_worth()
    assert worth.share < 0.05
    assert missed(known) < 1.1 * missed(known.without_prior())
    assert known.forecast(1).saved == (0,)
    (found,) = [found for found in known.diagnostics() if found.kind == "prior"]
    assert "The prior wrong says nothing of value, or misleads: after 12 values" in found.sentence
    assert "is faded out" in str(worth)


def test_a_rough_prior_is_outweighed_by_the_map_without_it():
    """Here a scale helps at the measured points, and predictions of values left out speak against it."""
    known = with_prior(24, lambda p: dear(p) + 50 * np.sign(np.sin(80 * p[:, 0])))
    assert known.prior_worth()[0].share < 0.1
    assert missed(known) < 1.1 * missed(known.without_prior())


def test_a_prior_in_the_units_of_the_response_is_taken_as_it_is_until_values_speak_against_it():
    for n in (1, 2, 4, 8):
        x = few(n)
        known = ew.build_map(LINE, x, dear(x) + 3, 0.01, prior=dear)
        assert known.prior_worth()[0].scale == pytest.approx(1.0, abs=0.01)
    truth = dear(TEST) + 3
    assert np.sqrt(np.mean((known.predict(TEST).mean[:, 0] - truth) ** 2)) < 0.02 * truth.std()


def test_the_scale_is_that_of_generalised_least_squares_by_hand():
    x = few(9)
    rng = np.random.default_rng(0)
    known, y = rng.standard_normal(9), rng.standard_normal(9)
    _, scale, error = _generalised(x, known, y, 0.4, 10.0)
    s = np.sqrt(5) * np.abs(x - x.T) / 0.4
    centred = x - x.mean()
    K = (1 + s + s**2 / 3) * np.exp(-s) + 10 * centred @ centred.T + 1e-4 * np.eye(9)
    H = np.column_stack([known, np.ones(9)])
    inverse = np.linalg.inv(K)
    covariance = np.linalg.inv(H.T @ inverse @ H)
    weights = covariance @ H.T @ inverse @ y
    rest = y - H @ weights
    variance = rest @ inverse @ rest / 7
    assert scale == pytest.approx(weights[0], rel=1e-6)
    assert error == pytest.approx(np.sqrt(variance * covariance[0, 0]), rel=1e-6)


def test_the_scale_is_drawn_to_0_or_1_and_follows_units():
    rng = np.random.default_rng(3)
    Z = rng.random((40, 2))
    known = np.sin(4 * Z[:, 0]) + Z[:, 1]
    found = scale_of(Z, 100 * known, 3 * known + 0.1 * Z[:, 0])
    assert found.value == pytest.approx(0.03, rel=0.05)
    unrelated = scale_of(Z, rng.standard_normal(40), known)
    assert abs(unrelated.value) <= abs(unrelated.estimate)
    assert scale_of(Z[:2], known[:2], known[:2]).value == 1.0  # two values say nothing of a scale
    assert scale_of(Z, np.full(40, 7.0), known).value == 1.0  # and neither does a constant prior


@pytest.mark.parametrize(
    ("unit", "of_prior"), [(1e-13, 1e-13), (1e-20, 1.0), (1.0, 1e-150), (1e-200, 1e-200)]
)
def test_what_a_prior_is_worth_does_not_hang_on_units(unit, of_prior):
    """Currents are measured in picoamperes, and their theory may be written in amperes."""
    x = few(8)

    def known(u, v):
        return ew.build_map(LINE, x, u * dear(x), 0.01 * u, prior=lambda points: v * cheap(points))

    usual, other = known(1.0, 1.0), known(unit, of_prior)
    (expected,), (found,) = usual.prior_worth(), other.prior_worth()
    assert found.scale * of_prior / unit == pytest.approx(expected.scale, rel=1e-6)
    assert found.share == pytest.approx(expected.share, rel=1e-3)
    assert other.error()[0].value / unit == pytest.approx(usual.error()[0].value, rel=1e-2)
    assert np.asarray(other.forecast(2)) / unit == pytest.approx(np.asarray(usual.forecast(2)), rel=1e-2)
    assert [f.kind for f in other.diagnostics()] == [f.kind for f in usual.diagnostics()]


def test_its_deviation_and_error_follow_from_both_averages():
    known = with_prior(6, lambda p: cheap(p) + np.sin(30 * p[:, 0]))
    model = known.models[0]
    assert set(model.weights_) == {WITH, WITHOUT}
    places = known.coordinates(TEST)
    pairs = [member.predict(places, return_std=True) for member in model.members]
    mean = sum(w * m for w, (m, _) in zip(model.weights, pairs, strict=True))
    variance = sum(w * (s**2 + (m - mean) ** 2) for w, (m, s) in zip(model.weights, pairs, strict=True))
    found, deviation = model.predict(places, return_std=True)
    np.testing.assert_allclose(found, mean)
    np.testing.assert_allclose(deviation**2, variance)
    np.testing.assert_allclose(np.sqrt(model.covariance(places, places).diagonal()), deviation, rtol=1e-5)
    draws = model.draw(places[::20], 400, seed=1)
    np.testing.assert_allclose(draws.mean(axis=0), found[::20], atol=4 * deviation.max() / 20 + 1e-6)
    by_hand = np.sqrt(np.mean(model.predict(known.coordinates(known.judged_points), return_std=True)[1] ** 2))
    assert known.error()[0].model == pytest.approx(by_hand)


def test_a_prior_of_exact_values_is_not_spoilt_by_the_families_that_predict_it_poorly():
    """What people read hedges between families; what a prior says wrongly would have to be learnt again."""
    x = few(16)
    coarse = ew.build_map(LINE, x, cheap(x), 0.0)
    truth = cheap(TEST)
    hedged = np.sqrt(np.mean((coarse.predict(TEST).mean[:, 0] - truth) ** 2))
    believed = np.sqrt(np.mean((MappedValues.of(coarse)(TEST)[:, 0] - truth) ** 2))
    assert believed < 0.5 * hedged


def test_maps_campaigns_and_functions_are_priors(tmp_path):
    wide = few(40)
    earlier = ew.Campaign("earlier", LINE, store=tmp_path / "a.db", noise=0.01)
    earlier.add(wide, cheap(wide))
    by_map, by_campaign = with_prior(6, earlier.map()), with_prior(6, earlier)
    np.testing.assert_allclose(by_map.predict(TEST).mean, by_campaign.predict(TEST).mean, atol=1e-6)
    assert missed(by_map) < 0.2 * missed(by_map.without_prior())
    again = pickle.loads(pickle.dumps(by_map))
    np.testing.assert_array_equal(again.predict(TEST).mean, by_map.predict(TEST).mean)


def test_what_a_map_knew_survives_plain_data():
    x = few(8)
    y = np.column_stack([cheap(x), dear(x)])
    y[2, 1] = np.nan
    values = MappedValues.of(ew.build_map(LINE, x, y, 0.01, responses=["low", "high"]))
    again = MappedValues.from_numbers(LINE, values.numbers())
    assert again == values
    np.testing.assert_array_equal(again(TEST), values(TEST))
    other = MappedValues.of(ew.build_map(LINE, x, y + 1e-12, 0.01, responses=["low", "high"]))
    assert other != values
    with pytest.raises(ew.InvalidInput, match="a map that has a prior itself, cheap"):
        MappedValues.of(with_prior(6, cheap))


def test_categories_go_together_by_name():
    """Each campaign numbers its own: the prior of water must not be read as that of oil."""
    level = {"water": 0.0, "oil": 5.0, "none": -3.0, "acid": 1.0}

    def on(names):
        box = ew.Box({"x": (0, 1), "solvent": names})
        x = box.sample(24, np.random.default_rng(0))
        return box, x, np.sin(3 * x[:, 0]) + np.array([level[names[int(code)]] for code in x[:, 1]])

    box, x, y = on(["water", "oil", "none"])
    prior = ew.build_map(box, x, y, 0.01, models="matern")
    names = ["none", "acid", "water", "oil"]
    other, points, values = on(names)
    bound = read_prior(prior).bound_to(other, ["value"])
    known = points[:, 1] != names.index("acid")
    np.testing.assert_allclose(bound.at(points)[known], values[known], atol=0.05)
    mean = np.sin(3 * points[:, 0]) + np.mean([level[name] for name in ("water", "oil", "none")])
    np.testing.assert_allclose(bound.at(points)[~known], mean[~known], atol=0.05)  # it does not know acid
    own = read_prior(prior).bound_to(box, ["value"])
    np.testing.assert_array_equal(own.at(x), MappedValues.of(prior)(x)[:, 0])
    for wrong in (ew.Box({"x": (0, 1), "solvent": (0, 2)}), ew.Box({"x": ["low", "high"], "solvent": names})):
        with pytest.raises(
            ew.InvalidInput, match=r"the prior map of 24 values knows .* here; give a function"
        ):
            read_prior(prior).bound_to(wrong, ["value"])


def test_a_response_that_a_map_never_saw_is_none_that_it_knows():
    x = few(8)
    y = np.column_stack([cheap(x), np.full(8, np.nan)])
    prior = ew.build_map(LINE, x, y, 0.01, responses=["low", "high"])
    known = ew.build_map(
        LINE, x, np.column_stack([dear(x), dear(x)]), 0.01, responses=["low", "high"], prior=prior
    )
    assert [worth is not None for worth in known.prior_worth()] == [True, False]
    again = MappedValues.from_numbers(LINE, MappedValues.of(prior).numbers())
    np.testing.assert_array_equal(again(TEST), MappedValues.of(prior)(TEST))


def test_responses_go_together_by_name_and_parameters_too():
    box = ew.Box({"a": (0, 1), "b": (0, 1)})
    x = box.sample(12, np.random.default_rng(0))
    high, low = np.sin(5 * x[:, 0]), np.cos(5 * x[:, 1])
    prior = read_prior(ew.build_map(box, x, np.column_stack([low, high]), 0.01, responses=["low", "high"]))
    wider = ew.Box({"b": (0, 1), "c": (0, 1), "a": (0, 1)})
    bound = prior.bound_to(wider, ["high", "other"])
    points = np.column_stack([x[:, 1], x[:, 0], x[:, 0]])
    np.testing.assert_allclose(bound.at(points, 0), high, atol=0.05)
    assert bound.knows(0)
    assert not bound.knows(1)
    y = np.column_stack([3 * high, 2 * low])
    rest, scales = differences(bound, wider, points, y)
    assert scales[0] == pytest.approx(3.0, abs=0.1)
    assert scales[1] == 0.0
    np.testing.assert_array_equal(rest[:, 1], y[:, 1])
    known = ew.build_map(wider, points, y, 0.01, responses=["high", "other"], prior=prior)
    assert [worth is not None for worth in known.prior_worth()] == [True, False]
    known.error(), known.forecast(1), known.diagnostics(), known.sensitivity()
    with pytest.raises(ew.InvalidInput, match="depends on 'a', and the parameters here are x"):
        prior.bound_to(LINE, ["high"])
    with pytest.raises(ew.InvalidInput, match="has 2 responses, and there are 3 here"):
        prior.bound_to(wider, ["x", "y", "z"])


@pytest.mark.parametrize(
    ("prior", "error", "message"),
    [
        (3, ew.InvalidType, "a map, a campaign or a function"),
        (lambda x: np.full(len(x), np.nan), ew.InvalidInput, "must be finite everywhere"),
        (lambda x: np.zeros((len(x), 2)), ew.InvalidInput, "has 2 responses, and there are 1 here"),
        (lambda x: np.zeros(3), ew.InvalidInput, r"shape \(3, 1\) at 1 points"),
    ],
)
def test_what_is_no_prior_is_refused(prior, error, message):
    with pytest.raises(error, match=message):
        with_prior(6, prior)
