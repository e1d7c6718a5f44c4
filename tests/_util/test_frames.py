"""Dataframes and dicts of columns are read alike, whoever asks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from equiwarp._util.frames import columns_of
from equiwarp.exceptions import InvalidInput

COLUMNS = {"a": [1.0, 2.0], "b": [3, 4]}


@pytest.mark.parametrize(
    "data", [COLUMNS, pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS)], ids=["dict", "pandas", "polars"]
)
def test_columns_come_by_name_and_in_order(data):
    found = columns_of(data)
    assert list(found) == ["a", "b"]
    assert [list(column) for column in found.values()] == [[1.0, 2.0], [3, 4]]


@pytest.mark.parametrize(
    "data", [[[1.0]], (1, 2), np.zeros(3), 2.5, None, object()], ids=lambda data: type(data).__name__
)
def test_plain_data_has_no_columns(data):
    assert columns_of(data) is None


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_a_series_counts_only_where_it_is_asked_for(library):
    assert columns_of(library.Series([1.0, 2.0])) is None
    assert list(columns_of(library.Series([1.0, 2.0]), series=True)) == ["y"]
    assert list(
        columns_of(library.Series([1.0], name="t") if library is pd else pl.Series("t", [1.0]), series=True)
    ) == ["t"]


def test_names_become_text():
    assert list(columns_of({1: [2.0]})) == ["1"]


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [1, 0], [2020, 2021], [0.5, True], pd.MultiIndex.from_tuples([("a", "p"), ("a", "q")])],
    ids=str,
)
def test_columns_whose_names_are_no_texts_are_columns_all_the_same(labels):
    """Of ``pd.DataFrame(array)`` nobody named the columns: column 0 is not row 0."""
    found = columns_of(pd.DataFrame([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]], columns=labels))
    assert list(found) == [str(label) for label in labels]
    assert [column.tolist() for column in found.values()] == [[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]


@pytest.mark.parametrize("name", [None, 0, 5, "", ("a", "p")])
def test_a_series_named_by_its_place_has_no_name(name):
    assert list(columns_of(pd.Series([1.0, 2.0], name=name), series=True, unnamed="?")) == ["?"]


@pytest.mark.parametrize("data", [{1: [2.0], "1": [3.0]}, pd.DataFrame([[1.0, 2.0]], columns=[1, "1"])])
def test_two_names_that_are_one_text_are_refused(data):
    with pytest.raises(InvalidInput, match=r"columns of the same name .'1'."):
        columns_of(data)


@pytest.mark.parametrize(
    "column",
    [
        pd.array(["<1", None], dtype="string"),
        pd.Series(["<1", None]),
        np.array(["<1", pd.NA], dtype=object),
        pd.Categorical(["<1", None]),
    ],
    ids=["string", "str", "object", "category"],
)
def test_what_a_frame_calls_missing_is_none(column):
    assert columns_of(pd.DataFrame({"a": column}))["a"].tolist() == ["<1", None]
