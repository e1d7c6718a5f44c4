"""`bench reproduce` asks for what the tables and figures need, and writes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from equiwarp.bench.cell import Job, compute
from equiwarp.bench.functions.catalogue import benchmarks
from equiwarp.bench.pages.paper_tables import published
from equiwarp.bench.storage.csv_records import read_records
from equiwarp.bench.studies.lengthscale import CUBE_STUDY, SPHERE_STUDY
from equiwarp.bench.sweeps import reproduce
from equiwarp.cli import main


@pytest.mark.parametrize("quick", [False, True])
def test_every_row_of_the_papers_tables_is_run(quick: bool) -> None:
    jobs = reproduce.longest_of_each_cell(
        job for s in reproduce.paper_sweeps(range(2), quick) for job in s.plan().jobs
    )
    run = {(job.benchmark, job.arm) for job in jobs}
    assert {(name, arm) for name, arm, _ in published()} <= run
    assert {(name, "fps") for name in benchmarks()} <= run
    assert len({job.place for job in jobs}) == len(jobs)


def test_in_full_the_horizons_are_the_papers() -> None:
    jobs = reproduce.longest_of_each_cell(
        job for s in reproduce.paper_sweeps(range(10)) for job in s.plan().jobs
    )
    rounds = {(job.benchmark, job.arm, job.lengthscale_factor): job.rounds for job in jobs}
    for name, arm, horizon in published():
        assert rounds[name, arm, 1.0] >= horizon
    for study in (CUBE_STUDY, SPHERE_STUDY):
        for factor in study.factors:
            assert rounds[study.benchmarks[0], "eig", factor] >= 100
    assert {job.seed for job in jobs} == set(range(10))


def test_a_cell_asked_for_twice_is_run_once_and_far_enough() -> None:
    jobs = [Job("levy-2d", "eig", 0, 100), Job("levy-2d", "fps", 0, 5), Job("levy-2d", "eig", 0, 200)]
    assert reproduce.longest_of_each_cell(jobs) == [
        Job("levy-2d", "eig", 0, 200),
        Job("levy-2d", "fps", 0, 5),
    ]


def test_tables_are_written_in_every_format(tmp_path: Path) -> None:
    for arm in ("fps", "sobol"):
        for name in ("levy-2d", "cap-s2"):
            job = Job(name, arm, 0, 3)
            compute(job).save(tmp_path / job.place)
    reproduce.write_tables(tmp_path)
    written = sorted(path.name for path in (tmp_path / "tables").iterdir())
    assert written == sorted(f"{p}-1nn.{e}" for p in ("main", "sphere") for e in ("txt", "csv", "tex"))
    [row] = read_records(tmp_path / "tables" / "sphere-1nn.csv")
    assert (row["benchmark"], row["arm"], row["rounds"]) == ("cap-s2", "sobol", 3)


def test_a_figure_without_its_cells_says_what_to_run(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["bench", "figure", "main-curves", str(tmp_path)])
    assert result.exit_code == 1
    assert "equiwarp bench run" in result.output
    result = CliRunner().invoke(main, ["bench", "figure", "nonsense", str(tmp_path)])
    assert "unknown figure 'nonsense'; choose from warp-overview" in result.output
