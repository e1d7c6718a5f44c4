"""How the look-ahead arms fare against the paper's method, every other arm, and the oracle's limit.

Arms are compared in pairs: on the seeds that both have, with the standard error of the difference.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equiwarp.bench.area import BASELINE, Summary, common_seeds
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.markdown import MISSING, number, plus_minus, ranges, table
from equiwarp.bench.storage.csv_records import known
from equiwarp.bench.trajectories import Trajectories

PAPER_METHOD, ORACLE = "equiwarp", "oracle"
CONTEST_HORIZONS = (50, 100, 200)
#: Rounds of the tables that have a column per arm.
TABLE_ROUNDS = 100
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
        present = [a for a in self.found.arms() if any((name, a) in self.found.errors for name in names)]
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


def duel(contest: Contest) -> str:
    """Arm against the paper's method, benchmark by benchmark and horizon by horizon."""
    head = ["benchmark", "seeds"]
    for rounds in CONTEST_HORIZONS:
        head += [f"`{contest.arm}`, {rounds}", f"`{PAPER_METHOD}`", "difference"]
    lines = []
    for name in contest.benchmarks:
        cells: list[str] = []
        seeds: dict[str, None] = {}
        for rounds in CONTEST_HORIZONS:
            gap, common = contest.difference(name, rounds)
            values = [contest.found.reductions(name, arm, rounds) for arm in (contest.arm, PAPER_METHOD)]
            cells += [plus_minus(Summary.of(v[s] for s in common)) for v in values]
            cells.append(_marked(gap))
            seeds[ranges(common)] = None
        lines.append([find_benchmark(name).title, " / ".join(seeds), *cells])
    return table(head, lines)


def rivals(contest: Contest) -> str:
    """Against every other arm: benchmarks won, tied and lost at each horizon, and where it was closest."""
    head = ["against", *(f"ahead, tied, behind at {rounds}" for rounds in CONTEST_HORIZONS), "closest"]
    lines = []
    for arm in contest.arms:
        if arm in (contest.arm, ORACLE):
            continue
        cells, closest = [f"`{arm}`"], list[tuple[float, str]]()
        for rounds in CONTEST_HORIZONS:
            outcomes = Counter[str]()
            for name in contest.benchmarks:
                gap, seeds = contest.difference(name, rounds, arm)
                if len(seeds) < 2:
                    continue
                outcomes[_outcome(gap)] += 1
                where = f"{find_benchmark(name).title} at {rounds}: {plus_minus(gap, sign=True)}"
                closest.append((gap.mean / gap.sem if gap.sem else math.inf, where))
            told = ", ".join(str(outcomes[kind]) for kind in ("ahead", "tied", "behind"))
            cells.append(told if outcomes else MISSING)
        lines.append([*cells, min(closest)[1] if closest else MISSING])
    return table(head, lines)


def verdicts(contest: Contest, rounds: int) -> dict[str, list[str]]:
    """Titles of benchmarks on which the arm is ahead of the paper's method, tied, behind, or untold."""
    found: dict[str, list[str]] = {"ahead": [], "tied": [], "behind": [], "one seed": []}
    for name in contest.benchmarks:
        gap, seeds = contest.difference(name, rounds)
        if not seeds:
            continue
        found[_outcome(gap)].append(find_benchmark(name).title)
    return found


def worse_than_fps(contest: Contest, arm: str, rounds: int) -> list[str]:
    """Benchmarks whose AR lies more than two standard errors below zero, with the number."""
    found = []
    for name in contest.benchmarks:
        one = contest.reduction(name, arm, rounds)
        if one.mean + WORSE_BY_SEM * one.sem < 0:
            found.append(f"{find_benchmark(name).title} ({plus_minus(one)})")
    return found


