"""Fixed lists: only entries are suggested, each once, and samples fill the list's space."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.spatial.distance import pdist

import equiwarp as ew
from equiwarp.domains import candidates
from equiwarp.engine.configuration import prepare
from equiwarp.spec import domain_from_dict, domain_to_dict


@pytest.fixture
def clustered(rng):
    """Most entries in one corner, a few spread out: what real lists look like."""
    return ew.Candidates(np.vstack([0.1 * rng.random((180, 2)), rng.random((20, 2))]), ["p", "q"])


def test_samples_are_entries_and_none_is_used_twice(clustered, rng):
    x = clustered.sample(150, rng)
    assert clustered.contains(x).all()
    assert len(np.unique(x, axis=0)) == 150


def test_a_longer_sample_only_adds_entries(clustered):
    whole = clustered.sample(60, np.random.default_rng(4))
    np.testing.assert_array_equal(clustered.sample(17, np.random.default_rng(4)), whole[:17])
    np.testing.assert_array_equal(clustered.sample(13, np.random.default_rng(4), start=30), whole[30:43])


def test_samples_fill_space_even_where_the_list_does_not(clustered, rng):
    drawn = clustered.sample(20, rng)
    in_the_corner = np.mean(np.all(drawn <= 0.1, axis=1))
    assert in_the_corner < 0.5 < np.mean(np.all(clustered.points <= 0.1, axis=1))


def test_what_stands_for_the_list_has_its_share_in_every_crowd(clustered, rng, monkeypatch):
    whole = np.mean(np.all(clustered.points <= 0.1, axis=1))
    drawn = clustered.everywhere(40, rng)
    assert np.mean(np.all(drawn <= 0.1, axis=1)) == pytest.approx(whole, abs=0.05)
    assert len(np.unique(clustered.everywhere(500, rng), axis=0)) == 200
    monkeypatch.setattr(candidates, "LARGEST_TREE", 64)  # a list that is too long to be sorted
    long = ew.Candidates(clustered.points, ["p", "q"]).everywhere(40, rng)
    assert clustered.contains(long).all()
    assert np.mean(np.all(long <= 0.1, axis=1)) == pytest.approx(whole, abs=0.15)


def test_each_entry_has_as_much_room_in_the_cube_as_any_other(clustered):
    u = np.column_stack([np.linspace(0, 1, 200 * 8 + 1), np.full(200 * 8 + 1, 0.5)])
    counts = np.unique(clustered.standing_for(u), axis=0, return_counts=True)[1]
    assert len(counts) == 200
    assert counts.min() >= 7  # rounding
    assert counts.sum() == len(u)


def test_a_map_is_judged_by_the_entries_of_the_list(rng):
    """A crowd is judged as the crowd that it is, in a list that is longer than the places looked at."""
    crowd = ew.Candidates(np.vstack([0.1 * rng.random((5000, 2)), rng.random((500, 2))]), ["p", "q"])
    m = ew.build_map(crowd, crowd.points[-8:], np.arange(8.0), 0.1, models=("matern",))
    in_the_corner = np.mean(np.all(crowd.points <= 0.1, axis=1))
    assert np.mean(np.all(m.judged_points <= 0.1, axis=1)) == pytest.approx(in_the_corner, abs=0.02)
    targets = prepare(crowd, "map").targets  # and it is chosen for as it is judged
    assert np.mean(np.all(targets <= 0.1, axis=1)) == pytest.approx(in_the_corner, abs=0.02)


def test_sampling_follows_the_slow_rule(clustered):
    """Nearest unused entry to each Sobol point, written out."""
    from equiwarp.domains.base import sobol

    u = sobol(2, 150, np.random.default_rng(8))
    Z, left, expected = clustered.embed(clustered.points), list(range(len(clustered))), []
    for point in u:
        row = min(left, key=lambda i: float(np.sum((Z[i] - point) ** 2)))
        left.remove(row)
        expected.append(row)
    np.testing.assert_array_equal(clustered.sample(150, np.random.default_rng(8)), clustered.points[expected])


def test_the_end_of_the_list_is_the_end(clustered, rng):
    assert len(clustered.sample(500, rng)) == 200
    assert clustered.sample(5, rng, start=300).shape == (0, 2)
    everything = clustered.pool(4096, rng)
    np.testing.assert_array_equal(np.unique(everything, axis=0), np.unique(clustered.points, axis=0))


def test_the_pool_begins_with_space_filling_entries(clustered):
    pool, sample = (f(40, np.random.default_rng(2)) for f in (clustered.pool, clustered.sample))
    np.testing.assert_array_equal(pool[:40], sample)
    assert len(pool) == 200


def test_a_random_order_is_a_permutation_that_continues(clustered):
    streams = np.random.default_rng
    whole = clustered.scatter(200, streams)
    assert len(np.unique(whole, axis=0)) == 200
    np.testing.assert_array_equal(clustered.scatter(10, streams, start=50), whole[50:60])


def test_constant_columns_carry_no_dimension_and_keep_their_value(rng):
    d = ew.Candidates({"t": [1.0, 2.0, 3.0], "lab": [7.0, 7.0, 7.0]})
    assert d.dim == 1
    assert d.embed(d.points).shape == (3, 1)
    assert (d.sample(3, rng)[:, 1] == 7.0).all()
    assert "not on the list" in d.problem(np.array([1.0, 8.0]))


def test_outside_points_name_the_nearest_entry():
    d = ew.Candidates([[1.0, 2.0], [3.0, 4.0]], ["a", "b"])
    assert d.problem(np.array([3.0, 4.1])) == (
        "it is not on the list of candidates; the nearest one is a = 3, b = 4"
    )
    assert d.problem(np.array([3.0, 4.0])) is None
    np.testing.assert_array_equal(d.snap(np.array([[2.9, 4.2]])), [[3.0, 4.0]])


def test_the_start_leaves_most_of_a_short_list(rng):
    assert ew.Candidates(rng.random((30, 4))).n0 == 10
    assert ew.Candidates(rng.random((3000, 4))).n0 == 60
    assert ew.Candidates(rng.random((3000, 4))).small_n0 == 16


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_dataframes_and_repeated_rows(library):
    frame = library.DataFrame({"a": [1.0, 1.0, 2.0], "b": [1, 1, 5]})
    d = ew.Candidates(frame)
    assert d.names == ("a", "b")
    assert len(d) == 2
    assert d == ew.Candidates([[1, 1], [2, 5]], ["a", "b"])
    assert d != ew.Candidates([[1, 1], [2, 6]], ["a", "b"])
    assert hash(d) == hash(ew.Candidates([[1, 1], [2, 5]], ["a", "b"]))


def test_names_beside_columns_that_have_names_say_their_order_and_are_never_ignored():
    table = {"a": [1.0, 2.0], "b": [5.0, 4.0]}
    swapped = ew.Candidates(table, ["b", "a"])
    assert swapped.names == ("b", "a")
    assert swapped.points.tolist() == [[5.0, 1.0], [4.0, 2.0]]
    for names in (["p", "q"], ["a"], ["a", "a"]):
        with pytest.raises(ew.InvalidInput, match="the candidates have the columns 'a', 'b', and the names"):
            ew.Candidates(pd.DataFrame(table), names)
    unnamed = ew.Candidates(pd.DataFrame([[1.0, 5.0], [2.0, 4.0], [3.0, 1.0]]))
    assert (unnamed.names, len(unnamed)) == (("0", "1"), 3)


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_what_is_no_number_in_a_dataframe_is_named(library):
    with pytest.raises(ValueError, match="row 0, column 'a': 'x' is not a number"):
        ew.Candidates(library.DataFrame({"b": [1, 2], "a": ["x", "2,5"]}))
    with pytest.raises(ValueError, match="row 1, column 'a': nan is not a finite number"):
        ew.Candidates(library.DataFrame({"a": [1.0, None], "b": [1, 2]}))
    with pytest.raises(ValueError, match=r"row 0, column 'day': .*2026.* is not a number"):
        ew.Candidates(library.DataFrame({"day": [datetime(2026, 1, 2), datetime(2026, 1, 3)]}))


@pytest.fixture
def alloys():
    """Mixtures in percent on a lattice, with one component that is in all of them in the same amount."""
    grid = [(a, b, 90 - a - b, 10) for a in range(20, 91, 5) for b in range(0, 71 - (a - 20), 5)]
    return ew.Candidates(grid, ["Cu", "Zn", "Sn", "flux"], total=100)


def test_a_list_of_mixtures_has_the_geometry_of_the_smallest_simplex_around_it(alloys, rng):
    simplex = ew.Simplex({"Cu": 20, "Zn": 0, "Sn": 0}, total=90)
    inner = alloys.points[:, :3]
    assert (alloys.dim, alloys.volume) == (2, simplex.volume)
    np.testing.assert_allclose(pdist(alloys.embed(alloys.points)), pdist(simplex.embed(inner)))
    np.testing.assert_allclose(alloys.embed(alloys.points).sum(axis=1), 1.0)
    np.testing.assert_allclose(alloys.to_cube(alloys.points), simplex.to_cube(inner))
    u = rng.random((50, 2))
    drawn = alloys.from_cube(u)
    np.testing.assert_allclose(drawn, np.column_stack([simplex.from_cube(u), np.full(50, 10.0)]))
    np.testing.assert_allclose(alloys.embed_cube(u), alloys.embed(drawn))
    # No component counts more than another: the corners are equally far from each other.
    Z = alloys.embed(np.array([[90.0, 0, 0, 10], [20, 70, 0, 10], [20, 0, 70, 10]]))
    np.testing.assert_allclose([np.linalg.norm(Z[i] - Z[i - 1]) for i in range(3)], np.sqrt(2))


def test_the_start_of_listed_mixtures_is_spread_over_the_simplex(rng):
    """Sobol points of the box around four amounts mostly add up to more: their neighbours crowd on a side."""
    shares = rng.dirichlet(np.ones(4), 4000)
    listed, plain = ew.Candidates(shares, total=1), ew.Candidates(shares)
    means = [d.sample(200, np.random.default_rng(0)).mean(axis=0) for d in (listed, plain)]
    np.testing.assert_allclose(means[0], 0.25, atol=0.01)
    u = ew.Simplex(list("abcd")).to_cube(listed.sample(200, np.random.default_rng(0)))
    np.testing.assert_allclose(
        np.quantile(u, [0.25, 0.5, 0.75], axis=0), [[0.25] * 3, [0.5] * 3, [0.75] * 3], atol=0.05
    )


def test_one_amount_of_a_listed_mixture_cannot_change_alone(alloys):
    moved = alloys.with_column(np.array([[30.0, 20.0, 40.0, 10.0]]), 0, np.array([60.0]))
    np.testing.assert_allclose(moved, [[60, 10, 20, 10]])
    np.testing.assert_allclose(alloys.with_column(moved, 3, np.array([10.0])), moved)


def test_listed_mixtures_are_looked_at_and_written_down(alloys):
    assert [axis.name for axis in alloys.view().axes] == ["Cu", "Zn", "Sn"]
    np.testing.assert_array_equal(alloys.points_at(alloys.coordinates(alloys.points)), alloys.points)
    again = domain_from_dict(domain_to_dict(alloys))
    assert again == alloys
    assert hash(again) == hash(alloys)
    assert again != ew.Candidates(alloys.points, alloys.names)
    assert "total=100" in repr(alloys)
    assert "They are mixtures, which add up to 100." in alloys.remarks()[0]
    solder = ew.Candidates({"Pb": [37, 50, 60.5], "Sn": [63, 50, 39.5]}, total=100)
    assert (solder.dim, solder.view().kind, len(solder.view().axes)) == (1, "line", 1)
    np.testing.assert_array_equal(solder.points_at(solder.coordinates(solder.points)), solder.points)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [[0.3, 0.3], [0.5, 0.5]],
            "x1 = 0.3, x2 = 0.3 add up to 0.6, not to 1; correct the row, or leave the total",
        ),
        ([[1.3, -0.3], [0.5, 0.5]], "column 'x2': -0.3 is negative, which no amount of a mixture is"),
    ],
)
def test_rows_that_are_no_mixtures_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        ew.Candidates(rows, total=1)


@pytest.mark.parametrize(
    ("rows", "names", "message"),
    [
        ({"a": [1, 2], "b": [1]}, None, "differ in length"),
        ({"a": [1, "2,5"]}, None, "row 1, column 'a': '2,5' is not a number"),
        ({"a": [1, float("nan")]}, None, "row 1, column 'a': nan is not a finite number"),
        ({}, None, "at least one column"),
        ([[1.0, 2.0]], None, "at least two different rows"),
        ([1.0, 2.0], None, "expected"),
        ([[1.0, 2.0], [3.0]], None, "all of one length"),
        ([[1.0, "2"], [3.0, 4.0]], None, "row 0: '2' is not a number"),
        (np.array([[1, "2"], [3, 4]], dtype=object), None, "row 0: '2' is not a number"),
        (np.array([[1, 2], [3, 4 + 1j]]), None, "row 0: .* is not a number"),
        ({"a": [1, 2 + 1j]}, None, "row 1, column 'a': .* is not a number"),
        (np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 0], [0, 1]]), None, "row 1: a value is masked"),
        (pl.LazyFrame({"a": [1, 2]}), None, r"collect\(\) it first"),
        ([[1.0, 2.0], [2.0, 1.0]], ["a", "a"], "2 different column names"),
    ],
)
def test_impossible_lists_are_refused(rows, names, message):
    with pytest.raises(ValueError, match=message):
        ew.Candidates(rows, names)
