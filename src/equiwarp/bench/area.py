"""Area reduction against FPS, per paired seed, then mean and standard error (eq:area_reduction)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from equiwarp.bench.cell import Cell
from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput

BASELINE = "fps"


@dataclass(frozen=True)
class Summary:
    """Mean and standard error over seeds; the error is NaN for a single seed."""

    mean: float
    sem: float
    seeds: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Summary:
        sample = np.array(list(values), dtype=float)
        n = len(sample)
        if n == 0:
            return cls(math.nan, math.nan, 0)
        sem = float(sample.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan
        return cls(float(sample.mean()), sem, n)


def area_reduction(method: Array, baseline: Array, rounds: int) -> float:
    """AR in percent over rounds 1 to ``rounds`` of two error trajectories that begin at round 0."""
    for name, errors in (("method", method), ("baseline", baseline)):
        if len(errors) <= rounds:
            raise InvalidInput(f"the {name} has {len(errors) - 1} rounds, {rounds} were asked for")
    area, reference = (float(np.sum(errors[1 : rounds + 1])) for errors in (method, baseline))
    return 100.0 * (reference - area) / reference


def paired(
    cells: Iterable[Cell], rounds: int, readout: str = "1nn"
) -> dict[tuple[str, str], dict[int, float]]:
    """AR by (benchmark, arm label) and seed, where cell and baseline both reach ``rounds``."""
    long_enough = [cell for cell in cells if cell.rounds >= rounds]
    baselines = {(c.benchmark, c.seed): c for c in long_enough if c.label == BASELINE}
    found: dict[tuple[str, str], dict[int, float]] = {}
    for cell in long_enough:
        baseline = baselines.get((cell.benchmark, cell.seed))
        if baseline is None or cell.label == BASELINE:
            continue
        value = area_reduction(cell.error(readout), baseline.error(readout), rounds)
        found.setdefault((cell.benchmark, cell.label), {})[cell.seed] = value
    return found
