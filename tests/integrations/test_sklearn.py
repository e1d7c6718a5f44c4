"""scikit-learn's own checks, and maps inside scikit-learn's tools."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import cross_val_predict
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

import equiwarp as ew
from equiwarp.integrations.sklearn import MapRegressor, NoiseAtPoints

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9), "stirring": (0, 10)})


def test_the_estimator_passes_every_check_of_scikit_learn() -> None:
    outcomes = check_estimator(MapRegressor(), on_skip=None, on_fail="raise")
    skipped = {o["check_name"] for o in outcomes if o["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # needs SCIPY_ARRAY_API, which numpy arrays do not
    assert len(outcomes) > 40


@pytest.fixture
def campaign(tmp_path):
    with ew.Campaign("furnace", BOX, noise=0.02, store=tmp_path / "f.db", n0=30) as campaign:
        for e in campaign.ask(30):
            campaign.tell(e.id, np.sin(e.point["temperature"] / 15) + 0.05 * e.point["pH"])
        yield campaign


def test_a_campaign_s_map_is_a_fitted_estimator(campaign) -> None:
    known = campaign.map()
    estimator = MapRegressor.of(known)
    check_is_fitted(estimator)
    mean, deviation = estimator.predict(known.x, return_std=True)
    prediction = known.predict(known.x)
    assert np.array_equal(mean, prediction.mean[:, 0])
    assert np.allclose(deviation, prediction.deviation[:, 0])
    frame = pd.DataFrame(known.x, columns=list(BOX.names))
    assert np.allclose(estimator.predict(frame), mean, rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="feature names"):
        estimator.predict(frame.rename(columns={"pH": "acidity"}))


def test_it_works_where_scikit_learn_wants_a_regressor(campaign) -> None:
    known = campaign.map()
    x, y = pd.DataFrame(known.x, columns=list(BOX.names)), known.y[:, 0]
    estimator = MapRegressor.of(known)
    importance = permutation_importance(estimator, x, y, n_repeats=3, random_state=0).importances_mean
    assert importance[0] > 10 * abs(importance[2])  # temperature matters, stirring does not
    curve = partial_dependence(estimator, x, ["temperature"], grid_resolution=20)
    assert np.corrcoef(curve["average"][0], np.sin(curve["grid_values"][0] / 15))[0, 1] > 0.95
    fresh = clone(estimator).set_params(noise=0.02)
    left_out = cross_val_predict(fresh, x, y, cv=5)
    assert np.corrcoef(left_out, y)[0, 1] > 0.8


@pytest.mark.parametrize("per_row", [False, True])
def test_a_campaign_s_map_can_be_cross_validated(per_row: bool) -> None:
    """With noise of every value's own, too: each fold gets the noise of its points."""
    box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    x = box.sample(24, np.random.default_rng(0))
    y = np.sin(x[:, 0] / 15) + 0.05 * x[:, 1]
    noise = np.where(np.arange(24) % 3 == 0, 0.3, 0.01) if per_row else 0.01
    estimator = MapRegressor.of(ew.build_map(box, x, y, noise=noise))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        left_out = cross_val_predict(estimator, x, y, cv=4)
        estimator.predict([[50.0, 5.0]])  # a plain list, in the map's order, without a warning
    assert np.corrcoef(left_out, y)[0, 1] > 0.8
    fold = clone(estimator).fit(x[5:], y[5:])
    assert np.allclose(fold.map_.noise[:, 0], noise[5:] if per_row else 0.01)
    with pytest.raises(ValueError, match="the map has 2"):
        estimator.predict([[50.0]])


def test_repeats_at_a_point_share_their_noise_and_unknown_points_have_the_typical_one() -> None:
    known = NoiseAtPoints(np.array([[0.0], [0.0], [1.0]]), np.array([3.0, 1.0, 1.0]))
    assert np.allclose(known(np.array([[0.0], [1.0], [7.0]])), [np.sqrt(5.0), 1.0, 1.0])


def test_a_map_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="3 columns"):
        MapRegressor(BOX).fit([[1.0, 2.0]], [1.0])
