"""Published results, checked by whoever doubts them: ``equiwarp bench verify docs/results``.

Two questions. Do the tables follow from the stored designs? All area reductions under the 1-NN readout are
calculated again. And do the designs follow from the code? A random sample of cells is computed anew on this
machine and compared bit for bit; where one differs, the versions under which it was stored are compared, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from equiwarp.bench.cell import arm_label
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.area_table import rows_at
from equiwarp.bench.storage.csv_records import read_records
from equiwarp.bench.storage.packed import PackedCell, packed_files, read_packed
from equiwarp.bench.storage.provenance import provenance
from equiwarp.bench.storage.recompute import Recomputed, recompute, runs_here
from equiwarp.bench.trajectories import Trajectories
from equiwarp.exceptions import InvalidInput

#: What else a result may depend on, as :func:`provenance` names it.
VERSIONS = ("python", "numpy", "scipy", "scikit-learn")
#: Largest difference of an area reduction in percent; trajectories are packed in single precision.
ROUNDING = 1e-3


@dataclass(frozen=True)
class Verified:
    """One cell that was computed again, and the versions that have changed since it was stored."""

    found: Recomputed
    versions: dict[str, tuple[str, str]]

    def __str__(self) -> str:
        if not self.found.distance:
            return str(self.found)
        changed = [
            f"{name} {then or 'unknown'} then, {now} now" for name, (then, now) in self.versions.items()
        ]
        return f"{self.found} ({'; '.join(changed) or 'the versions are the same'})"


def stored_cells(source: Path) -> list[PackedCell]:
    """Every packed cell of a results folder, or of its ``designs``."""
    folder = source / "designs" if (source / "designs").is_dir() else source
    return [packed for file in packed_files(folder) for packed in read_packed(file)]


def random_sample(cells: Sequence[PackedCell], count: int, seed: int) -> list[PackedCell]:
    """Some cells of arms that run here, in random order; the same ones for the same seed."""
    order = np.random.default_rng(seed).permutation(len(cells))
    installed: dict[str, bool] = {}
    chosen: list[PackedCell] = []
    for packed in (cells[i] for i in order):
        arm = packed.record["arm"]
        if arm not in installed:
            installed[arm] = runs_here(packed)
        if installed[arm]:
            chosen.append(packed)
        if len(chosen) == count:
            break
    return chosen


def verify(packed: PackedCell, rounds: int) -> Verified:
    """Compute the first rounds of a cell again and compare."""
    then, now = packed.record["origin"], provenance()
    changed = {name: (then.get(name, ""), now[name]) for name in VERSIONS if then.get(name, "") != now[name]}
    return Verified(recompute(packed, rounds), changed)


def table_mistakes(source: Path, cells: Sequence[PackedCell]) -> Iterator[str]:
    """Rows of ``tables/ar-1nn.csv`` that the stored designs do not give, as sentences."""
    path = source / "tables" / "ar-1nn.csv"
    if not path.exists():
        raise InvalidInput(f"{path} is missing: give a folder that `equiwarp bench page` wrote")
    found = Trajectories("1nn", {})
    for packed in cells:
        if packed.as_usual:
            name = packed.record["benchmark"], arm_label(packed.record["arm"])
            found.errors.setdefault(name, {})[packed.record["seed"]] = packed.error_1nn
    horizons = {name: find_benchmark(name).checkpoints for name in found.benchmarks()}
    again = {_key(row.record()): row.summary for row in rows_at(found, horizons)}
    for record in read_records(path):
        here = again.pop(_key(record), None)
        told = record["ar_mean"]
        if here is None or abs(here.mean - told) > ROUNDING or here.seeds != record["seeds"]:
            gives = "none" if here is None else f"{here.mean:.4f} over {here.seeds}"
            has = f"the table has {told:.4f} over {record['seeds']} seeds"
            yield f"{_words(record)}: {has}, the designs give {gives}"
    for key in again:
        yield f"{' '.join(map(str, key))} rounds: not in the table"


def _key(record: dict[str, object]) -> tuple[object, ...]:
    return record["benchmark"], record["arm"], record["rounds"]


def _words(record: dict[str, object]) -> str:
    return f"{record['benchmark']} {record['arm']} after {record['rounds']} rounds"
