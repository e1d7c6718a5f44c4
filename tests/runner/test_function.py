"""How a function is called follows from what it takes."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.runner.function import evaluate, is_async, read_function
from tests.runner import functions

POINT = {"x": 0.25, "y": 3.0}


@pytest.mark.parametrize(
    ("function", "value"),
    [
        (functions.product, 0.75),
        (lambda x, y, z=1.0: x + y + z, 4.25),
        (lambda **named: named["y"], 3.0),
        (functools.partial(lambda scale, x, y: scale * x, 4), 1.0),
        (functions.of_array, 3.25),
        (lambda point: point[1], 3.0),
        (np.sum, 3.25),
        (np.max, 3.0),
    ],
)
def test_by_names_or_with_an_array(function, value):
    found = evaluate(read_function(function, ("x", "y")), 1, POINT, 0)
    assert found.value == value
    assert found.seconds >= 0


def test_of_one_parameter_the_name_decides():
    by_name, by_array = read_function(lambda x: x, ("x",)), read_function(lambda v: v, ("x",))
    assert by_name(1, {"x": 2.0}) == 2.0
    assert by_array(1, {"x": 2.0}).tolist() == [2.0]


def test_what_cannot_be_called_so_is_refused_with_both_signatures():
    with pytest.raises(ew.InvalidInput, match=r"takes \(x, z\).*parameters x, y"):
        read_function(lambda x, z: x, ("x", "y"))
    with pytest.raises(ew.InvalidInput, match="one array needs another name than 'x'"):
        read_function(lambda x: 2 * x, ("x", "y"))  # it would be given both
    with pytest.raises(ew.InvalidInput, match="one array needs another name than 'y'"):
        read_function(lambda y, z=1.0: y, ("x", "y"))
    with pytest.raises(ew.InvalidType, match="something to call, got 3"):
        read_function(3, ("x",))


def test_coroutine_functions_are_known():
    async def later(x):
        return x

    class Later:
        async def __call__(self, x):
            return x

    assert is_async(later)
    assert is_async(Later())
    assert not is_async(functions.product)