def standings(contest: Contest) -> str:
    """Means over benchmarks, per arm, each beside the contest's arm on the same benchmarks and seeds."""
    head = ["arm", "benchmarks"]
    head += [f"AR, {rounds}" for rounds in CONTEST_HORIZONS]
    head += [
        f"`{contest.arm}` there, {TABLE_ROUNDS}",
        f"RMSE %, {TABLE_ROUNDS}",
        f"`{contest.arm}` there",
        "share of oracle",
    ]
    lines = []
    for arm in contest.arms:
        names = [n for n in contest.benchmarks if _common(contest, n, arm, TABLE_ROUNDS)]
        if not names:
            continue
        cells = [f"`{arm}`", f"{len(names)} of {len(contest.benchmarks)}"]
        cells += [number(_mean_reduction(contest, names, arm, arm, rounds)) for rounds in CONTEST_HORIZONS]
        cells.append(number(_mean_reduction(contest, names, contest.arm, arm, TABLE_ROUNDS)))
        cells += [number(_mean_percent(contest, names, one, arm)) for one in (arm, contest.arm)]
        shares = [share for n in names if not math.isnan(share := contest.share(n, arm, TABLE_ROUNDS))]
        cells.append(f"{number(sum(shares) / len(shares), 0)} % ({len(shares)})" if shares else MISSING)
        lines.append(cells)
    return table(head, lines)


def every_arm(contest: Contest, measure: str) -> str:
    """At 100 rounds, a line per benchmark and a column per arm: ``ar``, ``rmse``, ``better`` or ``share``."""
    arms = [arm for arm in contest.arms if arm != BASELINE or measure in ("rmse", "better")]
    extra = ["better of FPS and Sobol"] if measure == "better" else []
    lines = []
    for name in contest.benchmarks:
        better = contest.found.better_start(name, TABLE_ROUNDS)
        cells = [find_benchmark(name).title, *([f"`{better}`" if better else MISSING] if extra else [])]
        for arm in arms:
            if measure == "rmse":
                cells.append(plus_minus(Summary.of(contest.found.percents(name, arm, TABLE_ROUNDS).values())))
            elif measure == "share":
                share = contest.share(name, arm, TABLE_ROUNDS)
                cells.append(MISSING if math.isnan(share) else f"{number(share, 0)} %")
            elif measure == "better":
                one = contest.reduction(name, arm, TABLE_ROUNDS, better) if better else None
                cells.append("0" if arm == better else plus_minus(one))
            else:
                cells.append(plus_minus(contest.reduction(name, arm, TABLE_ROUNDS)))
        lines.append(cells)
    return table(["benchmark", *extra, *(f"`{arm}`" for arm in arms)], lines)


def contest_records(contest: Contest) -> list[dict[str, Any]]:
    """Everything above in long form, for a file."""
    found = []
    for name in contest.benchmarks:
        for arm in contest.arms:
            for rounds in CONTEST_HORIZONS:
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
                        **{key: known(value) for key, value in values.items()},
                    }
                )
    return [record for record in found if record["seeds"]]


def _common(contest: Contest, name: str, arm: str, rounds: int) -> Sequence[int]:
    return contest.found.shared(name, (BASELINE, contest.arm, arm), rounds)


def _mean_reduction(contest: Contest, names: Sequence[str], arm: str, beside: str, rounds: int) -> float:
    """Mean over benchmarks of the mean over the seeds shared with ``beside``."""
    if arm == BASELINE:
        return 0.0
    means = []
    for name in names:
        values = contest.found.reductions(name, arm, rounds)
        means.append(Summary.of(values[s] for s in _common(contest, name, beside, rounds)).mean)
    return sum(means) / len(means)


def _mean_percent(contest: Contest, names: Sequence[str], arm: str, beside: str) -> float:
    means = []
    for name in names:
        values = contest.found.percents(name, arm, TABLE_ROUNDS)
        means.append(Summary.of(values[s] for s in _common(contest, name, beside, TABLE_ROUNDS)).mean)
    return sum(means) / len(means)


def _outcome(gap: Summary) -> str:
    if math.isnan(gap.sem):
        return "one seed"
    return "ahead" if gap.mean > gap.sem else "behind" if gap.mean < -gap.sem else "tied"


def _marked(gap: Summary) -> str:
    text = plus_minus(gap, sign=True)
    return f"**{text}**" if gap.seeds > 1 and _outcome(gap) != "ahead" else text
