"""The study of the map: one tiny case examined, tables from rows with known answers, rivals, the command."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.cell import Cell, Job, compute
from equiwarp.bench.pages import map_page as page
from equiwarp.bench.storage.csv_records import write_records
from equiwarp.bench.studies import map_quality, map_rivals
from equiwarp.bench.studies.families import AS_IT_IS, VARIANTS, errors_of, family_cases
from equiwarp.bench.studies.map_quality import MapCase, Truth, map_cases
from equiwarp.bench.studies.map_sizes import run_sizes, sizes_table
from equiwarp.bench.studies.priors import SIZES
from equiwarp.bench.studies.weights import HELD
from equiwarp.cli import main

CASE = MapCase("choosing", "random:isotropic-1d-3", 3)


@cache
def design() -> Cell:
    """A short design that takes no look-ahead to compute."""
    return compute(Job(CASE.benchmark, "fps", CASE.seed, 8))


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few stages, near each other."""
    for module in (map_quality, page):
        monkeypatch.setattr(module, "STAGES", (0, 4))
        monkeypatch.setattr(module, "STOP_STAGES", (0, 2, 4, 6))
        monkeypatch.setattr(module, "AHEAD", 4)
    monkeypatch.setattr(map_quality, "ARM", "fps")
    monkeypatch.setattr(map_rivals, "STAGE", 4)


def test_every_family_and_dimension_chooses_and_every_other_function_confirms() -> None:
    chosen, confirmed = (map_cases(group, range(2)) for group in ("choosing", "confirming"))
    assert not {c.benchmark for c in chosen} & {c.benchmark for c in confirmed}
    assert {"smooth-box-2d", "random:additive-6d-1"} <= {c.benchmark for c in chosen}
    assert {"hartmann-6d", "cap-s2"} <= {c.benchmark for c in confirmed}
    assert len({(c.benchmark, c.seed) for c in chosen + confirmed}) == len(chosen + confirmed)


def test_a_case_says_what_is_true_beside_what_the_map_says(short: None) -> None:
    rows = map_quality.examine_case(CASE, design())
    assert [row["rounds"] for row in rows] == [0, 2, 4, 6, 8]
    assert [row["n"] for row in rows] == [design().n0 + r for r in (0, 2, 4, 6, 8)]
    assert [("forecast" in row) for row in rows] == [True, False, True, False, False]
    cell, last = design(), rows[-1]
    x, truth = map_quality.held_out_part(cell.seeded.benchmark)
    known = map_quality.build_map(cell.seeded.benchmark.domain, cell.x, cell.y, cell.seeded.noise, seed=3)
    missed = known.models[0].predict(x) - truth
    assert last["true"] == pytest.approx(np.sqrt(np.mean(missed**2)) / cell.seeded.deviation)
    assert last["estimate"] == pytest.approx(known.error()[0].value / cell.seeded.deviation)
    for row in rows:
        assert row["low"] < row["estimate"] < row["high"]
    assert 0 <= rows[0]["inside_50"] <= rows[0]["inside_80"] <= rows[0]["inside_95"] <= 1
    assert rows[0]["true_noise"] == pytest.approx(0.05)


def test_an_error_is_counted_in_deviations_of_the_function() -> None:
    truth = Truth(np.zeros((4, 1)), np.array([0.0, 1.0, 2.0, 3.0]), 2.0)
    assert truth.rms(np.array([4.0, 5.0, 6.0, 7.0])) == pytest.approx(2.0)


def made_up(rounds: int, estimate: float, true: float, seed: int = 0, **more: Any) -> dict[str, Any]:
    row = {"benchmark": "levy-2d", "seed": seed, "rounds": rounds, "true": true, "estimate": estimate}
    row |= {"low": 0.5 * estimate, "high": 2 * estimate, "matern": 2 * true, "forecast": estimate / 2}
    row |= {"inside_50": 0.4, "inside_80": 0.7, "inside_95": 0.9, "noise": 0.05, "true_noise": 0.1}
    return row | {"unknown_true": true, "unknown_estimate": 3 * true} | more


