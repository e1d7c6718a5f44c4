"""Constraints: feasible points only, in the order of one sequence; impossible ones are named."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import qmc

import equiwarp as ew

SQUARE = ew.Box({"a": (0, 1), "b": (0, 2)})
TRIANGLE = ew.Constrained(SQUARE, ["a + b / 2 <= 1"])
GRID = ew.Constrained(
    ew.Box({"a": {"levels": [1, 2, 3, 4, 5]}, "b": {"low": 0, "high": 10, "step": 1}}), ["a * b <= 20"]
)
HALF = ew.Constrained(ew.Sphere(2), ["x3 >= 0"])
MIXTURE = ew.Constrained(ew.Simplex({"water": 0.1, "salt": 0, "sugar": 0}), ["salt <= 0.3", "sugar >= salt"])
ALL = pytest.mark.parametrize(
    "domain", [TRIANGLE, GRID, HALF, MIXTURE], ids=["triangle", "grid", "half", "mix"]
)


@ALL
def test_samples_are_feasible_and_a_longer_one_only_adds_points(domain):
    whole = domain.sample(120, np.random.default_rng(5))
    assert whole.shape == (120, domain.columns)
    assert domain.contains(whole).all()
    np.testing.assert_array_equal(domain.sample(30, np.random.default_rng(5)), whole[:30])
    np.testing.assert_array_equal(domain.sample(40, np.random.default_rng(5), start=70), whole[70:110])


@ALL
def test_samples_are_the_feasible_points_of_the_whole_domains_sequence(domain):
    whole = domain.base.sample(1024, np.random.default_rng(5))
    feasible = whole[domain.contains(whole)]
    np.testing.assert_array_equal(domain.sample(100, np.random.default_rng(5)), feasible[:100])


@pytest.mark.parametrize("n", [30, 4096])
def test_samples_are_the_feasible_points_of_scipys_sequence(n):
    corner = ew.Constrained(ew.Box.unit(2), ["x1 + x2 <= 0.1"])
    engine = qmc.Sobol(2, scramble=True, rng=np.random.default_rng(9))
    whole = np.clip(engine.random_base2(21), 1e-12, 1 - 1e-12)
    feasible = whole[corner.contains(whole)]
    assert len(feasible) > 4096
    np.testing.assert_array_equal(corner.sample(n, np.random.default_rng(9)), feasible[:n])


def test_a_suggestion_draws_its_points_without_loading_scipy_stats():
    code = (
        "import sys, equiwarp as ew\n"
        "domain = ew.Constrained(ew.Box.unit(2), ['x1 + x2 <= 1'])\n"
        "ew.suggest(domain, [[0.1, 0.1], [0.5, 0.3]], [1, 2], noise=0.1)\n"
        "loaded = [name for name in sys.modules if name.startswith('scipy.stats')]\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@ALL
def test_random_points_are_feasible_and_continue(domain):
    whole = domain.scatter(25, np.random.default_rng)
    assert domain.contains(whole).all()
    np.testing.assert_array_equal(domain.scatter(10, np.random.default_rng, start=15), whole[15:])


@pytest.mark.parametrize(
    ("domain", "share"), [(TRIANGLE, 0.5), (HALF, 0.5), (MIXTURE, None), (GRID, None)], ids=str
)
def test_the_volume_is_the_feasible_share(domain, share, rng):
    if share is None:
        points = domain.base.snap(domain.base.from_cube(rng.random((40_000, domain.dim))))
        share = domain.contains(points).mean()
    assert domain.share == pytest.approx(share, abs=0.01)
    assert domain.volume == pytest.approx(domain.base.volume * share, rel=0.05)


def test_a_grid_is_listed_whole():
    pool = GRID.pool(4096, np.random.default_rng(0))
    expected = {(a, b) for a in range(1, 6) for b in range(11) if a * b <= 20}
    assert {tuple(row) for row in pool.astype(int).tolist()} == expected
    assert len(pool) == len(expected)


def test_callables_point_by_point_and_columnwise_agree():
    slow = ew.Constrained(SQUARE, [lambda p: p["a"] + p["b"] / 2 <= 1])
    fast = ew.Constrained(SQUARE, [lambda p: p["a"] + p["b"] / 2 <= 1], columnwise=True)
    draws = [d.sample(200, np.random.default_rng(1)) for d in (slow, fast, TRIANGLE)]
    np.testing.assert_array_equal(draws[0], draws[1])
    np.testing.assert_array_equal(draws[0], draws[2])
    with pytest.raises(ValueError, match="one truth value per point"):
        ew.Constrained(SQUARE, [lambda p: True], columnwise=True)


def test_constraints_add_up():
    both = ew.Constrained(TRIANGLE, "a >= 0.25")
    assert both.base is SQUARE
    assert both == ew.Constrained(SQUARE, ["a + b / 2 <= 1", "a >= 0.25"])
    assert both.share == pytest.approx(0.75**2 / 2, abs=0.01)


def test_constraints_are_shown_as_they_were_written():
    assert repr(TRIANGLE) == "Constrained(Box({'a': (0, 1), 'b': (0, 2)}), ['a + b / 2 <= 1'])"
    assert eval(repr(TRIANGLE), {"Constrained": ew.Constrained, "Box": ew.Box}) == TRIANGLE
    fast = ew.Constrained(SQUARE, [lambda p: p["a"] < 0.5], columnwise=True)
    assert repr(fast).endswith("<lambda>()], columnwise=True)")


def test_problems_name_the_constraint():
    assert TRIANGLE.problem(np.array([0.9, 1.5])) == (
        "a = 0.9, b = 1.5 violates the constraint 'a + b / 2 <= 1'"
    )
    assert TRIANGLE.problem(np.array([0.9, 2.5])) == "b = 2.5 is outside [0, 2]"
    assert TRIANGLE.problem(np.array([0.5, 1.0])) is None

    def safe(p):
        return p["a"] < 0.5

    assert "safe()" in ew.Constrained(SQUARE, [safe]).problem(np.array([0.9, 1.0]))


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (["a <= 0.9", "a + b <= 0.001"], r"the constraint 'a \+ b <= 0.001' leaves only"),
        (["a <= 0.4", "a >= 0.5"], "'a <= 0.4' and 'a >= 0.5' together leave only 0"),
        ([lambda p: False], r"<lambda>\(\) leaves only 0 of the domain; correct it, narrow the bounds"),
        ([], "at least one constraint"),
        (["a + c <= 1"], "column 5: unknown parameter 'c'"),
    ],
)
def test_impossible_constraints_are_named(constraints, message):
    with pytest.raises(ValueError, match=message):
        ew.Constrained(SQUARE, constraints)


def test_a_small_but_sufficient_share_is_accepted():
    corner = ew.Constrained(ew.Box.unit(2), ["x1 + x2 <= 0.06"])
    assert corner.share == pytest.approx(0.0018, rel=0.1)
    assert corner.contains(corner.sample(50, np.random.default_rng(0))).all()


def test_wrong_kinds_are_refused():
    with pytest.raises(TypeError, match="leave the forbidden rows out"):
        ew.Constrained(ew.Candidates([[1.0], [2.0]]), ["x1 <= 1"])
    with pytest.raises(TypeError, match="an expression or a callable, got 3"):
        ew.Constrained(SQUARE, [3])
