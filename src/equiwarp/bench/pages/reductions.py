"""Area reductions as the tables beside a page have them: what its sentences are made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import nan
from pathlib import Path

from equiwarp.bench.area import Summary
from equiwarp.bench.functions.catalogue import benchmarks
from equiwarp.bench.pages.markdown import plus_minus
from equiwarp.bench.readouts.scoring import READOUTS
from equiwarp.bench.storage.csv_records import read_records

CUBES = tuple(name for name, b in benchmarks().items() if not b.sphere)
SPHERES = tuple(name for name, b in benchmarks().items() if b.sphere)
NOT_RUN = Summary(nan, nan, 0)


@dataclass(frozen=True)
class Reductions:
    """Area reductions of the tables: (readout, benchmark, arm, rounds) -> mean, standard error and seeds."""

    known: dict[tuple[str, str, str, int], Summary] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Path) -> Reductions:
        """Those of ``ar-READOUT.csv`` in a folder, as far as they are there."""
        known = {}
        for readout in READOUTS:
            path = tables / f"ar-{readout}.csv"
            for row in read_records(path) if path.exists() else ():
                sem = nan if row["ar_sem"] is None else row["ar_sem"]
                key = readout, row["benchmark"], row["arm"], row["rounds"]
                known[key] = Summary(row["ar_mean"], sem, row["seeds"])
        return cls(known)

    def at(self, rounds: int, readout: str = "1nn") -> At:
        """After so many rounds, under one readout."""
        return At(self, rounds, readout)


@dataclass(frozen=True)
class At:
    """The same after some rounds and under one readout."""

    reductions: Reductions
    rounds: int
    readout: str

    def get(self, name: str, arm: str) -> Summary:
        return self.reductions.known.get((self.readout, name, arm, self.rounds), NOT_RUN)

    def mean(self, name: str, arm: str) -> float:
        return self.get(name, arm).mean

    def cubes(self, *arms: str) -> list[str]:
        """Those on which all of these arms were run."""
        return [name for name in CUBES if all(self.get(name, arm).seeds for arm in arms)]

    def above(self, arm: str, other: str | None = None) -> tuple[int, int]:
        """On how many cubes an arm's mean is above another's, or above FPS; and of how many."""
        run = self.cubes(arm, other or arm)
        rivals = [0.0 if other is None else self.mean(name, other) for name in run]
        return sum(self.mean(name, arm) > rival for name, rival in zip(run, rivals, strict=True)), len(run)

    def text(self, name: str, arm: str) -> str:
        return plus_minus(self.get(name, arm))


def title(name: str) -> str:
    """The paper's name of a benchmark."""
    return benchmarks()[name].title
