"""What the page says of our numbers follows from the tables beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from equiwarp.bench.cell import Job, compute
from equiwarp.bench.pages.differences import CUBES, Reductions, where_we_differ
from equiwarp.bench.pages.side_studies import POOL_TABLE, pool_records, pool_section, sphere_section
from equiwarp.bench.storage.csv_records import write_records

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


def test_an_empty_folder_makes_no_claim(tmp_path: Path) -> None:
    assert where_we_differ(tmp_path).count("###") == 0
    assert pool_section(tmp_path) == sphere_section(tmp_path) == ""


def test_the_committed_page_has_the_sections_that_its_tables_give() -> None:
    page = (PAGES / "README.md").read_text(encoding="utf-8")
    for section in (where_we_differ, pool_section, sphere_section):
        assert section(PAGES / "tables") in page


def test_a_pool_is_compared_with_the_usual_one_on_the_same_seeds(tmp_path: Path) -> None:
    jobs = [Job("cap-s2", arm, 0, 20, pool=size) for arm in ("fps", "eig") for size in (256, 4096)]
    cells = [compute(job) for job in (*jobs, Job("cap-s2", "eig", 1, 20))]
    [record] = pool_records(cells)
    areas = {(c.arm, c.pool): c.error_1nn[1:21].sum() for c in cells if c.seed == 0}
    assert record["ar_mean"] == pytest.approx(100 * (1 - areas["eig", 256] / areas["fps", 256]))
    assert record["usual_mean"] == pytest.approx(100 * (1 - areas["eig", 4096] / areas["fps", 4096]))
    assert record["fps_area_ratio"] == pytest.approx(areas["fps", 256] / areas["fps", 4096])
    assert record["arm_area_ratio"] == pytest.approx(areas["eig", 256] / areas["eig", 4096])
    write_records(tmp_path / POOL_TABLE, [{**record, "rounds": 100}])
    assert "| Cap (S^2) | `eig` | 256 | 1 |" in pool_section(tmp_path)


def test_numbers_that_are_not_there_are_not_run() -> None:
    at = Reductions().at(100)
    assert at.get("levy-2d", "eig").seeds == 0
    assert at.above("eig", "sobol") == (0, 0)
