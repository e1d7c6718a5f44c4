"""Studies beside the main table: where criteria choose, what a round costs, which cells a sweep takes."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

from equiwarp.bench.storage.csv_records import read_records
from equiwarp.bench.studies import cost
from equiwarp.bench.studies.lengthscale import CUBE_STUDY, SPHERE_STUDY, LengthscaleStudy, run_command
from equiwarp.bench.studies.selection_bias import (
    SHELL_EDGES,
    boundary_distance,
    selection_profiles,
    shell_of,
    shell_volumes,
    stratified,
    wilson,
)
from equiwarp.cli.bench import bench


@pytest.mark.parametrize("dim", [1, 2, 4])
def test_shell_volumes_are_those_of_uniform_points(dim: int) -> None:
    volumes = shell_volumes(dim)
    assert volumes.sum() == pytest.approx(1.0)
    counts = np.bincount(shell_of(np.random.default_rng(0).random((200_000, dim))), minlength=len(volumes))
    np.testing.assert_allclose(counts / 200_000, volumes, atol=0.005)


def test_shells_are_counted_from_the_faces_inwards() -> None:
    u = np.array([[0.5, 0.0], [0.5, 0.051], [0.96, 0.5], [0.5, 0.5]])
    np.testing.assert_allclose(boundary_distance(u), [0.0, 0.051, 0.04, 0.5])
    assert shell_of(u).tolist() == [0, 1, 0, len(SHELL_EDGES) - 2]


@pytest.mark.parametrize("dim", [2, 4])
def test_candidates_represent_every_shell_by_its_volume(dim: int) -> None:
    points = stratified(dim, 1000, np.random.default_rng(1))
    assert points.min() > 0
    assert points.max() < 1
    counts = np.bincount(shell_of(points), minlength=len(SHELL_EDGES) - 1)
    np.testing.assert_array_equal(counts, np.maximum(np.round(1000 * shell_volumes(dim)), 1))


def test_variance_chooses_the_outermost_shell_and_the_equalizer_does_not() -> None:
    eig, equalized = selection_profiles(2, designs=24, arms=("eig", "equalized"))
    assert eig.counts.sum() == equalized.counts.sum() == 24
    assert eig.share[0] > 0.8
    assert equalized.share[0] < 0.3


def test_a_profile_is_a_function_of_its_seed() -> None:
    first, again = (selection_profiles(2, designs=6, arms=("nipv",), seed=3)[0] for _ in range(2))
    np.testing.assert_array_equal(first.counts, again.counts)


@pytest.mark.parametrize("arm", ["sobol", "equiwarp", "refit", "nonsense"])
def test_only_criteria_that_need_no_value_have_a_profile(arm: str) -> None:
    with pytest.raises(ValueError, match=f"'{arm}' has no profile before any value"):
        selection_profiles(2, designs=1, arms=(arm,))


def test_the_interval_of_a_share_holds_it_and_narrows() -> None:
    low, high = wilson(np.array([0.0, 5.0, 10.0]), 10)
    assert low[0] == 0
    assert high[2] == 1
    assert 0.2 < low[1] < 0.5 < high[1] < 0.8
    narrow = wilson(np.array([500.0]), 1000)
    assert narrow[1][0] - narrow[0][0] < (high[1] - low[1]) / 5


@pytest.mark.parametrize(("study", "span"), [(CUBE_STUDY, 4.0), (SPHERE_STUDY, 16.0)])
def test_a_lengthscale_study_spans_what_the_paper_does(study: LengthscaleStudy, span: float) -> None:
    assert study.factors[-1] / study.factors[0] == pytest.approx(span)
    assert 1.0 in study.factors
    jobs = [job for sweep in study.sweeps(range(2)) for job in sweep.plan().jobs]
    assert len(jobs) == len(set(jobs))
    per_benchmark = len(study.arms) * len(study.factors) + len(study.references)
    assert len(jobs) == 2 * len(study.benchmarks) * per_benchmark
    assert {job.lengthscale_factor for job in jobs if job.arm == "refit"} == {1.0}


@pytest.mark.parametrize("study", [CUBE_STUDY, SPHERE_STUDY])
def test_the_commands_of_a_study_are_commands_of_the_tool(study: LengthscaleStudy) -> None:
    for command in study.commands(Path("out"), seeds=3):
        words = shlex.split(command)
        assert words[:3] == ["equiwarp", "bench", "run"]
        context = bench.commands["run"].make_context("run", words[3:])
        assert context.params["seeds"] == 3
        assert context.params["rounds"] == study.rounds
        assert context.params["benchmarks"] == list(study.benchmarks)


def test_a_command_leaves_out_what_is_the_default() -> None:
    command = run_command(["peaks-2d"], ["fps", "eig"], Path("out"))
    assert command == "equiwarp bench run --benchmarks peaks-2d --arms fps,eig --seeds 10 --out out"


def test_looking_g_up_costs_less_than_integrating() -> None:
    found = {c.what: c for c in cost.measure_costs(dim=2, n=20, rounds=3, arms=("eig", "nipv"))}
    assert list(found) == [cost.LOOKUP, "eig", "nipv"]
    assert all(c.afresh > 0 and c.updated > 0 for c in found.values())
    assert found[cost.LOOKUP].updated < found["nipv"].afresh / 10


def test_costs_are_measured_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = [cost.Cost("g", 3, 100, 1e-5, 1e-5), cost.Cost("eig", 3, 100, 0.05, 0.001)]
    monkeypatch.setattr(cost, "measure_costs", lambda: known)
    assert cost.stored_costs(tmp_path) == known
    monkeypatch.setattr(cost, "measure_costs", lambda: pytest.fail("measured again"))
    assert cost.stored_costs(tmp_path) == known
    assert read_records(tmp_path / "studies" / "cost.csv")[1]["updated"] == 0.001
