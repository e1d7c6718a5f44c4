"""What has names goes together by them: noise and responses beside the columns of y."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import equiwarp as ew
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.naming import name_responses

BOX = ew.Box.unit(2)
X = BOX.sample(8, np.random.default_rng(0))
COLUMNS = {"yield": np.sin(4 * X[:, 0]), "cost": 1000 * X[:, 1]}
#: In another order than the values.
NOISE = {"cost": np.full(8, 10.0), "yield": np.full(8, 0.01)}
EXPECTED = np.tile([0.01, 10.0], (8, 1))

NAMED = pytest.mark.parametrize(
    "noise",
    [
        NOISE,
        {"cost": 10, "yield": 0.01},
        pd.DataFrame(NOISE),
        pl.DataFrame(NOISE),
        pd.Series({"cost": 10.0, "yield": 0.01}),
    ],
    ids=["dict", "dict of numbers", "pandas", "polars", "labelled series"],
)


@NAMED
@pytest.mark.parametrize("y", [COLUMNS, pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS)])
def test_noise_goes_to_the_response_of_its_name(y, noise):
    np.testing.assert_array_equal(Measurements.of(BOX, X, y, noise).noise, EXPECTED)


@NAMED
def test_so_it_does_in_a_map(noise):
    y = np.column_stack(list(COLUMNS.values()))
    for m in (
        ew.build_map(BOX, X, COLUMNS, noise, models="matern"),
        ew.build_map(BOX, X, y, noise, models="matern", responses=["yield", "cost"]),
    ):
        np.testing.assert_array_equal(m.noise, EXPECTED)


def test_responses_that_nobody_named_take_the_columns_of_a_frame_as_they_come():
    y = np.column_stack(list(COLUMNS.values()))
    noise = pd.DataFrame({"sd of yield": np.full(8, 0.01), "sd of cost": np.full(8, 10.0)})
    np.testing.assert_array_equal(Measurements.of(BOX, X, y, noise).noise, EXPECTED)
    alone = Measurements.of(BOX, X, {"yield": y[:, 0]}, noise[["sd of yield"]])
    np.testing.assert_array_equal(alone.noise, EXPECTED[:, :1])


def test_a_series_without_the_responses_names_is_a_number_per_point():
    noise = pd.Series(np.arange(8.0), index=list("abcdefgh"))
    np.testing.assert_array_equal(
        Measurements.of(BOX, X, COLUMNS, noise).noise, np.tile(np.arange(8.0)[:, None], 2)
    )


@pytest.mark.parametrize("noise", [{"cost": 10, "yeild": 0.01}, pd.DataFrame(NOISE).add_suffix("_sd")])
def test_noise_of_other_names_is_refused(noise):
    with pytest.raises(
        ew.InvalidInput, match=r"noise is given for .*give it for the responses 'yield', 'cost'"
    ):
        Measurements.of(BOX, X, COLUMNS, noise)


def test_noise_of_one_response_may_be_left_to_the_map():
    m = ew.build_map(BOX, X, COLUMNS, {"cost": 10, "yield": None}, models="matern")
    np.testing.assert_array_equal(m.noise, EXPECTED * [np.nan, 1])
    assert 0 < m.error()[0].noise < 1
    assert m.error()[1].noise == pytest.approx(10)
    assert ew.build_map(BOX, X, COLUMNS, {"cost": None, "yield": None}, models="matern").noise is None
    with pytest.raises(ew.InvalidInput, match="give it for all"):
        ew.suggest(BOX, X, COLUMNS, noise={"cost": 10, "yield": None})


@pytest.mark.parametrize("given", [{"cost": "EUR", "yield": "%"}, {"yield": "%", "cost": "EUR"}])
def test_units_go_to_the_columns_of_their_names(given):
    assert name_responses(given, COLUMNS, 2) == (("yield", "cost"), ("%", "EUR"))
    assert name_responses(list(given), COLUMNS, 2)[0] == ("yield", "cost")


def test_columns_get_new_names_in_their_order():
    assert name_responses({"a": "%", "b": "EUR"}, COLUMNS, 2) == (("a", "b"), ("%", "EUR"))
    assert name_responses(["yield"], pd.Series([1.0]), 1)[0] == ("yield",)


def test_names_of_which_some_are_columns_are_refused():
    with pytest.raises(ew.InvalidInput, match="'yield', 'price' are some of the columns of y"):
        name_responses(["yield", "price"], COLUMNS, 2)


def test_what_is_no_name_is_refused():
    with pytest.raises(ew.InvalidInput, match="is not a name; give texts, or units by name"):
        name_responses([ew.Response("yield", "%"), "cost"], COLUMNS, 2)
