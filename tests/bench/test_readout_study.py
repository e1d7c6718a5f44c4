"""Scores by the lengthscale of the GP readout: the factor-1 case is the readout gp-spacing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.area import area_reduction
from equiwarp.bench.cell import Cell, Job, compute
from equiwarp.bench.pages.other_readouts import LENGTHSCALE_TABLE
from equiwarp.bench.readouts.scoring import score_design
from equiwarp.bench.storage.csv_records import read_records
from equiwarp.bench.storage.packed import pack_designs
from equiwarp.bench.studies import readout_lengthscale
from equiwarp.bench.studies.readout_lengthscale import ARMS, lengthscale_records, rescored
from equiwarp.cli.bench_study_readout import readout_command


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    return [compute(Job("zhou-2d", arm, 0, 6)) for arm in ARMS]


def test_one_spacing_is_the_readout_of_that_name(cells: list[Cell], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readout_lengthscale, "HORIZONS", (6,))
    found = rescored(cells, 1.0)
    fps, eig, ours = (score_design(cell, "gp-spacing") for cell in cells)
    np.testing.assert_array_equal(found.errors["zhou-2d", "eig"][0], eig)
    [record] = lengthscale_records(found, 1.0)
    assert record["equiwarp_mean"] == pytest.approx(area_reduction(ours, fps, 6))
    assert record["better"] == (ours[1:].sum() < eig[1:].sum())
    assert lengthscale_records(rescored(cells, 4.0), 4.0) != [record]


def test_the_command_reads_packed_designs(
    cells: list[Cell], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readout_lengthscale, "HORIZONS", (6,))
    monkeypatch.setattr(readout_lengthscale, "FACTORS", (1.0, 2.0))
    pack_designs(cells, tmp_path / "designs")
    options = ["--designs", str(tmp_path / "designs"), "--seeds", "1", "--out", str(tmp_path)]
    done = CliRunner().invoke(readout_command, options, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert [r["factor"] for r in read_records(tmp_path / LENGTHSCALE_TABLE)] == [1.0, 2.0]
