"""Area reduction (eq:area_reduction), its baseline, RMSE and the pairing of seeds: defined here alone.

An error trajectory is an array ``(rounds + 1,)`` of mean squared errors; entry 0 is the initial design.
Arms are compared in pairs: a seed counts where both arms have it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput

#: The arm that every area reduction is measured against: farthest-point sampling.
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


def common_seeds(*by_seed: Collection[int]) -> list[int]:
    """Seeds that all of these have, ascending; none if nothing is given."""
    return sorted(set.intersection(*map(set, by_seed))) if by_seed else []


def error_area(errors: Array, rounds: int) -> float:
    """Sum of a trajectory over rounds 1 to ``rounds``."""
    return float(np.sum(errors[1 : rounds + 1]))


def area_reduction(method: Array, baseline: Array, rounds: int) -> float:
    """AR in percent over rounds 1 to ``rounds`` of two error trajectories."""
    for name, errors in (("method", method), ("baseline", baseline)):
        if len(errors) <= rounds:
            raise InvalidInput(f"the {name} has {len(errors) - 1} rounds, {rounds} were asked for")
    reference = error_area(baseline, rounds)
    return 100.0 * (reference - error_area(method, rounds)) / reference


def rmse_percent(errors: Array, deviation: float) -> Array:
    """Root mean squared errors in percent of the function's deviation."""
    return 100.0 * np.sqrt(errors) / deviation


def running_area_reduction(method: Array, baseline: Array) -> Array:
    """AR in percent after round 1, 2, ..., as far as both trajectories go."""
    reach = min(len(method), len(baseline))
    area, reference = (np.cumsum(errors[1:reach]) for errors in (method, baseline))
    return 100.0 * (reference - area) / reference
