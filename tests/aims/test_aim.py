"""An aim: what users may say, and the weights that it means."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import equiwarp as ew
from equiwarp.aims.bound import FLOOR

BOX = ew.Box({"temperature": (20, 90), "solvent": ["water", "oil"]})
X = np.array([[20.0, 0], [55.0, 1], [90.0, 0]])
MEAN, SD = np.array([[50.0], [60.0], [75.0]]), np.array([[5.0], [2.0], [0.0]])


def weights(aim, mean=MEAN, sd=SD, names=("yield",)):
    return aim.on(BOX, names).weights(X, mean, sd)


def floored(p):
    return FLOOR + (1 - FLOOR) * np.asarray(p)


def test_weights_are_probabilities_under_the_belief():
    above = norm.sf(80, MEAN[:, 0], np.maximum(SD[:, 0], 1e-9))
    np.testing.assert_allclose(weights(ew.Aim(above=80)), floored(above))
    np.testing.assert_allclose(weights(ew.Aim(below=80)), floored(1 - above))
    between = norm.cdf([2.0, 0.0, -9e9]) - norm.cdf([-2.0, -10.0, -9e9])
    np.testing.assert_allclose(weights(ew.Aim(between=(40, 60))), floored(between))
    density = [norm.pdf(60, 50, 5) / norm.pdf(60, 60, 5), 1.0, 0.0]
    np.testing.assert_allclose(weights(ew.Aim(near=60)), floored(density))


def test_goals_combine_near_any_level_in_all_regions_times_the_weight():
    near = [1 - (1 - np.exp(-2.0)) * (1 - np.exp(-0.5)), 1 - (1 - 1) * 1, 0.0]  # 60 and 55
    region = norm.sf(50, MEAN[:, 0], np.maximum(SD[:, 0], 1e-9))
    share = np.array([20, 55, 90]) / BOX.sample(2048, np.random.default_rng(0))[:, 0].max()
    found = weights(ew.Aim(near=[60, 55], above=50, weight="temperature"))
    np.testing.assert_allclose(found, floored(np.array(near) * region) * share, rtol=1e-3)


def test_what_the_user_says_of_places_has_no_floor_and_needs_no_belief():
    found = weights(ew.Aim(weight='1 + 3 * (solvent == "oil") - 4 * (temperature > 80)'))
    np.testing.assert_allclose(found, [0.25, 1.0, 0.0])


def test_a_response_that_nobody_measured_may_be_anything():
    np.testing.assert_allclose(
        weights(ew.Aim(near=60), np.full((3, 1), np.nan), np.full((3, 1), np.nan)), 1.0
    )


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"near": 60.0},
        {"near": [60.0, 55.0], "weight": "temperature / 2"},
        {"near": {"yield": [60.0, 55.0], "cost": 5.0}, "above": {"yield": 3.0}},
        {"between": {"cost": [1.0, 2.0]}, "below": {"yield": 3.0}},
    ],
)
def test_an_aim_survives_plain_data(said):
    aim = ew.Aim.of(said)
    assert aim.to_dict() == said
    assert ew.Aim.of(aim.to_dict()) == aim
    assert bool(aim) == bool(said)


def test_another_name_for_a_response():
    aim = ew.Aim(near={"yield": [60, 55], "cost": 5}).renamed("yield", "output")
    assert aim.to_dict() == {"near": {"output": [60.0, 55.0], "cost": 5.0}}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"nere": 60}, "unknown goal 'nere'; did you mean 'near'?"),
        ({"near": "60"}, "aim.near must be a level, a number without quotes, got '60'"),
        ({"near": float("nan")}, "finite"),
        ({"above": True}, "got True"),
        ({"near": []}, "empty list"),
        ({"near": {}}, "names no response"),
        ({"near": {"yeild": 60}}, "no response 'yeild'; did you mean 'yield'?"),
        ({"near": 60}, 'of which response? There are yield, cost; write {"yield": 60}'),
        ({"between": 60}, "two levels"),
        ({"between": [60, 40]}, "got 60 and 40"),
        ({"weight": ""}, "expression of the parameters in quotes"),
        ({"weight": "tmeperature > 3"}, "column 1: unknown parameter 'tmeperature'; there are temperature"),
        ({"weight": "solvent"}, "a category is no number"),
        ({"weight": 'solvent == "milk"'}, "there is no category 'milk'"),
        ({"weight": "3"}, "no parameter is mentioned"),
        ({"weight": "-temperature"}, "nowhere above 0"),
        ({"weight": 'temperature / (solvent == "oil")'}, "finite everywhere"),
        ({"weight": "__import__('os')"}, "not supported"),
    ],
)
def test_bad_aims_are_refused_with_value_place_and_remedy(said, words):
    with pytest.raises(ew.InvalidInput) as refused:
        ew.Aim.of(said).on(BOX, ("yield", "cost"))
    assert words in str(refused.value)


def test_an_aim_is_an_aim():
    with pytest.raises(ew.InvalidType, match="near"):
        ew.Aim.of(60)
