"""The results page: ours beside the paper's, from whatever cells exist, and nothing invented."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from equiwarp.bench.cell import Cell, Job
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages import paper_comparison
from equiwarp.bench.pages.area_table import rows_at
from equiwarp.bench.pages.lookahead_contest import Contest, contest_records, verdicts, worse_than_fps
from equiwarp.bench.pages.lookahead_tables import arms_table, every_arm_table, means_table, method_table
from equiwarp.bench.pages.markdown import number_text, seed_ranges
from equiwarp.bench.pages.paper_tables import published
from equiwarp.bench.pages.pictures import copy_scored
from equiwarp.bench.pages.results_page import build_results_page, front_page, with_known_rows
from equiwarp.bench.pages.sources import Sources
from equiwarp.bench.readouts.scoring import keep_trajectory, stored_trajectory
from equiwarp.bench.results import load_cells
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.bench.storage.csv_records import read_records, write_records
from equiwarp.bench.storage.packed import packed_files, read_packed, unpack_designs
from equiwarp.bench.trajectories import Trajectories
from equiwarp.cli import main

ROUNDS = 50
#: The pages of the repository.
PAGES = Path(__file__).parents[2] / "docs" / "results"


def store(
    results: Path, arm: str, levels: Sequence[float], name: str = "levy-2d", rounds: int = ROUNDS
) -> None:
    """A cell per seed whose error is constant: seed i at ``levels[i]``, so that areas are known."""
    for seed, level in enumerate(levels):
        seeded = SeededBenchmark(find_benchmark(name), seed)
        x = np.vstack([seeded.start, seeded.pool[:rounds]])
        errors = np.full(rounds + 1, float(level))
        job = Job(name, arm, seed, rounds)
        cell = Cell(name, arm, 1.0, seed, rounds, x, seeded.replay(x), errors, 7.0, {"commit": "c" * 40})
        cell.save(results / job.place)


def trajectories(results: Path, readout: str = "1nn") -> Trajectories:
    return Trajectories.stored(load_cells(results), readout)


def line_of(results: Path, arm: str, rounds: int = ROUNDS) -> paper_comparison.PaperLine:
    lines = paper_comparison.compare_with_paper(trajectories(results))
    return next(line for line in lines if (line.benchmark, line.arm, line.rounds) == ("levy-2d", arm, rounds))


def test_a_row_is_compared_in_pooled_standard_errors(tmp_path: Path) -> None:
    store(tmp_path, "fps", [1.0, 2.0])
    store(tmp_path, "equiwarp", [0.9, 1.84])  # 10 and 8 percent
    line = line_of(tmp_path, "equiwarp")
    paper = published()["levy-2d", "equiwarp", ROUNDS]
    assert (line.ours.mean, line.ours.sem) == pytest.approx((9.0, 1.0))
    assert line.pooled == pytest.approx(math.sqrt(1.0 + paper.sem**2))
    record = line.record()
    assert record["difference_in_pooled_sem"] == pytest.approx((9.0 - paper.mean) / line.pooled)
    assert (record["verdict"], record["seed_list"]) == (paper_comparison.BELOW, "0 1")


def test_above_within_one_seed_and_not_run_are_told_apart(tmp_path: Path) -> None:
    store(tmp_path, "fps", [1.0, 1.0, 1.0])
    store(tmp_path, "equiwarp", [0.3, 0.31])
    store(tmp_path, "equalized", [0.5])
    store(tmp_path, "kumaraswamy", [0.80, 0.82])
    assert line_of(tmp_path, "equiwarp").verdict == paper_comparison.ABOVE
    assert line_of(tmp_path, "equalized").verdict == paper_comparison.ONE_SEED
    assert line_of(tmp_path, "kumaraswamy").verdict == paper_comparison.WITHIN
    assert line_of(tmp_path, "equiwarp", 100).verdict == paper_comparison.NOT_RUN
    assert line_of(tmp_path, "equiwarp", 100).record()["ours_mean"] is None


def test_every_row_of_the_paper_is_listed_whether_or_not_it_was_run(tmp_path: Path) -> None:
    store(tmp_path / "in", "fps", [1.0, 1.0])
    store(tmp_path / "in", "equiwarp", [0.99, 0.98])
    build_results_page(tmp_path / "in", tmp_path / "out", figures=False, progress=False)
    tables = tmp_path / "out" / "tables"
    rows = read_records(tables / "paper-comparison.csv")
    assert {(row["benchmark"], row["arm"], row["rounds"]) for row in rows} == set(published())
    assert [row["verdict"] for row in rows if row["seeds"]] == [paper_comparison.BELOW]
    assert {row["ours_mean"] is None for row in rows if not row["seeds"]} == {True}
    assert {path.suffix for path in tables.iterdir()} == {".csv"}
    page = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "1 row more than 3 pooled SEM below" in page
    assert page.count("▼**") == 2, "the legend's, and the one row's"
    assert "| Levy (2D) | 0–1 / – / – | 1.5 ± 0.5 | 25.5 ± 1.5 |" in page
    assert "No cell of a look-ahead arm" in (tmp_path / "out" / "lookahead.md").read_text(encoding="utf-8")


def test_notes_are_included_and_designs_can_be_unpacked(tmp_path: Path) -> None:
    store(tmp_path / "in", "fps", [1.0])
    store(tmp_path / "in", "lookahead-nn", [0.5])
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.md").write_text("Written by hand: 1.\n", encoding="utf-8")
    (out / "notes-lookahead.md").write_text("Written by hand: 2.\n", encoding="utf-8")
    build_results_page(tmp_path / "in", out, figures=False, progress=False)
    pages = [(out / name).read_text(encoding="utf-8") for name in ("README.md", "lookahead.md")]
    for number_of_page, page in enumerate(pages, 1):
        assert f"Written by hand: {number_of_page}." in page
        assert str(tmp_path) not in page
    assert unpack_designs(out / "designs", tmp_path / "again") == (2, 0)


def test_without_scores_the_look_ahead_under_1nn_is_made_anew_and_the_rest_stays(tmp_path: Path) -> None:
    root, out = tmp_path / "in", tmp_path / "out"
    store(root, "fps", [1.0], rounds=100)
    store(root, "lookahead-nn", [0.5], rounds=100)
    store(root, "kumaraswamy-rate-0.02", [0.7], rounds=100)  # of a side study: no rival
    build_results_page(root, out, figures=False, progress=False)
    page, table = out / "lookahead.md", out / "tables" / "lookahead.csv"
    later = "\n## `lookahead-gp` under the GP readout\n\nScored once.\n"
    page.write_text(page.read_text(encoding="utf-8") + later, encoding="utf-8")
    kept = {**read_records(table)[0], "lookahead": "lookahead-gp", "readout": "gp"}
    write_records(table, [*read_records(table), kept])
    store(root, "lookahead-nn", [0.5, 0.6], rounds=100)
    store(root, "fps", [1.0, 1.0], rounds=100)
    build_results_page(root, out, figures=False, lookahead=False, progress=False)
    text, rows = page.read_text(encoding="utf-8"), read_records(table)
    assert "45.0 ± 5.0" in text
    assert "kumaraswamy-rate" not in text
    assert text.endswith(later)
    assert rows[-1] == kept
    assert {row["seeds"] for row in rows[:-1]} == {2}


def test_rows_of_another_readout_stay_until_they_are_scored_anew(tmp_path: Path) -> None:
    path, old = (
        tmp_path / "ar-gp.csv",
        [known_row("levy-2d", "eig", 1.0), known_row("cap-s2", "equiwarp", 2.0)],
    )
    assert with_known_rows(path, old) == old
    write_records(path, old)
    assert with_known_rows(path, []) == []  # nothing is written, so all of it stays
    fresh = [known_row("cap-s2", "equiwarp", 5.0), known_row("cap-s3", "equiwarp", 6.0)]
    assert with_known_rows(path, fresh) == [old[0], *fresh]


def known_row(benchmark: str, arm: str, mean: float) -> dict[str, Any]:
    return {"benchmark": benchmark, "arm": arm, "rounds": 100, "ar_mean": mean}


def test_designs_without_a_score_are_left_out_and_not_scored(tmp_path: Path) -> None:
    store(tmp_path, "fps", [1.0, 1.0])
    store(tmp_path, "lookahead-gp", [0.5, 0.5])
    for cell in load_cells(tmp_path):
        if cell.seed == 0:
            keep_trajectory(cell, "gp", cell.error_1nn * (2.0 if cell.arm == "fps" else 1.0))
    found = trajectories(tmp_path, "gp")
    assert found.reductions("levy-2d", "lookahead-gp", ROUNDS) == {0: pytest.approx(75.0)}
    assert trajectories(tmp_path, "gp-map").errors == {}
    assert not (tmp_path / "scores" / "gp-map").exists()


def test_the_figure_of_readouts_gets_only_what_is_scored(tmp_path: Path) -> None:
    store(tmp_path / "in", "fps", [1.0, 1.0])
    for cell in load_cells(tmp_path / "in"):
        for readout in ("3nn", "5nn", "gp")[: 3 - cell.seed]:
            keep_trajectory(cell, readout, cell.error_1nn)
    copy_scored(Sources.of(tmp_path / "in"), tmp_path / "copy")
    [cell] = load_cells(tmp_path / "copy")
    assert cell.seed == 0
    assert stored_trajectory(cell, "gp") is not None


def test_looking_ahead_is_compared_seed_by_seed(tmp_path: Path) -> None:
    store(tmp_path, "fps", [1.0, 1.0, 1.0])
    store(tmp_path, "lookahead-nn", [0.40, 0.52])
    store(tmp_path, "equiwarp", [0.60, 0.70, 0.1])
    store(tmp_path, "equalized", [0.39, 0.53])
    contest = Contest("lookahead-nn", trajectories(tmp_path))
    gap, seeds = contest.difference("levy-2d", ROUNDS)
    assert seeds == (0, 1)
    assert (gap.mean, gap.sem) == pytest.approx((19.0, 1.0))
    assert verdicts(contest, ROUNDS)["ahead"] == ["Levy (2D)"]
    other = Contest("equalized", trajectories(tmp_path))
    tied, _ = other.difference("levy-2d", ROUNDS, "lookahead-nn")
    assert tied.mean == pytest.approx(0.0, abs=1e-9)
    record = next(r for r in contest_records(contest) if r["arm"] == "equiwarp")
    assert (record["seeds"], record["common_seeds"]) == (3, 2)
    assert record["lookahead_minus_arm"] == pytest.approx(19.0)


def test_every_other_arm_is_met_at_every_horizon(tmp_path: Path) -> None:
    store(tmp_path, "fps", [1.0, 1.0], rounds=200)
    store(tmp_path, "lookahead-nn", [0.40, 0.52], rounds=200)
    store(tmp_path, "equiwarp", [0.60, 0.70], rounds=200)
    store(tmp_path, "equalized", [0.39, 0.53], rounds=100)
    store(tmp_path, "sobol", [0.30, 0.40], rounds=200)
    store(tmp_path, "oracle", [0.10, 0.10], rounds=200)
    lines = arms_table(Contest("lookahead-nn", trajectories(tmp_path))).splitlines()[2:]
    rows = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]] for line in lines}
    assert rows.keys() == {"`equiwarp`", "`fps`", "`equalized`", "`sobol`"}
    assert rows["`equiwarp`"] == ["1, 0, 0", "1, 0, 0", "1, 0, 0", "Levy (2D) at 50: +19.0 ± 1.0"]
    assert rows["`equalized`"][:3] == ["0, 1, 0", "0, 1, 0", "–"]
    assert rows["`sobol`"][:3] == ["0, 0, 1"] * 3


def test_the_gain_is_also_given_over_the_better_of_fps_and_sobol(tmp_path: Path) -> None:
    for name, sobol in (("levy-2d", 0.8), ("peaks-2d", 1.25)):
        store(tmp_path, "fps", [1.0, 1.0], name, 100)
        store(tmp_path, "sobol", [sobol, sobol], name, 100)
        store(tmp_path, "lookahead-nn", [0.4, 0.4], name, 100)
    contest = Contest("lookahead-nn", trajectories(tmp_path))
    assert contest.found.better_start("levy-2d", 100) == "sobol"
    assert contest.found.better_start("peaks-2d", 100) == "fps"
    text = every_arm_table(contest, "better")
    assert "| Levy (2D) | `sobol` | 50.0 ± 0.0 | −25.0 ± 0.0 | 0 |" in text
    assert "| Peaks (2D) | `fps` | 60.0 ± 0.0 | 0 | −25.0 ± 0.0 |" in text
    assert "| `sobol` | 2 of 2 |" in means_table(contest)


def test_the_share_of_the_oracles_gain(tmp_path: Path) -> None:
    store(tmp_path, "fps", [1.0, 1.0])
    store(tmp_path, "oracle", [0.2, 0.4])
    store(tmp_path, "lookahead-nn", [0.6])
    contest = Contest("lookahead-nn", trajectories(tmp_path))
    assert contest.share("levy-2d", "lookahead-nn", ROUNDS) == pytest.approx(50.0)
    assert contest.share("levy-2d", "oracle", ROUNDS) == pytest.approx(100.0)
    assert math.isnan(contest.share("levy-2d", "nipv", ROUNDS))


def test_surely_worse_than_fps_needs_two_standard_errors(tmp_path: Path) -> None:
    store(tmp_path, "fps", [1.0, 1.0])
    store(tmp_path, "lookahead-gp", [1.10, 1.12])
    store(tmp_path, "equiwarp", [0.9, 1.2])
    contest = Contest("lookahead-gp", trajectories(tmp_path))
    assert worse_than_fps(contest, "lookahead-gp", ROUNDS) == ["Levy (2D) (−11.0 ± 1.0)"]
    assert worse_than_fps(contest, "equiwarp", ROUNDS) == []


def test_the_command_draws_what_it_can_and_says_what_it_cannot(tmp_path: Path) -> None:
    store(tmp_path / "in", "fps", [1.0, 1.1])
    store(tmp_path / "in", "lookahead-nn", [0.5, 0.6])
    # Those that need no cells are kept as they are, which saves drawing them here.
    for name in ("warp-overview", "equalizer", "warp-anatomy", "selection-bias"):
        path = tmp_path / "out" / "figures" / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"kept")
    stale = tmp_path / "out" / "figures" / "main-curves.png"
    stale.write_bytes(b"of other cells")
    result = CliRunner().invoke(main, ["bench", "page", str(tmp_path / "in"), "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "not drawn: main-curves: this figure needs cells" in result.output
    assert not stale.exists()
    drawn = tmp_path / "out" / "figures" / "lookahead-curves-1nn.png"
    with Image.open(drawn) as picture:
        assert (picture.format, picture.mode) == ("PNG", "P"), "a palette keeps the repository small"
    assert f"figures/{drawn.name}" in (tmp_path / "out" / "lookahead.md").read_text(encoding="utf-8")
    page = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "figures/equalizer.png" in page
    assert "figures/main-curves.png" not in page
    assert "`main-curves`" in page.partition("Not drawn")[2]


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["bench", "page", str(tmp_path), "--out", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "holds no results" in result.output


def test_numbers_and_seeds_are_written_for_people() -> None:
    assert seed_ranges([3, 0, 1, 2, 7, 7]) == "0–3, 7"
    assert seed_ranges([]) == "–"
    assert number_text(-1.26, sign=True) == "−1.3"
    assert number_text(math.nan) == "–"


def test_only_the_arms_asked_for_are_scored(tmp_path: Path) -> None:
    store(tmp_path, "fps", [1.0], rounds=2)
    store(tmp_path, "sobol", [1.0], rounds=2)
    arguments = ["bench", "score", str(tmp_path), "--readouts", "3nn", "--arms", "sobol", "--workers", "1"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert [path.parent.name for path in (tmp_path / "scores").rglob("*.npz")] == ["sobol"]


@pytest.fixture(scope="module")
def committed() -> Sources:
    """The cells behind the pages of the repository, without the points, which no page shows."""
    files = packed_files(PAGES / "designs")
    nothing = np.empty((0, 0))
    cells = [
        Cell(**packed.record, x=nothing, y=nothing, error_1nn=packed.error_1nn)
        for file in files
        for packed in read_packed(file)
    ]
    cells.sort(key=lambda cell: (cell.benchmark, cell.label, cell.seed))
    return Sources(cells, {"1nn": Trajectories.stored(cells, "1nn")})


def test_the_front_page_is_what_the_packed_designs_give(committed: Sources) -> None:
    """Line by line, but for the one that says when and at which commit it was made."""
    again = front_page(committed, PAGES).splitlines()
    written = (PAGES / "README.md").read_text(encoding="utf-8").splitlines()
    for line, other in zip(again, written, strict=True):
        assert line == other or (line.startswith("Generated ") and other.startswith("Generated "))


def test_the_look_ahead_page_is_what_the_packed_designs_give(committed: Sources) -> None:
    """Area reductions under 1-NN; other readouts have to be scored first, which takes hours."""
    page = (PAGES / "lookahead.md").read_text(encoding="utf-8")
    assert (PAGES / "notes-lookahead.md").read_text(encoding="utf-8").strip() in page
    contest = Contest("lookahead-nn", committed.found["1nn"])
    for text in (
        method_table(contest),
        arms_table(contest),
        *(every_arm_table(contest, m) for m in ("ar", "better", "share")),
    ):
        assert text.count("\n") > 10
        assert text in page


def test_the_tables_are_what_the_packed_designs_give(committed: Sources) -> None:
    """To the single precision in which trajectories are packed."""
    rows = read_records(PAGES / "tables" / "ar-1nn.csv")
    found = committed.found["1nn"]
    horizons = {name: find_benchmark(name).checkpoints for name in found.benchmarks()}
    for row, again in zip(rows, rows_at(found, horizons), strict=True):
        record = again.record()
        for mean in ("ar_mean", "ar_sem"):
            assert record.pop(mean) == pytest.approx(row.pop(mean), rel=1e-5, abs=1e-5)
        assert record == row
    assert {path.suffix for path in (PAGES / "tables").rglob("*") if path.is_file()} == {".csv"}


@pytest.mark.parametrize(
    ("lookahead", "readout", "arms"),
    [
        (
            "lookahead-nn",
            "1nn",
            "lookahead-nn equiwarp gpcam-gradient lola botorch-nipv botorch-std",
        ),
        ("lookahead-gp", "gp-map", "lookahead-gp equiwarp lola nipv botorch-nipv sobol lookahead-nn"),
        ("lookahead-gp", "gp", "lookahead-gp equiwarp lola nipv botorch-nipv sobol"),
    ],
)
def test_means_in_the_notes_on_looking_ahead_are_those_of_the_table(
    lookahead: str, readout: str, arms: str
) -> None:
    notes = (PAGES / "notes-lookahead.md").read_text(encoding="utf-8")
    rows = read_records(PAGES / "tables" / "lookahead.csv")
    for arm in arms.split():
        key = (lookahead, readout, arm, 100)
        found = [r["ar_mean"] for r in rows if (r["lookahead"], r["readout"], r["arm"], r["rounds"]) == key]
        assert len(found) == 18
        assert number_text(sum(found) / 18) in notes
