"""The study of large batches: one batch from one start for all arms, resumable, and how it is summed up."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.pages.choosing_page import Beside, choosing_page
from equiwarp.bench.storage.csv_records import read_records
from equiwarp.bench.studies import batches, choosing
from equiwarp.cli import main

CASE = "random:smooth-2d-40"


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(batches, "ARMS", ("fps", "map, none spread", "map"))
    monkeypatch.setattr(
        batches,
        "batch_cases",
        lambda seeds: [(CASE, 40, arm, size) for size in (14, 16) for arm in batches.ARMS],
    )


def test_all_arms_choose_one_batch_for_the_same_start_and_nothing_is_judged_twice(
    short, tmp_path, monkeypatch
):
    judged = []

    def error(seeded, x, y):
        judged.append(x)
        return np.ptp(y)

    monkeypatch.setattr(batches, "map_error", error)
    command = ["bench", "study", "batches", "--out", str(tmp_path), "--seeds", "1"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert [len(x) for x in judged] == [26] * 3 + [28] * 3
    for x in judged[1:]:
        np.testing.assert_array_equal(x[:12], judged[0][:12])
    fps, models, half = judged[:3]
    np.testing.assert_array_equal(half[12:19], fps[12:19])  # half of the batch is spread evenly
    assert not np.array_equal(half[19:], fps[19:])
    assert not np.array_equal(models[12:19], fps[12:19])
    monkeypatch.setattr(batches, "judge", None)
    assert CliRunner().invoke(main, command).output.endswith(done.output[done.output.index("| strategy") :])
    assert len(read_records(tmp_path / batches.RECORDS)) == 6


def test_half_the_error_is_fifty_per_cent_less_and_only_whole_cases_count():
    def record(arm, size, error, benchmark="a"):
        return {"benchmark": benchmark, "seed": 0, "arm": arm, "batch": size, "error": error}

    records = [
        record(arm, size, 0.2 if arm == "fps" else 0.1) for size in batches.SIZES for arm in batches.ARMS
    ]
    records += [record("fps", 24, 0.1, "b"), record("map", 24, 0.4, "b")]  # the other arms are missing
    line = "| `map` | 3 | 50 | 50 | 50 | 50 ± 0 | 50 |"
    assert line in batches.batches_table(records)
    page = choosing_page([], "the command", Beside(batches=records))
    assert "## A batch larger than what is known" in page
    assert line in page


def test_the_cases_are_functions_of_every_family_that_nothing_else_uses():
    cases = batches.batch_cases([40])
    assert len(cases) == 3 * 7 * 3 * len(batches.ARMS)
    others = {case.benchmark for case in choosing.choosing_cases("random", range(30))}
    assert not others & {name for name, *_ in cases}
