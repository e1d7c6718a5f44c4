"""Packed designs come back as they were, and are extended as if they had never been packed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equiwarp.bench.cell import Job, compute
from equiwarp.bench.results import load_cells
from equiwarp.bench.storage.packed import pack_designs, unpack_designs

JOBS = [
    Job("levy-2d", "equiwarp", 0, 4),
    Job("levy-2d", "sobol", 1, 5),
    Job("levy-2d", "eig", 1, 3, 0.5),
    Job("cap-s2", "random", 0, 2),
    Job("cap-s2", "fps", 0, 6),
    Job("cap-s2", "eig", 0, 3, pool=1 << 16),  # its last row would stand for "outside" in 16 bits
]


def test_unpacking_restores_every_cell(tmp_path: Path) -> None:
    for job in JOBS:
        compute(job).save(tmp_path / "a" / job.place)
    before = load_cells(tmp_path / "a")
    assert [path.name for path in pack_designs(before, tmp_path / "packed")] == ["cap-s2.npz", "levy-2d.npz"]
    assert unpack_designs(tmp_path / "packed", tmp_path / "b") == (6, 0)
    assert unpack_designs(tmp_path / "packed", tmp_path / "b") == (0, 6)
    after = load_cells(tmp_path / "b")
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(new.x, old.x)
        np.testing.assert_array_equal(new.y, old.y)
        np.testing.assert_allclose(new.error_1nn, old.error_1nn, rtol=1e-6)
        assert (new.label, new.seed, new.rounds, new.origin) == (old.label, old.seed, old.rounds, old.origin)
    assert pack_designs(after, tmp_path / "packed") == []  # the very cells that are there
    assert [path.name for path in pack_designs(after[:-1], tmp_path / "packed")] == ["levy-2d.npz"]
    longer = Job("levy-2d", "equiwarp", 0, 7)
    restored = next(cell for cell in after if cell.arm == "equiwarp")
    np.testing.assert_array_equal(compute(longer, restored).x, compute(longer).x)


def test_longer_cells_are_not_overwritten(tmp_path: Path) -> None:
    short, long = Job("cap-s2", "sobol", 0, 2), Job("cap-s2", "sobol", 0, 3)
    compute(short).save(tmp_path / "a" / short.place)
    pack_designs(load_cells(tmp_path / "a"), tmp_path / "packed")
    compute(long).save(tmp_path / "b" / long.place)
    assert unpack_designs(tmp_path / "packed", tmp_path / "b") == (0, 1)
    assert load_cells(tmp_path / "b")[0].rounds == 3


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no packed designs"):
        unpack_designs(tmp_path, tmp_path)
