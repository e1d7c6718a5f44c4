"""Large work in pieces gives what small work gives at once."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.runner import spread
from equiwarp.runner.spread import predict_on, suggest_from
from equiwarp.strategy import map_models

RNG = np.random.default_rng(3)
LIST = ew.Candidates(RNG.random((500, 3)) * [1, 10, 100], ["a", "b", "c"])
X = LIST.points[:30]
Y = np.sin(5 * X[:, 0]) + X[:, 1] / 10


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(spread, "PREDICTED_AT_ONCE", 37)
    monkeypatch.setattr(spread, "SCORED_AT_ONCE", 61)


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_a_map_predicts_in_pieces_what_it_predicts_at_once(executor):
    known = ew.build_map(LIST, X, Y, 0.01)
    whole, pieces = known.predict(LIST.points), predict_on(executor, known, LIST.points, workers=2)
    np.testing.assert_allclose(pieces.mean, whole.mean, rtol=0, atol=1e-12)
    np.testing.assert_allclose(pieces.deviation, whole.deviation, rtol=0, atol=1e-9)


@pytest.mark.parametrize("strategy", ["eig", "fps", "lookahead-gp"])
def test_the_best_entry_of_a_list_is_found_in_pieces(strategy):
    """Up to 16,384 entries `suggest` scores them all, so both must find the same one."""
    seen = {"noise": 0.01, "pending": LIST.points[40:45]}
    (best,) = ew.suggest(LIST, X, Y, strategy=strategy, **seen).points
    found = suggest_from("threads", LIST, X, Y, strategy=strategy, workers=2, **seen)
    assert found.points.tolist() == [best.tolist()]
    assert found.domain is LIST


def test_models_are_fitted_once_for_all_pieces(monkeypatch):
    fits = []
    fit = map_models.fit
    monkeypatch.setattr(map_models, "fit", lambda task: fits.append(1) or fit(task))
    (best,) = ew.suggest(LIST, X, Y, strategy="map", noise=0.01).points
    once = len(fits)
    found = suggest_from("threads", LIST, X, Y, strategy="map", noise=0.01, workers=2)
    assert found.points.tolist() == [best.tolist()]
    assert len(fits) == 2 * once


def test_several_entries_are_different_and_new():
    found = suggest_from("threads", LIST, X, Y, 7, noise=0.01, workers=2)
    points = [tuple(p) for p in found.points]
    assert len(set(points)) == 7
    assert not set(points) & {tuple(p) for p in X}
    assert LIST.contains(found.points).all()


def test_everything_left_of_a_short_list_can_be_taken():
    short = ew.Candidates({"a": [0.0, 1.0, 2.0, 3.0]})
    found = suggest_from("threads", short, [[0.0], [3.0]], [1.0, 2.0], 2, "fps", noise=0.1, workers=2)
    assert sorted(p for (p,) in found.points.tolist()) == [1.0, 2.0]


def test_what_cannot_be_scored_in_pieces_is_refused():
    with pytest.raises(ew.InvalidInput, match="no list of experiments"):
        suggest_from("threads", ew.Box.unit(2), [], [])
    for strategy in ("equiwarp", "sobol"):
        with pytest.raises(ew.InvalidInput, match=f"'{strategy}' cannot be scored in pieces"):
            suggest_from("threads", LIST, X, Y, strategy=strategy)
