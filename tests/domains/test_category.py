"""Categories: text at the edges, numbers inside, equally far apart, none left out, never mixed by a warp."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import equiwarp as ew
from equiwarp.domains import Category
from equiwarp.geometry.transport import Interpolation, Transport

SOLVENTS = ["water", "ethanol", "oil"]
BOX = ew.Box({"heat": (20, 90), "solvent": SOLVENTS})


def test_any_two_categories_are_as_far_apart_as_it_was_said():
    for distance in (0.5, 0.2):
        box = ew.Box({"dye": {"categories": list("abcde"), "distance": distance}})
        apart = cdist(*[box.embed(box.combinations(10))] * 2)
        np.testing.assert_allclose(apart[~np.eye(5, dtype=bool)], distance)


@pytest.mark.parametrize("count", [2, 3, 5, 7, 16, 31, 50])
@pytest.mark.parametrize("seed", range(5))
def test_every_category_appears_in_the_start_and_all_equally_often_in_the_long_run(count, seed):
    box = ew.Box({"heat": (0, 1), "dye": [f"no. {i}" for i in range(count)]})
    rng = np.random.default_rng(seed)
    start = box.sample(box.n0, rng)[:, 1]
    assert set(start) == set(range(count))
    often = np.bincount(box.sample(4096, np.random.default_rng(seed))[:, 1].astype(int), minlength=count)
    assert np.abs(often - 4096 / count).max() <= 0.15 * 4096 / count + 2


def test_points_within_a_category_fill_the_other_axes():
    points = BOX.sample(240, np.random.default_rng(0))
    for code in range(3):
        heat = np.sort(BOX.to_cube(points[points[:, 1] == code])[:, 0])
        assert np.diff(heat, prepend=0, append=1).max() < 0.06


def test_a_start_covers_categories_under_constraints_too():
    domain = ew.Constrained(BOX, ["heat <= 50 + 40 * (solvent == 'water')"])
    assert set(domain.sample(domain.n0, np.random.default_rng(1))[:, 1]) == {0, 1, 2}


def test_text_at_the_edges_and_numbers_inside():
    x = [[30, "oil"], [40, "water"], [50, "ethanol"]]
    named = {"solvent": ["oil", "water", "ethanol"], "heat": [30, 40, 50]}
    first, second, third = (
        ew.suggest(BOX, given, [1.0, 2.0, 3.0], n=3, noise=0.1)
        for given in (x, named, np.array([[30, 2.0], [40, 0.0], [50, 1.0]]))
    )
    np.testing.assert_array_equal(first.points, second.points)
    np.testing.assert_array_equal(first.points, third.points)
    table = first.table()
    assert set(table["solvent"]) <= set(SOLVENTS)
    np.testing.assert_array_equal(
        [BOX.read_value("solvent", v) for v in table["solvent"]], first.points[:, 1]
    )
    assert f"solvent={table['solvent'][0]}" in repr(first)
    again = ew.suggest(BOX, named, [1.0, 2.0, 3.0], noise=0.1, pending=table)
    assert not (again.points[0] == first.points).all(axis=1).any()


def test_a_map_tells_categories_apart_and_learns_what_they_share():
    rng = np.random.default_rng(2)
    x = BOX.sample(36, rng)
    u = BOX.to_cube(x)[:, 0]
    y = np.sin(5 * u) + np.array([0.0, 0.1, 2.0])[x[:, 1].astype(int)]
    m = ew.build_map(BOX, x, y, noise=0.01)
    test = BOX.sample(256, rng)
    truth = np.sin(5 * BOX.to_cube(test)[:, 0]) + np.array([0.0, 0.1, 2.0])[test[:, 1].astype(int)]
    assert np.sqrt(np.mean((m.predict(test).mean[:, 0] - truth) ** 2)) < 0.1
    assert m.predict({"heat": [40], "solvent": ["oil"]}).mean[0, 0] > 1


def test_a_warp_never_leads_from_one_category_to_another():
    probes = BOX.to_cube(BOX.sample(4096, np.random.default_rng(0)))
    steep = np.where(probes[:, 1] < 1 / 3, 1 + 30 * np.exp(-200 * (probes[:, 0] - 0.3) ** 2), 1.0)
    T = Transport.of(probes, steep, BOX.chart_axes)
    u = BOX.to_cube(BOX.sample(300, np.random.default_rng(1)))
    image = T(u)
    np.testing.assert_array_equal(image[:, 1], u[:, 1])
    np.testing.assert_allclose(T.inverse(image), u, atol=1e-9)
    water = u[:, 1] < 1 / 3
    np.testing.assert_allclose(image[~water], u[~water], atol=1e-9)  # flat there, whatever water does
    assert np.abs(image - u)[water].max() > 0.1
    stretch = T.stretch(Interpolation.of(u, BOX.chart_axes))
    assert stretch[water & (np.abs(u[:, 0] - 0.3) < 0.03)].min() > 2


def test_powers_and_spacings_count_continuous_axes():
    plain, mixed = ew.Box({"a": (0, 1), "b": (0, 1)}), ew.Box({"a": (0, 1), "b": (0, 1), "c": ["x", "y"]})
    assert (mixed.dim, mixed.continuous, mixed.strata) == (3, 2, 2)
    assert (mixed.n0, mixed.small_n0) == (plain.n0, plain.small_n0) == (20, 10)
    assert mixed.spacing() == pytest.approx(plain.spacing(plain.n0 // 2))  # each has half of the points
    many = ew.Box({"a": (0, 1), "c": [f"c{i}" for i in range(40)], "d": [f"d{i}" for i in range(40)]})
    assert many.spacing() == 0.5
    names = ew.Box({"c": ["x", "y"], "d": ["p", "q"]})
    assert (names.continuous, names.n0) == (0, 2)
    assert names.small_n0 == 2
    assert (ew.Box.unit(3).n0, ew.Box.unit(3).small_n0) == (40, 12)  # 40 for three surprise people
    assert len(ew.suggest(names, [[0, 0], [1, 0]], [1.0, 2.0], n=2, noise=0.1)) == 2


def test_constraints_compare_categories_with_their_names():
    only = ew.Constrained(BOX, ["solvent != 'oil'", "heat <= 60 + 30 * (solvent == 'water')"])
    assert only.share == pytest.approx((1 + 4 / 7) / 3, abs=0.01)
    assert only.problem(np.array([80.0, 1.0])) == (
        "heat = 80, solvent = ethanol violates the constraint \"heat <= 60 + 30 * (solvent == 'water')\""
    )
    by_row = ew.Constrained(BOX, [lambda p: p["solvent"] != "oil"])
    by_column = ew.Constrained(BOX, [lambda p: p["solvent"] != "oil"], columnwise=True)
    points = BOX.sample(64, np.random.default_rng(0))
    np.testing.assert_array_equal(by_row.contains(points), points[:, 1] < 2)
    np.testing.assert_array_equal(by_column.contains(points), points[:, 1] < 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("solvent <= 2", "no order among its names"),
        ("heat + solvent <= 60", "compare it with a name: (solvent == 'water')"),
        ("solvent == 'watr'", "no category 'watr'; there are water, ethanol, oil"),
        ("solvent == 2", "one of its names, in quotes"),
        ("heat == 50", "an equality leaves no room"),
    ],
)
def test_a_wrong_comparison_is_refused_with_the_remedy(text, words):
    with pytest.raises(ew.ExpressionError) as caught:
        ew.Constrained(BOX, [text])
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["water"], "at least two names"),
        ([], "at least two names"),
        (["water", "oil", "water"], "'water' appears twice"),
        (["water", "Water"], "'Water' appears twice, as 'water'"),
        (["water", "  "], "empty name"),
        (["water", "10"], "'10' reads as a number: write levels"),
        (["water", "1e3", "oil"], "'1e3' reads as a number"),
        (["water", "nan"], "'nan' reads as a number"),
        (["a", "b", 3], "a category is a text, got 3"),
        ([f"c{i}" for i in range(51)], "51 categories are more than 50"),
        (["water", "x\ny"], "one line"),
        (["th\u00e9", "the\u0301"], "appears twice"),
    ],
)
def test_wrong_categories_are_refused_with_the_remedy(names, words):
    with pytest.raises(ew.InvalidInput) as caught:
        Category(names)
    assert words in str(caught.value)


def test_a_wrong_parameter_is_named():
    with pytest.raises(ew.InvalidInput, match="parameter 'solvent': the category 'oil' appears twice"):
        ew.Box({"heat": (20, 90), "solvent": ["oil", "water", "oil"]})
    with pytest.raises(ew.InvalidInput, match="parameter 'solvent': categories need at least two names"):
        ew.Box({"solvent": []})
    with pytest.raises(ew.InvalidInput, match=r"parameter 'stirred': bounds are numbers.* \['no', 'yes'\]"):
        ew.Box({"stirred": [False, True]})
    with pytest.raises(ew.InvalidInput, match="a parameter with categories has no unit"):
        ew.Box({"solvent": {"categories": ["a", "b"], "unit": "mM"}})
    with pytest.raises(ew.InvalidInput, match="distance between categories must be positive, got 0"):
        ew.Box({"solvent": {"categories": ["a", "b"], "distance": 0}})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"heat": [30], "solvent": ["watr"]}, "row 0: there is no category 'watr'; did you mean 'water'?"),
        ({"heat": [30], "solvent": ["Oil"]}, "did you mean 'oil'?"),
        ({"heat": [30], "solvent": ["acetone"]}, "there are water, ethanol, oil"),
        ({"heat": [30], "solvent": [1]}, "there is no category 1"),
        ([[30, "wter"]], "row 0, solvent: there is no category 'wter'; did you mean 'water'?"),
        ([["30", "water"]], "'30' is not a number"),
        ([[30, 3.0]], "solvent = 3 is not the number of a category, 0 to 2"),
        ([[30, 0.5]], "solvent = 0.5 is not the number of a category"),
    ],
)
def test_an_unknown_category_is_refused_with_the_nearest_one(given, words):
    with pytest.raises(ew.InvalidInput) as caught:
        ew.suggest(BOX, given, [1.0], noise=0.1)
    assert words in str(caught.value)


def test_a_name_is_found_however_its_accents_are_written():
    teas = ew.Box({"tea": ["th\u00e9", "mat\u00e9"]})
    assert teas.numbers({"tea": "mate\u0301 "}).tolist() == [1]


def test_fifty_categories_and_a_second_category_work_like_three():
    """Each of them appears in the start, is measured, told apart by the map and chosen."""
    names = [f"lot {i:02d}" for i in range(50)]
    box = ew.Box({"heat": (20, 90), "lot": names, "lamp": ["red", "blue"]})
    assert box.n0 >= 50
    assert box.small_n0 == box.n0
    x = box.sample(box.n0, np.random.default_rng(0))
    assert set(x[:, 1]) == set(range(50))
    assert set(x[:, 2]) == {0, 1}
    y = np.where(x[:, 1] < 25, 1.0, 3.0) + x[:, 0] / 100 + 0.5 * x[:, 2]
    asked = ew.suggest(box, x, y, n=3, strategy="lookahead-gp", noise=0.05)
    assert set(asked.table()["lot"]) <= set(names)
    found = ew.build_map(box, x, y, noise=0.05)
    low, high = found.predict(np.array([[50.0, 3, 0], [50.0, 40, 0]])).mean[:, 0]
    assert high - low == pytest.approx(2, abs=0.5)
