"""Dataframes and dicts of columns are read alike, whoever asks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from equiwarp._util.frames import columns_of

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
