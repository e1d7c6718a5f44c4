"""Each criterion's score against its definition, computed slowly, one candidate at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

import equiwarp as ew
from equiwarp.engine.algorithm import choose
from equiwarp.engine.round import Round
from equiwarp.strategy import Strategy, find
from equiwarp.strategy.distance import Distance
from equiwarp.strategy.epig import mean_information
from equiwarp.strategy.epig_joint import JointPredictiveGain
from equiwarp.strategy.lookahead_gp import EmptyBall
from equiwarp.strategy.lookahead_nn import NearestLookahead
from equiwarp.strategy.variance import Variance
from tests.cases import DOMAINS, configuration_of, extend, measurements_of
from tests.reference.criteria import farthest_points, predictive_gain, variance_removed
from tests.reference.gp import matern52, neumann, posterior

PLACES = ["line", "square", "cube", "S2"]


def scores(configuration, measurements):
    """The score of each pool point, asked for one at a time."""
    return np.array(
        [
            choose(replace(configuration, pool=configuration.pool[i : i + 1]), measurements)[0]
            .explain[0]
            .score
            for i in range(len(configuration.pool))
        ]
    )


def ingredients(name, place, pool=25, targets=40):
    domain = DOMAINS[place]
    configuration, measurements = (
        configuration_of(name, domain, pool=pool, targets=targets),
        measurements_of(domain, pending=2),
    )
    values = Round(configuration, measurements).values
    Z = domain.embed(np.vstack([measurements.x, measurements.pending]))
    noise_var = np.append(values.noise_var, [values.typical_noise**2] * 2)
    P, U = domain.embed(configuration.pool), domain.embed(configuration.targets)
    return configuration, measurements, Z, noise_var, P, U, values.typical_noise**2


@pytest.mark.parametrize("place", PLACES)
def test_variance_is_the_dense_posteriors(place):
    configuration, measurements, Z, noise_var, P, _, _ = ingredients("eig", place)
    dense = posterior(lambda A, B: matern52(A, B, configuration.lengthscale), Z, 0 * Z[:, :1], noise_var, P)[
        1
    ]
    np.testing.assert_allclose(scores(configuration, measurements), dense.diagonal(), atol=1e-9)


def test_neumann_is_the_variance_under_the_reflected_kernel():
    configuration, measurements, Z, noise_var, P, _, _ = ingredients("neumann", "square")
    dense = posterior(lambda A, B: neumann(A, B, configuration.lengthscale), Z, 0 * Z[:, :1], noise_var, P)[1]
    np.testing.assert_allclose(scores(configuration, measurements), dense.diagonal(), atol=1e-9)


@pytest.mark.parametrize("place", PLACES)
def test_nipv_is_what_a_refit_removes_from_the_integrated_variance(place):
    configuration, measurements, Z, noise_var, P, U, new = ingredients("nipv", place)
    slow = variance_removed(lambda A, B: matern52(A, B, configuration.lengthscale), Z, noise_var, P, U, new)
    np.testing.assert_allclose(scores(configuration, measurements), slow, rtol=1e-6)


@pytest.mark.parametrize("place", PLACES)
def test_epig_is_the_mean_over_targets_of_a_difference_of_entropies(place):
    configuration, measurements, Z, noise_var, P, U, new = ingredients("epig", place)

    def kernel(A, B):
        return matern52(A, B, configuration.lengthscale)

    single = [predictive_gain(kernel, Z, noise_var, P, U[i : i + 1], new) for i in range(len(U))]
    np.testing.assert_allclose(scores(configuration, measurements), np.mean(single, axis=0), rtol=1e-6)


def test_epig_is_a_number_where_a_candidate_is_a_target_and_there_is_no_noise():
    U = np.full((100, 1), 2.0)  # perfectly correlated with the first candidate
    found = mean_information(U * [1.0, 0.5], np.full(100, 2.0), np.full(2, 2.0))
    np.testing.assert_allclose(found, [-0.5 * np.log(1e-9), -0.5 * np.log(0.75)])


@pytest.mark.parametrize("place", PLACES)
def test_joint_epig_is_the_difference_of_joint_entropies(place):
    configuration, measurements, Z, noise_var, P, U, new = ingredients("epig-joint", place)
    slow = predictive_gain(lambda A, B: matern52(A, B, configuration.lengthscale), Z, noise_var, P, U, new)
    np.testing.assert_allclose(scores(configuration, measurements), slow, rtol=1e-6)


@pytest.mark.parametrize("name", ["nipv", "epig", "epig-joint"])
def test_integrated_criteria_keep_their_score_through_a_batch(name):
    """The rank-one updates of a batch against starting over with the points pending."""
    domain = DOMAINS["cube"]
    configuration, measurements = configuration_of(name, domain), measurements_of(domain)
    batch = choose(configuration, measurements, 6)[0]
    for point, explanation in zip(batch.points, batch.explain, strict=True):
        alone = choose(configuration, measurements)[0].explain[0].score
        assert explanation.score == pytest.approx(alone, rel=1e-7)
        measurements = replace(measurements, pending=np.vstack([measurements.pending, point]))


@pytest.mark.parametrize("place", [*PLACES, "stepped", "circle"])
def test_fps_is_farthest_point_sampling(place):
    domain = DOMAINS[place]
    configuration, measurements = (
        configuration_of("fps", domain, pool=120),
        measurements_of(domain, pending=2),
    )
    Z, P = domain.embed(np.vstack([measurements.x, measurements.pending])), domain.embed(configuration.pool)
    chosen = choose(configuration, measurements, 8)[0].points
    np.testing.assert_array_equal(chosen, configuration.pool[farthest_points(Z, P, 8)])


def test_fps_explains_itself_by_the_distance():
    domain = DOMAINS["square"]
    configuration, measurements = configuration_of("fps", domain), measurements_of(domain)
    explanation = choose(configuration, measurements)[0].explain[0]
    point = domain.embed(choose(configuration, measurements)[0].points)
    nearest = np.linalg.norm(domain.embed(measurements.x) - point, axis=1).min()
    assert explanation.score == pytest.approx(nearest)
    assert np.isnan(explanation.variance)


def test_more_targets_bring_joint_epig_closer_to_plain_variance():
    domain = DOMAINS["square"]
    measurements = measurements_of(domain)
    plain = scores(configuration_of("eig", domain, pool=25), measurements)
    agreement = []
    for count in (4, 512):
        strategy = Strategy("epig-joint", JointPredictiveGain(count))
        configuration = configuration_of("epig-joint", domain, pool=25, targets=512)
        configuration = replace(configuration, strategy=strategy)
        agreement.append(spearmanr(scores(configuration, measurements), plain).statistic)
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
    configuration, measurements = configuration_of("eig", domain, pool=30), measurements_of(domain)
    after = extend(measurements, configuration.pool[:1], np.zeros((1, 1)))
    rest = replace(configuration, pool=configuration.pool[1:], response_scale=np.array([1.0]))
    change = scores(rest, after) - scores(rest, measurements)
    assert (change <= 1e-12).all()
    assert change.min() < -0.01
