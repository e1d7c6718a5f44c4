"""The shared checkers reject what they should reject."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from tests.checks import assert_new_points, assert_same_sequence, assert_uniform
from tests.conftest import TOGETHER, workplace

BOX = ew.Box({"a": (0, 1), "b": {"low": 0, "high": 1, "step": 0.25}})
GOOD = np.array([[0.1, 0.25], [0.7, 0.5]])
NONE = np.empty((0, 2))


def test_new_points_pass():
    assert_new_points(BOX, GOOD, 2, NONE)


@pytest.mark.parametrize(
    ("points", "n", "taken"),
    [
        (GOOD, 3, NONE),
        (np.array([[0.1, 0.25], [1.2, 0.5]]), 2, NONE),
        (np.array([[0.1, 0.25], [0.1, 0.25]]), 2, NONE),
        (np.array([[0.1, 0.3]]), 1, NONE),
        (np.array([[np.nan, 0.25]]), 1, NONE),
        (GOOD, 2, GOOD[1:] + np.array([1e-12, 0])),
    ],
    ids=["too few", "outside", "repeated", "between steps", "not a number", "taken"],
)
def test_bad_points_are_rejected(points, n, taken):
    with pytest.raises(AssertionError):
        assert_new_points(BOX, points, n, taken)


def test_different_sequences_are_rejected():
    assert_same_sequence(GOOD, GOOD.copy())
    with pytest.raises(AssertionError, match="round"):
        assert_same_sequence(GOOD, GOOD[::-1])
    with pytest.raises(AssertionError, match="nothing"):
        assert_same_sequence(NONE, NONE)


def test_uniform_passes_and_others_are_rejected(rng):
    u = rng.random((4000, 3))
    assert_uniform(u)
    with pytest.raises(AssertionError, match="uniform"):
        assert_uniform(u**1.1)
    dependent = u.copy()
    dependent[:, 2] = (u[:, 1] + 0.2 * u[:, 2]) % 1.0  # uniform margins, joined
    with pytest.raises(AssertionError, match="uniform"):
        assert_uniform(dependent)
    with pytest.raises(AssertionError, match="outside"):
        assert_uniform(u + 0.5)


def test_one_worker_runs_a_file_or_a_folder_that_shares():
    assert workplace("tests/gp/test_kernels.py::test_a[1::2]") == "tests/gp/test_kernels.py"
    assert {workplace(f"{folder}/test_b.py::test_c") for folder in TOGETHER} == set(TOGETHER)
    assert workplace("tests/web/test_api.py::test_d") == "tests/web/test_api.py"
