"""``bench verify`` accepts what was computed, and notices a table or a design that was not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.cell import Job, compute
from equiwarp.bench.pages.area_table import rows_at
from equiwarp.bench.results import load_cells
from equiwarp.bench.storage import verify as verifying
from equiwarp.bench.storage.csv_records import read_records, write_records
from equiwarp.bench.storage.files import write_npz
from equiwarp.bench.storage.packed import pack_designs
from equiwarp.bench.trajectories import Trajectories
from equiwarp.cli import main

JOBS = [Job("cap-s2", arm, seed, 20) for arm in ("fps", "eig") for seed in (0, 1)]
EXTRA = [Job("cap-s2", "eig", 0, 20, 0.5), Job("cap-s2", "eig", 0, 20, pool=512)]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("published")
    for job in (*JOBS, *EXTRA):
        compute(job).save(root / "run" / job.place)
    cells = load_cells(root / "run")
    pack_designs(cells, root / "results" / "designs")
    rows = rows_at(Trajectories.stored(cells, "1nn"), {"cap-s2": (20,)})
    write_records(root / "results" / "tables" / "ar-1nn.csv", [row.record() for row in rows])
    return root / "results"


@pytest.fixture
def results(published: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    from shutil import copytree

    return Path(copytree(published, tmp_path / "results"))


def run(*arguments: object):
    return CliRunner().invoke(main, ["bench", "verify", *map(str, arguments)])


def test_what_was_computed_is_accepted(published: Path) -> None:
    found = run(published, "--rounds", 4, "--seed", 3)
    assert found.exit_code == 0, found.output
    assert "6 stored cells: 0 rows differ" in found.output
    assert "--seed 3: 6 cells; the same to the last bit: 6" in found.output


def test_a_table_that_does_not_follow_from_the_designs_is_noticed(results: Path) -> None:
    path = results / "tables" / "ar-1nn.csv"
    [row] = read_records(path)
    write_records(path, [{**row, "ar_mean": row["ar_mean"] + 0.01}])
    found = run(results, "--rounds", 2, "--cells", 1)
    assert found.exit_code != 0
    has = f"the table has {row['ar_mean'] + 0.01:.4f} over 2 seeds"
    assert f"{has}, the designs give {row['ar_mean']:.4f} over 2" in found.output
    write_records(path, [{**row, "arm": "warp"}])
    found = run(results, "--rounds", 2, "--cells", 1)
    assert "cap-s2 warp after 20 rounds: the table has" in found.output
    assert "cap-s2 eig 20 rounds: not in the table" in found.output


def test_a_changed_design_is_noticed_and_the_versions_are_compared(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = results / "designs" / "cap-s2.npz"
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["index"] = arrays["index"] ^ 1
    write_npz(path, **arrays)
    found = run(results, "--rounds", 2)
    assert found.exit_code != 0
    assert "differs from round 1 on" in found.output
    assert "the versions are the same" in found.output
    now = verifying.provenance()
    monkeypatch.setattr(verifying, "provenance", lambda: {**now, "numpy": "9.9"})
    assert f"(numpy {now['numpy']} then, 9.9 now)" in run(results, "--rounds", 2).output


def test_the_sample_is_random_and_repeats_with_its_seed(published: Path) -> None:
    cells = verifying.stored_cells(published)

    def labels(seed: int) -> list[tuple[str, int]]:
        sample = verifying.random_sample(cells, 3, seed)
        return [(one.label, one.record["seed"]) for one in sample]

    assert labels(0) == labels(0)
    assert len({tuple(labels(seed)) for seed in range(10)}) > 3
    assert {len(labels(seed)) for seed in range(3)} == {3}
