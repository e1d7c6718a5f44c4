"""How many experiments an arm saves: after how many of its own it has the error that another has after N."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equiwarp.domains import Array

#: Resamples of the seeds for a standard error, and the fewest seeds from which one is worth telling.
RESAMPLES, FEWEST = 400, 4


@dataclass(frozen=True)
class ErrorCurves:
    """Logarithms of the errors of one arm on one case, ``(seeds, stages)``, in the order of the seeds."""

    stages: Array
    logs: Array

    @classmethod
    def of(cls, records: Sequence[Mapping[str, Any]], case: str, arm: str) -> ErrorCurves | None:
        """From records; None if the arm has finished no seed of the case."""
        here = [r for r in records if (r["case"], r["arm"]) == (case, arm)]
        stages, seeds = sorted({r["points"] for r in here}), sorted({r["seed"] for r in here})
        if not here:
            return None
        found = {(r["seed"], r["points"]): float(np.log(r["error"])) for r in here}
        logs = np.array([[found[seed, stage] for stage in stages] for seed in seeds])
        return cls(np.array(stages, dtype=float), logs)

    @property
    def mean(self) -> Array:
        """Geometric mean of the errors at each stage."""
        return np.asarray(np.exp(self.logs.mean(axis=0)))


def experiments_needed(stages: Array, errors: Array, target: float) -> float:
    """Number of experiments at which a curve first falls to ``target``, straight lines between logarithms.

    Less than the first stage cannot be told and counts as the first stage; infinity if it is never reached.
    """
    if errors[0] <= target:
        return float(stages[0])
    for i in range(1, len(stages)):
        if errors[i] <= target:
            share = np.log(errors[i - 1] / target) / np.log(errors[i - 1] / errors[i])
            return float(np.exp(np.log(stages[i - 1]) + share * np.log(stages[i] / stages[i - 1])))
    return float("inf")


def saved(ours: ErrorCurves, theirs: ErrorCurves, after: float) -> float:
    """Experiments that ours saves to reach the error that theirs has after so many; -inf if never."""
    target = float(theirs.mean[list(theirs.stages).index(after)])
    return after - experiments_needed(ours.stages, ours.mean, target)


def saved_with_error(ours: ErrorCurves, theirs: ErrorCurves, after: float) -> tuple[float, float]:
    """What was saved, and its standard error from seeds drawn with replacement (NaN for few)."""
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(RESAMPLES if min(len(ours.logs), len(theirs.logs)) >= FEWEST else 0):
        mine, other = (rng.integers(len(c.logs), size=len(c.logs)) for c in (ours, theirs))
        one = ErrorCurves(ours.stages, ours.logs[mine]), ErrorCurves(theirs.stages, theirs.logs[other])
        draws.append(max(saved(*one, after), after - 2.0 * float(ours.stages[-1])))
    return saved(ours, theirs, after), float(np.std(draws)) if draws else float("nan")
