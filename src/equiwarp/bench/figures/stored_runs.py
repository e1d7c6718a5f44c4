"""What the figures need of a results folder: trajectories over paired seeds, and a clear word if absent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from equiwarp.bench.area import BASELINE, common_seeds, running_area_reduction
from equiwarp.bench.functions.catalogue import Benchmark, benchmarks
from equiwarp.bench.results import Cell, load_cells
from equiwarp.bench.studies.lengthscale import run_command
from equiwarp.domains import Array
from equiwarp.engine.configuration import POOL_SIZE
from equiwarp.exceptions import InvalidInput, MissingCells

#: With fewer, the t-interval is so wide that it says nothing and hides the rest.
FEWEST_SEEDS = 3


@dataclass(frozen=True)
class StoredRuns:
    """The cells of a results folder that a figure may use."""

    results: Path
    cells: tuple[Cell, ...]

    @classmethod
    def of(cls, results: Path, names: Iterable[str], arms: Iterable[str]) -> StoredRuns:
        """Load the cells of these benchmarks and arms, at every lengthscale factor."""
        if not (results / "cells").is_dir():
            return cls(results, ())
        return cls(results, tuple(load_cells(results, benchmarks=names, arms=arms)))

    def select(self, benchmark: str, arm: str, factor: float = 1.0) -> dict[int, Cell]:
        """Cells by seed."""
        return {
            cell.seed: cell
            for cell in self.cells
            if (cell.benchmark, cell.arm, cell.lengthscale_factor) == (benchmark, arm, factor)
            and cell.pool == POOL_SIZE
        }

    def has(self, benchmark: str, arm: str, factor: float = 1.0) -> bool:
        return bool(self.select(benchmark, arm, factor))

    def factors(self, names: Iterable[str], arm: str) -> list[float]:
        """Lengthscale factors at which the arm was run on any of these benchmarks, ascending."""
        wanted = set(names)
        return sorted({c.lengthscale_factor for c in self.cells if c.arm == arm and c.benchmark in wanted})

    def require(self, names: Sequence[str], arms: Sequence[str], rounds: int | None = None) -> None:
        """Raise :class:`MissingCells` unless every arm has a cell on every benchmark."""
        lacking: dict[str, list[str]] = {}
        for name in names:
            absent = [arm for arm in arms if not self.has(name, arm)]
            if absent:
                lacking.setdefault(",".join(absent), []).append(name)
        if lacking:
            commands = [
                run_command(where, absent.split(","), self.results, rounds=rounds)
                for absent, where in lacking.items()
            ]
            raise MissingCells(
                f"this figure needs cells that {self.results} does not hold; make them with\n  "
                + "\n  ".join(commands)
            )

    def errors(self, benchmark: str, arm: str, factor: float = 1.0, readout: str = "1nn") -> dict[int, Array]:
        """Mean squared error after round 0, 1, ..., by seed, ``(rounds + 1,)`` each."""
        return {seed: cell.error(readout) for seed, cell in self.select(benchmark, arm, factor).items()}

    def reductions(
        self, benchmark: str, arm: str, factor: float = 1.0, readout: str = "1nn"
    ) -> dict[int, Array]:
        """AR in percent against FPS of the same seed after round 1, 2, ..., by seed."""
        baseline = self.errors(benchmark, BASELINE, 1.0, readout)
        mine = self.errors(benchmark, arm, factor, readout)
        return {
            seed: running_area_reduction(mine[seed], baseline[seed]) for seed in common_seeds(mine, baseline)
        }


@dataclass(frozen=True)
class Band:
    """Mean over seeds and half the width of its 95 % t-interval, which is NaN for fewer than 3 seeds."""

    mean: Array
    half: Array
    seeds: int

    @classmethod
    def of(cls, trajectories: Iterable[Array]) -> Band:
        """From one trajectory per seed, cut to the shortest."""
        from scipy.special import stdtrit

        rows = list(trajectories)
        if not rows:
            raise InvalidInput("no seed to average over")
        shortest = min(len(row) for row in rows)
        table = np.array([row[:shortest] for row in rows])
        n = len(table)
        if n < FEWEST_SEEDS:
            return cls(table.mean(axis=0), np.full(shortest, np.nan), n)
        sem = table.std(axis=0, ddof=1) / np.sqrt(n)
        return cls(table.mean(axis=0), float(stdtrit(n - 1, 0.975)) * sem, n)


def mean_over_benchmarks(by_benchmark: Sequence[dict[int, Array]]) -> Band | None:
    """Average over benchmarks within each seed that all of them have, then over seeds."""
    means = seed_means(by_benchmark)
    return Band.of(means.values()) if means else None


def seed_means(by_benchmark: Sequence[dict[int, Array]]) -> dict[int, Array]:
    """Mean over benchmarks by seed, for the seeds that all of them have."""
    return {
        seed: mean_to_shortest([one[seed] for one in by_benchmark]) for seed in common_seeds(*by_benchmark)
    }


def mean_to_shortest(rows: Sequence[Array]) -> Array:
    """Mean of trajectories of different lengths, as far as all of them go."""
    shortest = min(len(row) for row in rows)
    return np.mean([row[:shortest] for row in rows], axis=0)


def synthetic_benchmarks() -> list[Benchmark]:
    """The sixteen synthetic benchmarks on cubes, in the paper's order."""
    return [b for b in benchmarks().values() if not b.sphere and not b.real]


def seeds_text(counts: Iterable[int]) -> str:
    """How many seeds a figure rests on: ``10 seeds`` or ``4 to 10 seeds``,
    following the word *interval*, which fewer than three seeds do not get.
    """
    found = sorted(set(counts))
    if not found:
        return "no seeds"
    text = f"{found[0]} to {found[-1]} seeds" if len(found) > 1 else f"{found[0]} seed{'s' * (found[0] > 1)}"
    return text + (f" (none below {FEWEST_SEEDS})" if found[0] < FEWEST_SEEDS else "")
