"""Box: chart, scales, steps, levels, membership, and errors that name parameter, value and remedy."""

from __future__ import annotations

import numpy as np
import pytest

import equiwarp as ew
from tests.cases import DOMAINS

BOXES = [name for name, domain in DOMAINS.items() if isinstance(domain, ew.Box)]


@pytest.mark.parametrize("place", BOXES)
def test_the_chart_is_a_bijection_with_the_cube(place, rng):
    box = DOMAINS[place]
    u = np.vstack([rng.random((200, box.dim)), np.zeros((1, box.dim)), np.ones((1, box.dim))])
    x = box.from_cube(u)
    assert box.contains(box.snap(x)).all()
    np.testing.assert_allclose(box.to_cube(x), u, atol=1e-12)
    if box.has_faces:
        assert box.contains(x).all()
        np.testing.assert_allclose(box.embed(x), u, atol=1e-12)


def test_a_linear_chart_is_affine_and_a_log_chart_counts_factors():
    box = ew.Box({"t": (20, 90), "dose": {"low": 0.01, "high": 100, "scale": "log"}})
    np.testing.assert_allclose(
        box.from_cube(np.array([[0.0, 0.0], [0.5, 0.5], [1.0, 0.25]])), [[20, 0.01], [55, 1], [90, 0.1]]
    )


def test_steps_are_where_the_instrument_can_be_set():
    parameter = ew.Parameter(0, 1, step=0.1)
    np.testing.assert_array_equal(parameter.settings, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    np.testing.assert_array_equal(ew.Parameter(0, 1, step=0.3).settings, [0, 0.3, 0.6, 0.9])
    np.testing.assert_array_equal(ew.Parameter(2, 3, step=1).settings, [2, 3])
    with pytest.raises(ValueError, match="continuous"):
        _ = ew.Parameter(0, 1).settings


@pytest.mark.parametrize("unit", [1e-300, 1e-14, 1e-12, 1e-9, 1.0, 1e6])
def test_steps_of_any_size_are_different_settings(unit):
    settings = ew.Parameter(unit, 5 * unit, step=unit / 4).settings
    assert settings == pytest.approx(unit * (1 + np.arange(17) / 4), rel=1e-9)


def test_snap_takes_the_nearest_setting_on_the_parameters_own_scale():
    log = ew.Parameter.of({"levels": [1, 10, 100], "scale": "log"})
    np.testing.assert_array_equal(log.snap(np.array([1.0, 3.0, 3.3, 40.0, 99.0])), [1, 1, 10, 100, 100])
    linear = ew.Parameter.of({"levels": [100, 1, 10, 10]})
    assert linear.levels == (1, 10, 100)
    np.testing.assert_array_equal(linear.snap(np.array([5.0, 6.0, 54.0, 56.0])), [1, 10, 10, 100])


def test_a_small_grid_is_the_whole_pool_and_a_large_one_is_sampled(rng):
    grid = DOMAINS["levels"].pool(4096, rng)
    assert len(grid) == 4 * 25
    assert len(np.unique(grid, axis=0)) == 100
    fine = ew.Box({name: {"low": 0, "high": 1, "step": 0.001} for name in "ab"})
    pool = fine.pool(512, rng)
    assert 500 < len(pool) <= 512
    np.testing.assert_array_equal(fine.snap(pool), pool)


def test_a_pool_has_no_point_twice(rng):
    pool = DOMAINS["stepped"].pool(1024, rng)
    assert len(np.unique(pool, axis=0)) == len(pool)


def test_sobol_is_prefix_stable_and_low_discrepancy():
    box = ew.Box.unit(2)
    long = box.sample(300, np.random.default_rng(4))
    np.testing.assert_array_equal(box.sample(64, np.random.default_rng(4)), long[:64])
    np.testing.assert_array_equal(box.sample(50, np.random.default_rng(4), start=100), long[100:150])
    counts = np.histogram2d(*long[:256].T, bins=16, range=[(0, 1)] * 2)[0]
    assert counts.max() == 1  # a net: one point in each of 256 cells


def test_membership_and_its_words():
    box = DOMAINS["square"]
    x = np.array([[20, 3], [90, 9], [19.9, 5], [50, 9.5], [90 + 1e-9, 5]], dtype=float)
    np.testing.assert_array_equal(box.contains(x), [True, True, False, False, True])
    assert box.problem(x[0]) is None
    assert box.problem(x[2]) == "temperature = 19.9 is outside [20, 90]"
    assert "pH = 9.5" in box.problem(x[3])


def test_boxes_compare_by_content():
    assert ew.Box({"a": (0, 1)}) == ew.Box([("a", ew.Parameter(0, 1))])
    assert hash(ew.Box({"a": (0, 1)})) == hash(ew.Box({"a": {"low": 0, "high": 1}}))
    assert ew.Box({"a": (0, 1)}) != ew.Box({"b": (0, 1)})
    assert ew.Box({"a": (0, 1)}) != ew.Box({"a": (0, 2)})
    assert ew.Box.unit(1) != ew.Sphere(1)


def test_a_box_shows_all_that_was_said_of_it():
    box = ew.Box(
        {
            "a": (0, 1.5),
            "dose": {"low": 1e-3, "high": 1000, "scale": "log", "unit": "mg"},
            "dial": {"low": 0, "high": 1, "step": 0.1},
            "grade": {"levels": [1, 2.5]},
            "exact": (1 / 3, 1234567.5),
        }
    )
    assert repr(box) == (
        "Box({'a': (0, 1.5), 'dose': Parameter(0.001, 1000, unit='mg', scale='log'), "
        "'dial': Parameter(0, 1, step=0.1), 'grade': Parameter(1, 2.5, levels=(1, 2.5)), "
        "'exact': (0.3333333333333333, 1234567.5)})"
    )
    assert eval(repr(box), {"Box": ew.Box, "Parameter": ew.Parameter}) == box


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, ["at least one parameter"]),
        ([("a", (0, 1)), ("a", (0, 2))], ["duplicate", "'a'", "rename"]),
        ({" ": (0, 1)}, ["parameter 1", "empty name"]),
        ({"t": (90, 20)}, ["'t'", "lower bound", "90", "20"]),
        ({"t": (5, 5)}, ["'t'", "below"]),
        ({"t": (0, float("inf"))}, ["'t'", "finite", "inf"]),
        ({"t": (float("nan"), 1)}, ["'t'", "finite", "nan"]),
        ({"t": (-1e308, 1.7e308)}, ["'t'", "range"]),
        ({"t": {"low": 0, "high": 1, "scale": "log"}}, ["'t'", "log scale", "positive", "0"]),
        ({"t": {"low": 0, "high": 1, "scale": "lin"}}, ["'t'", "'linear' or 'log'", "'lin'"]),
        ({"t": {"low": 0, "high": 1, "step": 2}}, ["'t'", "step", "2"]),
        ({"t": {"low": 0, "high": 1, "step": 0}}, ["'t'", "step", "positive"]),
        ({"t": {"levels": [3]}}, ["'t'", "two different values"]),
        ({"t": {"levels": [1, 5], "low": 2, "high": 9}}, ["'t'", "levels", "within"]),
        ({"t": {"levels": []}}, ["'t'", "two different values"]),
        ({"t": {"low": 0, "high": 1, "colour": "red"}}, ["'t'", "colour"]),
        ({"t": 7}, ["'t'", "(low, high)", "7"]),
        ({"t": (0, 1, 2)}, ["'t'", "(low, high)"]),
        ({"t": ("a", 3)}, ["'t'", "'a'"]),
        ({"t": (False, True)}, ["'t'", "bounds are numbers", "False", "['no', 'yes']"]),
        ({"t": {"low": 0, "high": 1, "step": "0.5"}}, ["'t'", "step must be a number", "'0.5'"]),
        ({"t": [1, 2, 5]}, ["'t'", "[1, 2, 5]", "levels"]),
    ],
)
def test_a_wrong_box_is_refused_with_name_value_and_remedy(parameters, words):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are checked below
        ew.Box(parameters)
    for word in words:
        assert word in str(caught.value), str(caught.value)


