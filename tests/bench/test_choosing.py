"""The study of choosing: what it measures, that it resumes, and how its page sums up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.arms import find_arm
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.functions.random_families import FAMILIES
from equiwarp.bench.pages.choosing_page import Beside, choosing_page, log_ratios, saved_of, summary_table
from equiwarp.bench.pages.choosing_suites import less_error
from equiwarp.bench.peers.oracle_map import MapOracleStepper
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.bench.storage.csv_records import read_records, write_records
from equiwarp.bench.studies import choosing
from equiwarp.bench.studies.drawn_models import drawn_parameters
from equiwarp.bench.studies.inward import share_inside
from equiwarp.bench.studies.residual_weights import ResidualsThere
from equiwarp.cli.bench import bench
from equiwarp.gp.kernels import Matern52
from tests.bench.test_map_study import cells


def record(arm, seed, error, points=80, family="additive"):
    return {
        "group": "random", "benchmark": f"random:{family}-2d-{seed}", "family": family, "dim": 2,
        "seed": seed, "arm": arm, "batch": 4, "points": points, "error": error, "near_faces": 0.25,
    }  # fmt: skip


def test_errors_are_compared_case_by_case_in_the_geometric_mean():
    records = [record("fps", 1, 0.4), record("fps", 2, 0.1), record("map", 1, 0.2), record("map", 2, 0.1)]
    records.append(record("map", 3, 0.7))  # nobody to compare it with
    assert log_ratios(records, "map", 80) == pytest.approx([np.log(0.5), 0.0])
    # 1 - sqrt(1/2) = 29 %; the logarithms' deviation is 0.49, over sqrt(2) 0.35, times 0.71
    assert less_error(log_ratios(records, "map", 80)) == "29 ± 25"
    assert less_error([np.log(1.5)]) == "-50"
    page = choosing_page(records, "the command")
    assert "| `map` | 2 |  |  |  | 29 ± 25 | 0 | 25 % |" in page
    assert "the command" in page


def test_experiments_are_saved_where_the_error_of_forty_farthest_points_is_reached_sooner():
    errors = {"fps": (0.4, 0.2, 0.1), "map": (0.2 * 2**0.5, 0.1, 0.1)}
    records = [
        record(arm, seed, seed * error, points)  # another function, larger errors: the same course
        for arm, known in errors.items()
        for points, error in zip((20, 40, 80), known, strict=True)
        for seed in (1, 2)
    ]
    # The logarithm falls by 1.5 log 2 from 20 to 40 points: a third of the way is enough.
    assert saved_of(records, "map") == f"{20 - 20 / 3:.1f} ± 0.0"
    assert saved_of(records[:-1], "map") == "13.3"  # of one function that both have
    assert "| `map` | 2 | 13.3 ± 0.0 |" in choosing_page(records, "the command")


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(choosing, "POINTS", (12, 14))


def test_a_case_is_judged_once_by_the_error_of_the_averaged_map(tmp_path, short):
    cases = choosing.choosing_cases("random", [3], [2])[:1]
    records = choosing.run_choosing(tmp_path / "c.csv", cases, ("fps", "map"), choosing.Protocol(2))
    assert [(r["arm"], r["points"]) for r in records] == [("fps", 12), ("fps", 14), ("map", 12), ("map", 14)]
    left: list[object] = []
    again = choosing.run_choosing(
        tmp_path / "c.csv", cases, ("fps", "map"), choosing.Protocol(2), lambda todo: left.extend(todo) or []
    )
    assert again == records
    assert left == []
    seeded = SeededBenchmark(find_benchmark(cases[0].benchmark), 3)
    (_, _), (x, y) = choosing.designs(seeded, "map", choosing.Protocol(2))
    assert x.shape == (14, 2)
    assert len(np.unique(x, axis=0)) == 14
    assert choosing.map_error(seeded, x, y) == pytest.approx(records[-1]["error"], abs=1e-6)
    worse = choosing.map_error(seeded, x[:5], y[:5])
    assert worse > records[-1]["error"]


def test_the_command_writes_the_page_of_what_is_known(tmp_path):
    page, known = tmp_path / "page.md", []
    for family in FAMILIES:
        known += [record(arm, 1, 0.3, points, family) for arm in ("fps", "map") for points in (20, 40, 80)]
    write_records(tmp_path / "choosing.csv", known)
    asked = ["study", "choosing", "--out", str(tmp_path), "--group", "random", "--dim", "2", "--seeds", "1"]
    result = CliRunner().invoke(bench, [*asked, "--arm", "fps", "--arm", "map", "--page", str(page)])
    assert result.exit_code == 0, result.output
    assert "| `map` | 7 | 0.0 ± 0.0 | 0 ± 0 | 0 ± 0 | 0 ± 0 | 0 | 25 % |" in page.read_text(encoding="utf-8")
    assert len(read_records(tmp_path / "choosing.csv")) == len(known)


def test_only_cases_that_every_arm_has_finished_are_summed_up(tmp_path):
    path = tmp_path / "choosing.csv"
    known = [record(arm, seed, 0.3, 80) for seed in (1, 2) for arm in ("map", "fps")]
    write_records(path, [*known[:3], record("fps", 2, 0.3, 40), record("sobol", 1, 0.1)])
    assert [(r["arm"], r["seed"]) for r in choosing.finished(path, ("fps", "map"))] == [
        ("fps", 1),
        ("map", 1),
    ]


def test_batches_grow_with_what_is_known():
    assert [choosing.SCREENING.next_batch(n) for n in (10, 20, 40, 79)] == [4, 4, 8, 15]
    assert choosing.FULL.next_batch(79) == 4


def test_variants_are_compared_with_map_on_the_same_functions_and_the_oracle_with_farthest_points():
    errors = {"fps": 0.4, "map": 0.2, "residuals": 0.1, "oracle-map": 0.1}
    known = [record(arm, 1, error, points) for arm, error in errors.items() for points in (20, 40, 80)]
    known += [record(arm, 2, 0.3, points) for arm in ("map", "residuals") for points in (20, 40, 80)]
    known += [record("residuals", 3, 0.3, 80), record("draws", 1, 0.3, 20)]  # not finished
    whole = [record(arm, 1, 0.1, points) for arm in ("map", "one model") for points in (20, 40, 80)]
    page = choosing_page([], "the command", Beside(varied=whole, screened=known))
    assert page.index("| `one model` | 1 |") < page.index("--screening") < page.index("| `residuals` |")
    half = "29 ± 25"  # one of two cases with half the error
    assert f"| `residuals` | 2 | {half} | {half} | {half} | {half} | 0 | 25 % |" in page
    assert "`draws`" not in page
    # log 2 of log 4
    assert "| 80 points | 1 | 50 | 75 | 50 % |" in page


@pytest.mark.parametrize("arm", ["residuals", "evidence", "envelope, residuals", "draws", "inward"])
def test_every_variant_chooses_and_differs_from_map(arm, monkeypatch):
    monkeypatch.setattr(choosing, "POINTS", (14, 18))
    seeded = SeededBenchmark(find_benchmark("random:local-2d-3"), 3, 128)
    ((x, _), (later, _)), (_, (usual, _)) = (
        choosing.designs(seeded, name, choosing.Protocol(4)) for name in (arm, "map")
    )
    np.testing.assert_array_equal(later[:14], x)
    assert len(np.unique(later, axis=0)) == 18
    assert not np.array_equal(later, usual)


def test_points_count_by_the_share_of_their_surroundings_that_is_inside():
    u = np.linspace(0.0, 1.0, 2001)[1::2, None]
    counts = share_inside(Matern52(0.05), np.array([[0.5], [0.0], [0.02], [0.98]]), u)
    assert counts[0] == 1.0
    assert counts[1] == pytest.approx(0.5, abs=0.02)  # half of what it would tell is outside
    assert 0.5 < counts[2] < 0.9
    assert counts[2] == pytest.approx(counts[3], rel=1e-6)


def test_the_oracle_takes_one_point_at_a_time(monkeypatch):
    monkeypatch.setattr(choosing, "POINTS", (12,))
    seeded = SeededBenchmark(find_benchmark("random:local-2d-3"), 3, 64)
    ((x, y),) = choosing.designs(seeded, "oracle-map", choosing.Protocol(8))
    assert x.shape == (12, 2)
    stepper = MapOracleStepper(seeded)
    for n in (10, 11):
        np.testing.assert_array_equal(stepper.next(x[:n], y[:n]), x[n])


@pytest.mark.parametrize("peer", ["vigf", "guess", "imspe", "qb-mgp"])
def test_criteria_of_others_choose_in_batches_as_the_strategies_do(peer, monkeypatch):
    monkeypatch.setattr(choosing, "POINTS", (14,))
    seeded = SeededBenchmark(find_benchmark("random:local-2d-3"), 3, 64)
    ((x, y),) = choosing.designs(seeded, peer, choosing.Protocol(4))
    np.testing.assert_array_equal(find_arm(peer).start(seeded).next_batch(x[:10], y[:10], 4), x[10:])


def test_targets_count_more_where_values_were_missed_by_more_than_expected():
    Z = np.linspace(0.0, 1.0, 21)[:, None]
    residual = np.where(Z[:, 0] > 0.7, 3.0, 1.0)
    left = ResidualsThere(Z, np.ones(1), residual, np.full(21, 1.0), np.zeros(21), np.ones(21))
    calm, wild = left.factor(np.array([[0.2], [0.95]]))
    assert calm == pytest.approx(1.0, abs=0.05)
    assert 2.0 < wild < 9.0
    noisy = replace(left, residual=np.full(21, 2.0), noise=np.full(21, 3.0))  # as far as noise alone leads
    np.testing.assert_allclose(noisy.factor(Z), 1.0)


def test_the_change_of_the_map_counts_as_far_as_residuals_follow_it():
    change = np.where(np.arange(60) % 4 == 0, 3.7, 0.1)
    plain = ResidualsThere(np.zeros((60, 1)), np.ones(1), np.ones(60), np.ones(60), np.zeros(60), change)
    assert plain.share_of_change() < 0.1
    assert replace(plain, residual=np.sqrt(change)).share_of_change() > 0.9


def test_drawn_parameters_spread_as_the_curvature_of_the_posterior_says():
    class Bowl:
        """A loss with deviations 0.1 and 0.5."""

        y = np.zeros(5)

        def loss(self, t):
            return 0.0, np.array([100.0, 4.0]) * t

        def bounds(self):
            return [(-9.0, 9.0)] * 2

    drawn = drawn_parameters(Bowl(), np.zeros(2), 4000)
    np.testing.assert_allclose(drawn.std(axis=0), [0.1, 0.5], rtol=0.05)


def test_the_readme_tells_what_the_records_say():
    root = Path(__file__).parents[2]
    records = choosing.finished(root / "docs/results/tables/choosing.csv", choosing.ARMS)
    readme = (root / "README.md").read_text(encoding="utf-8").partition("## How good is it?")[2]
    told = iter(cells("| functions" + readme.partition("| functions")[2]))
    for group in ("random", "named"):
        here = {line[0]: line for line in cells(summary_table([r for r in records if r["group"] == group]))}
        for arm in ("map", "lookahead-gp", "equiwarp"):
            _, name, *numbers = (cell.replace("*", "").replace("−", "-") for cell in next(told))
            assert name.startswith(f"`{arm}`")
            assert [number.removesuffix(" %") for number in numbers] == here[f"`{arm}`"][2:6]
