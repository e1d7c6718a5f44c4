"""Designs in little space: one file a benchmark instead of one a cell, for a repository.

Almost every chosen point is a pool point, and the pool follows from the seed, so a design is a list
of row numbers. Noisy values follow from design and seed and are measured again on unpacking. Points
from elsewhere are kept as they are. 1-NN trajectories are kept in single precision.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.bench.cell import Cell, arm_label
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.bench.storage.files import safe_name, write_npz
from equiwarp.domains import Array
from equiwarp.engine.configuration import POOL_SIZE
from equiwarp.exceptions import InvalidInput

PACKED_FORMAT = 1
PoolRows = NDArray[np.unsignedinteger[Any]]


def outside_of(rows: PoolRows) -> int:
    """What stands for a point that is not in the pool: the largest number of its kind."""
    return int(np.iinfo(rows.dtype).max)


def pack_designs(cells: Sequence[Cell], out: Path) -> list[Path]:
    """Write one file per benchmark into a folder; the cells must belong to the present benchmarks.

    A file that has these very cells already stays as it is.
    """
    written = []
    for name in dict.fromkeys(cell.benchmark for cell in cells):
        mine = [cell for cell in cells if cell.benchmark == name]
        path = out / f"{safe_name(name)}.npz"
        small = max(cell.pool for cell in mine) <= np.iinfo(np.uint16).max
        kind = np.uint16 if small else np.uint32
        index, outside = zip(*(_encode(cell, kind) for cell in mine), strict=True)
        arrays = {
            "index": np.concatenate(index),
            "outside": np.concatenate(outside),
            "error": np.concatenate([cell.error_1nn for cell in mine]).astype(np.float32),
        }
        if not _has_these(path, mine, arrays):
            meta = json.dumps({"format": PACKED_FORMAT, "cells": [_meta(cell) for cell in mine]})
            write_npz(path, meta=np.array(meta), **arrays)
            written.append(path)
    return written


def _has_these(path: Path, cells: Sequence[Cell], arrays: Mapping[str, Array]) -> bool:
    """Whether a packed file has these cells and no others, to the last bit."""
    if not path.exists():
        return False
    with np.load(path, allow_pickle=False) as stored:
        known = json.loads(str(stored["meta"]))
        alike = all(np.array_equal(stored[name], array) for name, array in arrays.items())
    same = [{"pool": POOL_SIZE, **record} for record in known["cells"]] == [_meta(cell) for cell in cells]
    return alike and same and known["format"] == PACKED_FORMAT


def unpack_designs(source: Path, out: Path) -> tuple[int, int]:
    """Restore cells into a results folder; existing ones with as many rounds stay. (written, kept)."""
    written = kept = 0
    for file in packed_files(source):
        for cell in (packed.cell() for packed in read_packed(file)):
            path = out / cell.job.place
            if path.exists() and Cell.load(path).rounds >= cell.rounds:
                kept += 1
                continue
            cell.save(path)
            written += 1
    return written, kept


@dataclass(frozen=True)
class PackedCell:
    """A cell as its file has it; the design is worked out when it is asked for.

    Attributes
    ----------
    record : dict
        Benchmark, arm, lengthscale factor, seed, rounds, duration and origin.
    rows : (rounds,) array
        Pool row of every chosen point, or :func:`outside_of` them.
    outside : (p, columns) array
        The points that are not in the pool, in order.
    error_1nn : (rounds + 1,) array
    """

    record: dict[str, Any]
    rows: PoolRows
    outside: Array
    error_1nn: Array

    @property
    def label(self) -> str:
        return arm_label(self.record["arm"], self.record["lengthscale_factor"], self.pool)

    @property
    def pool(self) -> int:
        """Number of candidates, which files of the first kind do not state."""
        return int(self.record.get("pool", POOL_SIZE))

    @property
    def as_usual(self) -> bool:
        """Whether lengthscale and pool are those of the main tables."""
        return self.record["lengthscale_factor"] == 1.0 and self.pool == POOL_SIZE

    def cell(self) -> Cell:
        """With its points, and the values that were measured there."""
        seeded = SeededBenchmark(find_benchmark(self.record["benchmark"]), self.record["seed"], self.pool)
        x = _decode(seeded, self.rows, self.outside)
        return Cell(**self.record, x=x, y=seeded.replay(x), error_1nn=self.error_1nn)


def read_packed(file: Path) -> list[PackedCell]:
    """The cells of one packed file, without writing them anywhere."""
    with np.load(file, allow_pickle=False) as stored:
        meta = json.loads(str(stored["meta"]))
        index, outside, error = stored["index"], stored["outside"], stored["error"]
    if meta["format"] != PACKED_FORMAT:
        raise InvalidInput(f"{file} was packed by another version")
    cells = []
    at = beyond = scored = 0
    for record in meta["cells"]:
        rows = index[at : at + record["rounds"]]
        missing = int(np.sum(rows == outside_of(rows)))
        errors = error[scored : scored + record["rounds"] + 1].astype(float)
        cells.append(PackedCell(record, rows, outside[beyond : beyond + missing], errors))
        at, beyond, scored = at + len(rows), beyond + missing, scored + len(errors)
    return cells


def packed_files(source: Path) -> list[Path]:
    """The packed files of a folder, one a benchmark."""
    files = sorted(source.glob("*.npz"))
    if not files:
        raise InvalidInput(f"{source} holds no packed designs: give a folder that `bench pack` wrote")
    return files


def _encode(cell: Cell, kind: type[np.unsignedinteger[Any]]) -> tuple[PoolRows, Array]:
    """Pool rows ``(rounds,)`` and the points that have none."""
    seeded = cell.seeded
    if not np.array_equal(cell.x[: cell.n0], seeded.start):
        raise InvalidInput(f"{cell.benchmark} {cell.label} seed {cell.seed} has another initial design")
    rows = {point.tobytes(): i for i, point in enumerate(seeded.pool)}
    chosen = cell.x[cell.n0 :]
    none = int(np.iinfo(kind).max)
    index: PoolRows = np.array([rows.get(point.tobytes(), none) for point in chosen], dtype=kind)
    return index, chosen[index == none]


def _decode(seeded: SeededBenchmark, rows: PoolRows, outside: Array) -> Array:
    chosen = np.empty((len(rows), seeded.benchmark.domain.columns))
    inside = rows != outside_of(rows)
    chosen[inside] = seeded.pool[rows[inside]]
    chosen[~inside] = outside
    return np.vstack([seeded.start, chosen])


def _meta(cell: Cell) -> dict[str, Any]:
    names = ("benchmark", "arm", "lengthscale_factor", "seed", "rounds", "duration", "origin", "pool")
    return {name: getattr(cell, name) for name in names}
