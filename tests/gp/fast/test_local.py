"""The local engine: close to exact where both are possible, and no wall where only it is."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.large_data import MOST_EXACT, spread_out, spread_part
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import Round
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.fast.batched import factorise
from equiwarp.gp.fast.local import COARSE, LocalField, local_mean_gradient, partition
from equiwarp.gp.kernels import Matern52
from equiwarp.strategy import chunked
from tests.cases import configuration_of, values


def measured(domain, n, seed=0, noise=0.05):
    rng = np.random.default_rng(seed)
    x = domain.sample(n, rng)
    y = values(domain, x) + noise * rng.standard_normal((n, 1))
    return Measurements(domain, x, y, np.full((n, 1), noise), np.empty((0, domain.columns)))


def exact_scores(configuration, measurements):
    """Score of every pool point when all measurements count everywhere."""
    return Round(configuration, measurements).score


@pytest.mark.parametrize(("name", "dim"), [("equiwarp", 2), ("equiwarp", 4), ("equalized", 4), ("fps", 3)])
def test_the_choice_at_the_switch_has_99_percent_of_the_best_score(name, dim):
    domain = ew.Box.unit(dim)
    measurements = measured(domain, MOST_EXACT)
    scores = exact_scores(prepare(domain, name, engine="exact"), measurements)
    configuration = prepare(domain, name, engine="local")
    point = choose(configuration, measurements)[0].points[0]
    row = np.flatnonzero((configuration.pool == point).all(axis=1))[0]
    assert scores[row] >= 0.99 * scores.max()


def test_the_switch_is_automatic_reported_and_can_be_forced():
    domain = ew.Box.unit(2)
    few, many = measured(domain, 50), measured(domain, MOST_EXACT + 1)

    def notes(measurements, engine):
        configuration = prepare(domain, "eig", engine=engine)
        return " ".join(choose(configuration, measurements)[0].notes)

    assert "local engine" not in notes(few, "auto")
    assert "local engine" in notes(many, "auto")
    assert "local engine" in notes(few, "local")
    assert "local engine" not in notes(many, "exact")
    with pytest.raises(ValueError, match="engine must be one of auto, exact, local, got 'fast'"):
        ew.suggest(domain, few.x, few.y, engine="fast")


@pytest.mark.parametrize("name", ["nipv", "epig"])
def test_strategies_without_a_local_form_see_a_spread_out_part(name):
    domain = ew.Box.unit(2)
    measurements = measured(domain, MOST_EXACT + 500)
    suggestion = choose(prepare(domain, name), measurements)[0]
    assert f"{MOST_EXACT} of {MOST_EXACT + 500} measurements" in suggestion.notes[0]
    assert not (measurements.x == suggestion.points[0]).all(axis=1).any()


def test_a_part_of_the_design_leaves_no_region_out(rng):
    crowd = np.vstack([0.01 * rng.random((5000, 2)), rng.random((200, 2))])
    rows = spread_out(crowd, 400)
    assert len(np.unique(rows)) == 400
    assert np.isin(np.arange(5000, 5200), rows).mean() > 0.9
    measurements = Measurements(ew.Box.unit(2), crowd, np.zeros((5200, 1)), None, np.empty((0, 2)))
    assert spread_part(measurements).n == MOST_EXACT


def test_all_neighbours_give_the_exact_variance(rng):
    kernel, P, Z, noise = Matern52(0.4), rng.random((40, 3)), rng.random((COARSE, 3)), np.full(COARSE, 0.01)
    field = LocalField.of(kernel, P, Z, noise)
    gp = AcquisitionGP.fit(kernel, Z, np.zeros((COARSE, 1)), noise)
    np.testing.assert_allclose(field.upper, gp.variance(P), rtol=1e-9)
    grown = gp.condition(P[7], 0.01)
    np.testing.assert_allclose(field.add(P[7], 0.01).variance, grown.variance(P), rtol=1e-8, atol=1e-12)


def test_fewer_neighbours_leave_more_variance(rng):
    kernel, P, Z, noise = Matern52(0.4), rng.random((40, 3)), rng.random((300, 3)), np.full(300, 0.01)
    field = LocalField.of(kernel, P, Z, noise)
    exact = AcquisitionGP.fit(kernel, Z, np.zeros((300, 1)), noise).variance(P)
    closer = field.refined(np.arange(40), 64).upper
    assert (field.upper >= closer - 1e-12).all()
    assert (closer >= exact - 1e-12).all()
    np.testing.assert_allclose(field.evaluate(np.arange(40)).upper, exact, rtol=1e-6)


def test_the_local_mean_gradient_is_the_exact_one_where_everything_is_near(rng):
    kernel, Z, Q = Matern52(0.4), rng.random((100, 2)), rng.random((64, 2))
    y, noise = rng.standard_normal((100, 2)), np.full(100, 0.05)
    exact = AcquisitionGP.fit(kernel, Z, y, noise).mean_gradient(Q)
    np.testing.assert_allclose(local_mean_gradient(kernel, Q, Z, y, noise), exact, rtol=1e-7, atol=1e-9)


def test_probes_are_partitioned_into_compact_groups(rng):
    Q = rng.random((1000, 2))
    groups = partition(Q, 16)
    np.testing.assert_array_equal(np.sort(np.concatenate(groups)), np.arange(1000))
    assert max(map(len, groups)) <= 16
    assert np.mean([np.ptp(Q[rows], axis=0).max() for rows in groups]) < 0.25


def test_batched_factors_are_those_of_each_matrix(rng):
    c, m = 6, 5
    roots = rng.standard_normal((m, c, c + 2))
    matrices, b = roots @ roots.transpose(0, 2, 1), rng.standard_normal((m, c))
    A = np.concatenate([matrices.transpose(1, 2, 0), b.T[None]])
    factorise(A)
    for i in range(m):
        L = np.linalg.cholesky(matrices[i])
        np.testing.assert_allclose(np.tril(A[:c, :, i]), L, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(A[c, :, i], np.linalg.solve(L, b[i]), rtol=1e-8)
    for known in range(c + 1):  # from the factor of the first rows, and their part of the right-hand side
        B = np.concatenate([matrices.transpose(1, 2, 0), b.T[None]])
        B[:known, :known], B[c, :known] = A[:known, :known], A[c, :known]
        factorise(B, known)
        np.testing.assert_allclose(B[np.tril_indices(c)], A[np.tril_indices(c)], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(B[c], A[c], rtol=1e-8)


@pytest.mark.parametrize("name", ["fps", "eig", "equiwarp", "nipv", "epig"])
@pytest.mark.parametrize("dense", [0, 512])
def test_a_pool_scored_in_chunks_gives_the_same_points(name, dense, monkeypatch):
    domain = ew.Box.unit(3)
    measurements = measured(domain, 30)
    configuration = prepare(domain, name, pool=domain.sample(500, np.random.default_rng(3)))
    whole = choose(configuration, measurements, 3)[0]
    monkeypatch.setattr(chunked, "POOL_CHUNK", 300)
    monkeypatch.setattr(chunked, "MOST_DENSE", dense)
    monkeypatch.setattr("equiwarp.engine.round.WHOLE_POOL", 100)
    parts = choose(configuration, measurements, 3)[0]
    np.testing.assert_array_equal(parts.points, whole.points)
    for a, b in zip(parts.explain, whole.explain, strict=True):
        np.testing.assert_allclose(
            (a.variance, a.equalizer, a.stretch, a.score),
            (b.variance, b.equalizer, b.stretch, b.score),
            rtol=1e-7,
        )


def test_as_many_measurements_as_the_limit_are_still_used_exactly(monkeypatch):
    monkeypatch.setattr("equiwarp.engine.round.MOST_EXACT", 20)
    domain = ew.Box.unit(2)
    said = [choose(configuration_of("equiwarp", domain), measured(domain, n))[0].notes for n in (20, 21)]
    assert said[0] == ()
    assert "local engine" in said[1][0]
