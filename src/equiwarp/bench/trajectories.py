"""Error trajectories of a results folder under one readout, and what is read off them.

Only what is stored counts: a design without a score under this readout is left out, never scored on
the way, so that a page is made in seconds from whatever exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from equiwarp.bench import benchmarks as catalogue
from equiwarp.bench.area import BASELINE, Summary, area_reduction
from equiwarp.bench.arms import arm_names
from equiwarp.bench.cell import Cell
from equiwarp.bench.problem import pilot
from equiwarp.bench.readouts import check, stored
from equiwarp.bench.table import Row
from equiwarp.domains import Array

#: Designs that know nothing of the function; a gain should also be over the better of them.
SPACE_FILLING = (BASELINE, "sobol")


@dataclass(frozen=True)
class Trajectories:
    """Mean squared errors by benchmark, arm and seed.

    Attributes
    ----------
    readout : str
    errors : dict
        (benchmark, arm) -> seed -> ``(rounds + 1,)``, entry 0 being the initial design. Arms at their
        own lengthscale only.
    """

    readout: str
    errors: dict[tuple[str, str], dict[int, Array]]

    @classmethod
    def of(cls, cells: Iterable[Cell], readout: str) -> Trajectories:
        """What is stored of these cells under a readout."""
        found: dict[tuple[str, str], dict[int, Array]] = {}
        for cell in cells:
            errors = stored(cell, check(readout)) if cell.lengthscale_factor == 1.0 else None
            if errors is not None:
                found.setdefault((cell.benchmark, cell.arm), {})[cell.seed] = errors
        return cls(readout, found)

    def benchmarks(self) -> list[str]:
        """In the paper's order, then others by name."""
        known = list(catalogue.benchmarks())
        present = {name for name, _ in self.errors}
        return [*(name for name in known if name in present), *sorted(present - set(known))]

    def arms(self) -> list[str]:
        """In the registry's order, then others by name."""
        known = arm_names()
        present = {arm for _, arm in self.errors}
        return [*(arm for arm in known if arm in present), *sorted(present - set(known))]

    def far_enough(self, benchmark: str, arm: str, rounds: int) -> dict[int, Array]:
        """Trajectories that reach these rounds, by seed."""
        found = self.errors.get((benchmark, arm), {})
        return {seed: errors for seed, errors in sorted(found.items()) if len(errors) > rounds}

    def shared(self, benchmark: str, arms: Sequence[str], rounds: int) -> set[int]:
        """Seeds on which all of these arms reach these rounds."""
        return set.intersection(*(set(self.far_enough(benchmark, arm, rounds)) for arm in arms))

    def reductions(self, benchmark: str, arm: str, rounds: int, against: str = BASELINE) -> dict[int, float]:
        """AR in percent by seed, against a baseline of the same seed."""
        mine = self.far_enough(benchmark, arm, rounds)
        theirs = self.far_enough(benchmark, against, rounds)
        return {
            seed: area_reduction(errors, theirs[seed], rounds)
            for seed, errors in mine.items()
            if seed in theirs
        }

    def percents(self, benchmark: str, arm: str, rounds: int) -> dict[int, float]:
        """Root mean squared error after these rounds by seed, in percent of the function's deviation."""
        deviation = pilot(catalogue.find(benchmark)).deviation
        found = self.far_enough(benchmark, arm, rounds)
        return {seed: 100.0 * float(np.sqrt(errors[rounds])) / deviation for seed, errors in found.items()}

    def better_start(self, benchmark: str, rounds: int) -> str | None:
        """FPS or Sobol, whichever has the smaller area on their common seeds; None if one is missing."""
        seeds = self.shared(benchmark, SPACE_FILLING, rounds)
        if not seeds:
            return None
        areas = {
            arm: sum(float(self.errors[benchmark, arm][seed][1 : rounds + 1].sum()) for seed in seeds)
            for arm in SPACE_FILLING
        }
        return min(areas, key=areas.__getitem__)

    def rows(self, measure: str) -> list[Row]:
        """The table of ``bench table`` for ``ar`` or ``rmse``, at the paper's horizons."""
        found = []
        for name in self.benchmarks():
            for arm in self.arms():
                for rounds in catalogue.find(name).checkpoints:
                    if measure == "rmse":
                        values = self.percents(name, arm, rounds)
                    else:
                        values = {} if arm == BASELINE else self.reductions(name, arm, rounds)
                    if values:
                        summary = Summary.of(values.values())
                        found.append(Row(name, arm, self.readout, rounds, summary, measure))
        return found
