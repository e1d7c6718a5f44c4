"""Replays of real measurements: what the tables are, what an arm is told, and how savings are counted."""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib.util import find_spec

import numpy as np
import pytest
from click.testing import CliRunner

import equiwarp as ew
from equiwarp.bench.cases import package_files, replay
from equiwarp.bench.cases.crowding import crowding, farthest
from equiwarp.bench.cases.fermentation import scores
from equiwarp.bench.cases.measured_case import MeasuredCase, Source, one_response
from equiwarp.bench.cases.registry import CASES, find_case
from equiwarp.bench.cases.saving import ErrorCurves, experiments_needed, saved, saved_with_error
from equiwarp.bench.figures import case_curves
from equiwarp.bench.figures.style import canvas
from equiwarp.bench.pages.cases_page import saving_cell
from equiwarp.cli import bench_case, main
from equiwarp.exceptions import InvalidInput, MissingPart
from equiwarp.maps.map import build_map

SOURCE = Source("nobody", "nowhere", "none")
#: Case -> measurements, different settings, failures.
SIZES = {
    "fullerenes": (246, 216, 0),
    "photo-pce10": (1040, 1020, 0),
    "photo-wf3": (1040, 1020, 0),
    "hplc": (1386, 1007, 229),
    "airfoil": (1503, 1503, 0),
    "concrete": (1030, 992, 0),
    "yacht": (308, 308, 0),
    "fermentation": (1629, 1629, 3),
}
CARRIERS = {"fullerenes": "olympus", "photo-pce10": "olympus", "photo-wf3": "olympus", "hplc": "olympus",
            "fermentation": "chemotools"}  # fmt: skip


def toy(values, name="toy"):
    """A list of two columns on a grid of 8 x 8; the first setting was measured twice more."""
    x = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), axis=-1).reshape(-1, 2)
    table = np.column_stack([x, values(x)])
    again = np.array([[0.0, 0.0, 5.0], [0.0, 0.0, 9.0]])
    return one_response(name, "Toy", "A toy.", ("a", "b"), ("c", "g"), np.vstack([table, again]), SOURCE)


@pytest.mark.parametrize("name", SIZES)
def test_a_table_is_whole(name):
    carrier = CARRIERS.get(name)
    if carrier and find_spec(carrier) is None and not os.environ.get("CI"):
        pytest.skip(f"{carrier} is not installed")
    case, (rows, entries, failures) = find_case(name), SIZES[name]
    assert (len(case.X), len(case.domain)) == (rows, entries)
    assert int(np.isnan(case.Y).any(axis=1).sum()) == failures
    assert sorted(np.concatenate(case.rows)) == list(range(rows))
    assert case.error(np.where(np.isnan(case.truth), 0.0, case.truth)) == 0.0
    constant = np.tile(np.nanmean(case.truth, axis=0), (entries, 1))
    assert case.error(constant) == pytest.approx(1.0)
    assert case.name == name
    # Mixtures are replayed as such: in the tetrahedron of their four parts.
    parts = ew.Simplex(case.names) if name.startswith("photo") else None
    assert (case.domain.dim, case.total) == ((3, 1.0) if parts else (len(case.names), None))
    if parts:
        assert case.domain.to_cube(case.domain.points) == pytest.approx(parts.to_cube(case.domain.points))
    assert case.source.licence
    assert name in bench_case.case.help  # the help lists them all
    assert set(SIZES) == set(CASES)


def test_a_case_without_its_package_says_what_to_install(monkeypatch):
    monkeypatch.setattr(package_files, "find_spec", lambda module: None)
    with pytest.raises(MissingPart, match="'olymp', which is not installed: pip install --no-deps olymp"):
        find_case("fullerenes")
    with pytest.raises(InvalidInput, match="unknown case 'gold'; choose from fullerenes"):
        find_case("gold")


def test_replicates_give_the_truth_and_are_drawn_by_the_seed():
    case = toy(lambda x: x[:, 0] + 1.0)
    assert case.truth[0, 0] == pytest.approx((1 + 5 + 9) / 3)
    assert case.replicate_deviation == pytest.approx(np.std([1, 5, 9], ddof=1))
    drawn = {float(case.measured(seed)[0, 0]) for seed in range(30)}
    assert drawn == {1.0, 5.0, 9.0}
    assert np.array_equal(case.measured(3), case.measured(3))


