"""suggest(): the public door. Inputs of every kind, edge cases, and refusals that help."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import equiwarp as ew
from equiwarp.engine.algorithm import choose
from equiwarp.engine.explanation import Explanation
from equiwarp.engine.measurements import Measurements
from tests.cases import DOMAINS, NAMES, POOL_BASED, applies, configuration_of, measurements_of
from tests.checks import assert_new_points

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
X = [[30, 4], [60, 7], [80, 5], [25, 8.5]]
Y = [1.0, 2.5, 1.7, 0.4]


def test_the_ten_lines_of_the_readme():
    s = ew.suggest(BOX, X, Y, n=4, strategy="equiwarp", noise=0.05, pending=None, seed=0)
    assert_new_points(BOX, s.points, 4, np.array(X, dtype=float))
    assert len(s) == len(s.explain) == 4
    assert s.notes == ()
    table = pd.DataFrame(s.table())
    assert list(table.columns) == ["temperature", "pH"]
    np.testing.assert_array_equal(table.to_numpy(), s.points)
    assert "temperature=" in repr(s)
    for explanation in s.explain:
        assert set(explanation.as_dict()) >= {"variance", "equalizer", "stretch", "score"}
        assert explanation.source == "model"
        assert 0 < explanation.variance <= 1
        assert 0 < explanation.equalizer <= 1
        assert explanation.stretch > 0


def test_every_kind_of_table_gives_the_same_suggestion():
    columns = {"temperature": [float(x[0]) for x in X], "pH": [float(x[1]) for x in X]}
    expected = ew.suggest(BOX, X, Y, noise=0.05).points
    for x in (np.array(X), columns, pd.DataFrame(columns), pl.DataFrame(columns)):
        for y in (np.array(Y), pd.Series(Y), {"yield": Y}):
            np.testing.assert_array_equal(ew.suggest(BOX, x, y, noise=0.05, pending=None).points, expected)
    later = ew.suggest(BOX, X, Y, noise=0.05, pending=pl.DataFrame(columns)[:1]).points
    assert later.shape == (1, 2)


def test_the_default_strategy_serves_the_map():
    default, named = ew.suggest(BOX, X, Y, noise=0.1), ew.suggest(BOX, X, Y, strategy="map", noise=0.1)
    assert default.strategy == "map"
    np.testing.assert_array_equal(default.points, named.points)


def test_a_suggestion_is_its_seed():
    first = ew.suggest(BOX, X, Y, n=2, noise=0.05, seed=5)
    np.testing.assert_array_equal(first.points, ew.suggest(BOX, X, Y, n=2, noise=0.05, seed=5).points)
    assert not np.allclose(first.points, ew.suggest(BOX, X, Y, n=2, noise=0.05, seed=6).points)


def test_an_estimated_noise_is_reported():
    notes = ew.suggest(BOX, X, Y).notes
    assert len(notes) == 1
    assert "noise was not given; estimated" in notes[0]


#: Strategies whose criterion looks at the values themselves; without any they have nothing to say.
NEEDS_VALUES = ("lookahead-nn",)


def cases():
    """Designs that are hard on a Gaussian process: (x, y, noise) on the unit square."""
    rng = np.random.default_rng(0)
    x = rng.random((12, 2))
    y = np.sin(5 * x[:, 0])
    return {
        "nothing at all": (np.empty((0, 2)), [], None),
        "nothing, noise known": (np.empty((0, 2)), [], 0.1),
        "one observation": (x[:1], y[:1], 0.05),
        "one observation, noise unknown": (x[:1], y[:1], None),
        "two observations": (x[:2], y[:2], None),
        "zero noise": (x, y, 0.0),
        "constant": (x, np.full(12, 7.3), None),
        "constant without noise": (x, np.full(12, 7.3), 0.0),
        "all zero": (x, np.zeros(12), None),
        "duplicates without noise": (np.vstack([x, x]), np.append(y, y), 0.0),
        "contradicting duplicates without noise": (np.vstack([x, x]), np.append(y, -y), 0.0),
        "duplicates": (np.vstack([x, x]), np.append(y, y + 0.1), 0.1),
        "near-duplicates without noise": (np.vstack([x, x + 1e-10]).clip(0, 1), np.append(y, y), 0.0),
        "replicates, noise unknown": (np.repeat(x, 3, axis=0), np.repeat(y, 3), None),
        "everything in one place": (np.full((5, 2), 0.5), np.arange(5.0), None),
        "huge values": (x, 1e300 * y, 1e299),
        "tiny values": (x, 1e-300 * y, 1e-301),
        "huge values, noise unknown": (x, 1e300 * y, None),
        "large offset": (x, 1e9 + y, 0.05),
        "noise above signal": (x, y, 100.0),
        "corners": (np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0], 0.01),
        "three responses": (x, np.column_stack([y, y**2, np.ones(12)]), [0.1, 0.1, 0.1]),
        "noise per point": (x, y, np.linspace(0.0, 0.5, 12)),
    }


@pytest.mark.parametrize("case", cases())
@pytest.mark.parametrize("name", NAMES)
def test_hard_designs_still_get_an_answer(name, case):
    domain = ew.Box.unit(2)
    x, y, noise = cases()[case]
    measurements = Measurements.of(domain, x, y, noise)
    configuration = configuration_of(name, domain, pool=200, probes=512)
    if name in NEEDS_VALUES and len(x) == 0:
        with pytest.raises(ValueError, match=r"at least one measured value; start with `sobol`"):
            choose(configuration, measurements)
        return
    suggestion, _ = choose(configuration, measurements, 3)
    assert_new_points(domain, suggestion.points, 3, np.asarray(x, dtype=float))
    if name in POOL_BASED:
        assert all(np.isfinite(e.score) for e in suggestion.explain) or len(x) == 0


@pytest.mark.parametrize("name", POOL_BASED)
@pytest.mark.parametrize("place", ["square", "S2"])
def test_measured_pool_points_without_noise_are_known_and_not_chosen_again(name, place):
    """Their variance is exactly zero, and so is their score."""
    domain = DOMAINS[place]
    if not applies(name, domain):
        return
    configuration = configuration_of(name, domain, pool=60)
    x = configuration.pool[::2]
    measurements = Measurements.of(domain, x, np.sin(7 * domain.embed(x)[:, 0]), 0.0)
    for n in (1, 5):
        assert_new_points(domain, choose(configuration, measurements, n)[0].points, n, x)


def test_jitter_is_reported():
    x = [[30, 4], [30, 4], [60, 7]]
    notes = ew.suggest(BOX, x, [1, 1, 2], strategy="eig", noise=0.0).notes
    assert any("jitter" in note and "coincident points" in note for note in notes)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"strategy": "bayes"}, ["unknown strategy 'bayes'", "equiwarp"]),
        ({"n": 0}, ["n must be a whole number of at least 1", "0"]),
        ({"n": 2.5}, ["whole number", "2.5"]),
        ({"n": True}, ["whole number", "True"]),
        ({"n": 5000}, ["n = 5000", "4096", "fewer"]),
        ({"seed": -1}, ["seed", "-1"]),
        ({"seed": 0.5}, ["seed", "0.5"]),
        ({"noise": -1}, ["noise", "-1"]),
        ({"lengthscale": 0}, ["lengthscale", "0"]),
        ({"lengthscale": float("nan")}, ["lengthscale", "nan"]),
        ({"lengthscale": -0.1}, ["lengthscale", "-0.1"]),
        ({"x": [[30, 4], [60, 70], [80, 5], [25, 8]]}, ["x, row 1", "pH = 70", "[3, 9]"]),
        ({"x": [[30, 4], [60, np.nan], [80, 5], [25, 8]]}, ["x, row 1", "pH", "nan"]),
        ({"y": [1, 2, np.inf, 3]}, ["y, row 2", "inf"]),
        ({"y": [1, 2]}, ["y has shape", "4 rows"]),
        ({"pending": [[30, 40]]}, ["pending, row 0", "pH = 40"]),
        ({"x": pd.DataFrame({"temp": [1], "pH": [4]})}, ["no column 'temperature'", "temp"]),
    ],
)
def test_bad_input_is_refused_with_value_place_and_remedy(change, words):
    arguments = {"x": X, "y": Y, "noise": 0.05} | change
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are checked below
        ew.suggest(BOX, **arguments)
    for word in words:
        assert word in str(caught.value), str(caught.value)


@pytest.mark.parametrize("name", ["sobol", "random", "eig"])
def test_a_batch_size_is_checked_for_every_kind_of_strategy(name):
    for n in (0, -1, 1.0, "3"):
        with pytest.raises(ValueError, match="n must be a whole number of at least 1"):
            ew.suggest(BOX, X, Y, n=n, strategy=name)


def test_several_responses_are_all_looked_at():
    """A second response that varies elsewhere moves the choice."""
    domain = ew.Box.unit(2)
    measurements = measurements_of(domain, n=30, k=1)
    other = np.tanh(30 * (measurements.x[:, 1:] - 0.9))
    one = ew.suggest(domain, measurements.x, measurements.y, n=3, noise=0.05)
    both = ew.suggest(domain, measurements.x, np.hstack([measurements.y, other]), n=3, noise=0.05)
    assert not np.allclose(one.points, both.points)


def test_pending_points_are_kept_away_from():
    domain = ew.Box.unit(2)
    first = ew.suggest(domain, [[0.5, 0.5]], [1.0], noise=0.1, strategy="eig").points
    second = ew.suggest(domain, [[0.5, 0.5]], [1.0], noise=0.1, strategy="eig", pending=first).points
    assert np.linalg.norm(first - second) > 0.3


@pytest.mark.parametrize("dim", [9, 14])
def test_many_dimensions_fit_into_memory(dim):
    box = ew.Box.unit(dim)
    x = np.random.default_rng(0).random((24, dim))
    s = ew.suggest(box, x, x.sum(axis=1), n=2, noise=0.05)
    assert s.points.shape == (2, dim)
    assert all(0 < e.equalizer <= 1 for e in s.explain)


def test_explanations_are_equal_where_both_have_no_number():
    """Python 3.13 compares field by field, and NaN is not NaN."""
    first, second = (Explanation("sequence", "map", score=float("nan")) for _ in range(2))
    assert first == second != Explanation("sequence", "map", score=0.5)
    assert first != Explanation("sequence", "fps", score=float("nan"))
    assert first != "sequence"
