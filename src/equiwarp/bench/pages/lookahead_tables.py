"""The tables of the look-ahead page, in Markdown: a contest by benchmark, by arm, and in the mean."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from equiwarp.bench.area import BASELINE, Summary
from equiwarp.bench.functions.catalogue import CUBE_CHECKPOINTS, find_benchmark
from equiwarp.bench.pages.lookahead_contest import ORACLE, PAPER_METHOD, Contest, outcome_of
from equiwarp.bench.pages.markdown import DASH, markdown_table, number_text, plus_minus, seed_ranges

#: Rounds of the tables that have a column per arm.
TABLE_ROUNDS = 100


def method_table(contest: Contest) -> str:
    """Arm against the paper's method, benchmark by benchmark and horizon by horizon."""
    head = ["benchmark", "seeds"]
    for rounds in CUBE_CHECKPOINTS:
        head += [f"`{contest.arm}`, {rounds}", f"`{PAPER_METHOD}`", "difference"]
    lines = []
    for name in contest.benchmarks:
        cells: list[str] = []
        seeds: dict[str, None] = {}
        for rounds in CUBE_CHECKPOINTS:
            gap, common = contest.difference(name, rounds)
            values = [contest.found.reductions(name, arm, rounds) for arm in (contest.arm, PAPER_METHOD)]
            cells += [plus_minus(Summary.of(v[s] for s in common)) for v in values]
            cells.append(_marked(gap))
            seeds[seed_ranges(common)] = None
        lines.append([find_benchmark(name).title, " / ".join(seeds), *cells])
    return markdown_table(head, lines)


def arms_table(contest: Contest) -> str:
    """Against every other arm: benchmarks won, tied and lost at each horizon, and where it was closest."""
    head = ["against", *(f"ahead, tied, behind at {rounds}" for rounds in CUBE_CHECKPOINTS), "closest"]
    lines = []
    for arm in contest.arms:
        if arm in (contest.arm, ORACLE):
            continue
        cells, closest = [f"`{arm}`"], list[tuple[float, str]]()
        for rounds in CUBE_CHECKPOINTS:
            outcomes = Counter[str]()
            for name in contest.benchmarks:
                gap, seeds = contest.difference(name, rounds, arm)
                if len(seeds) < 2:
                    continue
                outcomes[outcome_of(gap)] += 1
                where = f"{find_benchmark(name).title} at {rounds}: {plus_minus(gap, sign=True)}"
                closest.append((gap.mean / gap.sem if gap.sem else math.inf, where))
            told = ", ".join(str(outcomes[kind]) for kind in ("ahead", "tied", "behind"))
            cells.append(told if outcomes else DASH)
        lines.append([*cells, min(closest)[1] if closest else DASH])
    return markdown_table(head, lines)


def means_table(contest: Contest) -> str:
    """Means over benchmarks, per arm, each beside the contest's arm on the same benchmarks and seeds."""
    head = ["arm", "benchmarks"]
    head += [f"AR, {rounds}" for rounds in CUBE_CHECKPOINTS]
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
        cells += [
            number_text(_mean_reduction(contest, names, arm, arm, rounds)) for rounds in CUBE_CHECKPOINTS
        ]
        cells.append(number_text(_mean_reduction(contest, names, contest.arm, arm, TABLE_ROUNDS)))
        cells += [number_text(_mean_percent(contest, names, one, arm)) for one in (arm, contest.arm)]
        shares = [share for n in names if not math.isnan(share := contest.share(n, arm, TABLE_ROUNDS))]
        cells.append(f"{number_text(sum(shares) / len(shares), 0)} % ({len(shares)})" if shares else DASH)
        lines.append(cells)
    return markdown_table(head, lines)


def every_arm_table(contest: Contest, measure: str) -> str:
    """At 100 rounds, a line per benchmark and a column per arm: ``ar``, ``rmse``, ``better`` or ``share``."""
    arms = [arm for arm in contest.arms if arm != BASELINE or measure in ("rmse", "better")]
    extra = ["better of FPS and Sobol"] if measure == "better" else []
    lines = []
    for name in contest.benchmarks:
        better = contest.found.better_start(name, TABLE_ROUNDS)
        cells = [find_benchmark(name).title, *([f"`{better}`" if better else DASH] if extra else [])]
        for arm in arms:
            if measure == "rmse":
                cells.append(plus_minus(Summary.of(contest.found.percents(name, arm, TABLE_ROUNDS).values())))
            elif measure == "share":
                share = contest.share(name, arm, TABLE_ROUNDS)
                cells.append(DASH if math.isnan(share) else f"{number_text(share, 0)} %")
            elif measure == "better":
                one = contest.reduction(name, arm, TABLE_ROUNDS, better) if better else None
                cells.append("0" if arm == better else plus_minus(one))
            else:
                cells.append(plus_minus(contest.reduction(name, arm, TABLE_ROUNDS)))
        lines.append(cells)
    return markdown_table(["benchmark", *extra, *(f"`{arm}`" for arm in arms)], lines)


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


def _marked(gap: Summary) -> str:
    text = plus_minus(gap, sign=True)
    return f"**{text}**" if gap.seeds > 1 and outcome_of(gap) != "ahead" else text
