"""What the page says of our numbers follows from the tables beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equiwarp.bench.area import Summary
from equiwarp.bench.cell import Job, compute
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.caps_study import caps_section
from equiwarp.bench.pages.design_shares import SHARES_TABLE, share_records, share_text
from equiwarp.bench.pages.differences import where_we_differ
from equiwarp.bench.pages.other_readouts import LENGTHSCALE_TABLE
from equiwarp.bench.pages.paper_comparison import PaperLine
from equiwarp.bench.pages.paper_tables import Published, published
from equiwarp.bench.pages.pool_study import (
    POOL_REFUTED,
    POOL_SUPPORTED,
    POOL_TABLE,
    distance_sentence,
    pool_records,
    pool_section,
)
from equiwarp.bench.pages.reductions import CUBES, Reductions
from equiwarp.bench.pages.remarks import above_remark, surrogate_remark
from equiwarp.bench.pages.sphere_study import sphere_section
from equiwarp.bench.pages.training_rate import RATE_TABLE, RATES, rate_records, rate_section, verdict
from equiwarp.bench.storage.csv_records import write_records
from equiwarp.bench.trajectories import Trajectories
from equiwarp.geometry.kumaraswamy import ADAM_RATE

PAGES = Path(__file__).parents[2] / "docs" / "results"


def row(benchmark: str, arm: str, mean: float, rounds: int = 200, sem: float | None = 1.0) -> dict[str, Any]:
    return {"benchmark": benchmark, "arm": arm, "rounds": rounds, "ar_mean": mean, "ar_sem": sem, "seeds": 3}


def test_counts_and_names_are_those_of_the_table(tmp_path: Path) -> None:
    rows = [row(name, "equalized", 5.0) for name in CUBES] + [row(name, "equiwarp", 6.0) for name in CUBES]
    rows[-1] = row(CUBES[-1], "equiwarp", 3.0)
    rows += [row(name, "kumaraswamy", 4.0 if i < 7 else 9.0) for i, name in enumerate(CUBES)]
    rows += [row(name, "sobol", -1.0, 100) for name in CUBES]
    rows += [row(name, "eig", -2.0 - i, 100) for i, name in enumerate(CUBES)]
    rows += [row("cap-s2", arm, 1.0, 100) for arm in ("epig", "epig-joint")]
    write_records(tmp_path / "ar-1nn.csv", rows)
    write_records(tmp_path / "ar-gp.csv", [row(CUBES[0], "equiwarp", -8.0, sem=None), *rows[-40:]])
    text = where_we_differ(tmp_path)
    plain = " ".join(text.split())
    assert "below on 1 benchmark: Hartmann (6D) −2.0 points (−1.4 pooled SEM)" in plain
    assert "Ours*: on 7 of 18, with 3 seeds" in plain
    assert "between −19.0 (Hartmann (6D)) and −2.0 (Peaks (2D)), and it is below Sobol on 18 of 18" in plain
    assert "| Cap (S^2) | 3 | – | 1.0 ± 1.0 | 1.0 ± 1.0 | – |" in text
    assert "The paper's own gains there are small: Hartmann (6D) +0.1." in plain
    assert "on spheres, in the mean of 1: 1.0 points for `epig`, 1.0 for `epig-joint`" in plain


def test_an_empty_folder_makes_no_claim(tmp_path: Path) -> None:
    assert where_we_differ(tmp_path).count("###") == 0
    assert pool_section(tmp_path) == sphere_section(tmp_path) == rate_section(tmp_path) == ""
    assert caps_section(tmp_path) == ""
    assert surrogate_remark([]) == above_remark([]) == ""


def test_the_committed_page_has_the_sections_that_its_tables_give() -> None:
    page = (PAGES / "README.md").read_text(encoding="utf-8")
    for section in (where_we_differ, pool_section, sphere_section, rate_section, caps_section):
        assert section(PAGES / "tables") in page


def test_a_pool_is_compared_with_the_usual_one_on_the_same_seeds(tmp_path: Path) -> None:
    jobs = [Job("cap-s2", arm, 0, 20, pool=size) for arm in ("fps", "eig") for size in (256, 4096)]
    cells = [compute(job) for job in (*jobs, Job("cap-s2", "eig", 1, 20))]
    record, under_gp = pool_records(cells)
    assert (record["readout"], under_gp["readout"]) == ("1nn", "gp")
    areas = {(c.arm, c.pool): c.error_1nn[1:21].sum() for c in cells if c.seed == 0}
    assert record["ar_mean"] == pytest.approx(100 * (1 - areas["eig", 256] / areas["fps", 256]))
    assert record["usual_mean"] == pytest.approx(100 * (1 - areas["eig", 4096] / areas["fps", 4096]))
    assert record["fps_area_ratio"] == pytest.approx(areas["fps", 256] / areas["fps", 4096])
    assert record["arm_area_ratio"] == pytest.approx(areas["eig", 256] / areas["eig", 4096])
    write_records(tmp_path / POOL_TABLE, [{**record, "rounds": 100, "arm": "equiwarp"}])
    assert "| Cap (S^2) | `equiwarp` | 256 | 1 |" in pool_section(tmp_path)


def test_numbers_that_are_not_there_are_not_run() -> None:
    at = Reductions().at(100)
    assert at.get("levy-2d", "eig").seeds == 0
    assert at.above("eig", "sobol") == (0, 0)


@pytest.mark.parametrize(("there", "said"), [(0.5, POOL_SUPPORTED), (-9.0, POOL_REFUTED)])
def test_a_pool_that_comes_nearer_to_the_paper_is_said_to(tmp_path: Path, there: float, said: str) -> None:
    rows = [
        {
            "readout": "1nn",
            "benchmark": name,
            "arm": "equalized",
            "rounds": 100,
            "usual_mean": paper - 4,
            "ar_mean": paper + there,
        }
        for name in CUBES
        for paper in [published()[name, "equalized", 100].mean]
    ]
    write_records(tmp_path / POOL_TABLE, rows)
    text = distance_sentence(tmp_path)
    assert text.endswith(said)
    assert f"is 4.0 points with 4,096 candidates and {abs(there):.1f} with" in text
    assert f"nearer in {18 if there == 0.5 else 0} of them" in text


def test_rates_are_compared_on_the_seeds_that_all_have_and_the_nearest_is_named(tmp_path: Path) -> None:
    arms = ("fps", *RATES.values())
    jobs = [Job("smooth-box-2d", "fps", seed, 50) for seed in (0, 1)]
    plain = [compute(job) for job in jobs]
    cells = [replace(plain[0], arm=arm, error_1nn=plain[0].error_1nn * 0.9**i) for i, arm in enumerate(arms)]
    cells += [replace(plain[1], arm=arm) for arm in arms[:2]]  # a seed that the other rates lack
    records = rate_records(cells)
    assert [(r["rounds"], r["rate"], r["seeds"]) for r in records] == [(50, rate, 1) for rate in RATES]
    assert [r["ar_mean"] for r in records] == pytest.approx([100 * (1 - 0.9**i) for i in range(1, len(arms))])
    write_records(tmp_path / RATE_TABLE, records)
    text = rate_section(tmp_path)
    assert "| Smooth box (2D), 50 | 1 | 10.0 | 19.0 | 27.1 | 34.4 | 41.0 | 8.7 ± 3.1 |" in text
    assert "1.3 points with 0.002, 10.3 points with 0.005" in text
    assert f"uses {ADAM_RATE:g}, although 0.002 is nearer by more than these errors." in text
    assert "together, are 3.1." in text


def test_rates_within_the_errors_of_the_rows_are_not_told_apart() -> None:
    apart = {0.005: 2.0, ADAM_RATE: 3.8}
    assert verdict(apart, 6, 5.0).endswith(
        "although 0.005 is nearer: within these errors the study does not decide."
    )
    assert verdict({0.005: 4.0, ADAM_RATE: 3.8}, 6, 5.0).endswith("which is the nearest.")


def test_a_rate_that_was_not_studied_is_said_to_be(tmp_path: Path) -> None:
    write_records(tmp_path / "ar-1nn.csv", [row(CUBES[0], "kumaraswamy", 4.0, 100)])
    assert "has not been run" in rate_section(tmp_path)


def test_what_stands_out_is_read_off_the_rows() -> None:
    def line(name: str, apart: float, arm: str = "equiwarp") -> PaperLine:
        return PaperLine(name, arm, 100, Published(10.0, 1.0), Summary(10.0 + apart, 1.0, 2), (0, 1))

    lines = [line("levy-2d", 2.0), line("levy-2d", 3.0), line("beale-2d", -1.0), line("beale-2d", 1.0)]
    lines += [line("smooth-box-2d", 4.0), line("airfoil-5d", -3.0), line("airfoil-5d", -1.0)]
    above = above_remark(lines)
    assert "on these: Levy (2D) +2.0 to +3.0, Smooth box (2D) +4.0 to +4.0." in above
    assert "we tune on Smooth box (2D) only" in above
    assert "Airfoil (5D, real): −3.0 to −1.0 (`equiwarp`)." in surrogate_remark(lines)


def pool_row(name: str, arm: str, usual: float, there: float, readout: str = "1nn") -> dict[str, Any]:
    rounds = 200 if readout == "gp" else 100
    return {"readout": readout, "benchmark": name, "arm": arm, "rounds": rounds, "seeds": 3,
            "usual_mean": usual, "ar_mean": there}  # fmt: skip


def test_what_the_pool_explains_of_eig_and_of_the_gp_readout_is_counted(tmp_path: Path) -> None:
    rows = [row(name, arm, -9.0, 100) for name in CUBES for arm in ("eig", "sobol", "equiwarp")]
    for readout in ("1nn", "gp"):
        write_records(tmp_path / f"ar-{readout}.csv", rows)
    pool = [pool_row(name, "eig", -12.0 - i, -6.0 - i) for i, name in enumerate(CUBES[-2:])]
    pool += [pool_row(name, "sobol", 0.0, -6.5) for name in CUBES[-2:]]
    pool += [pool_row(name, "equiwarp", -1.0, 1.0 - 2 * i, "gp") for i, name in enumerate(CUBES[-2:])]
    write_records(tmp_path / POOL_TABLE, pool)
    text = " ".join(where_we_differ(tmp_path).split())
    assert "EIG has −13.0 to −12.0, −12.5 in the mean, with 4,096 candidates" in text
    assert "−7.0 to −6.0, −6.5 in the mean, with 2^(10 + D), where it is below Sobol on 1 of 2" in text
    assert "the pool explains a part" in text
    assert "above FPS under `gp` at 200 rounds on 1; on the same seeds with 4,096 on 0" in text


def test_lengthscales_of_the_readout_are_counted(tmp_path: Path) -> None:
    write_records(
        tmp_path / "ar-1nn.csv", [row(name, a, 1.0, 100) for name in CUBES for a in ("eig", "equiwarp")]
    )
    records = [
        {
            "factor": factor,
            "benchmark": name,
            "rounds": rounds,
            "seeds": 2,
            "better": 1,
            "equiwarp_mean": mean,
        }
        for factor, mean in ((0.5, -1.0), (2.0, 3.0))
        for name in CUBES
        for rounds in (100, 200)
    ]
    write_records(tmp_path / LENGTHSCALE_TABLE, records)
    text = where_we_differ(tmp_path)
    assert "| 0.5 | 50 % | 0 of 18 | 50 % | 0 of 18 |" in text
    assert "| 2 | 50 % | 18 of 18 | 50 % | 18 of 18 |" in text
    assert "The best of them reaches the paper's 16 of 18." in text


def test_designs_above_eig_are_counted_by_seed(tmp_path: Path) -> None:
    falling, level = np.linspace(1.0, 0.0, 201), np.full(201, 0.5)
    errors = {("levy-2d", "equiwarp"): {0: falling / 2, 1: level}, ("levy-2d", "eig"): {0: level, 1: falling}}
    records = share_records({"gp": Trajectories("gp", errors)})
    assert [(r["rounds"], r["better"], r["designs"]) for r in records] == [
        (50, 2, 2),
        (100, 2, 2),
        (200, 1, 2),
    ]
    write_records(tmp_path / SHARES_TABLE, records)
    assert share_text(tmp_path, "gp", 200) == "50 % of 2"
    assert share_text(tmp_path, "3nn", 200) == "–"


def test_pairs_of_caps_are_shown_by_radius_and_distance(tmp_path: Path) -> None:
    names = ("two-caps-s2", "two-caps-s2-r0.6-a90")
    rows = [row(name, "equiwarp", 4.0 + rounds / 10, rounds) for name in names for rounds in (20, 100)]
    write_records(tmp_path / "ar-1nn.csv", rows)
    text = caps_section(tmp_path)
    assert "| 90° | 6.0 ± 1.0, 14.0 ± 1.0 | – |" in text
    assert "| 120° | – | 6.0 ± 1.0, 14.0 ± 1.0 |" in text
    write_records(tmp_path / "ar-1nn.csv", rows[:2])
    assert "not been run" in " ".join(caps_section(tmp_path).split())
    assert find_benchmark("two-caps-s2-r0.6-a90").title == "Two caps (S^2), 0.6 rad, 90°"
