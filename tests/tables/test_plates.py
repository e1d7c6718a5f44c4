"""Plates and measurements on plain things: a domain, names of responses, points by id. No campaign."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest

from equiwarp import Box
from equiwarp.exceptions import TableError
from equiwarp.tables.columns import CampaignColumns
from equiwarp.tables.measurements import read_locations, read_measurements
from equiwarp.tables.plates import plate_sheet, read_plate
from equiwarp.tables.sheets import write_csv
from equiwarp.tables.table import read_table

BOX = Box({"time": {"low": 1, "high": 1000, "scale": "log"}, "pH": (3, 9)})
HANDED = {1: {"time": 10.0, "pH": 4.0}, 2: {"time": 100.0, "pH": 5.0}}


def table(text):
    return read_table(io.StringIO(text), "plate.csv")


def columns(*responses):
    return CampaignColumns.of(BOX, responses)


def filled(text, *responses, **options):
    return read_plate(table(text), BOX, columns(*responses), HANDED, **options)


def refusal(text, responses=("a", "b")):
    with pytest.raises(TableError) as caught:
        filled(text, *responses)
    return caught.value


def test_what_is_written_is_read_back_with_every_row_open():
    file = io.StringIO()
    write_csv(file, plate_sheet(BOX, columns("a", "b"), HANDED))
    assert file.getvalue() == "id,time,pH,a,b,failed\n1,10.0,4.0,,,\n2,100.0,5.0,,,\n"
    plate = filled(file.getvalue(), "a", "b")
    assert (plate.told, plate.failed, plate.open) == ([], [], [1, 2])


def test_values_failures_and_noise_of_single_values():
    text = "id,a,b,failed,noise a,noise b\n2.0,1,2,,0.1,0.2\n1,,,spilt,,\n"
    plate = filled(text, "a", "b")
    assert plate.told == [(2, {"a": 1.0, "b": 2.0}, {"a": 0.1, "b": 0.2})]
    assert plate.failed == [(1, "spilt")]
    single = filled("id,a,noise\n1,1,0.5\n2,3,\n", "a")
    assert [noise for _, _, noise in single.told] == [{"a": 0.5}, None]


@pytest.mark.parametrize("text", ["id,a,b,noise\n1,1,2,0.5\n", "id,a,b,Noise,noise a,noise b\n1,1,2,5,1,1\n"])
def test_a_bare_noise_of_two_responses_belongs_to_neither(text):
    assert str(refusal(text)) == (
        "plate.csv, column 'noise': whose noise is it? there are 2 responses; "
        "name the columns 'noise a', 'noise b'"
    )
    with pytest.raises(TableError, match="name the columns 'noise a', 'noise b'"):
        read_measurements(table("a,b,pH,time,noise\n1,2,4,5,1\n"), BOX, columns("a", "b"))


@pytest.mark.parametrize(
    "word", ["no", "No", "FALSE", "0", "n", "ok", "n/a", "-", " ", "nein", "Non", "FALSCH", "falso"]
)
def test_a_failure_that_is_denied_is_none(word):
    plate = filled(f"id,a,failed\n1,2.5,{word}\n", "a")
    assert plate.told == [(1, {"a": 2.5}, None)]
    assert plate.failed == []


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("yes", ""),
        ("TRUE", ""),
        ("1", ""),
        ("x", ""),
        ("ja", ""),
        ("Sí", ""),
        ("VRAI", ""),
        ("nein!", "nein!"),
        ("spilt", "spilt"),
        ("No power", "No power"),
    ],
)
def test_a_failure_is_affirmed_or_given_its_reason(word, reason):
    plate = filled(f"id,a,failed\n1,,{word}\n2,3,no\n", "a")
    assert (plate.failed, [id for id, *_ in plate.told]) == ([(1, reason)], [2])


@pytest.mark.parametrize("word", ["2.5", "-1", '"3,5"'])
def test_a_number_does_not_say_whether_it_failed(word):
    error = refusal(f"id,a,failed\n1,,{word}\n", ("a",))
    assert error.code == "not_a_reason"
    assert "line 2, column 'failed'" in str(error)
    assert "write yes, no or the reason in words" in str(error)


def test_some_values_now_and_others_later():
    plate = filled("id,a,b,noise a,noise b\n1,5,,0.1,\n2,n/a,-,,\n", "a", "b")
    assert plate.told == [(1, {"a": 5.0}, {"a": 0.1})]
    assert plate.open == [2]


def test_detection_limits_with_decimal_commas_too():
    assert filled("id;a;b\n1;<0,5;>= 2\n", "a", "b").told == [(1, {"a": "<0.5", "b": ">2"}, None)]


def test_limits_with_the_signs_of_print():
    assert filled("id,a,b\n1,≤5,≥ 90\n", "a", "b").told == [(1, {"a": "<5", "b": ">90"}, None)]


@pytest.mark.parametrize("word", ["n.d.", "ND", "n.n."])
def test_a_value_that_was_not_detected_needs_its_limit(word):
    error = refusal(f"id,a\n1,{word}\n", ("a",))
    assert f"line 2, column 'a': {word!r} is not a number; write <LIMIT for below the detection" in str(error)


def test_all_mistakes_are_named_at_once_and_nothing_else():
    text = "id,time,a,b,failed\n1,11,x,nan,\n7,1,1,1,\n2,100,1,1e101,3\n"
    error = refusal(text)
    assert error.code == "several"
    assert str(error).splitlines() == [
        "plate.csv: 5 mistakes; nothing was taken",
        "  line 2, column 'time': 11 is not the setting of experiment 1, 10; correct it, or say that these "
        "are the settings that were used (--actual)",
        "  line 2, column 'a': 'x' is not a number",
        "  line 2, column 'b': 'nan' is not a finite number; leave the cell empty or mark the experiment as "
        "failed",
        "  line 3, column 'id': there is no experiment 7 in this campaign",
        "  line 4, column 'failed': '3' does not say whether the experiment failed; write yes, no or the "
        "reason in words; a value belongs into the column of its response",
    ]
    assert [problem.code for problem in error.problems] == [
        "moved", "not_a_number", "not_finite", "unknown_id", "not_a_reason"
    ]  # fmt: skip
    again = pickle.loads(pickle.dumps(error))
    assert [str(p) for p in again.problems] == [str(p) for p in error.problems]


def test_a_hopeless_table_is_not_listed_to_its_end():
    with pytest.raises(TableError) as caught:
        read_measurements(table("a,pH,time\n" + "x,4,10\n" * 1000), BOX, columns("a"))
    lines = str(caught.value).splitlines()
    assert lines[0] == "plate.csv: 200 mistakes so far; nothing was taken"
    assert lines[-1] == "  and 180 more"
    assert len(lines) == 22


def test_points_outside_are_named_by_their_lines():
    assert read_locations(table("pH,time\n4,10\n"), BOX).tolist() == [[10, 4]]
    with pytest.raises(TableError) as caught:
        read_locations(table("pH,Time\n4,10\n\n2,10\n5,5000\n6,x\n"), BOX)
    assert [str(p) for p in caught.value.problems] == [
        "plate.csv, line 6, column 'time': 'x' is not a number",
        "plate.csv, line 4: pH = 2 is outside [3, 9]; correct the value, or leave the row out",
        "plate.csv, line 5: time = 5000 is outside [1, 1000]; correct the value, or leave the row out",
    ]


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        ("id,a\n1,1\n", "plate.csv: no column 'b'; it has id, a", "no_column"),
        ("a\n1\n", "plate.csv: no columns 'id', 'b'; it has a", "no_column"),
        ("id,a,b\n7,1,2\n", "line 2, column 'id': there is no experiment 7 in this campaign", "unknown_id"),
        ("id,a,b\n1e30,1,2\n", "there is no experiment 1e30 in this campaign", "unknown_id"),
        ("id,a,b\n1.5,1,2\n", "there is no experiment 1.5 in this campaign", "unknown_id"),
        ("id,a,b\n1,1,2\n1,1,2\n", "line 3, column 'id': experiment 1 is on line 2 already", "repeated_id"),
        ("id,time,a,b\n1,11,1,2\n", "11 is not the setting of experiment 1, 10; correct it", "moved"),
        ("id,a,b,noise a,noise b\n1,1,2,0.1,\n", "line 2: noise for 'b' is missing", "no_noise"),
        ("id,a,b,noise a,noise b\n1,1,2,-1,1\n", "column 'noise a': -1 is negative", "negative_noise"),
        ("id,a,b\n1,1,<x\n", "line 2, column 'b': 'x' is not a number", "not_a_number"),
        ("id,a,b\n1,1e101,1\n", "column 'a': 1e+101 is beyond ±1e+100; use a larger unit", "too_large"),
        ("id,a,b\n1,1,-1e101\n", "column 'b': -1e+101 is beyond ±1e+100; use a larger unit", "too_large"),
    ],
)
def test_one_wrong_cell_refuses_the_plate(text, said, code):
    error = refusal(text)
    assert said in str(error)
    assert error.code == code


def test_settings_may_be_rounded_but_not_moved():
    rounded = filled("id,time,a\n1,10.001,1\n", "a")
    assert rounded.told[0][0] == 1
    assert refusal("id,time,a\n1,10.1,1\n", ("a",)).code == "moved"


def test_measurements_with_and_without_noise():
    rows = read_measurements(table("a,pH,time\n1,4,10\n2,5,20\n"), BOX, columns("a"))
    assert rows.x.tolist() == [[10, 4], [20, 5]]
    assert rows.y.tolist() == [[1], [2]]
    assert rows.noise is None
    noisy = read_measurements(table("a,pH,time,noise\n1,4,10,0.5\n"), BOX, columns("a"))
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
        ("a,b,pH,time\n1,x,y,5\n", "2 mistakes", "several"),
    ],
)
def test_one_wrong_cell_refuses_the_measurements(text, said, code):
    with pytest.raises(TableError) as caught:
        read_measurements(table(text), BOX, columns("a", "b"))
    assert said in str(caught.value)
    assert caught.value.code == code


def test_measurements_without_noise_may_stand_beside_those_with_it():
    """An export has an empty cell where a value has no noise of its own."""
    text = "a,b,pH,time,noise a,noise b\n1,2,4,5,0.1,0.2\n3,4,5,5,,\n5,,6,5,0.3,\n"
    read = read_measurements(table(text), BOX, columns("a", "b"))
    np.testing.assert_array_equal(read.noise, [[0.1, 0.2], [np.nan, np.nan], [0.3, np.nan]])
    with pytest.raises(TableError, match="line 2: noise for 'b' is missing"):
        read_measurements(table("a,b,pH,time,noise a,noise b\n1,2,4,5,0.1,\n"), BOX, columns("a", "b"))
    with pytest.raises(TableError, match="line 2, column 'noise b': 'x'") as caught:
        read_measurements(table("a,b,pH,time,noise a,noise b\n1,2,4,5,0.1,x\n"), BOX, columns("a", "b"))
    assert "missing" not in str(caught.value)


def test_a_column_in_the_place_of_a_parameter_refuses_a_plate():
    error = refusal("id,pressure (bar),pH,a,b,failed\n1,10,4,5,6,\n")
    assert error.code == "other_plate"
    assert "no column 'time', but one 'pressure (bar)', which the campaign does not know" in str(error)
    assert refusal("id,p,q,a,b,failed\n1,10,4,5,6,\n").code == "other_plate"
    # A text is no setting of a number; parameters may be left out; an instrument writes what it likes.
    for text in (
        "id,pH,a,b,remark\n1,4,5,6,cloudy\n",
        "id,pH,a,b,failed\n1,4,5,6,\n",
        "id,area,a,b\n1,1234,5,6\n",
    ):
        assert filled(text, "a", "b").told == [(1, {"a": 5.0, "b": 6.0}, None)]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("T/°C", "T"), ("t /°C", "T"), ("T, °C", "T"), ("T in °C", "T"), ("c/(mol/L)", "c"), ("c/mol/L", "c"),
        ("c / mol/L", "c"), ("T/K", "T/K"), ("c/mmol", "c/mmol"), ("ratio/°C", "ratio/°C"),
        ("Ta, °C", "Ta, °C"),
    ],
)  # fmt: skip
def test_units_stand_in_headings_as_chemists_write_them(head, name):
    known = CampaignColumns({"T": "°C", "c": "mol/L", "ratio": ""}, {})
    assert known.matched(table(f"{head}\tx\n1\t2\n")).names == (name, "x")


def test_names_that_differ_in_case_alone_are_told_apart_before_their_unit():
    """A small k and a large K may both be rates: the large one was taken for the small one."""
    rates = CampaignColumns({"k": "1/s", "K": "1/s"}, {})
    assert rates.matched(table("K/(1/s)\tk/(1/s)\n1\t2\n")).names == ("K", "k")
    either = CampaignColumns({"keq": "mM", "KEQ": "mM"}, {}).matched(table("Keq/mM\tx\n1\t2\n"))
    assert either.names == ("Keq/mM", "x")
