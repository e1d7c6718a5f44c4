"""The gate for user input: what comes in, and how what cannot come in is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import equiwarp as ew
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.reading import read_noise, read_points, read_values

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
X = [[30.0, 4.0], [60.0, 7.0], [80.0, 5.0]]
Y = [1.0, 2.5, 1.7]
COLUMNS = {"pH": [4.0, 7.0, 5.0], "operator": ["a", "b", "c"], "temperature": [30.0, 60.0, 80.0]}


@pytest.mark.parametrize(
    "x",
    [X, np.array(X), tuple(map(tuple, X)), COLUMNS, pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS)],
    ids=["list", "array", "tuple", "dict", "pandas", "polars"],
)
@pytest.mark.parametrize(
    "y",
    [Y, np.array(Y)[:, None], pd.Series(Y), pl.Series("y", Y), pd.DataFrame({"y": Y}), {"y": Y}],
    ids=["list", "column", "pandas series", "polars series", "frame", "dict"],
)
def test_every_kind_of_table_comes_in_as_the_same_design(x, y):
    measurements = Measurements.of(BOX, x, y, 0.1, pending=x)
    np.testing.assert_array_equal(measurements.x, X)
    np.testing.assert_array_equal(measurements.y, np.array(Y)[:, None])
    np.testing.assert_array_equal(measurements.noise, np.full((3, 1), 0.1))
    np.testing.assert_array_equal(measurements.pending, X)
    assert measurements.n == 3


@pytest.mark.parametrize("kind", [np.float32, np.float16, ">f4"])
def test_numbers_of_single_precision_are_those_that_they_print(kind):
    """0.3 in single precision is 0.30000001: beyond a bound of 0.3, and on no list with 0.3."""
    box, rows = ew.Box({"a": (0.1, 0.3), "b": (0, 1)}), [[0.1, 0.7], [0.3, 0.2]]
    short = np.array(rows, dtype=kind)
    for x in (short, pd.DataFrame(short, columns=["a", "b"])):
        np.testing.assert_array_equal(read_points(box, x), rows)
    listed = ew.Candidates(short)
    np.testing.assert_array_equal(listed.points, np.array(rows))
    assert ew.Candidates({"x1": short[:, 0], "x2": short[:, 1]}) == listed
    assert ew.build_map(listed, short, [1.0, 2.0]).forecast(5).shape == (1, 1)  # both were measured


def test_several_responses_come_as_columns():
    measurements = Measurements.of(BOX, X, pd.DataFrame({"yield": Y, "purity": [3, 2, 1]}))
    np.testing.assert_array_equal(measurements.y, np.column_stack([Y, [3, 2, 1]]))
    assert measurements.noise is None


@pytest.mark.parametrize(
    "empty", [[], np.empty((0, 2)), {"temperature": [], "pH": []}, pd.DataFrame(COLUMNS)[:0]]
)
def test_nothing_at_all_comes_in(empty):
    measurements = Measurements.of(BOX, empty, [])
    assert measurements.x.shape == (0, 2)
    assert measurements.y.shape == (0, 1)
    assert measurements.pending.shape == (0, 2)


def test_one_dimension_may_be_flat():
    np.testing.assert_array_equal(read_points(ew.Box.unit(1), [0.1, 0.2]), [[0.1], [0.2]])


def test_input_is_copied_so_that_the_callers_array_may_change():
    x, y = np.array(X), np.array(Y)
    measurements = Measurements.of(BOX, x, y, pending=x)
    x[:], y[:] = 0, 0
    np.testing.assert_array_equal(measurements.x, X)
    np.testing.assert_array_equal(measurements.pending, X)
    np.testing.assert_array_equal(measurements.y[:, 0], Y)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        ([[30, 4], [95, 7]], ["x, row 1", "temperature = 95", "[20, 90]", "widen"]),
        ([[30, 4], [60, float("nan")]], ["x, row 1", "pH", "nan", "leave the row out"]),
        ([[float("inf"), 4]], ["x, row 0", "temperature", "inf"]),
        ([30, 4], ["x has shape (2,)", "(n, 2)", "temperature"]),
        ([[30, 4, 1]], ["(1, 3)", "(n, 2)"]),
        ([[[30, 4]]], ["(1, 1, 2)"]),
        ([[30, 4], ["hot", 4]], ["x, row 1, column 0: 'hot' is not a number"]),
        (np.array([["hot", "4"]]), ["x, row 0, column 0: 'hot' is not a number"]),
        ({"temperature": [30]}, ["x has no column 'pH'", "['temperature']"]),
        ({"temperature": [30], "pH": [4, 5]}, ["columns differ in length", "[1, 2]"]),
        (pd.DataFrame({"T": [30], "pH": [4]}), ["no column 'temperature'", "'T'"]),
        ({"temperature": ["30"], "pH": [4]}, ["x, column 'temperature', row 0", "'30'"]),
        ([[30, 4], [50]], ["x"]),
        ([[30, None]], ["x, row 0", "None"]),
    ],
)
def test_bad_points_are_refused_with_place_value_and_remedy(x, words):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are checked below
        Measurements.of(BOX, x, [1.0] * 2)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_bad_pending_points_are_called_pending():
    with pytest.raises(ValueError, match=r"pending, row 0: pH = 99 is outside"):
        Measurements.of(BOX, X, Y, pending=[[30, 99]])


def test_a_point_off_the_sphere_says_how_to_put_it_there():
    with pytest.raises(ValueError, match=r"x, row 1: its length is 2.*divide"):
        Measurements.of(ew.Sphere(1), [[1, 0], [0, 2]], [1, 2])


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([1, 2], ["y has shape (2, 1)", "3 rows", "one value"]),
        ([1, float("nan"), 2], ["y, row 1, response 0", "nan", "failed"]),
        ([[1, 2], [3, 4], [5, float("-inf")]], ["y, row 2, response 1", "-inf"]),
        (["a", "b", "c"], ["y, row 0", "'a'"]),
        (np.empty((3, 0)), ["no column", "at least one response"]),
        (np.zeros((3, 2, 2)), ["shape (3, 2, 2)"]),
        ({"y": [1, 2, "x"]}, ["y, column 'y', row 2", "'x'"]),
        (None, ["y"]),
    ],
)
def test_bad_values_are_refused(y, words):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are checked below
        read_values(y, 3)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_noise_may_be_one_number_per_everything():
    y = np.zeros((3, 2))
    assert read_noise(None, y) is None
    np.testing.assert_array_equal(read_noise(0, y), np.zeros((3, 2)))
    np.testing.assert_array_equal(read_noise([0.1, 0.2], y), [[0.1, 0.2]] * 3)
    np.testing.assert_array_equal(read_noise([1, 2, 3], y), [[1, 1], [2, 2], [3, 3]])
    np.testing.assert_array_equal(read_noise(np.full((3, 2), 0.5), y), np.full((3, 2), 0.5))


@pytest.mark.parametrize(
    ("noise", "words"),
    [
        (-0.1, ["at least 0", "-0.1", "None estimates"]),
        (float("nan"), ["standard deviation", "nan"]),
        ([1, 2, 3, 4], ["shape (4,)", "one per response", "one per point"]),
        ("loud", ["noise", "'loud'"]),
    ],
)
def test_bad_noise_is_refused(noise, words):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are checked below
        read_noise(noise, np.zeros((3, 2)))
    for word in words:
        assert word in str(caught.value), str(caught.value)
