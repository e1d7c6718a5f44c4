"""What callers pass is read by its kind, and refused with its value and its place."""

from __future__ import annotations

import numpy as np
import pytest

from equiwarp._util.arguments import items_of, number, whole
from equiwarp.exceptions import InvalidInput


def test_numbers_of_any_kind_are_numbers():
    assert number(np.float32(0.5), "step") == 0.5
    assert whole(np.int64(3), "n", 1) == 3
    assert items_of((i for i in (1, 2)), "levels") == [1, 2]
    assert items_of(np.array([1.0, 2.0]), "levels") == [1.0, 2.0]


@pytest.mark.parametrize("value", ["x", None, [1, 2], {}])
def test_what_is_no_number_is_named(value):
    with pytest.raises(InvalidInput) as caught:
        number(value, "step")
    assert str(caught.value) == f"step must be a number, got {value!r}"


@pytest.mark.parametrize("value", [0, -1, 1.0, 2.5, "2", None, True])
def test_what_is_no_count_is_named(value):
    with pytest.raises(InvalidInput) as caught:
        whole(value, "n", 1)
    assert str(caught.value) == f"n must be a whole number of at least 1, got {value!r}"


@pytest.mark.parametrize("value", ["ab", b"ab", 3, None])
def test_what_is_no_list_is_named(value):
    with pytest.raises(InvalidInput) as caught:
        items_of(value, "levels")
    assert str(caught.value) == f"levels must be a list, got {value!r}"
