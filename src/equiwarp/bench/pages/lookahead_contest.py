"""How the look-ahead arms fare against the paper's method, every other arm, and the oracle's limit.

Arms are compared in pairs: on the seeds that both have, with the standard error of the difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from equiwarp.bench.area import BASELINE, Summary, common_seeds
from equiwarp.bench.arms import is_variant
from equiwarp.bench.functions.catalogue import CUBE_CHECKPOINTS, find_benchmark
from equiwarp.bench.pages.markdown import plus_minus
from equiwarp.bench.storage.csv_records import none_if_nan
from equiwarp.bench.trajectories import Trajectories

PAPER_METHOD, ORACLE = "equiwarp", "oracle"
#: Standard errors by which a benchmark counts as worse than FPS.
WORSE_BY_SEM = 2.0


@dataclass(frozen=True)
class Contest:
    """A look-ahead arm under the readout it looks ahead at."""

    arm: str
    found: Trajectories

    @property
    def benchmarks(self) -> list[str]:
        """Cubes on which the arm was run and scored."""
        names = [name for name in self.found.benchmarks() if (name, self.arm) in self.found.errors]
        return [name for name in names if not find_benchmark(name).sphere]

    @property
    def arms(self) -> list[str]:
        """The arm itself, the paper's method, then the others with cells on these benchmarks."""
        names = set(self.benchmarks)
        rivals = [arm for arm in self.found.arms() if not is_variant(arm)]
        present = [a for a in rivals if any((name, a) in self.found.errors for name in names)]
        first = [arm for arm in (self.arm, PAPER_METHOD) if arm in present]
        return [*first, *(arm for arm in present if arm not in first)]

    def difference(
        self, name: str, rounds: int, other: str = PAPER_METHOD
    ) -> tuple[Summary, tuple[int, ...]]:
        """AR of the arm minus that of another, over the seeds both have."""
        mine, theirs = (self.found.reductions(name, arm, rounds) for arm in (self.arm, other))
        seeds = common_seeds(mine, theirs)
        return Summary.of(mine[seed] - theirs[seed] for seed in seeds), tuple(seeds)

    def reduction(self, name: str, arm: str, rounds: int, against: str = BASELINE) -> Summary:
        return Summary.of(self.found.reductions(name, arm, rounds, against).values())

    def share(self, name: str, arm: str, rounds: int) -> float:
        """AR of an arm over the oracle's on common seeds, percent; NaN where the oracle gains nothing.

        Under 1-NN only: the oracle is greedy for that map, and no limit for another.
        """
        if self.found.readout != "1nn":
            return math.nan
        mine, limit = (self.found.reductions(name, one, rounds) for one in (arm, ORACLE))
        seeds = common_seeds(mine, limit)
        gain = sum(limit[seed] for seed in seeds)
        return 100.0 * sum(mine[seed] for seed in seeds) / gain if gain > 0 else math.nan


def verdicts(contest: Contest, rounds: int) -> dict[str, list[str]]:
    """Titles of benchmarks on which the arm is ahead of the paper's method, tied, behind, or untold."""
    found: dict[str, list[str]] = {"ahead": [], "tied": [], "behind": [], "one seed": []}
    for name in contest.benchmarks:
        gap, seeds = contest.difference(name, rounds)
        if not seeds:
            continue
        found[outcome_of(gap)].append(find_benchmark(name).title)
    return found


def worse_than_fps(contest: Contest, arm: str, rounds: int) -> list[str]:
    """Benchmarks whose AR lies more than two standard errors below zero, with the number."""
    found = []
    for name in contest.benchmarks:
        one = contest.reduction(name, arm, rounds)
        if one.mean + WORSE_BY_SEM * one.sem < 0:
            found.append(f"{find_benchmark(name).title} ({plus_minus(one)})")
    return found


def contest_records(contest: Contest) -> list[dict[str, Any]]:
    """Everything above in long form, for a file."""
    found = []
    for name in contest.benchmarks:
        for arm in contest.arms:
            for rounds in CUBE_CHECKPOINTS:
                reductions = contest.found.reductions(name, arm, rounds)
                percents = contest.found.percents(name, arm, rounds)
                better = contest.found.better_start(name, rounds)
                gain = contest.reduction(name, arm, rounds, better) if better else Summary.of([])
                gap, seeds = contest.difference(name, rounds, arm)
                values = {
                    "ar_mean": Summary.of(reductions.values()).mean,
                    "ar_sem": Summary.of(reductions.values()).sem,
                    "rmse_percent_mean": Summary.of(percents.values()).mean,
                    "rmse_percent_sem": Summary.of(percents.values()).sem,
                    "ar_over_better_start": gain.mean,
                    "ar_over_better_start_sem": gain.sem,
                    "share_of_oracle_percent": contest.share(name, arm, rounds),
                    "lookahead_minus_arm": gap.mean,
                    "lookahead_minus_arm_sem": gap.sem,
                }
                found.append(
                    {
                        "lookahead": contest.arm,
                        "readout": contest.found.readout,
                        "benchmark": name,
                        "arm": arm,
                        "rounds": rounds,
                        "seeds": len(percents),
                        "common_seeds": len(seeds),
                        "better_start": better,
                        **{key: none_if_nan(value) for key, value in values.items()},
                    }
                )
    return [record for record in found if record["seeds"]]


def outcome_of(gap: Summary) -> str:
    """Whether a difference is more than one standard error above zero, below, or neither."""
    if math.isnan(gap.sem):
        return "one seed"
    return "ahead" if gap.mean > gap.sem else "behind" if gap.mean < -gap.sem else "tied"
