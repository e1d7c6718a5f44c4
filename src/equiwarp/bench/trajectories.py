"""Error trajectories of many cells under one readout, and what is read off them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from equiwarp.bench.area import BASELINE, area_reduction, common_seeds, error_area, rmse_percent
from equiwarp.bench.arms import arm_names
from equiwarp.bench.cell import Cell
from equiwarp.bench.experiments import Saved, experiments_saved
from equiwarp.bench.functions.catalogue import benchmarks, find_benchmark
from equiwarp.bench.readouts.scoring import error_trajectory, known_readout, longest_stored
from equiwarp.bench.seeded import pilot
from equiwarp.domains import Array


def baseline_label(label: str) -> str:
    """The baseline that an arm is measured against: FPS on the same pool."""
    _, at, pool = label.rpartition("@pool=")
    return f"{BASELINE}{at}{pool}" if at else BASELINE


#: Designs that know nothing of the function; a gain should also be over the better of them.
SPACE_FILLING = (BASELINE, "sobol")


@dataclass(frozen=True)
class Trajectories:
    """Mean squared errors by benchmark, arm and seed.

    Attributes
    ----------
    readout : str
    errors : dict
        (benchmark, arm label) -> seed -> ``(rounds + 1,)``, entry 0 being the initial design.
    """

    readout: str
    errors: dict[tuple[str, str], dict[int, Array]]

    @classmethod
    def stored(cls, cells: Iterable[Cell], readout: str) -> Trajectories:
        """What is stored of the cells with the usual lengthscale and pool: a page is made in seconds.

        A design without a score under this readout is left out, never scored on the way.
        """
        found = cls(known_readout(readout), {})
        for cell in cells:
            errors = longest_stored(cell, readout) if cell.as_usual else None
            if errors is not None:
                found._add(cell, errors)
        return found

    @classmethod
    def scored(cls, cells: Iterable[Cell], readout: str, rounds: int | None = None) -> Trajectories:
        """Of all these cells, whatever lengthscale and pool; missing scores are computed and kept.

        They reach so many rounds, or all that a cell has.
        """
        found = cls(known_readout(readout), {})
        for cell in cells:
            found._add(cell, error_trajectory(cell, readout, rounds))
        return found

    def _add(self, cell: Cell, errors: Array) -> None:
        self.errors.setdefault((cell.benchmark, cell.label), {})[cell.seed] = errors

    def benchmarks(self) -> list[str]:
        """In the paper's order, then others by name."""
        known = list(benchmarks())
        present = {name for name, _ in self.errors}
        return [*(name for name in known if name in present), *sorted(present - set(known))]

    def arms(self) -> list[str]:
        """In the registry's order, then others by name; an arm's lengthscales side by side."""
        place = {arm: i for i, arm in enumerate(arm_names())}
        present = {arm for _, arm in self.errors}
        return sorted(present, key=lambda arm: (place.get(arm.split("@")[0], len(place)), arm))

    def far_enough(self, benchmark: str, arm: str, rounds: int) -> dict[int, Array]:
        """Trajectories that reach these rounds, by seed."""
        found = self.errors.get((benchmark, arm), {})
        return {seed: errors for seed, errors in sorted(found.items()) if len(errors) > rounds}

    def shared(self, benchmark: str, arms: Sequence[str], rounds: int) -> list[int]:
        """Seeds on which all of these arms reach these rounds."""
        return common_seeds(*(self.far_enough(benchmark, arm, rounds) for arm in arms))

    def reductions(
        self, benchmark: str, arm: str, rounds: int, against: str | None = None
    ) -> dict[int, float]:
        """AR in percent by seed, against FPS on the same pool, or another arm, of the same seed."""
        against = baseline_label(arm) if against is None else against
        mine = self.far_enough(benchmark, arm, rounds)
        theirs = self.far_enough(benchmark, against, rounds)
        return {seed: area_reduction(mine[seed], theirs[seed], rounds) for seed in common_seeds(mine, theirs)}

    def percents(self, benchmark: str, arm: str, rounds: int) -> dict[int, float]:
        """Root mean squared error after these rounds by seed, in percent of the function's deviation."""
        deviation = pilot(find_benchmark(benchmark)).deviation
        found = self.far_enough(benchmark, arm, rounds)
        return {seed: float(rmse_percent(errors, deviation)[rounds]) for seed, errors in found.items()}

    def saved(self, benchmark: str, arm: str, after: int) -> dict[int, Saved]:
        """Experiments saved by seed, against FPS on the same pool of the same seed after so many rounds."""
        mine = self.far_enough(benchmark, arm, after)
        theirs = self.far_enough(benchmark, baseline_label(arm), after)
        seeds = common_seeds(mine, theirs)
        return {seed: experiments_saved(mine[seed], theirs[seed], after) for seed in seeds}

    def better_start(self, benchmark: str, rounds: int) -> str | None:
        """FPS or Sobol, whichever has the smaller area on their common seeds; None if one is missing."""
        seeds = self.shared(benchmark, SPACE_FILLING, rounds)
        if not seeds:
            return None
        areas = {
            arm: sum(error_area(self.errors[benchmark, arm][seed], rounds) for seed in seeds)
            for arm in SPACE_FILLING
        }
        return min(areas, key=areas.__getitem__)
