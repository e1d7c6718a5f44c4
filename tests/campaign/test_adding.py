"""Measurements from elsewhere: matched by name, never taken twice, and numbers only."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import equiwarp as ew
from equiwarp.campaign.plates import take_measurements
from equiwarp.exceptions import InvalidInput, KnownMeasurements, Mismatch
from equiwarp.store import CampaignTransaction
from equiwarp.tables.table import read_table

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
X = [[30.0, 4.0], [50.0, 5.0]]


@pytest.fixture
def two(tmp_path):
    with ew.Campaign("two", BOX, store=tmp_path / "lab.db", responses=["conductivity", "thickness"]) as made:
        yield made


@pytest.mark.parametrize(
    ("noise", "known"),
    [
        (0.05, [0.05, 0.05]),
        ([0.1, 0.2], [0.1, 0.2]),
        ([0.1, None], [0.1, None]),
        ({"b": 0.2, "a": 0.1}, [0.1, 0.2]),
        ({"b": 0.2}, [None, 0.2]),
        (None, [None, None]),
    ],
)
def test_noise_given_apart_from_the_responses_is_kept(tmp_path, noise, known):
    with ew.Campaign("c", BOX, noise=noise, responses=["a", "b"], store=tmp_path / "lab.db") as c:
        assert [r.noise for r in c.spec.responses] == known
    for responses in (["a", "b"], [ew.Response("a"), "b"], [ew.Response("a"), ew.Response("b")]):
        with ew.Campaign("c", noise=noise, responses=responses, store=tmp_path / "lab.db") as again:
            assert again.spec.responses[0].name == "a"
        with pytest.raises(Mismatch, match="noise"):
            ew.Campaign("c", noise=0.7, responses=responses, store=tmp_path / "lab.db")


def test_a_new_campaign_takes_responses_with_units_and_their_noise_apart_from_them(tmp_path):
    responses = [ew.Response("a", unit="nm"), ew.Response("b", noise=0.2)]
    for _ in ("new", "again"):
        with ew.Campaign("c", BOX, noise={"a": 0.1}, responses=responses, store=tmp_path / "lab.db") as c:
            assert [(r.unit, r.noise) for r in c.spec.responses] == [("nm", 0.1), ("", 0.2)]


@pytest.mark.parametrize(
    ("noise", "words"),
    [
        ({"c": 0.1}, "unknown response 'c'"),
        ([0.1], "1 values for 2 responses"),
        (-1.0, "negative"),
        ({"a": -1.0}, "noise, a: -1 is negative"),
        (1e308, "beyond"),
        (True, "not a number"),
    ],
)
def test_noise_that_does_not_fit_the_responses_is_refused(tmp_path, noise, words):
    with pytest.raises(InvalidInput, match=words):
        ew.Campaign("c", BOX, noise=noise, responses=["a", "b"], store=tmp_path / "lab.db")


def test_noise_given_twice_and_differently_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"0\.2 with the response and 0\.1 apart"):
        ew.Campaign("c", BOX, noise=0.1, responses=[ew.Response("a", noise=0.2)], store=tmp_path / "lab.db")


@pytest.mark.parametrize("library", [pd, pl])
def test_values_and_noise_are_matched_by_the_names_of_their_columns(two, library):
    values = library.DataFrame({"thickness": [1.0, 2.0], "conductivity": [10.0, 20.0]})
    noise = library.DataFrame({"thickness": [0.1, 0.2], "conductivity": [1.0, 2.0]})
    ids = two.add(X, values, noise)
    first = two.experiment(ids[0])
    assert first.values == {"conductivity": 10.0, "thickness": 1.0}
    assert first.noise == {"conductivity": 1.0, "thickness": 0.1}
    with pytest.raises(InvalidInput, match="no value for response 'conductivity'"):
        two.add(X, library.DataFrame({"foo": [1.0, 2.0], "bar": [1.0, 2.0]}))
    with pytest.raises(InvalidInput, match="noise is given for 'foo', 'bar';"):
        two.add(X, values, library.DataFrame({"foo": [1.0, 2.0], "bar": [1.0, 2.0]}))


def test_a_single_column_is_matched_by_its_name_if_it_has_one(tmp_path):
    with ew.Campaign("one", BOX, store=tmp_path / "lab.db", responses=["yield"]) as c:
        assert len(c.add(X, pd.Series([1.0, 2.0]))) == 2
        assert len(c.add(X, pd.Series([3.0, 4.0], name="yield"))) == 2
        with pytest.raises(InvalidInput, match=r"unknown response 'purity'|no value for response 'yield'"):
            c.add(X, pd.Series([5.0, 6.0], name="purity"))


def test_an_open_campaign_takes_the_names_of_a_frame(tmp_path):
    with ew.Campaign("open", BOX, store=tmp_path / "lab.db") as c:
        c.add(X, pd.DataFrame({"thickness": [1.0, 2.0], "conductivity": [10.0, 20.0]}))
        assert c.responses == ("thickness", "conductivity")


def test_what_is_known_is_not_taken_twice_unless_it_was_measured_again(two):
    y = [[1.0, 2.0], [3.0, 4.0]]
    assert two.add(X, y) == [1, 2]
    with pytest.warns(KnownMeasurements, match="2 of 2 rows are known already"):
        assert two.add(X, y) == []
    more = [[60.0, 6.0], *X]
    with pytest.warns(KnownMeasurements, match=r"1 of 3 rows are known already \(first: row 2\)"):
        assert two.add(more, [[1.0, 1.0], [1.0, 2.5], [3.0, 4.0]]) == [3, 4]
    assert two.add(X, y, again=True) == [5, 6]
    assert two.events()[-1].detail["count"] == 2


def test_equal_rows_of_one_table_are_repeats_and_counted_as_such(two):
    assert two.add([X[0]] * 3, [[1.0, 2.0]] * 3) == [1, 2, 3]
    with pytest.warns(KnownMeasurements, match="3 of 4"):
        assert two.add([X[0]] * 4, [[1.0, 2.0]] * 4) == [4]


def test_a_told_value_is_known_to_a_table_of_exports(two):
    e = two.ask()[0]
    two.tell(e.id, [1.0, 2.0])
    with pytest.warns(KnownMeasurements):
        assert two.add([list(e.point.values())], [[1.0, 2.0]]) == []


def test_responses_that_were_not_measured_may_be_left_out_of_a_table(two):
    two.add(X, [[1.0, np.nan], [3.0, 4.0]])
    assert two.experiment(1).values == {"conductivity": 1.0}
    assert np.isnan(two.map().y[0, 1])
    with pytest.raises(InvalidInput, match="row 0"):
        two.add(X, [[np.nan, np.nan], [3.0, 4.0]])


NOT_NUMBERS = [
    np.ma.array([1.0, 2.0], mask=[False, True]),
    [np.ma.masked, 1.0],
    np.array([1 + 2j, 3]),
    [1.0, 2j],
    np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
    np.array([1, 2], dtype="timedelta64[s]"),
    [True, False],
    [1.0, True],
    np.array([True, False]),
    np.array([1.0, True], dtype=object),
    [np.array(True), np.array(2.0)],
    np.ma.array(["<1", "2"], mask=[False, True]),
    pd.Series([True, False]),
]


@pytest.mark.parametrize("values", NOT_NUMBERS, ids=repr)
def test_what_only_looks_like_numbers_is_refused_as_values_noise_and_settings(tmp_path, values):
    with ew.Campaign("c", ew.Box({"x": (0, 3)}), store=tmp_path / "lab.db") as c:
        for arguments in (([[1.0], [2.0]], values), ([[1.0], [2.0]], [1.0, 2.0], values)):
            with pytest.raises(InvalidInput, match=r"masked|is not a number"):
                c.add(*arguments)
        with pytest.raises(InvalidInput, match=r"masked|is not a number"):
            c.add({"x": values}, [1.0, 2.0])
    with pytest.raises(InvalidInput, match=r"masked|is not a number"):
        ew.suggest(ew.Box({"x": (0, 3)}), [[1.0], [2.0]], values)
    with pytest.raises(InvalidInput, match=r"masked|is not a number"):
        ew.build_map(ew.Box({"x": (0, 3)}), [[1.0], [2.0]], values)


def test_an_unmasked_masked_array_and_numbers_of_any_kind_are_fine(two):
    from decimal import Decimal

    assert two.add(X, np.ma.array([[1.0, 2.0], [3.0, 4.0]])) == [1, 2]
    assert two.add(X, [[1, Decimal("2.5")], [np.float32(3), 7]]) == [3, 4]


def test_noise_without_bounds_is_refused(two):
    with pytest.raises(InvalidInput, match="noise, row 0, response 0: 1e\\+308 is beyond"):
        two.add(X, [[1.0, 2.0], [3.0, 4.0]], noise=1e308)


@pytest.mark.parametrize("numbers", [1e308, [1.0, -1e308], [1.0, 10**400]])
def test_what_cannot_be_computed_with_is_refused_without_a_campaign_too(numbers):
    with pytest.raises(InvalidInput, match=r"row \d.* is beyond ±1e\+(100|304); use a larger unit"):
        ew.suggest(ew.Box({"x": (0, 3)}), [[1.0], [2.0]], np.resize(np.array(numbers, dtype=object), 2))
    with pytest.raises(InvalidInput, match=r"beyond ±1e\+100|at least 0"):
        ew.build_map(ew.Box({"x": (0, 3)}), [[1.0], [2.0]], [1.0, 2.0], noise=numbers)


def test_noise_that_may_be_meant_per_point_or_per_response_is_refused(two):
    with pytest.raises(InvalidInput, match="one per point or one per response"):
        two.add(X, [[1.0, 2.0], [3.0, 4.0]], noise=[0.1, 0.2])
    two.add(X, [[1.0, 2.0], [3.0, 4.0]], noise=pd.Series([0.1, 0.2], name="sigma"))
    assert two.experiment(2).noise == {"conductivity": 0.2, "thickness": 0.2}
    with pytest.raises(InvalidInput, match="give it for the responses"):
        two.add(X, [[1.0, 2.0], [3.0, 4.0]], noise=pd.Series([0.1, 0.2], name="thickness"))


def test_a_value_that_is_missing_needs_no_noise(two):
    noise = {"conductivity": [0.1, np.nan], "thickness": [0.3, 0.4]}
    two.add(X, [[1.0, 2.0], [None, 4.0]], noise=noise)
    assert two.experiment(2).values == {"thickness": 4.0}
    with pytest.raises(InvalidInput, match="at least 0, got nan"):
        two.add(X, [[1.5, 2.0], [2.0, 4.0]], noise=noise)


TWICE = pd.DataFrame([[1.0, 2.0, 3.0]] * 2, columns=["thickness", "conductivity", "thickness"])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1.0], [2.0, 3.0]], "values: the rows differ in length"),
        ({"thickness": [1.0], "conductivity": [1.0, 2.0]}, "values: the columns differ in length"),
        (TWICE, "columns of the same name .'thickness' 2 times"),
    ],
)
def test_a_table_that_is_none_is_refused_in_words(two, values, words):
    with pytest.raises(InvalidInput, match=words):
        two.add(X, values)


#: Named columns that are no dataframe.
RECORDS = {
    "records": np.array([(2.0, 1.0), (4.0, 3.0)], dtype=[("thickness", float), ("conductivity", float)]),
    "dicts": [{"thickness": 2.0, "conductivity": 1.0}, {"conductivity": 3.0, "thickness": 4.0}],
}


@pytest.mark.parametrize("values", RECORDS.values(), ids=RECORDS)
def test_records_are_matched_by_name(two, values):
    where = [{"pH": 4.0, "temperature": 30.0}, {"temperature": 50.0, "pH": 5.0}]
    two.add(where, values)
    assert [e.values for e in two.experiments()] == [
        {"conductivity": 1.0, "thickness": 2.0},
        {"conductivity": 3.0, "thickness": 4.0},
    ]
    assert [list(e.point.values()) for e in two.experiments()] == X


def test_masked_names_of_categories_are_refused(tmp_path):
    box = ew.Box({"solvent": ["oil", "wax"], "x": (0, 1)})
    with ew.Campaign("c", box, store=tmp_path / "lab.db") as c:
        masked = np.ma.array(["oil", "wax"], mask=[False, True])
        with pytest.raises(InvalidInput, match="column 'solvent', row 1: the value is masked"):
            c.add({"solvent": masked, "x": [0.1, 0.2]}, [1.0, 2.0])
        rows = np.ma.array([["oil", 0.1], ["wax", 0.2]], mask=[[0, 0], [1, 0]], dtype=object)
        with pytest.raises(InvalidInput, match="row 1, column 0: the value is masked"):
            c.add(rows, [1.0, 2.0])


#: The same four values of two responses, as people have them.
LIMITS = {
    "rows": [["≤0.5", 1.0], [3.0, ">90"], [4.0, 2.0]],
    "columns": {"conductivity": ["<0.5", 3.0, 4.0], "thickness": [1.0, "> 90", 2.0]},
    "array": np.array([["<0.5", 1.0], [3.0, ">90"], [4.0, 2.0]], dtype=object),
    "texts": np.array([["<0.5", "1"], ["3.0", ">90"], ["4", "2.0"]]),
    "pandas": pd.DataFrame({"thickness": ["1.0", ">90", "2"], "conductivity": ["<0.5", 3.0, 4.0]}),
    "polars": pl.DataFrame({"thickness": ["1.0", ">90", "2"], "conductivity": ["<0.5", "3", "4"]}),
}


@pytest.mark.parametrize("values", LIMITS.values(), ids=LIMITS)
def test_limits_are_taken_as_limits(two, values):
    ids = two.add([*X, [60.0, 6.0]], values)
    assert [two.experiment(id).shown for id in ids] == [
        {"conductivity": "<0.5", "thickness": 1.0},
        {"conductivity": 3.0, "thickness": ">90"},
        {"conductivity": 4.0, "thickness": 2.0},
    ]
    first, second, _ = two.experiments()
    assert (first.below, first.above, second.below, second.above) == (
        ("conductivity",),
        (),
        (),
        ("thickness",),
    )
    with pytest.warns(KnownMeasurements, match="3 of 3 rows"):
        assert two.add([*X, [60.0, 6.0]], values) == []
    # The number itself is another value than the limit.
    assert len(two.add(X[:1], [[0.5, 1.0]])) == 1


def test_the_map_takes_an_added_limit_as_it_takes_one_that_was_told(tmp_path):
    with ew.Campaign("added", BOX, store=tmp_path / "lab.db", noise=0.1, n0=4) as added:
        added.add([*X, [60.0, 6.0]], ["<0.5", 3.0, ">4"])
    with ew.Campaign("told", BOX, store=tmp_path / "lab.db", noise=0.1, n0=4) as told:
        told.add([*X, [60.0, 6.0]], [9.0, 3.0, 9.0])
        told.amend(1, "<0.5")
        told.amend(3, ">4")
    maps = [campaign.map() for campaign in (added, told)]
    assert maps[0].y.tolist() == maps[1].y.tolist() == [[0.25], [3.0], [6.0]]
    assert maps[0].noise.tolist() == maps[1].noise.tolist()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["<0", 1.0], "values, row 0: <0 is no detection limit"),
        ({"y": ["<x", 1.0]}, "values, y, row 0: 'x' is not a number"),
        ({"y": ["<1", "much"]}, "values, y, row 1: 'much' is not a number"),
        (["<1", "-"], "row 1.*not a finite number"),
        (["2.5", "1"], "'2.5' is not a number"),
        (["<1e300", 1.0], "beyond"),
    ],
)
def test_what_is_no_limit_is_refused_with_its_place(tmp_path, values, words):
    with (
        ew.Campaign("one", BOX, store=tmp_path / "lab.db", responses=["y"]) as c,
        pytest.raises(InvalidInput, match=words),
    ):
        c.add(X, values)


def test_limits_and_values_that_are_not_plausible_are_refused_with_their_row(tmp_path):
    responses = [ew.Response("y", low=0, high=10)]
    with ew.Campaign("one", BOX, store=tmp_path / "lab.db", responses=responses) as c:
        with pytest.raises(ew.Implausible, match="values, row 1: y = >10 is above 10"):
            c.add(X, [1.0, ">10"])
        assert len(c.add(X, ["<20", ">3"])) == 2
        assert len(c.add(X, [1.0, ">10"], sure=True)) == 2


def test_adding_a_file_reads_none_of_the_other_experiments(two, monkeypatch):
    """So its time does not grow with what the campaign has."""
    two.ask(3)
    text = "temperature,pH,conductivity,thickness\n30,4,<0.5,1\n50,5,3,2\n"
    table = read_table(text.encode(), "old.csv")

    def refuse(*_):
        raise AssertionError("all experiments were read")

    for verb in ("_experiments", "arrays"):
        monkeypatch.setattr(CampaignTransaction, verb, refuse)
    assert take_measurements(two, table).counts == {"added": 2, "outside": 0, "known": 0}
    assert take_measurements(two, table).counts == {"added": 0, "outside": 0, "known": 2}