@pytest.mark.parametrize("dim", [0, -3])
def test_a_cube_needs_a_dimension(dim):
    with pytest.raises(
        ValueError, match=rf"the dimension of a box must be a whole number of at least 1, got {dim}"
    ):
        ew.Box.unit(dim)


def test_levels_that_crowd_on_their_scale_are_said():
    levels = [1, 2, 5, 10, 100]
    box = ew.Box({"dose": {"levels": levels}, "even": {"levels": [0, 1, 2, 5, 10]}})
    assert box.remarks() == [
        "dose: 1, 2, 5 lie close to other levels and count for little; 6.6 % of the range is nearest to "
        'them; if factors matter, give it scale = "log".'
    ]
    drawn = box.sample(4096, np.random.default_rng(0))[:, 0]
    assert np.mean(drawn <= 5) == pytest.approx(0.066, abs=0.005)
    assert not ew.Box({"dose": {"levels": levels, "scale": "log"}}).remarks()


def test_the_first_and_last_of_equal_steps_count_for_half():
    drawn = ew.Box({"dial": (0, 4), "steps": {"low": 0, "high": 4, "step": 1}}).sample(
        4096, np.random.default_rng(0)
    )
    shares = np.unique(drawn[:, 1], return_counts=True)[1] / 4096
    np.testing.assert_allclose(shares, [1 / 8, 1 / 4, 1 / 4, 1 / 4, 1 / 8], atol=0.01)


@pytest.mark.parametrize("more", [{}, {"periodic": True}, {"scale": "log"}])
def test_a_step_that_makes_more_settings_than_can_be_listed_is_refused_and_a_resolution_is_not(more):
    with pytest.raises(ew.InvalidInput, match=r"a step of 1e-12 makes 1\.0e\+12 settings.*resolution"):
        ew.Parameter(1, 2, step=1e-12, **more)
    box = ew.Box({"f": ew.Parameter(1, 2, resolution=1e-12, **more)})
    assert box.contains(box.sample(3, np.random.default_rng(0))).all()
