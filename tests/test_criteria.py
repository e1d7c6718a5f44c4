"""Each criterion's score against its definition, computed slowly, one candidate at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

import equiwarp as ew
from equiwarp.setting import standardise
from equiwarp.strategies import Strategy, find
from equiwarp.strategies.distance import Distance
from equiwarp.strategies.epig import PredictiveGain
from equiwarp.strategies.lookahead_gp import EmptyBall
from equiwarp.strategies.lookahead_nn import NearestLookahead
from equiwarp.strategies.variance import Variance
from equiwarp.suggest import choose
from tests.cases import DOMAINS, design_of, extend, setting_of
from tests.reference.criteria import farthest_points, predictive_gain, variance_removed
from tests.reference.gp import matern52, neumann, posterior

PLACES = ["line", "square", "cube", "S2"]


def scores(setting, design):
    """The score of each pool point, asked for one at a time."""
    return np.array(
        [
            choose(replace(setting, pool=setting.pool[i : i + 1]), design)[0].explain[0].score
            for i in range(len(setting.pool))
        ]
    )


def ingredients(name, place, pool=25, targets=40):
    domain = DOMAINS[place]
    setting, design = setting_of(name, domain, pool=pool, targets=targets), design_of(domain, pending=2)
    values = standardise(setting, design)
    Z = domain.embed(np.vstack([design.x, design.pending]))
    noise_var = np.append(values.noise_var, [values.typical_noise**2] * 2)
    P, U = domain.embed(setting.pool), domain.embed(setting.targets)
    return setting, design, Z, noise_var, P, U, values.typical_noise**2


@pytest.mark.parametrize("place", PLACES)
def test_variance_is_the_dense_posteriors(place):
    setting, design, Z, noise_var, P, _, _ = ingredients("eig", place)
    dense = posterior(lambda A, B: matern52(A, B, setting.lengthscale), Z, 0 * Z[:, :1], noise_var, P)[1]
    np.testing.assert_allclose(scores(setting, design), dense.diagonal(), atol=1e-9)


def test_neumann_is_the_variance_under_the_reflected_kernel():
    setting, design, Z, noise_var, P, _, _ = ingredients("neumann", "square")
    dense = posterior(lambda A, B: neumann(A, B, setting.lengthscale), Z, 0 * Z[:, :1], noise_var, P)[1]
    np.testing.assert_allclose(scores(setting, design), dense.diagonal(), atol=1e-9)


@pytest.mark.parametrize("place", PLACES)
def test_nipv_is_what_a_refit_removes_from_the_integrated_variance(place):
    setting, design, Z, noise_var, P, U, new = ingredients("nipv", place)
    slow = variance_removed(lambda A, B: matern52(A, B, setting.lengthscale), Z, noise_var, P, U, new)
    np.testing.assert_allclose(scores(setting, design), slow, rtol=1e-6)


@pytest.mark.parametrize("place", PLACES)
def test_epig_is_the_difference_of_joint_entropies(place):
    setting, design, Z, noise_var, P, U, new = ingredients("epig", place)
    slow = predictive_gain(lambda A, B: matern52(A, B, setting.lengthscale), Z, noise_var, P, U, new)
    np.testing.assert_allclose(scores(setting, design), slow, rtol=1e-6)


@pytest.mark.parametrize("name", ["nipv", "epig"])
def test_integrated_criteria_keep_their_score_through_a_batch(name):
    """The rank-one updates of a batch against starting over with the points pending."""
    domain = DOMAINS["cube"]
    setting, design = setting_of(name, domain), design_of(domain)
    batch = choose(setting, design, 6)[0]
    for point, explanation in zip(batch.points, batch.explain, strict=True):
        alone = choose(setting, design)[0].explain[0].score
        assert explanation.score == pytest.approx(alone, rel=1e-7)
        design = replace(design, pending=np.vstack([design.pending, point]))


@pytest.mark.parametrize("place", [*PLACES, "stepped", "circle"])
def test_fps_is_farthest_point_sampling(place):
    domain = DOMAINS[place]
    setting, design = setting_of("fps", domain, pool=120), design_of(domain, pending=2)
    Z, P = domain.embed(np.vstack([design.x, design.pending])), domain.embed(setting.pool)
    chosen = choose(setting, design, 8)[0].points
    np.testing.assert_array_equal(chosen, setting.pool[farthest_points(Z, P, 8)])


def test_fps_explains_itself_by_the_distance():
    domain = DOMAINS["square"]
    setting, design = setting_of("fps", domain), design_of(domain)
    explanation = choose(setting, design)[0].explain[0]
    point = domain.embed(choose(setting, design)[0].points)
    nearest = np.linalg.norm(domain.embed(design.x) - point, axis=1).min()
    assert explanation.score == pytest.approx(nearest)
    assert np.isnan(explanation.variance)


def test_more_targets_bring_epig_closer_to_plain_variance():
    domain = DOMAINS["square"]
    design = design_of(domain)
    plain = scores(setting_of("eig", domain, pool=25), design)
    agreement = []
    for count in (4, 512):
        strategy = Strategy("epig", PredictiveGain(count))
        setting = replace(setting_of("epig", domain, pool=25, targets=512), strategy=strategy)
        agreement.append(spearmanr(scores(setting, design), plain).statistic)
    assert agreement[1] > agreement[0]
    assert agreement[1] > 0.9


def test_a_strategy_of_ones_own_is_taken_as_it_is():
    mine = Strategy("far but inside", Distance(), equalizer=True)
    assert find(mine) is mine
    found = ew.suggest(ew.Box.unit(2), [[0.5, 0.5]], [1.0], strategy=mine, noise=0.1)
    assert found.strategy == "far but inside"
    explanation, distance = found.explain[0], np.linalg.norm(found.points[0] - 0.5)
    assert explanation.equalizer < 1
    assert explanation.score == pytest.approx(explanation.equalizer * distance)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"unknown strategy 'egi'; choose one of fps, .*eig"):
        find("egi")


def test_a_warp_under_a_reflected_kernel_is_refused():
    with pytest.raises(ValueError, match=r"'mine'.*Neumann.*drop the warp"):
        Strategy("mine", Variance(), kernel="neumann", warp="reconstruction")


@pytest.mark.parametrize("criterion", [NearestLookahead(), EmptyBall()])
def test_looking_ahead_under_a_reflected_kernel_is_refused(criterion):
    with pytest.raises(ValueError, match="kernel of distance alone"):
        Strategy("mine", criterion, kernel="neumann")


def test_scores_fall_once_a_point_is_measured():
    domain = DOMAINS["square"]
    setting, design = setting_of("eig", domain, pool=30), design_of(domain)
    after = extend(design, setting.pool[:1], np.zeros((1, 1)))
    rest = replace(setting, pool=setting.pool[1:], deviation=np.array([1.0]))
    change = scores(rest, after) - scores(rest, design)
    assert (change <= 1e-12).all()
    assert change.min() < -0.01
