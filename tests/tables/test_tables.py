"""Typed tables: read whole or refused whole with row and column; written so that no cell is run."""

from __future__ import annotations

import csv
import io
import pickle

import numpy as np
import pytest

from equiwarp.exceptions import TableError
from equiwarp.tables.cells import safe_cell
from equiwarp.tables.table import read_candidates, read_numbers, read_table, write_table


def numbers_of(text):
    return read_numbers(io.StringIO(text)).rows.tolist()


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2.5\n-3e2,4\n",
        "a;b\n1;2.5\n-3e2;4\n",
        "a\tb\r\n1\t2.5\r\n-3e2\t4\r\n",
        '\ufeff"a","b"\n"1","2.5"\n\n -3e2 , 4,,\n,,\n',
        "\n a , b \n+1,2.50\n-300.0,4",
    ],
)
def test_the_same_table_in_many_dialects(text):
    assert numbers_of(text) == [[1.0, 2.5], [-300.0, 4.0]]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ('"1,5"', "'1,5' is ambiguous; write 1.5 with a decimal point"),
        ('"-1,5"', "write -1.5 with a decimal point"),
        ("NaN", "'NaN' is not a finite number"),
        ("inf", "'inf' is not a finite number"),
        ("-Infinity", "is not a finite number"),
        ("1e999", "'1e999' is too large"),
        ("high", "'high' is not a number"),
        ("", "the cell is empty"),
        ("=1+2", "is a formula, not a number"),
        ("@SUM(A1)", "is a formula, not a number"),
        ("+A1", "is a formula, not a number"),
        ("-A1", "is a formula, not a number"),
        ("1_000", "'1_000' is not a number"),
        ("١٢", "is not a number"),
        ("1 5", "is not a number"),
        ("0x10", "is not a number"),
        ("5 %", "is not a number"),
    ],
)
def test_a_bad_cell_refuses_the_table_and_is_named(cell, reason):
    with pytest.raises(TableError) as caught:
        numbers_of(f"a,b\n1,2\n3,{cell}\n4,5\n")
    assert "input, line 3, column 'b': " in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("\n \n", "it is empty"),
        ("a,a\n1,2\n", "line 1: the column 'a' appears twice"),
        ("a,\n1,2\n", "column 2 has no name"),
        ("a,b\n1,2\n1,5,2\n", "line 3: 3 cells, but the header has 2; a decimal comma"),
        ("a,b\n1\n", "line 2: 1 cell, but the header has 2; give it a cell for each column"),
        ("a;b;c\n1,5;2;\n1,5;2\n", "line 3: 2 cells, but the header has 3; give it a cell for each column"),
        ("id,a,b,failed\n1,1,5,,\n2,2,5,,\n", "line 2: 5 cells, but the header has 4; a decimal comma"),
        ('a,b\n1,"2\n', "line 2: unexpected end of data"),
    ],
)
def test_shapeless_tables_are_refused(text, message):
    with pytest.raises(TableError, match=message):
        numbers_of(text)


def test_lines_are_counted_as_an_editor_counts_them():
    with pytest.raises(TableError, match="line 6, column 'b'"):
        numbers_of('a,b\n1,2\n\n"3\n",4\n5,x\n')


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(TableError, match="no such file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(TableError, match="a folder"):
        read_table(tmp_path)
    (tmp_path / "latin.csv").write_bytes("a,µ\n1,2\n".encode("latin-1"))
    with pytest.raises(TableError, match="not UTF-8"):
        read_table(tmp_path / "latin.csv")
    with pytest.raises(TableError, match="no column 'z'; it has a, b"):
        read_numbers(io.StringIO("a,b\n1,2\n"), ["z"])


def test_a_million_rows_are_taken_whole_or_refused_whole():
    text = "a,b\n" + "0.5,1.5\n" * 1_000_000
    assert read_numbers(io.StringIO(text)).rows.shape == (1_000_000, 2)
    with pytest.raises(TableError, match="line 1000002, column 'b': 'oops'"):
        read_numbers(io.StringIO(text + "1,oops\n"))


def test_written_numbers_come_back_exactly(rng):
    values = np.concatenate([rng.standard_normal(20) * 10.0 ** rng.integers(-30, 30, 20), [0.1, -0.0, 1e308]])
    file = io.StringIO()
    write_table(file, ["x"], ({"x": v} for v in values))
    file.seek(0)
    assert read_numbers(file).rows[:, 0].tolist() == values.tolist()


@pytest.mark.parametrize("text", ["=1+2", "+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", "\n=1"])
def test_text_that_a_spreadsheet_would_run_is_neutralised(text):
    file = io.StringIO()
    write_table(file, [text, "n"], [{text: text, "n": -1.5}])
    file.seek(0)
    for row in csv.reader(file):
        assert row[0] == "'" + text.replace("\r", "\n")
    assert safe_cell(-1.5) == "-1.5"
    assert safe_cell("plain") == "plain"
    assert safe_cell(None) == ""
    assert safe_cell(True) == "true"


def test_nested_data_is_written_as_json():
    assert safe_cell({"value": {"ü": 1.5}, "noise": None}) == '{"value": {"ü": 1.5}, "noise": null}'
    assert safe_cell([1, 2]) == "[1, 2]"


def test_an_error_survives_its_journey_between_processes():
    with pytest.raises(TableError) as caught:
        numbers_of("a\n1e999\n")
    error, again = caught.value, pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.place, again.code) == (str(error), "input, line 2, column 'a'", "not_finite")
    assert again.remedy == "leave the cell empty or mark the experiment as failed"


def test_a_neutralised_header_is_recognised():
    file = io.StringIO()
    write_table(file, ["-x", "y"], [{"-x": 1.0, "y": 2.0}])
    file.seek(0)
    assert read_table(file).names == ("-x", "y")


def test_candidates_from_a_file(tmp_path):
    (tmp_path / "list.csv").write_text("lot,a,b\nL1,1,2\nL2,3,4\n", encoding="utf-8")
    assert read_candidates(tmp_path / "list.csv", ["a", "b"]).points.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(TableError, match="no number stands in 'lot'"):
        read_candidates(tmp_path / "list.csv")
