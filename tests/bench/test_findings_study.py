"""The study of what a map notices: cases, faults, the record of what is done, and the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.pages.findings_page import findings_page
from equiwarp.bench.studies import findings as study
from equiwarp.cli import main


def test_every_fault_changes_the_case_and_names_what_it_changed() -> None:
    [case] = study.cases("random", [12])
    clean = study.measured(case)
    assert 40 <= len(clean.y) <= 100
    assert clean.noise == clean.true_noise
    for fault in study.EXPECTED:
        data = study.faulty(clean, fault, np.random.default_rng(0))
        same = len(data.y) == len(clean.y)
        changed = np.flatnonzero(data.y != clean.y).tolist() if same else []
        if "off by 10" in fault:
            assert sorted(data.changed) == changed
            assert len(changed) == (3 if fault.startswith("three") else 1)
            size = clean.true_noise if fault.endswith("noise") else clean.y.std()
            np.testing.assert_allclose(np.abs(data.y - clean.y)[changed], 10 * size)
        else:
            assert data.changed == ()
            assert changed or data.noise != clean.noise or data.x.shape != clean.x.shape


def test_cases_go_through_families_dimensions_and_named_functions() -> None:
    found = list(study.cases("random", range(len(study.FAMILIES) * len(study.DIMENSIONS))))
    assert {(c.function, c.dim) for c in found} == {(f, d) for f in study.FAMILIES for d in study.DIMENSIONS}
    assert len({c.function for c in study.cases("named", range(30))}) == 30


def test_it_goes_on_where_it_stopped_and_prints_rates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "DIMENSIONS", (1,))
    words = ["bench", "study", "outliers", "--out", str(tmp_path), "--quick", "--group", "random"]
    first = CliRunner().invoke(main, [*words, "--seeds", "1"])
    assert first.exit_code == 0, first.output
    assert "| one value off by 10 deviations of the values | contradicted | 1 of 1 (" in first.output
    before = (tmp_path / "findings.csv").read_text()
    assert CliRunner().invoke(main, [*words, "--seeds", "2"]).exit_code == 0
    after = (tmp_path / "findings.csv").read_text()
    assert after.startswith(before)
    assert len(after.splitlines()) == 1 + 2 * 2
    fifth = CliRunner().invoke(main, [*words, "--seeds", "1", "--fault", "noise stated as a fifth"])
    assert fifth.exit_code == 0, fifth.output
    assert len((tmp_path / "findings.csv").read_text().splitlines()) == 1 + 2 * 2 + 1
    refused = CliRunner().invoke(main, [*words, "--fault", "noise"])
    assert refused.exit_code == 2
    assert "'noise' is none of the faults: clean; one value off" in refused.output


def test_a_fault_counts_as_found_only_if_every_changed_row_is_named() -> None:
    record = {"fault": "three values off by 10 deviations of the values", "kinds": "contradicted + edge"}
    assert study.is_found({**record, "changed": "3 5 9", "contradicted": "3 5 7 9"})
    assert not study.is_found({**record, "changed": "3 5 9", "contradicted": "3 5"})
    assert not study.is_found({**record, "kinds": None, "changed": "3", "contradicted": None})


def test_the_page_has_a_section_for_each_group_with_seeds_and_rates() -> None:
    fault = "one value off by 10 deviations of the values"
    clean = {"seed": 7, "dim": 2, "fault": "clean", "kinds": "edge", "changed": None, "contradicted": None}
    wrong = {
        "seed": 8,
        "dim": 2,
        "fault": fault,
        "kinds": "contradicted",
        "changed": "3",
        "contradicted": "3",
    }
    fifth = {**clean, "fault": "noise stated as a fifth"}
    loud = [{**fifth, "kinds": "noise"}, {**fifth, "dim": 6}]
    text = findings_page({"random": [clean, wrong, *loud], "named": [clean]}, "equiwarp bench study outliers")
    assert "Made by `equiwarp bench study outliers`" in text
    assert "Seeds 7 to 8, 1 cases." in text
    assert f"| {fault} | contradicted | 1 of 1 (" in text
    assert "| edge | 1 of 1 (" in text
    assert "| noise | 0 of 1 (" in text
    assert "| 2 | 1 of 1 (" in text
    assert "| 4 to 10 | 0 of 1 (" in text