def test_failures_are_told_and_neither_chosen_again_nor_judged():
    case = toy(lambda x: np.where(x[:, 0] < 4, np.nan, x[:, 1] + x[:, 0] ** 2))
    assert int(np.isfinite(case.truth).sum()) == 33  # two replicates of one that failed worked
    values = case.measured(0)
    x = case.domain.points[:40]
    known = replay._known(case, x, values)
    failed = np.isnan(values[:40, 0])
    assert np.array_equal(known.failed, x[failed])
    assert np.array_equal(known.pending, x[failed])
    assert np.array_equal(known.y, values[:40][~failed])
    points = replay._chooser(case, "lookahead-gp", 0)(known, 4)
    chosen = set(case.domain.nearest(points).tolist())
    assert len(chosen) == 4
    assert not chosen & set(range(40))


def test_the_error_of_a_replay_is_that_of_the_campaigns_map():
    case = toy(lambda x: np.sin(x[:, 0]) + 0.1 * x[:, 1])
    found = list(replay.replay(case, "fps", 2, (12, 20)))
    assert [r.points for r in found] == [12, 20]
    assert found == list(replay.replay(case, "fps", 2, (12, 20)))
    start = case.domain.sample(10, replay.stream(2, replay.DESIGN))
    rest = replay._chooser(case, "fps", 2)(replay._known(case, start, case.measured(2)), 2)
    x = np.vstack([start, rest])
    y = case.measured(2)[case.domain.nearest(x)]
    drawn = build_map(case.domain, x, y).predict(case.domain.points).mean
    assert found[0].error == pytest.approx(case.error(drawn), abs=1e-6)


def test_scores_keep_the_size_that_they_explain_and_spectra_of_zeros_fail():
    rng = np.random.default_rng(0)
    spectra = np.outer(np.linspace(-1, 1, 40), np.sin(np.arange(30.0))) + 0.01 * rng.standard_normal((40, 30))
    spectra[7] = 0.0
    found, shares = scores(spectra, 2)
    assert np.isnan(found[7]).all()
    assert np.isfinite(np.delete(found, 7, axis=0)).all()
    sizes = np.nanvar(found, axis=0)
    assert sizes / sizes.sum() == pytest.approx(shares / shares.sum())
    assert shares[0] > 0.9


def test_a_list_crowds_where_farthest_points_are_outliers():
    rng = np.random.default_rng(0)
    even = np.stack(np.meshgrid(*[np.linspace(0, 1, 10)] * 2), axis=-1).reshape(-1, 2)
    assert crowding(even, 10) < 0.9
    crowd = np.vstack([rng.normal(0.5, 0.03, (300, 2)), rng.random((15, 2))])
    assert crowding(crowd, 10) > 1.1
    assert farthest(even, 1, 0) == pytest.approx(np.linalg.norm(even, axis=1))
    assert farthest(even, 100, 0) == pytest.approx(np.zeros(100))  # every entry is one of them


def curves(*rows, stages=(10, 20, 40)):
    return ErrorCurves(np.array(stages, float), np.log(np.array(rows)))


def test_experiments_are_saved_where_the_same_error_comes_earlier():
    stages, errors = np.array([10.0, 20.0, 40.0]), np.array([0.4, 0.2, 0.1])
    assert experiments_needed(stages, errors, 0.1) == pytest.approx(40)
    assert experiments_needed(stages, errors, 0.2 * 2**-0.5) == pytest.approx(20 * 2**0.5)
    assert experiments_needed(stages, errors, 0.9) == 10
    assert experiments_needed(stages, errors, 0.09) == np.inf
    ours, theirs = curves([0.2, 0.1, 0.05]), curves([0.4, 0.2, 0.1])
    assert saved(ours, theirs, 40) == pytest.approx(20)
    assert saved(theirs, ours, 20) == pytest.approx(-20)
    assert saved(theirs, ours, 40) == -np.inf
    four = curves(*[[0.2, 0.1, 0.05], [0.3, 0.12, 0.04]] * 2)
    value, error = saved_with_error(four, curves(*[[0.4, 0.2, 0.1]] * 4), 40)
    assert np.isfinite(value)
    assert 0 < error < 20
    assert np.isnan(saved_with_error(ours, theirs, 40)[1])


