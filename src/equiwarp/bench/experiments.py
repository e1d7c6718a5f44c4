"""Experiments saved: how many fewer measurements reach the error that farthest points have after 100.

Let E be the error of FPS after so many rounds. An arm reaches E in the first round whose error is not
larger, counted in fractions of a round along the logarithm of the error; FPS itself may have been there
before. What is saved is the difference of the two. A run that ends above E is *censored*: it saves at most
what is known, the rounds of FPS minus its own length. Such a value is a bound, and whatever is averaged
from it is one, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from equiwarp.bench.area import Summary
from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput

#: Rounds of FPS whose error the others have to reach.
AFTER = 100


@dataclass(frozen=True)
class Saved:
    """Experiments saved in one run; at most so many if it is censored."""

    count: float
    censored: bool = False


@dataclass(frozen=True)
class SavedSummary:
    """Mean and standard error over runs; with a censored one, the mean is an upper bound."""

    summary: Summary
    censored: int

    @classmethod
    def of(cls, runs: Iterable[Saved]) -> SavedSummary:
        found = list(runs)
        return cls(Summary.of(run.count for run in found), sum(run.censored for run in found))

    def __str__(self) -> str:
        """``12.0 ± 3.1``, or ``≤ 12.0 ± 3.1 (2 of 10 censored)``."""
        mean, sem = self.summary.mean, self.summary.sem
        text = f"{mean:.1f}" if math.isnan(sem) else f"{mean:.1f} ± {sem:.1f}"
        if not self.censored:
            return text
        return f"≤ {text} ({self.censored} of {self.summary.seeds} censored)"


def rounds_to_reach(errors: Array, goal: float) -> float | None:
    """Rounds until a trajectory ``(rounds + 1,)`` first reaches an error; None if it never does."""
    there = np.flatnonzero(errors <= goal)
    if not len(there):
        return None
    t = int(there[0])
    if t == 0 or errors[t] <= 0.0 or goal <= 0.0:
        return float(t)
    before, now = math.log(errors[t - 1]), math.log(errors[t])
    return t - 1 + (before - math.log(goal)) / (before - now)


def experiments_saved(method: Array, baseline: Array, after: int = AFTER) -> Saved:
    """How many fewer measurements than FPS an arm needs, from two error trajectories of one seed."""
    if after < 1:
        raise InvalidInput(f"the baseline's error is taken after at least one round, got {after}")
    if len(baseline) <= after:
        raise InvalidInput(f"the baseline has {len(baseline) - 1} rounds, {after} were asked for")
    goal = float(baseline[after])
    theirs, ours = rounds_to_reach(baseline, goal), rounds_to_reach(method, goal)
    assert theirs is not None  # it is there after these rounds at the latest
    if ours is None:
        return Saved(theirs - (len(method) - 1), censored=True)
    return Saved(theirs - ours)
