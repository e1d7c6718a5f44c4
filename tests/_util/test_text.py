"""Words of messages."""

from __future__ import annotations

import pytest

from equiwarp._util.text import (
    LONGEST_QUOTE,
    assigned,
    offered,
    several,
    short,
    three_digits,
    with_deviation,
)


def test_a_short_value_is_quoted_whole_and_a_long_one_cut():
    assert short([1, 2]) == "[1, 2]"
    whole = "x" * (LONGEST_QUOTE - 2)
    assert short(whole) == repr(whole)
    cut = short("x" * LONGEST_QUOTE)
    assert len(cut) == LONGEST_QUOTE
    assert cut == "'" + "x" * (LONGEST_QUOTE - 4) + "..."


def test_values_are_named_to_six_digits():
    assert assigned({"temperature": 20.5, "pH": 4.0000001}) == "temperature = 20.5, pH = 4"


@pytest.mark.parametrize(
    ("value", "said"),
    [(1234.5, "1230"), (999.6, "1000"), (0.01234, "0.0123"), (5.0, "5"), (2.5e7, "2.5e+07")],
)
def test_three_digits_have_no_exponent_where_people_write_none(value, said):
    assert three_digits(value) == said


@pytest.mark.parametrize(
    ("value", "deviation", "said"),
    [
        (101325.4, 41.7, "101325 ± 42"), (9.104, 2.123, "9.1 ± 2.1"), (8.3298, 0.62, "8.33 ± 0.62"),
        (5.0, 0.0, "5 ± 0"), (1e12, 2e9, "1e+12 ± 2e+09"),
    ],
)  # fmt: skip
def test_a_value_has_the_digits_that_its_deviation_is_worth(value, deviation, said):
    assert with_deviation(value, deviation) == said


@pytest.mark.parametrize(("count", "said"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows")])
def test_things_are_counted(count, said):
    assert several(count, "row") == said


def test_a_refused_name_is_answered_with_the_nearest_or_with_all():
    assert offered("thicknes", ["conductivity", "thickness"]) == "; did you mean 'thickness'?"
    assert offered("ph", ["temperature", "pH"]) == "; did you mean 'pH'?"
    assert offered("x", ["temperature", "pH"]) == "; known are 'temperature', 'pH'"
