"""Where experiments work: certain among successes, doubtful among failures, in between elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

import equiwarp as ew
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.success import AMPLITUDE, SuccessModel, _Laplace

BOX = ew.Box.unit(2)


def split(n, works, seed=0):
    x = BOX.sample(n, np.random.default_rng(seed))
    return x[works(x)], x[~works(x)]


def corner(x):
    return x.sum(axis=1) < 1.4


def test_nothing_failed_means_that_everything_works():
    x = BOX.sample(8, np.random.default_rng(0))
    np.testing.assert_array_equal(SuccessModel.of(BOX, x, x[:0])(x), 1.0)


def test_the_forbidden_region_is_found():
    model = SuccessModel.of(BOX, *split(60, corner))
    test = BOX.sample(1000, np.random.default_rng(1))
    found = model(test) > 0.5
    assert np.mean(found == corner(test)) > 0.93
    deep = np.abs(test.sum(axis=1) - 1.4) > 0.3
    assert model(test)[deep & corner(test)].min() > 0.7
    assert model(test)[deep & ~corner(test)].max() < 0.3


def test_a_few_failures_do_not_blacken_the_map():
    x = BOX.sample(12, np.random.default_rng(0))
    model = SuccessModel.of(BOX, x[1:], x[:1])
    far = BOX.sample(500, np.random.default_rng(2))
    far = far[np.linalg.norm(far - x[0], axis=1) > 0.3]
    assert model(x[:1])[0] < 0.7
    assert np.median(model(far)) > 0.8


def test_successes_around_a_failure_bring_it_back():
    around = np.array([[0.5 + 0.1 * np.cos(t), 0.5 + 0.1 * np.sin(t)] for t in range(10)])
    lost = np.array([[0.5, 0.5]])
    before, after = (SuccessModel.of(BOX, around[:n], lost)(lost)[0] for n in (1, 10))
    assert before < 0.6 < 0.8 < after


def test_failures_that_are_scattered_are_taken_for_accidents():
    """Nobody flagged them: places must not be blamed for what happens everywhere alike."""
    rng = np.random.default_rng(4)
    x = BOX.sample(50, rng)
    lost = rng.random(50) < 0.15
    test = BOX.sample(500, np.random.default_rng(1))
    scattered = SuccessModel.of(BOX, x[~lost], x[lost])(test)
    assert scattered.std() < 0.04
    assert scattered.mean() == pytest.approx(0.85, abs=0.06)
    assert SuccessModel.of(BOX, *split(50, corner))(test).std() > 0.25


def test_the_mode_and_the_evidence_are_those_of_the_plain_formulas():
    worked, failed = split(20, corner)
    Z, y = np.concatenate([worked, failed]), np.repeat([1.0, 0.0], [len(worked), len(failed)])
    fit = _Laplace.fit(Matern52(0.4), AMPLITUDE, 1.0, Z, y)
    s = np.sqrt(5) / 0.4 * cdist(Z, Z)
    K = AMPLITUDE**2 * (1 + s + s**2 / 3) * np.exp(-s)

    def loss(f):
        chance = np.where(y > 0, np.logaddexp(0, -f), np.logaddexp(0, f)).sum()
        return chance + 0.5 * (f - 1) @ np.linalg.solve(K + 1e-9 * np.eye(len(Z)), f - 1)

    f = minimize(loss, np.ones(len(Z)), method="BFGS", options={"gtol": 1e-7}).x
    p = 1 / (1 + np.exp(-f))
    np.testing.assert_allclose(fit.slope, y - p, atol=1e-3)
    W = p * (1 - p)
    _, size = np.linalg.slogdet(np.eye(len(Z)) + K * W)
    assert fit.evidence == pytest.approx(-loss(f) - 0.5 * size, abs=1e-3)


def test_very_many_experiments_are_no_reason_to_wait():
    worked, failed = split(3000, corner)
    model = SuccessModel.of(BOX, worked, failed)
    assert len(model.fits[0].Z) == 400
    test = BOX.sample(500, np.random.default_rng(1))
    edge = np.abs(test.sum(axis=1) - 1.4) < 0.05
    assert np.mean((model(test) > 0.5)[~edge] == corner(test)[~edge]) > 0.95


def test_suggestions_go_where_experiments_work_and_say_so():
    worked, failed = split(30, corner)
    y = np.sin(6 * worked[:, 0])
    plain = ew.suggest(BOX, worked, y, n=10, strategy="eig", noise=0.05)
    wary = ew.suggest(BOX, worked, y, n=10, strategy="eig", noise=0.05, failed=failed)
    assert corner(plain.points).sum() <= 5
    assert corner(wary.points).sum() >= corner(plain.points).sum() + 2
    assert 0 < wary.explain[0].works < 1
    assert "it works with a probability of" in str(wary.explain[0])
    same = ew.suggest(BOX, worked, y, n=10, strategy="eig", noise=0.05, failed=[])
    np.testing.assert_array_equal(same.points, plain.points)


def test_the_error_of_a_map_is_averaged_over_what_works():
    worked, failed = split(40, corner)
    y = np.sin(6 * worked[:, 0]) + worked[:, 1]
    everywhere, working = (
        ew.build_map(BOX, worked, y, 0.02, failed=lost).error()[0].value for lost in (None, failed)
    )
    assert working < 0.9 * everywhere


def test_a_campaign_learns_and_accidents_are_told_apart(tmp_path):
    with ew.Campaign("c", BOX, store=tmp_path / "lab.db", strategy="eig", n0=16, noise=0.05) as c:
        for e in c.ask(16):
            if corner(np.array([list(e.point.values())]))[0]:
                c.tell(e.id, e.point["x1"])
            else:
                c.tell_failed(e.id, "set too early")
        m = c.map()
        assert m.works([[0.1, 0.1]])[0] > 0.7 > 0.4 > m.works([[0.95, 0.95]])[0]
        (new,) = c.ask()
        said = c.tell_failed(new.id, "power cut", accident=True)
        assert (said.reason, said.accident) == ("accident: power cut", True)
        np.testing.assert_array_equal(c.map().works([[0.5, 0.4]]), m.works([[0.5, 0.4]]))
        assert not c.experiments("failed")[0].accident
