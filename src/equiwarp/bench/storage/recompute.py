"""Do stored designs come out again, bit for bit? ``equiwarp bench recompute`` answers for a sample of them.

The first rounds of a cell are computed anew and compared with the packed design: its points and, in the
single precision they are packed in, its 1-NN errors. Noisy values are not packed; they follow from points and
seed.

Points outside the pool are packed as numbers and not as pool rows. Those on spheres were written before the
arithmetic of the chart was rearranged, and may differ in their last bits; that is told apart from a design
that differs.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from equiwarp.bench.arms import find_arm
from equiwarp.bench.cell import Cell, Job, compute
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.bench.storage.packed import PackedCell, packed_files, read_packed
from equiwarp.exceptions import InvalidInput

#: Largest difference of a coordinate that counts as rounding, and of an error in proportion.
LAST_BITS, LAST_BITS_OF_ERROR = 1e-14, 1e-6


@dataclass(frozen=True)
class Recomputed:
    """What became of one cell.

    Attributes
    ----------
    job : Job
        With the rounds that were computed again.
    distance : float
        Largest difference of a coordinate, value or error; 0 where every bit is the same.
    first : int or None
        First round whose point differs, from 1 on; None where none does.
    """

    job: Job
    distance: float
    first: int | None

    @property
    def sound(self) -> bool:
        """Whether it is the same design."""
        return self.distance <= LAST_BITS

    def __str__(self) -> str:
        name = f"{self.job.benchmark} {self.job.label} seed {self.job.seed}, {self.job.rounds} rounds"
        if not self.distance:
            return f"{name}: the same to the last bit"
        what = "the same but for the last bits" if self.sound else "differs"
        where = "" if self.first is None else f" from round {self.first} on"
        return f"{name}: {what}{where}, by {self.distance:.1g}"


def sample_of(
    source: Path, each: int, arms: Collection[str] = (), benchmarks: Collection[str] = ()
) -> list[PackedCell]:
    """For every arm and lengthscale, one cell on each of ``each`` benchmarks, those used least so far.

    Arms whose packages are not installed are left out, unless they are asked for.
    """
    found: dict[str, list[PackedCell]] = {}
    for file in packed_files(source):
        for packed in read_packed(file):
            if (not arms or packed.record["arm"] in arms) and (
                not benchmarks or packed.record["benchmark"] in benchmarks
            ):
                found.setdefault(packed.label, []).append(packed)
    used: dict[str, int] = {}
    chosen: list[PackedCell] = []
    for _, cells in sorted(found.items()):
        if not arms and not runs_here(cells[0]):
            continue
        lowest: dict[str, PackedCell] = {}
        for packed in sorted(cells, key=lambda one: one.record["seed"]):
            lowest.setdefault(packed.record["benchmark"], packed)
        for name in sorted(lowest, key=lambda one: (used.get(one, 0), one))[:each]:
            used[name] = used.get(name, 0) + 1
            chosen.append(lowest[name])
    if not chosen:
        raise InvalidInput(
            f"{source} has no cell of these arms and benchmarks: leave out --arms or --benchmarks"
        )
    return sorted(chosen, key=lambda one: (one.record["benchmark"], one.label))


def recompute(packed: PackedCell, rounds: int) -> Recomputed:
    """Compute the first rounds of a packed cell again and compare."""
    stored = packed.cell()
    job = replace(stored.job, rounds=min(rounds, stored.rounds))
    return compare_designs(stored, compute(job))


def compare_designs(stored: Cell, again: Cell) -> Recomputed:
    """A stored cell and one that was computed again, possibly for fewer rounds."""
    n = len(again.x)
    apart = np.abs(again.x - stored.x[:n]).max(axis=1)
    old, new = (cell.error_1nn[: again.rounds + 1].astype(np.float32) for cell in (stored, again))
    differs = np.flatnonzero(apart)
    distance = float(max(apart.max(), np.abs(again.y - stored.y[:n]).max()))
    if not distance or not np.allclose(old, new, rtol=LAST_BITS_OF_ERROR, atol=0.0):
        distance = max(distance, float(np.abs(old - new).max()))
    return Recomputed(again.job, distance, int(differs[0]) - stored.n0 + 1 if len(differs) else None)


def runs_here(packed: PackedCell) -> bool:
    """Whether the packages of its arm are installed; they are imported when a run starts."""
    seeded = SeededBenchmark(find_benchmark(packed.record["benchmark"]), packed.record["seed"])
    try:
        find_arm(packed.record["arm"]).start(seeded)
    except InvalidInput:
        return False
    return True