#: One function whose average of families held half as firmly is twice as wrong, at every size.
WEIGHTS = "benchmark,dim,n,held,error,expected\n" + "".join(
    f"random:smooth-2d-0,2,{n},{held},{error},0.1\n"
    for n in SIZES
    for held in HELD
    for error in [0.2 if held == 0.5 else 0.1]
)
#: Of two functions: without the first family the error is larger by a tenth, or by a fifth.
FAMILY_ERRORS = "benchmark,kind,dim,n,variant,error\n" + "".join(
    f"random:{kind}-2d-0,{kind},2,{n},{variant},{more if variant == 'without `matern`' else 0.1}\n"
    for kind, more in (("smooth", 0.11), ("oblique", 0.12))
    for n in SIZES
    for variant in VARIANTS
)
#: One function under two priors, at every size.
PRIORS = "".join(
    f"random:smooth-2d-0,2,{name},{n},{error}\n"
    for name, error in (("as it is", 0.1), ("loose", 0.2))
    for n in SIZES
)


def cells(table: str) -> list[list[str]]:
    """The body of a Markdown table."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_the_stop_table_counts_from_when_the_map_was_good_enough() -> None:
    """Case 0 is good enough at 8 and stopped at 20; case 1 stops at 4, much too early; case 2 never stops."""
    late = [made_up(r, 0.5 if r < 20 else 0.39, 0.5 if r < 8 else 0.3) for r in range(0, 104, 4)]
    early = [made_up(r, 0.5 if r < 4 else 0.1, 0.9 if r < 10 else 0.35, 1) for r in range(0, 104, 4)]
    never = [made_up(r, 0.5, 0.3, 2) for r in range(0, 104, 4)]
    first = cells(page.stop_table([*late, *early, *never]))[0]
    # Late by 20 - 8 = 12 and by 4 - 12 = -8: the median is 2.
    assert first == ["0.4", "2", "2 (-6 to 10)", "1 of 2", "1"]


def test_a_stop_that_comes_before_the_error_is_ever_small_enough_is_early() -> None:
    rows = [made_up(r, 0.3, 0.41) for r in range(0, 104, 4)]
    assert cells(page.stop_table(rows))[0] == ["0.4", "1", "-20 (-20 to -20)", "0 of 1", "0"]


def test_calibration_noise_and_accuracy_are_what_the_rows_say() -> None:
    """Estimates are twice and half the truth: 1 in the geometric mean, log 2 in the rms."""
    rows = [made_up(r, 2 * t, t, 0) for r, t in zip(page.STAGES, (0.8, 0.4, 0.2, 0.1), strict=True)]
    rows += [made_up(r, t / 2, t, 1) for r, t in zip(page.STAGES, (0.8, 0.4, 0.2, 0.1), strict=True)]
    assert cells(page.calibration_table(rows))[0] == [
        "start + 0", "2", "1.00", "0.69", "50 %", "40 / 70 / 90", "100 %",
    ]  # fmt: skip
    assert cells(page.accuracy_summary(rows))[0] == ["start + 0", "0.50", "100 % / 0 %"]
    assert cells(page.accuracy_table(rows)) == [["Levy (2D)", "40 (0.50)", "20 (0.50)", "10 (0.50)"]]
    assert cells(page.noise_table(rows))[0] == ["start + 0", "0.50", "0 %", "1.00", "3.00"]


def test_the_falls_that_were_forecast_are_held_against_those_that_came(short: None) -> None:
    """Truth halves for one and falls to an eighth for the other, and so it was told."""
    rows = [
        made_up(rounds, true, true, seed, forecast=true * fall)
        for seed, fall in ((0, 0.5), (1, 0.125), (2, 0.25))
        for rounds, true in ((0, 1.0), (4, fall), (8, fall**2))
    ]
    assert cells(page.forecast_table(rows)) == [
        ["start + 0", "1.00", "0.00", "1.00"], ["start + 4", "1.00", "0.00", "1.00"], ["all", "", "", "1.00"],
    ]  # fmt: skip


def test_rivals_are_compared_where_they_succeed() -> None:
    name = "SciPy, thin-plate spline"
    rows = [{"map": 0.1, name: 0.2}, {"map": 0.1, name: 0.2}, {"map": 0.1, name: None}, {"map": 0.3}]
    assert cells(page.rivals_table(rows)) == [[name, "2.00", "0 % / 100 %", "2", "1"]]


@pytest.mark.filterwarnings("ignore:lbfgs failed to converge")
@pytest.mark.parametrize("rival", [map_rivals.thin_plate, map_rivals.scikit_learn])
def test_a_rival_predicts_a_plain_function(rival: map_rivals.Rival) -> None:
    if rival is map_rivals.scikit_learn:
        pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    X, places = rng.random((40, 2)), 0.1 + 0.8 * rng.random((50, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.01 * rng.standard_normal(40)
    missed = rival(X, y, 0.01, places) - np.sin(3 * places[:, 0]) - places[:, 1]
    assert np.sqrt(np.mean(missed**2)) < 0.03


def test_rivals_run_once_and_one_that_fails_has_no_value(
    short: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(X: Any, y: Any, noise: float, places: Any) -> Any:
        raise RuntimeError("singular")

    monkeypatch.setattr(map_rivals, "design_of", lambda case, designs: design())
    thin = {"SciPy, thin-plate spline": ("scipy", map_rivals.thin_plate)}
    monkeypatch.setattr(map_rivals, "RIVALS", thin)
    path = tmp_path / map_rivals.RECORDS
    assert map_rivals.known_rivals(path, [CASE]) == []
    [row] = map_rivals.run_rivals(path, [CASE], None)
    assert 0 < row["map"] < 1
    assert 0 < row["SciPy, thin-plate spline"] < 1
    monkeypatch.setattr(map_rivals, "RIVALS", {**thin, "mine": ("scipy", fails), "away": ("no_such", fails)})
    [again] = map_rivals.run_rivals(path, [CASE], None)
    assert again == {**row, "mine": None}
    monkeypatch.setattr(map_rivals, "design_of", fails)
    assert map_rivals.run_rivals(path, [CASE], None) == [again] == map_rivals.known_rivals(path, [CASE])


def test_the_command_goes_on_from_what_is_there_and_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every case is there: nothing is computed, and the page says which command made it."""
    stages = sorted({*page.STAGES, *page.STOP_STAGES, *(s + page.AHEAD for s in page.STAGES)})
    records = []
    for case in map_cases("confirming", [0]):
        share = 1.0 + len(case.benchmark) / 10
        records += [
            made_up(r, 2 / (r + 4), share / (r + 4), forecast=share / (r + 9)) | {"benchmark": case.benchmark}
            for r in stages
        ]
    write_records(tmp_path / map_quality.RECORDS, records)
    words = ["bench", "study", "map", "--out", str(tmp_path), "--seeds", "1", "--no-rivals"]
    done = CliRunner().invoke(main, [*words, "--page", str(tmp_path / "docs" / "map.md")])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "docs" / "map.md").read_text()
    assert "`equiwarp bench study map --seeds 1`" in text
    assert "| start + 60 |" in text
    assert "Priors of the models" not in text
    (tmp_path / "priors.csv").write_text("benchmark,dim,variant,n,error\n" + PRIORS)
    assert "| loose | 2.00 ± 0.00 |" in CliRunner().invoke(main, words).output
    (tmp_path / "priors.csv").unlink()
    (tmp_path / "weights.csv").write_text(WEIGHTS)
    assert "| 0.5 | " + "2.000 ± 0.000 | " * len(SIZES) + "2.00 | " in CliRunner().invoke(main, words).output
    (tmp_path / "weights.csv").unlink()
    (tmp_path / "families.csv").write_text(FAMILY_ERRORS)
    cells = " | ".join(["10.0 ± 0.0"] * len(SIZES))
    assert (
        f"| without `matern` | {cells} | 20.0 ± 0.0 | – | 10 to 10 |"
        in CliRunner().invoke(main, words).output
    )
    (tmp_path / "families.csv").unlink()
    assert CliRunner().invoke(main, words).output.endswith(text + "\n")
    part = [row | {"seed": 7} for row in records if row["benchmark"] == records[0]["benchmark"]]
    write_records(tmp_path / map_quality.RECORDS, [*records, *part])  # a seed that was begun
    known = CliRunner().invoke(main, [*words[:5], "--known", "--no-rivals"])
    assert known.output.endswith(text.replace("--seeds 1`", "--known`") + "\n")


