"""Plates and measurements on plain things: a domain, names of responses, points by id. No campaign."""

from __future__ import annotations

import io

import pytest

from equiwarp import Box
from equiwarp.exceptions import TableError
from equiwarp.tables.measurements import read_measurements
from equiwarp.tables.plates import read_plate, write_plate
from equiwarp.tables.table import read_table

BOX = Box({"time": {"low": 1, "high": 1000, "scale": "log"}, "pH": (3, 9)})
HANDED = {1: {"time": 10.0, "pH": 4.0}, 2: {"time": 100.0, "pH": 5.0}}


def table(text):
    return read_table(io.StringIO(text), "plate.csv")


def refusal(text, responses=("a", "b")):
    with pytest.raises(TableError) as caught:
        read_plate(table(text), BOX, responses, HANDED)
    return caught.value


def test_what_is_written_is_read_back_with_every_row_open():
    file = io.StringIO()
    write_plate(file, BOX.names, ("a", "b"), HANDED)
    assert file.getvalue() == "id,time,pH,a,b,failed\n1,10.0,4.0,,,\n2,100.0,5.0,,,\n"
    filled = read_plate(table(file.getvalue()), BOX, ("a", "b"), HANDED)
    assert (filled.told, filled.failed, filled.open) == ([], [], [1, 2])


def test_values_failures_and_noise_of_single_values():
    text = "id,a,b,failed,noise a,noise b\n2.0,1,2,,0.1,0.2\n1,,,spilt,,\n"
    filled = read_plate(table(text), BOX, ("a", "b"), HANDED)
    assert filled.told == [(2, {"a": 1.0, "b": 2.0}, {"a": 0.1, "b": 0.2})]
    assert filled.failed == [(1, "spilt")]
    single = read_plate(table("id,a,noise\n1,1,0.5\n2,3,\n"), BOX, ("a",), HANDED)
    assert [noise for _, _, noise in single.told] == [{"a": 0.5}, None]
    several = read_plate(table("id,a,b,noise\n1,1,2,0.5\n"), BOX, ("a", "b"), HANDED)
    assert [noise for _, _, noise in several.told] == [None]  # of which of the two?


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        ("id,a\n1,1\n", "plate.csv: no column 'b'; it has id, a", "no_column"),
        ("id,a,b\n7,1,2\n", "line 2, column 'id': there is no experiment 7 in this campaign", "unknown_id"),
        ("id,a,b\n1.5,1,2\n", "there is no experiment 1.5 in this campaign", "unknown_id"),
        ("id,a,b\n1,1,2\n1,1,2\n", "line 3, column 'id': experiment 1 is on line 2 already", "repeated_id"),
        ("id,time,a,b\n1,11,1,2\n", "11 is not the setting of experiment 1, 10; correct it", "moved"),
        ("id,a,b,noise a,noise b\n1,1,2,0.1,\n", "line 2: noise for 'b' is missing", "no_noise"),
        ("id,a,b,noise a,noise b\n1,1,2,-1,1\n", "column 'noise a': -1 is negative", "negative_noise"),
        ("id,a,b\n1,1,\n", "line 2, column 'b': the cell is empty", "empty"),
        ("id,a,b\n1,-1e101,1\n", "column 'a': -1e+101 is beyond ±1e+100; use a larger unit", "too_large"),
        ("id,a,b\n1,1,1e101\n", "column 'b': 1e+101 is beyond ±1e+100; use a larger unit", "too_large"),
    ],
)
def test_one_wrong_cell_refuses_the_plate(text, said, code):
    error = refusal(text)
    assert said in str(error)
    assert error.code == code


def test_settings_may_be_rounded_but_not_moved():
    rounded = read_plate(table("id,time,a\n1,10.001,1\n"), BOX, ("a",), HANDED)
    assert rounded.told[0][0] == 1
    assert refusal("id,time,a\n1,10.1,1\n", ("a",)).code == "moved"


def test_measurements_with_and_without_noise():
    rows = read_measurements(table("a,pH,time\n1,4,10\n2,5,20\n"), BOX, ("a",))
    assert rows.x.tolist() == [[10, 4], [20, 5]]
    assert rows.y.tolist() == [[1], [2]]
    assert rows.noise is None
    noisy = read_measurements(table("a,pH,time,noise\n1,4,10,0.5\n"), BOX, ("a",))
    assert noisy.noise is not None
    assert noisy.noise.tolist() == [[0.5]]


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        ("a,b,pH,time\n", "plate.csv: there is no row below the header", "empty"),
        ("a,b,pH\n1,2,3\n", "no column 'time'", "no_column"),
        ("a,b,pH,time\n1,1e200,4,5\n", "line 2, column 'b': 1e+200 is beyond ±1e+100", "too_large"),
        ("a,b,pH,time,noise a\n1,2,4,5,1\n", "no noise column for 'b'; add one", "no_noise"),
        ("a,b,pH,time,noise a,noise b\n1,2,4,5,1,-1\n", "column 'noise b': -1 is negative", "negative_noise"),
    ],
)
def test_one_wrong_cell_refuses_the_measurements(text, said, code):
    with pytest.raises(TableError) as caught:
        read_measurements(table(text), BOX, ("a", "b"))
    assert said in str(caught.value)
    assert caught.value.code == code
