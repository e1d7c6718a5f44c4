"""The study of choosing: what it measures, that it resumes, and how its page sums up."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.functions.random_families import FAMILIES
from equiwarp.bench.pages.choosing_page import choosing_page, log_ratios
from equiwarp.bench.pages.choosing_suites import less_error
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.bench.storage.csv_records import read_records, write_records
from equiwarp.bench.studies import choosing
from equiwarp.cli.bench import bench


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
    assert "| `map` | 2 |  |  | 29 ± 25 | 0 | 25 % |" in page
    assert "the command" in page


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(choosing, "POINTS", (12, 14))


def test_a_case_is_judged_once_by_the_error_of_the_averaged_map(tmp_path, short):
    cases = choosing.choosing_cases("random", [3], [2])[:1]
    records = choosing.run_choosing(tmp_path / "c.csv", cases, ("fps", "map"), 2)
    assert [(r["arm"], r["points"]) for r in records] == [("fps", 12), ("fps", 14), ("map", 12), ("map", 14)]
    left: list[object] = []
    again = choosing.run_choosing(
        tmp_path / "c.csv", cases, ("fps", "map"), 2, lambda todo: left.extend(todo) or []
    )
    assert again == records
    assert left == []
    seeded = SeededBenchmark(find_benchmark(cases[0].benchmark), 3)
    (_, _), (x, y) = choosing.designs(seeded, choosing.find_variant("map"), 2)
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
    assert "| `map` | 7 | 0 ± 0 | 0 ± 0 | 0 ± 0 | 0 | 25 % |" in page.read_text(encoding="utf-8")
    assert len(read_records(tmp_path / "choosing.csv")) == len(known)


def test_only_cases_that_every_arm_has_finished_are_summed_up(tmp_path):
    path = tmp_path / "choosing.csv"
    known = [record(arm, seed, 0.3, 80) for seed in (1, 2) for arm in ("map", "fps")]
    write_records(path, [*known[:3], record("fps", 2, 0.3, 40), record("sobol", 1, 0.1)])
    assert [(r["arm"], r["seed"]) for r in choosing.finished(path, ("fps", "map"))] == [
        ("fps", 1),
        ("map", 1),
    ]
