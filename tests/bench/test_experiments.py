"""Experiments saved, on curves made by hand; the readout of the averaged map."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.cell import Job, compute
from equiwarp.bench.experiments import Saved, SavedSummary, experiments_saved, rounds_to_reach
from equiwarp.bench.readouts import average_map, scoring
from equiwarp.bench.results import load_cells
from equiwarp.bench.seeded import held_out_part
from equiwarp.bench.sweeps.cluster import score_cells
from equiwarp.cli.bench import bench
from equiwarp.maps.map import build_map


def falling(rate, rounds):
    return np.exp(-rate * np.arange(rounds + 1))


def test_twice_the_rate_saves_half_the_experiments():
    assert experiments_saved(falling(0.02, 200), falling(0.01, 200)).count == pytest.approx(50)
    assert experiments_saved(falling(0.01, 200), falling(0.01, 200)) == Saved(0.0)


def test_who_is_slower_needs_more_and_who_never_arrives_is_a_bound():
    assert experiments_saved(falling(0.008, 200), falling(0.01, 200)).count == pytest.approx(-25)
    stuck = np.full(151, 0.9)
    assert experiments_saved(stuck, falling(0.01, 200)) == Saved(-50.0, censored=True)
    assert experiments_saved(stuck[:101], falling(0.01, 100)) == Saved(0.0, censored=True)


def test_fractions_of_a_round_follow_the_logarithm():
    assert rounds_to_reach(np.array([8.0, 4.0, 1.0]), 2.0) == pytest.approx(1.5)
    assert rounds_to_reach(np.array([8.0, 4.0, 1.0]), 9.0) == 0.0
    assert rounds_to_reach(np.array([8.0, 4.0, 0.0]), 2.0) == 2.0
    assert rounds_to_reach(np.array([8.0, 4.0]), 2.0) is None


def test_the_baseline_is_held_to_the_same_rule():
    """FPS that was there after two rounds and came back needs two, not four."""
    fps, arm = np.array([8.0, 4.0, 1.0, 3.0, 2.0]), np.array([8.0, 2.0, 2.0, 2.0, 2.0])
    assert experiments_saved(arm, fps, 4).count == pytest.approx(1.5 - 1.0)


def test_a_mean_of_bounds_is_a_bound_and_says_so():
    known, bound = Saved(20.0), Saved(0.0, censored=True)
    assert str(SavedSummary.of([known, Saved(10.0)])) == "15.0 ± 5.0"
    assert str(SavedSummary.of([known, bound])) == "≤ 10.0 ± 10.0 (1 of 2 censored)"
    assert str(SavedSummary.of([known])) == "20.0"


def test_too_short_a_baseline_is_refused():
    with pytest.raises(ValueError, match="has 50 rounds, 100 were asked for"):
        experiments_saved(falling(0.02, 200), falling(0.01, 50))
    with pytest.raises(ValueError, match="at least one round, got 0"):
        experiments_saved(falling(0.02, 200), falling(0.01, 50), 0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(average_map, "CHECKPOINTS", (0, 2, 4, 100))
    for arm in ("fps", "lookahead-gp"):
        job = Job("gramacy-lee-2d", arm, 0, 6)
        compute(job).save(tmp_path / job.place)
    return tmp_path


def test_the_readout_is_the_campaigns_map_at_checkpoints(folder):
    cell = load_cells(folder)[0]
    errors = cell.error("map")
    Z, truth = held_out_part(cell.spec)
    for t in (0, 4, 6):
        n = cell.n0 + t
        fitted = build_map(cell.spec.domain, cell.x[:n], cell.y[:n], cell.seeded.noise)
        expected = np.mean((fitted.models[0].predict(Z) - truth) ** 2)
        assert errors[t] == pytest.approx(expected)
    assert math.log(errors[5]) == pytest.approx((math.log(errors[4]) + math.log(errors[6])) / 2)


def test_the_first_rounds_are_scored_alone_and_later_the_rest(folder, monkeypatch):
    cell = load_cells(folder)[0]
    short = scoring.error_trajectory(cell, "map", 4)
    assert len(short) == 5
    assert scoring.stored_trajectory(cell, "map") is None
    assert len(scoring.longest_stored(cell, "map")) == 5
    whole = cell.error("map")
    np.testing.assert_array_equal(whole[:5], short)
    assert len(scoring.stored_trajectory(cell, "map", 4)) == 7
    monkeypatch.setattr(scoring, "score_design", None)
    assert score_cells([cell], ["map"], rounds=4).found == 1


def test_the_table_counts_experiments(folder):
    asked = ["table", str(folder), "--readout", "1nn", "--measure", "experiments", "--rounds", "4"]
    result = CliRunner().invoke(bench, asked)
    assert result.exit_code == 0, result.output
    fps, other = (cell.error_1nn for cell in load_cells(folder))
    expected = SavedSummary.of([experiments_saved(other, fps, 4)])
    assert "experiments saved" in result.output
    assert str(expected) in result.output
    text = CliRunner().invoke(bench, [*asked, "--format", "csv"]).output
    assert text.splitlines()[0].endswith("experiments_mean,experiments_sem,seeds,censored")
