"""The studies of the map's constants: what is kept, how it is judged, and that varied families differ."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.seeded import SeededBenchmark, held_out_part
from equiwarp.bench.storage.csv_records import read_records
from equiwarp.bench.studies import calibration, priors, weights
from equiwarp.bench.studies.calibration import Ingredients, collect, constants_table, log_ratio
from equiwarp.bench.studies.map_quality import MapCase
from equiwarp.cli import main
from equiwarp.domains import Box
from equiwarp.maps.error import CorrectionPrior
from equiwarp.maps.map import build_map
from equiwarp.models import find_model
from equiwarp.models.average import EQUAL_VALUES
from tests.bench.test_map_study import cells

MISSED = stats.t(5).ppf(0.5 + np.linspace(0, 0.4999, 101)) * math.sqrt(3 / 5)  # as the bands expect it
CASE = MapCase("choosing", "random:isotropic-1d-5", 5)  # a seed whose design takes no models


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "STAGES", (0, 4))
    monkeypatch.setattr(calibration, "AHEAD", 2)


def test_what_is_kept_gives_the_error_of_the_map_without_fitting_again(short: None, tmp_path: Path) -> None:
    start, later = collect([CASE], tmp_path)
    assert (start.rounds, later.rounds, later.dim) == (0, 4, 1)
    cell = calibration.compute(calibration.Job(CASE.benchmark, later.design, CASE.seed, 4))
    known = build_map(cell.seeded.benchmark.domain, cell.x, cell.y, cell.seeded.noise, seed=CASE.seed)
    estimate = math.exp(log_ratio(later)) * later.true * cell.seeded.deviation
    assert estimate == pytest.approx(known.error()[0].value, rel=1e-3)
    assert collect([replace(CASE, seed=6)], tmp_path)[0].seed == 6  # of these cases only
    assert [one.seed for one in calibration.known_ingredients(tmp_path)] == [5, 5, 6, 6]


def test_a_case_that_is_there_is_read(short: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = collect([CASE], tmp_path)
    monkeypatch.setattr(calibration, "examine", lambda case: pytest.fail("examined again"))
    for one, again in zip(first, collect([CASE], tmp_path), strict=True):
        np.testing.assert_array_equal(one.residual, again.residual)
        assert one.true == again.true


def made_up(own: float, true: float, rounds: int = 0) -> Ingredients:
    """Two values, too few to correct by: the estimate is own times what the prior expects."""
    return Ingredients(
        "f", 0, "fps", rounds, 1, np.ones(2), np.ones(2), np.full(2, 0.5), 0.1, own, true, 0.0, true, MISSED
    )


def test_the_table_has_mean_spread_and_how_often_the_estimate_is_far_too_low(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calibration, "STAGES", (0,))
    sure = CorrectionPrior(expected=0.0, spread=0.01)
    found = [made_up(2.0, 1.0), made_up(0.5, 1.0)]
    assert cells(constants_table(found, {"sure": sure}))[1] == ["sure", "1.00, 0.69, 50 %"]


def test_the_rate_that_the_forecasts_need_has_the_smallest_rms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "STAGES", (0,))
    own = math.exp(-log_ratio(made_up(1.0, 1.0)))  # so that the estimate is right
    fell = made_up(own, 1.0)
    sooner = [replace(fell, fall=fall, later=math.exp(-fall) * 11**-0.4) for fall in (0.5, 1.0)]
    table = {line[0]: line[1] for line in cells(calibration.rates_table(sooner))}
    assert table["0.4, as it is"] == "1.00, 0.00"
    assert table["0"] == f"{11**0.4:.2f}, {0.4 * math.log(11):.2f}"


def test_bands_of_the_right_freedom_hold_what_they_should(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "STAGES", (0,))
    factor = math.exp(log_ratio(made_up(1.0, 1.0)))
    found = [replace(made_up(1.0, 1.0), missed=MISSED * factor)]
    table = {line[0]: line[1] for line in cells(calibration.bands_table(found))}
    assert table["5, as it is"] == "50 / 80 / 95"
    assert table["1000"] == "58 / 84 / 95"


def test_a_varied_family_has_other_numbers_where_it_has_them() -> None:
    Z = np.random.default_rng(0).random((5, 2))
    own = find_model("matern").covariance_on(Box.unit(2), Z)  # type: ignore[attr-defined]
    loose = priors.varied(find_model("matern"), {"spread": 100.0, "coefficient_spread": 9.0})  # type: ignore[arg-type]
    found = loose.covariance_on(Box.unit(2), Z)
    (term,) = found.terms
    assert term.spread == 100.0  # type: ignore[attr-defined]
    assert found.level == own.level > 0.0
    assert priors.varied(loose, {"level": 0.0}).covariance_on(Box.unit(2), Z).level == 0.0
    apart = np.array([0.0, 2.0, -2.0])
    assert term.penalty(apart)[0] < own.penalty(apart)[0] - 2


def test_priors_are_compared_on_the_same_points_and_the_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(priors, "SIZES", (10, 12))
    monkeypatch.setattr(priors, "DEFAULT_MODELS", ("matern",))
    monkeypatch.setattr(
        priors,
        "choosing_cases",
        lambda group, seeds: [priors.ChoosingCase(group, "random:isotropic-2d-0", 0)],
    )
    words = ["bench", "study", "priors", "--out", str(tmp_path), "--prior", "as it is"]
    assert CliRunner().invoke(main, words).exit_code == 0
    done = CliRunner().invoke(main, [*words, "--prior", "lengthscales free"])
    assert done.exit_code == 0, done.output
    lines = (tmp_path / "priors.csv").read_text().splitlines()
    assert [line.split(",")[2] for line in lines[1:]] == ["as it is"] * 2 + ["lengthscales free"] * 2
    assert "| as it is | 1.00 ± 0.00 | 1.00 ± 0.00 | 0 / 0 % |" in done.output
    refused = CliRunner().invoke(main, [*words, "--prior", "none such"])
    assert refused.exit_code == 2
    assert "'none such' is none of: as it is" in refused.output


def test_weights_are_compared_on_the_same_fits_and_the_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "SIZES", (12, 30))
    monkeypatch.setattr(weights, "DEFAULT_MODELS", ("matern", "smooth"))
    monkeypatch.setattr(
        weights,
        "choosing_cases",
        lambda group, seeds: [weights.ChoosingCase(group, "random:isotropic-2d-0", 0)],
    )
    words = ["bench", "study", "weights", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "| 1, as it is | 1.000 ± 0.000 | 1.000 ± 0.000 | 1.00 |" in done.output
    rows = read_records(tmp_path / weights.RECORDS)
    assert [(r["n"], r["held"]) for r in rows] == [(n, held) for n in (12, 30) for held in weights.HELD]
    seeded = SeededBenchmark(find_benchmark("random:isotropic-2d-0"), 0)
    x, domain = priors.farthest_points(seeded)[:30], seeded.benchmark.domain
    known = build_map(domain, x, seeded.measure(x), seeded.noise, models=("matern", "smooth"))
    Z, truth = held_out_part(seeded.benchmark)
    missed, deviation = known.models[0].predict(Z, return_std=True)
    own = {r["held"]: r for r in rows if r["n"] == 30}[EQUAL_VALUES]
    assert own["error"] == pytest.approx(np.sqrt(np.mean((missed - truth) ** 2)) / seeded.deviation, rel=1e-4)
    assert own["expected"] == pytest.approx(np.sqrt(np.mean(deviation**2)) / seeded.deviation, rel=1e-4)
    before = (tmp_path / weights.RECORDS).read_text()
    monkeypatch.setattr(weights, "errors_held", None)  # nothing is computed twice
    assert CliRunner().invoke(main, words).exit_code == 0
    assert (tmp_path / weights.RECORDS).read_text() == before


def test_the_constants_have_a_command(short: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "map_cases", lambda group, seeds: [CASE])
    done = CliRunner().invoke(main, ["bench", "study", "error", "--out", str(tmp_path), "--seeds", "1"])
    assert done.exit_code == 0, done.output
    assert "| as it is |" in done.output
    assert "| expected 0.2 to -0.2, spread 0.25, freedom 10 |" in done.output
    assert "| 0.4, as it is |" in done.output
    assert len(read_records(tmp_path / "calibration.csv")) == 2