def test_arms_are_compared_on_the_seeds_that_both_have_seen():
    errors = {"random": {0: (0.4, 0.2, 0.1), 1: (9.0, 9.0, 9.0)}, "map": {0: (0.2, 0.1, 0.05)}}
    records = [
        {"case": "toy", "arm": arm, "seed": seed, "points": points, "error": error, "failures": 0}
        for arm, runs in errors.items()
        for seed, run in runs.items()
        for points, error in zip((20, 40, 80), run, strict=True)
    ]
    assert saving_cell("toy", records, "map", "random") == "20"
    assert saving_cell("toy", records, "random", "random") == "–"
    assert saving_cell("toy", records, "fps", "random") == "–"
    level = [
        {**r, "arm": "map", "seed": 0, "error": r["error"] * 1.001}
        for r in records
        if r["seed"] == 0 and r["arm"] == "random"
    ]
    assert saving_cell("toy", [*records[:6], *level], "map", "random") == "0"  # a little worse, and no "−0"


def test_the_figure_names_arms_as_the_tables_do_and_puts_the_default_on_top(tmp_path, monkeypatch):
    errors = {"fps": 0.5, "map": 0.25, "botorch-nipv": 0.3}
    records = [
        {"case": "toy", "arm": arm, "seed": seed, "points": points, "error": error * (1 + seed) / points}
        for arm, error in errors.items()
        for seed in range(3)
        for points in (20, 40)
    ]
    figures = []

    @contextmanager
    def kept(width, height, out):
        with canvas(width, height, out) as figure:
            figures.append(figure)
            yield figure

    monkeypatch.setattr(case_curves, "canvas", kept)
    case_curves.draw_case(toy(lambda x: x[:, 0]), records, list(errors), tmp_path / "toy.png")
    (axes,) = figures[0].axes
    lines = {line.get_label().partition(",")[0]: line for line in axes.get_lines()}
    assert set(lines) == set(errors)
    assert lines["map"].get_zorder() > max(lines[arm].get_zorder() for arm in errors if arm != "map")
    assert lines["map"].get_ydata() == pytest.approx(0.25 * 6 ** (1 / 3) / np.array([20, 40]))
    assert len(axes.collections) == 3  # a band for each
    assert figures[0].get_supxlabel().endswith("3 seeds")


def test_the_command_replays_resumes_and_writes_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(replay, "STAGES", (12,))
    case = toy(lambda x: x[:, 0] + x[:, 1], "yacht")
    monkeypatch.setitem(CASES, "yacht", lambda: case)
    monkeypatch.setattr("equiwarp.bench.pages.cases_page.STAGES", (12,))
    monkeypatch.setattr("equiwarp.bench.pages.cases_page.AFTER", 12)
    calls = []

    def counted(one: MeasuredCase, arm: str, seed: int):
        calls.append((arm, seed))
        yield replay.ReplayRecord(one.name, one.digest, seed, arm, 12, 1, 0.5 if arm == "fps" else 0.25)

    monkeypatch.setattr(replay, "replay", counted)
    words = ["bench", "case", "yacht", "--out", str(tmp_path), "--seeds", "2", "--arm", "fps", "--arm", "map"]
    words += ["--arm", "map, random start"]
    result = CliRunner().invoke(main, [*words, "--pages", str(tmp_path / "pages")])
    assert result.exit_code == 0, result.output
    assert len(calls) == 6
    assert CliRunner().invoke(main, words).exit_code == 0
    assert len(calls) == 6  # what is done is not done again
    page = (tmp_path / "pages" / "yacht.md").read_text(encoding="utf-8")
    assert "| `map` | 2 | 0.250 |\n| `map, random start` | 2 | 0.250 |" in page
    assert "seeds 0 to 1" in page
    assert "nobody" in page
    assert (tmp_path / "pages" / "images" / "yacht.png").stat().st_size > 5000
    other = toy(lambda x: x[:, 0] - x[:, 1], "yacht")
    assert replay.known_records(tmp_path / "cases.csv", [other]) == []  # another table
