"""The speed of fits: what is timed, that it resumes, and how it is summed up."""

from __future__ import annotations

from equiwarp.bench.studies import fit_speed
from tests.bench.test_map_study import cells


def test_sizes_that_are_there_are_not_measured_again(tmp_path, monkeypatch):
    monkeypatch.setattr(fit_speed, "SIZES", {(1, 6): 1})
    [first] = fit_speed.run_fit_speed(tmp_path / "fits.csv")
    assert min(first["matern"], first["scikit_learn"], first["whole_map"]) > 0
    assert fit_speed.run_fit_speed(tmp_path / "fits.csv") == [first]


def test_ratios_are_geometric_means_over_seeds():
    records = [
        {"dim": 2, "n": 40, "seed": seed, "matern": 0.01, "scikit_learn": theirs, "whole_map": 0.1}
        for seed, theirs in enumerate((0.04, 0.16))
    ]
    assert cells(fit_speed.fit_speed_table(records)) == [["2", "40", "0.01 s", "0.08 s", "8.0", "0.1 s"]]
