"""`map` against its definition, computed densely; its fits; and what it says of the map's error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.engine.algorithm import choose
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import Round, RoundCache
from equiwarp.gp.spacing import refit_size
from equiwarp.strategy import Criterion, RoundInputs, Strategy, find
from equiwarp.strategy.chunked import ChunkedState
from equiwarp.strategy.map_error import MapError
from equiwarp.strategy.map_models import Hedge, TargetChoice
from equiwarp.strategy.map_state import MapErrorState
from equiwarp.strategy.nipv import IntegratedVariance
from tests.cases import DOMAINS, configuration_of, extend, measurements_of, values

SOME = MapError(families=("matern", "additive", "warped"), targets=48)


def round_of(criterion: Criterion, measurements: Measurements, cache: RoundCache | None = None) -> Round:
    configuration = configuration_of("fps", measurements.domain, pool=60)
    configuration = replace(configuration, strategy=Strategy("tried", criterion))
    return Round(configuration, measurements, cache or RoundCache())


def dense_average(inputs: RoundInputs, targets: slice, j: int) -> tuple[np.ndarray, ...]:
    """Mean and covariance of the average at pool, targets and all known points, given the values alone."""
    n, fitted = len(inputs.y), inputs.learnt[j]
    first = inputs.y[: len(fitted.y), j]
    A = np.vstack([inputs.P, inputs.U[targets], inputs.Z])
    Z, y = inputs.Z[:n], (inputs.y[:, j] - first.mean()) / first.std()
    means, covariances, p = [], [], [model.weight for model in fitted.models]
    for model in fitted.models:

        def k(X, Y, model=model):
            return model.covariance.gram(model.t, X, Y)

        inverse = np.linalg.inv(k(Z, Z) + np.diag(inputs.each_noise_var[:, j]) / first.var())
        means.append(k(A, Z) @ inverse @ y)
        covariances.append(k(A, A) - k(A, Z) @ inverse @ k(Z, A))
    mean = np.average(means, axis=0, weights=p)
    C = sum(
        w * (C_m + np.outer(mu - mean, mu - mean)) for w, mu, C_m in zip(p, means, covariances, strict=True)
    )
    return first.std() * mean, first.var() * C


def dense_score(inputs: RoundInputs, criterion: MapError, j: int = 0) -> np.ndarray:
    """The score by its definition: pending points all at once, one candidate at a time."""
    n, m, t = len(inputs.y), len(inputs.P), criterion.targets
    rows = TargetChoice(t, criterion.renewed).rows(n, len(inputs.U))
    mean, C = dense_average(inputs, rows, j)
    pending = m + t + np.arange(n, len(inputs.Z))
    noise = inputs.typical_noises[j] ** 2
    gain = np.linalg.inv(C[np.ix_(pending, pending)] + noise * np.eye(len(pending)))
    C = C - C[:, pending] @ gain @ C[pending]
    weights = np.ones(t)
    if criterion.floor is not None:
        near = [np.argmin(np.linalg.norm(inputs.Z[:n] - u, axis=1)) for u in inputs.U[rows]]
        square = (mean[m : m + t] - mean[m + t :][near]) ** 2
        weights = (criterion.floor + square / square.mean()) / (1 + criterion.floor)
    return np.array([np.mean(weights * C[i, m : m + t] ** 2) / (C[i, i] + noise) for i in range(m)])


@pytest.mark.parametrize("noise", [0.02, 0.2])
def test_repeats_alone_give_no_family_more_weight(noise):
    """Four copies of 24 values, with twice the noise each, say as much as those."""
    domain, rng = ew.Box.unit(3), np.random.default_rng(2)
    x = rng.random((24, 3))
    y = np.sin(4.0 * x[:, :1]) * np.cos(4.0 * x[:, 1:2]) + x[:, 2:] ** 2
    y += noise * rng.standard_normal(y.shape)
    criterion = MapError(("matern", "additive", "smooth", "single-index"), shrink=0.0)
    weights = {}
    for copies in (1, 4):
        many = [np.repeat(part, copies, axis=0) for part in (x, y, np.full(y.shape, noise * np.sqrt(copies)))]
        models = round_of(criterion, Measurements(domain, *many, x[:0])).inputs.learnt[0].models
        weights[copies] = [model.weight for model in models]
    assert weights[4] == pytest.approx(weights[1], abs=0.02)


@pytest.mark.parametrize("place", ["square", "S2", "mixture", "candidates", "triangle"])
@pytest.mark.parametrize("floor", [None, 0.3])
def test_the_score_is_the_weighted_drop_of_the_error_of_the_average(place, floor):
    criterion = replace(SOME, floor=floor)
    now = round_of(criterion, measurements_of(DOMAINS[place], n=18, pending=2))
    if place == "square":
        assert len(now.inputs.learnt[0].models) == 3
    np.testing.assert_allclose(now.score, dense_score(now.inputs, criterion), rtol=1e-6)


def test_responses_add_up_and_one_that_does_not_vary_does_not_count():
    known = measurements_of(DOMAINS["square"], n=18, k=2)
    now = round_of(SOME, known)
    parts = [dense_score(now.inputs, SOME, j) for j in range(2)]
    np.testing.assert_allclose(now.score, parts[0] + parts[1], rtol=1e-6)
    flat = replace(known, y=np.column_stack([np.full(18, 3.7), known.y[:, 1]]))
    now = round_of(SOME, flat)
    np.testing.assert_allclose(now.score, dense_score(now.inputs, SOME, 1), rtol=1e-6)


def test_the_error_expected_after_a_measurement_is_the_error_once_it_is_pending():
    known = measurements_of(DOMAINS["square"], n=18)
    now = round_of(SOME, known)
    for i in (3, 40):
        waiting = replace(known, pending=now.inputs.pool[i : i + 1])
        before, after, response = now.state.error_at(i)
        assert after < before
        assert response == 0
        assert round_of(SOME, waiting).state.error_at(0)[0] == pytest.approx(after, rel=1e-9)


@pytest.mark.parametrize("n", [0, 1, 4, 12])
def test_with_few_or_constant_values_it_is_the_integrated_variance_of_the_spacing_rule(n):
    known = measurements_of(DOMAINS["square"], n=n, pending=2)
    if n == 12:
        known = replace(known, y=np.full_like(known.y, 3.7))
    plain = replace(SOME, targets=64, floor=None)
    expected = round_of(IntegratedVariance(), known).score
    np.testing.assert_allclose(round_of(plain, known).score, expected, rtol=1e-6)


def test_models_are_kept_until_a_tenth_more_is_measured_and_a_changed_value_is_noticed():
    domain = DOMAINS["square"]
    first = round_of(SOME, measurements_of(domain, n=32))
    cache = first.leave(first.state)
    points = domain.sample(4, np.random.default_rng(9))
    grown = measurements_of(domain, n=32)
    for i in range(4):
        grown = extend(grown, points[i : i + 1], values(domain, points[i : i + 1]))
        learnt = round_of(SOME, grown, cache).inputs.learnt
        assert (learnt[0] is cache.learnt[0]) == (i < 3), i
    amended = measurements_of(domain, n=32)
    amended.y[5] += 0.5
    assert round_of(SOME, amended, cache).inputs.learnt[0] is not cache.learnt[0]


def test_a_value_that_was_amended_after_the_fit_changes_the_score_all_the_same():
    """Row 33 lies behind the 32 that are fitted: the models stay, their means do not."""
    domain = DOMAINS["square"]
    known = measurements_of(domain, n=34)
    first = round_of(SOME, known)
    cache = first.leave(first.state)
    amended = replace(known, y=known.y + 2.0 * (np.arange(34) == 33)[:, None])
    resumed = round_of(SOME, amended, cache)
    np.testing.assert_allclose(resumed.score, round_of(SOME, amended).score, rtol=1e-8)
    assert not np.allclose(resumed.score, first.score, rtol=1e-2)


def test_a_long_list_is_scored_in_chunks_with_one_fit():
    now = round_of(SOME, measurements_of(DOMAINS["square"], n=18, pending=1))
    chunked = ChunkedState.of(SOME, now.inputs)
    np.testing.assert_allclose(chunked.score(), now.score, rtol=1e-9)
    assert chunked.error_at(7) == pytest.approx(now.state.error_at(7), rel=1e-9)
    assert chunked.inputs.learnt is now.inputs.learnt


def test_a_value_without_noise_is_known_and_its_place_is_worth_nothing():
    known = measurements_of(DOMAINS["square"], n=18, noise=0.0)
    now = round_of(SOME, replace(known, x=np.vstack([known.x[:-1], configuration_pool()[7:8]])))
    assert now.score[7] < 1e-3 * now.score.max()


def configuration_pool() -> np.ndarray:
    return configuration_of("fps", DOMAINS["square"], pool=60).pool


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_the_explanation_says_how_far_the_error_is_expected_to_fall_in_the_unit_of_the_response(scale):
    known = measurements_of(DOMAINS["square"], n=18)
    known = replace(known, y=scale * known.y, noise=scale * known.noise)
    why = choose(configuration_of("map", DOMAINS["square"]), known)[0].explain[0]
    assert 0.02 * scale < why.error_after < why.error_now < scale
    fall = 100 * (1 - why.error_after / why.error_now)
    assert f"from {why.error_now:.3g} to {why.error_after:.3g}, by {fall:.2g}" in str(why)
    assert 0 < why.variance < 1
    assert why.response == 0
    two = replace(known, y=np.hstack([known.y, known.y**2]), noise=np.hstack([known.noise] * 2))
    why = choose(configuration_of("map", DOMAINS["square"]), two)[0].explain[0]
    assert f"error of response {why.response} from" in str(why)
    other = choose(configuration_of("fps", DOMAINS["square"]), known)[0].explain[0]
    assert other.error_now is None
    assert "error" not in str(other)


def chosen(monkeypatch, short, n, measurements, cache=None):
    monkeypatch.setattr("equiwarp.strategy.shortlist.SHORT", short)
    configuration = configuration_of("map", measurements.domain, pool=200)
    return choose(configuration, measurements, n, cache)[0]


@pytest.mark.parametrize("place", ["square", "triangle"])
def test_a_batch_from_shortlists_is_the_batch_from_the_whole_pool(place, monkeypatch):
    measurements = measurements_of(DOMAINS[place], n=18, pending=2)
    whole = chosen(monkeypatch, 10**6, 12, measurements)
    short = chosen(monkeypatch, 16, 12, measurements)
    assert np.array_equal(whole.points, short.points)
    for one, other in zip(whole.explain, short.explain, strict=True):
        assert one.score == pytest.approx(other.score, rel=1e-6)
        assert one.error_after == pytest.approx(other.error_after, rel=1e-6)
        assert one.variance == pytest.approx(other.variance, rel=1e-6)


def test_the_whole_pool_is_not_followed_for_every_point_of_a_batch(monkeypatch):
    """Most points are found in a shortlist: what the others are worth is looked at now and then."""
    looks = []
    score = MapErrorState.score
    monkeypatch.setattr(MapErrorState, "score", lambda self: looks.append(1) or score(self))
    measurements = measurements_of(DOMAINS["square"], n=18)
    chosen(monkeypatch, 10**6, 12, measurements)
    assert len(looks) == 12
    looks.clear()
    chosen(monkeypatch, 40, 12, measurements)
    assert len(looks) <= 6


def test_points_without_values_may_come_all_at_once_or_one_by_one():
    now = round_of(SOME, measurements_of(DOMAINS["square"], n=18))
    (response,) = now.state.responses
    X = DOMAINS["square"].embed(DOMAINS["square"].sample(7, np.random.default_rng(5)))
    X[3] = X[1]  # the same place twice
    at_once, by_one = response.given(X[:2]).given(X[2:]), response
    for x in X:
        by_one = by_one.given(x[None])
    assert np.allclose(at_once.C, by_one.C, rtol=0, atol=1e-9)
    assert np.allclose(at_once.s2, by_one.s2, rtol=0, atol=1e-9)
    assert np.allclose(at_once.L_B, by_one.L_B, rtol=0, atol=1e-7)
    assert response.given(X[:0]) is response


def test_the_targets_are_others_after_every_fit_and_the_score_is_theirs():
    criterion = replace(SOME, targets=16, renewed=True)
    sets = []
    for n in (18, 19, 20):
        now = round_of(criterion, measurements_of(DOMAINS["square"], n=n, pending=1))
        sets.append(TargetChoice(16, renewed=True).rows(n, len(now.inputs.U)))
        np.testing.assert_allclose(now.score, dense_score(now.inputs, criterion), rtol=1e-6)
    assert sets[0] == sets[1] != sets[2]
    assert find("map").criterion.renewed  # what users get


def test_no_target_is_left_out_and_a_set_lasts_as_long_as_the_fit():
    seen = [TargetChoice(256, renewed=True).rows(n, 1024) for n in range(400)]
    assert {rows.start for rows in seen} == {0, 256, 512, 768}
    for n in range(1, 400):
        assert (seen[n] == seen[n - 1]) == (refit_size(n) == refit_size(n - 1)), n
    assert TargetChoice(256, renewed=True).rows(37, 64) == slice(0, 256)  # fewer than asked for: all
    assert TargetChoice(256).rows(37, 1024) == slice(0, 256)


def test_a_family_that_is_not_hedged_counts_for_what_it_has_shown_alone():
    weights = np.array([0.6, 0.2, 0.2])
    mixed = Hedge(0.5, ("matern", "warped")).mixed(weights, ("matern", "warped", "envelope"), 40)
    np.testing.assert_allclose(mixed, [0.55, 0.35, 0.1])
    np.testing.assert_allclose(Hedge(0.5).mixed(weights, "abc", 160), 0.75 * weights + 0.25 / 3)
    np.testing.assert_allclose(Hedge(1.0, ("matern",)).mixed(weights, "abc", 8), 1 / 3)  # nobody to draw to


# Batches larger than what is known


def suggested(n, values=8, strategy="map", **also):
    u = np.random.default_rng(5).random((values, 2))
    return ew.suggest(ew.Box.unit(2), u, np.sin(7 * u[:, 0]) + u[:, 1], n, strategy, noise=0.05, **also)


def test_of_a_batch_larger_than_what_is_known_half_is_spread_and_the_models_choose_around_it():
    batch = suggested(20)
    spread = suggested(10, strategy="fps").points
    np.testing.assert_array_equal(batch.points[:10], spread)
    np.testing.assert_array_equal(batch.points[10:], suggested(10, pending=spread).points)
    said = [str(reason) for reason in batch.explain]
    assert all("more points wait for a value than have one" in text for text in said[:10])
    assert not any("more points wait" in text for text in said[10:])


def test_a_batch_as_large_as_what_is_known_rests_on_the_models():
    first = suggested(1).points
    np.testing.assert_array_equal(suggested(8).points[0], first[0])
    assert not np.array_equal(suggested(1, strategy="fps").points, first)


def test_pending_points_are_the_half_that_is_spread_whoever_chose_them():
    pending = suggested(8).points
    assert not any(reason.notes for reason in suggested(4, pending=pending).explain)  # 8 of 12 wait already
    noted = [bool(reason.notes) for reason in suggested(12, pending=pending).explain]
    assert noted == [True] * 2 + [False] * 10  # 10 of 20


def test_for_an_aim_and_with_hardly_a_value_nothing_is_spread():
    assert not any(reason.notes for reason in suggested(20, aim=ew.Aim(near=0.5)).explain)
    assert not any(reason.notes for reason in suggested(6, values=4).explain)


# Responses of different noise


def test_each_response_is_fitted_with_its_own_noise():
    known = measurements_of(DOMAINS["square"], n=16, k=2)
    noise = np.column_stack([np.full(16, 0.01), np.full(16, 0.9)])
    together = round_of(SOME, replace(known, noise=noise))
    for j in range(2):
        alone = round_of(SOME, replace(known, y=known.y[:, [j]], noise=noise[:, [j]]))
        ours, own = together.inputs.learnt[j], alone.inputs.learnt[0]
        np.testing.assert_allclose(ours.noise_var, own.noise_var)
        for mine, theirs in zip(ours.models, own.models, strict=True):
            np.testing.assert_allclose(mine.t, theirs.t)
        state, single = together.state.responses[j], alone.state.responses[0]
        np.testing.assert_allclose(state.s2, single.s2)
        np.testing.assert_allclose(state.noise_var, single.noise_var)
    np.testing.assert_allclose(
        together.state.score(),
        sum(
            round_of(SOME, replace(known, y=known.y[:, [j]], noise=noise[:, [j]])).state.score()
            for j in range(2)
        ),
    )