def test_a_case_is_examined_once_and_read_as_it_was(
    short: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is computed is appended whole; a second call computes nothing and reads the same."""
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", ThreadPoolExecutor)
    monkeypatch.setattr(map_quality, "design_of", lambda case, designs: design())
    rows = map_quality.run_map_cases([CASE], tmp_path, None)
    computed = map_quality.examine_case(CASE, design())
    for row, known in zip(rows, computed, strict=True):
        assert set(known) <= set(row) == set(map_quality.COLUMNS)
        for key, value in known.items():
            assert row[key] == (pytest.approx(value, rel=1e-5) if isinstance(value, float) else value)
        assert all(row[key] is None for key in set(row) - set(known))
    monkeypatch.setattr(map_quality, "run_case", None)
    assert map_quality.run_map_cases([CASE], tmp_path, None) == rows


def test_a_size_is_measured_once_and_compared_with_the_exact_posterior(tmp_path: Path) -> None:
    """A small one is exact itself: both errors are the same."""
    path = tmp_path / "sizes.csv"
    [record] = run_sizes(path, (40,))
    assert record["exact_error"] == pytest.approx(record["error"], rel=1e-6)
    assert 0.05 < record["error"] < 1.2
    assert record["mebibytes"] > 30
    assert run_sizes(path, (40,)) == [record]
    large = {"n": 100_000, "seconds": 20.5, "mebibytes": 1024.0, "error": 0.01, "estimate": 0.02}
    rows = cells(sizes_table([large | {"exact_error": None}]))
    assert rows == [["100,000", "20.5 s", "1.0 GB", "1.00 %", "2.00 %", ""]]


def test_what_a_family_is_worth_is_the_error_of_the_average_without_it(monkeypatch) -> None:
    """Against averages that are fitted from scratch; the plain one is the map's own."""
    from equiwarp.bench.functions.catalogue import find_benchmark
    from equiwarp.bench.seeded import SeededBenchmark, held_out_part
    from equiwarp.bench.studies.priors import farthest_points
    from equiwarp.models import DEFAULT_MODELS, find_model
    from equiwarp.models.average import fit_average

    monkeypatch.setattr("equiwarp.bench.studies.families.SIZES", (16,))
    case = next(c for c in family_cases([1]) if c.benchmark == "random:oblique-2d-1")
    found = {e.variant: e.error for e in errors_of(case)}
    assert list(found) == list(VARIANTS)
    benchmark = find_benchmark(case.benchmark)
    seeded, domain = SeededBenchmark(benchmark, 1), benchmark.domain
    x = farthest_points(seeded)[:16]
    places, truth = held_out_part(benchmark)
    for left_out in (None, "warped"):
        used = [name for name in DEFAULT_MODELS if name not in (left_out, "pairs")]  # two are one pair
        families = {name: find_model(name) for name in used}
        noise = np.full(16, seeded.noise)
        fitted = fit_average(families, domain, domain.embed(x), seeded.measure(x), noise, {})
        missed = float(np.sqrt(np.mean((fitted.predict(places) - truth) ** 2))) / seeded.deviation
        assert found[AS_IT_IS if left_out is None else f"without `{left_out}`"] == pytest.approx(missed)
    assert found["without `pairs`"] == found[AS_IT_IS]
