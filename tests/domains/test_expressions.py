"""Constraints as text: what they mean, and that nothing else gets through."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiwarp.domains.expressions import Expression
from equiwarp.exceptions import ExpressionError

NAMES = ("a", "b", "flow rate", "µ")


def holds(text, *point):
    return bool(Expression.parse(text, NAMES)(np.array([point], dtype=float))[0])


@pytest.mark.parametrize(
    ("text", "point", "answer"),
    [
        ("a + b <= 1", (0.4, 0.6, 0, 0), True),
        ("a + b <= 1", (0.5, 0.6, 0, 0), False),
        ("2*a - b/4 >= 1", (1, 4, 0, 0), True),
        ("a * b < 6", (2, 3, 0, 0), False),
        ("a * b <= 6", (2, 3, 0, 0), True),
        ("1 <= a * b <= 6", (2, 4, 0, 0), False),
        ("1 <= a * b <= 6", (2, 2, 0, 0), True),
        ("a**2 + b**2 <= 25", (3, 4, 0, 0), True),
        ("a > b", (1, 1, 0, 0), False),
        ("-a >= -1.5e1", (15, 0, 0, 0), True),
        ("`flow rate` * µ <= 4", (0, 0, 2, 2), True),
        ("`flow rate` * µ <= 4", (0, 0, 2, 2.1), False),
        ("a / b <= 3", (1, 0, 0, 0), False),
        ("\n  a +\n  b <= 1  ", (0.5, 0.5, 0, 0), True),
    ],
)
def test_meaning(text, point, answer):
    assert holds(text, *point) is answer


def test_one_of_two_conditions_is_written_as_the_message_says():
    with pytest.raises(ExpressionError) as refused:
        Expression.parse("a >= 0 or b >= 0", NAMES)
    [shown] = [part for part in str(refused.value).split("'") if "**0.5" in part]
    for a, b in ((1, 1), (1, -2), (-2, 1), (0, -3), (-1, -2), (-1, -1)):
        assert holds(shown, a, b, 0, 0) is (a >= 0 or b >= 0)


def test_rounding_does_not_forbid_what_the_user_meant():
    assert 0.1 + 0.2 > 0.3
    assert holds("a + b <= 0.3", 0.1, 0.2, 0, 0)
    assert holds("a + b - 0.3 <= 0", 0.1, 0.2, 0, 0)
    assert not holds("a + b > 0.3", 0.1, 0.2, 0, 0)
    assert not holds("a + b <= 0.3", 0.1, 0.2000001, 0, 0)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a + c <= 1", 5, "unknown parameter 'c'; there are a, b, flow rate, µ"),
        ("a + `no such` <= 1", 5, "unknown parameter '`no such`'"),
        ("µ + c <= 1", 5, "unknown parameter 'c'"),
        ("a + `flow rate <= 1", 5, "backtick is not closed"),
        ("a + <= 1", 5, "not a valid expression"),
        ("a + b", 1, "compares two sides"),
        ("", 1, "not a valid expression"),
        ("1 <= 2", 1, "no parameter is mentioned"),
        ("a == 1", 6, "an equality leaves no room"),
        ("a in b", 6, "only <=, >=, < and >"),
        ("a <= 1 and b <= 2", 1, "constraint of its own"),
        ("a <= 1 or b <= 2", 1, "twice the larger one"),
        ("sqrt(a) <= 1", 1, "functions are not supported"),
        ("__import__('os').system('true') <= a", 1, "functions are not supported"),
        ("a.__class__ <= 1", 1, "'a.__class__' is not supported"),
        ("a[0] <= 1", 1, "is not supported"),
        ("(lambda: a) <= 1", 2, "is not supported"),
        ("[a for a in b] <= 1", 1, "is not supported"),
        ("a % 2 <= 1", 1, "is not supported"),
        ("(a <= 1) <= 2", 2, "comparison inside a term"),
        ("a <= True", 6, "True is not a number"),
        ("a <= 'x'", 6, "'x' is not a number"),
        ("a <= 2j", 6, "is not a number"),
        ("a <= 1e999", 6, "too large"),
        ("a <= 1" + "0" * 400, 6, "too large"),
        ("a ** b <= 1", 6, "the exponent must be a number"),
        ("a ** 99 <= 1", 6, "between -10 and 10"),
        ("a <= 1; b", 7, "not a valid expression"),
        ("a <= 1) or (b", 7, "not a valid expression"),
        ("(a := 3) <= 1", 2, "is not supported"),
    ],
)
def test_mistakes_are_refused_with_their_column(text, column, message):
    with pytest.raises(ExpressionError) as caught:
        Expression.parse(text, NAMES)
    assert message in str(caught.value)
    assert caught.value.column == column
    assert f"column {column}" in str(caught.value)


def test_text_that_would_exhaust_the_parser_is_refused():
    for text in ("-" * 1990 + "a <= 1", "(" * 500 + "a" + ")" * 500 + " <= 1", "a+" * 5000 + "a <= 1"):
        with pytest.raises(ExpressionError):
            Expression.parse(text, NAMES)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_and_nothing_else_happens(text):
    column = 1
    try:
        answer = Expression.parse(text, NAMES)(np.ones((3, 4)))
    except ExpressionError as error:
        column = error.column
    else:
        assert answer.shape == (3,)
    assert 1 <= column <= len(text) + 1


def test_expressions_are_values():
    first, second = Expression.parse("a <= 1", NAMES), Expression.parse("a <= 1", NAMES)
    assert first == second
    assert hash(first) == hash(second)
    assert pickle.loads(pickle.dumps(first)) == first
    assert first(np.zeros((2, 4))).all()
