"""Readouts against slow, obvious versions; area reduction and table against arithmetic by hand."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

from equiwarp.bench.area import Summary, area_reduction, common_seeds, running_area_reduction
from equiwarp.bench.cell import Cell, Job, compute
from equiwarp.bench.functions.catalogue import NOISE_SHARE, benchmarks, find_benchmark
from equiwarp.bench.pages.area_table import TABLE_FORMATS, area_rows
from equiwarp.bench.pages.paper_tables import published
from equiwarp.bench.readouts import gaussian_process, nearest, scoring
from equiwarp.bench.results import load_cells
from equiwarp.bench.seeded import held_out, pilot
from equiwarp.bench.storage.csv_records import none_if_nan, read_records, write_records
from equiwarp.bench.trajectories import Trajectories
from equiwarp.domains import Array
from equiwarp.gp.acquisition import AcquisitionGP
from equiwarp.gp.kernels import Matern52


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("results")
    for arm in ("fps", "sobol", "equiwarp"):
        for seed in (0, 1):
            job = Job("gramacy-lee-2d", arm, seed, 6)
            compute(job).save(out / job.place)
    return out


@pytest.mark.parametrize("k", [1, 3, 5])
def test_nearest_trajectory_is_brute_force(k: int) -> None:
    rng = np.random.default_rng(k)
    test, Z, truth, values = rng.random((200, 3)), rng.random((30, 3)), rng.random(200), rng.random(30)
    expected = []
    for n in range(10, 31):
        order = np.argsort(np.linalg.norm(test[:, None] - Z[None, :n], axis=2), axis=1)[:, :k]
        expected.append(np.mean((values[:n][order].mean(axis=1) - truth) ** 2))
    np.testing.assert_allclose(nearest.nearest_trajectory(test, truth, Z, values, 10, k), expected)


def test_of_equally_near_points_the_first_counts() -> None:
    errors = nearest.nearest_trajectory(
        np.zeros((1, 1)), np.zeros(1), np.array([[1.0], [-1.0]]), np.array([2.0, 5.0]), 1
    )
    np.testing.assert_array_equal(errors, [4.0, 4.0])


def test_fixed_gp_trajectory_is_a_gp_refitted_each_round(folder: Path) -> None:
    cell = load_cells(folder)[0]
    test, truth = held_out(cell.spec)
    sample = pilot(cell.spec)
    kernel = Matern52(gaussian_process.pilot_lengthscale(cell.spec))
    expected = []
    for n in range(cell.n0, len(cell.x) + 1):
        y = (cell.y[:n, None] - sample.mean) / sample.deviation
        gp = AcquisitionGP.fit(kernel, cell.x[:n], y, np.full(n, NOISE_SHARE**2))
        expected.append(np.mean((sample.mean + sample.deviation * gp.mean(test)[:, 0] - truth) ** 2))
    np.testing.assert_allclose(cell.error("gp"), expected, rtol=1e-8)


def test_gp_map_differs_from_the_fixed_one_and_covers_every_round(folder: Path) -> None:
    cell = load_cells(folder)[0]
    found = cell.error("gp-map")
    assert found.shape == (7,)
    assert np.isfinite(found).all()
    assert not np.allclose(found, cell.error("gp"))


def test_scores_are_kept_and_belong_to_their_design(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = load_cells(folder)[0]
    first = cell.error("3nn")
    assert scoring.score_path(cell, "3nn").exists()  # type: ignore[union-attr]
    stored = Cell(**{**cell.__dict__, "x": cell.x[::-1].copy()})
    assert not np.array_equal(stored.error("3nn"), first)

    def forbidden(*_: object) -> Array:
        raise AssertionError("recomputed")

    cell.error("5nn")
    monkeypatch.setattr(scoring, "score_design", forbidden)
    assert len(load_cells(folder)[0].error("5nn")) == 7


def test_unknown_readout_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="unknown readout '2nn'; choose from 1nn"):
        load_cells(folder)[0].error("2nn")


def test_area_reduction_by_hand() -> None:
    method, baseline = np.array([9.0, 1.0, 1.0, 7.0]), np.array([9.0, 2.0, 2.0, 1.0])
    assert area_reduction(method, baseline, 2) == 50.0
    assert area_reduction(method, baseline, 3) == pytest.approx(-80.0)
    with pytest.raises(ValueError, match="has 3 rounds, 4 were asked"):
        area_reduction(method, baseline, 4)


def test_summary_is_mean_and_standard_error() -> None:
    summary = Summary.of([1.0, 2.0, 3.0])
    assert (summary.mean, summary.sem, summary.seeds) == (2.0, pytest.approx(1 / math.sqrt(3)), 3)
    assert math.isnan(Summary.of([1.0]).sem)


def test_table_pairs_seeds_and_reports_what_the_definition_says(folder: Path) -> None:
    cells = load_cells(folder)
    by = {(c.arm, c.seed): c for c in cells}
    by_hand = [
        100 * (1 - by["equiwarp", s].error_1nn[1:7].sum() / by["fps", s].error_1nn[1:7].sum()) for s in (0, 1)
    ]
    [sobol, full] = json.loads(TABLE_FORMATS["json"](area_rows(cells)))
    assert list(full) == ["benchmark", "arm", "readout", "rounds", "ar_mean", "ar_sem", "seeds"]
    assert (sobol["arm"], full["arm"], full["rounds"], full["seeds"]) == ("sobol", "equiwarp", 6, 2)
    assert full["ar_mean"] == pytest.approx(np.mean(by_hand))
    assert full["ar_sem"] == pytest.approx(np.std(by_hand, ddof=1) / math.sqrt(2))
    found = Trajectories.scored(cells, "1nn").reductions("gramacy-lee-2d", "equiwarp", 6)
    assert found == pytest.approx(dict(enumerate(by_hand)))


def test_unpaired_seeds_do_not_count(folder: Path) -> None:
    cells = [c for c in load_cells(folder) if not (c.arm == "fps" and c.seed == 1)]
    assert {row.summary.seeds for row in area_rows(cells)} == {1}
    assert "no row" in TABLE_FORMATS["text"](area_rows([c for c in cells if c.arm != "fps"]))


def test_all_formats_hold_the_same_numbers(folder: Path) -> None:
    table = area_rows(load_cells(folder), rounds=[3, 6])
    records = list(csv.DictReader(io.StringIO(TABLE_FORMATS["csv"](table))))
    assert [float(r["ar_mean"]) for r in records] == [row.summary.mean for row in table]
    for form in ("text", "latex"):
        text = TABLE_FORMATS[form](table)
        assert all(f"{row.summary.mean:.1f}" in text for row in table)


def test_rmse_is_in_percent_of_the_deviation(folder: Path) -> None:
    cell = load_cells(folder)[0]
    expected = 100 * np.sqrt(cell.error_1nn) / cell.seeded.deviation
    np.testing.assert_allclose(cell.rmse_percent(), expected)
    record = area_rows([cell], measure="rmse")[0].record()
    assert record["rmse_mean"] == pytest.approx(expected[6])


def test_the_papers_tables_are_complete() -> None:
    found = published()
    cubes = [b for b in benchmarks().values() if not b.sphere]
    assert len(found) == len(cubes) * 9 + 4 * 8
    assert found["gramacy-lee-2d", "equiwarp", 200].mean == 44.5
    assert found["cap-s3", "random", 100].sem == 3.9


def test_text_shows_the_papers_value_beside_ours(tmp_path: Path) -> None:
    for arm in ("fps", "random"):
        job = Job("cap-s2", arm, 0, 20)
        compute(job).save(tmp_path / job.place)
    line = TABLE_FORMATS["text"](area_rows(load_cells(tmp_path))).splitlines()[2]
    assert line.startswith("cap-s2")
    assert "-21.8 ± 2.4" in line


def test_an_empty_folder_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no results: run"):
        load_cells(tmp_path)


def test_pilot_lengthscale_tells_smooth_functions_from_rough_ones() -> None:
    assert gaussian_process.pilot_lengthscale(
        find_benchmark("friedman-5d")
    ) > 2 * gaussian_process.pilot_lengthscale(find_benchmark("levy-5d"))


def test_the_running_reduction_ends_where_the_reduction_at_a_horizon_does() -> None:
    method, baseline = np.array([9.0, 4.0, 2.0, 1.0]), np.array([9.0, 5.0, 5.0, 2.0, 7.0])
    running = running_area_reduction(method, baseline)
    np.testing.assert_allclose(running, [20.0, 40.0, 100.0 * 5 / 12])
    for rounds in (1, 2, 3):
        assert running[rounds - 1] == pytest.approx(area_reduction(method, baseline, rounds))
    with pytest.raises(ValueError, match="the method has 3 rounds, 4 were asked for"):
        area_reduction(method, baseline, 4)


def test_seeds_are_common_where_all_have_them() -> None:
    assert common_seeds({2: "a", 0: "b", 1: "c"}, {1, 2, 3}, [2, 1]) == [1, 2]
    assert common_seeds({1: "a"}, {}) == []
    assert common_seeds() == []


def test_records_survive_their_file(tmp_path: Path) -> None:
    """What is not known is an empty field, for a NaN as for None, and comes back as None."""
    records = [
        {"arm": "eig", "rounds": 50, "mean": 0.1 + 0.2, "sem": none_if_nan(float("nan"))},
        {"arm": "a, b", "rounds": 100, "mean": -1e-9, "sem": None},
    ]
    path = tmp_path / "new" / "table.csv"
    write_records(path, records)
    assert path.read_text(encoding="utf-8").splitlines()[1] == "eig,50,0.30000000000000004,"
    assert read_records(path) == records
    write_records(path, records, digits=2)
    assert [record["mean"] for record in read_records(path)] == [0.3, 0.0]
    write_records(tmp_path / "none.csv", [])
    assert not (tmp_path / "none.csv").exists()
