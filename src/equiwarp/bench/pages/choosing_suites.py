"""The suites on ``docs/results/choosing.md``: function by function, with seeds and standard errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from equiwarp.bench.area import BASELINE, Summary
from equiwarp.bench.experiments import AFTER, SavedSummary
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.markdown import DASH, markdown_table, number_text, plus_minus, seed_ranges
from equiwarp.bench.studies.suites import suite_trajectories
from equiwarp.bench.sweeps.suites import SUITES, Suite
from equiwarp.bench.trajectories import Trajectories

Records = Sequence[Mapping[str, Any]]
#: Rounds over which areas are compared on the named functions.
AREAS = SUITES["named"].horizons
#: Who knows the function, and how many rounds its gain is taken over: its rounds are dear.
ORACLE, ORACLE_ROUNDS = "oracle-map", 100
#: (benchmark, arm, seed, rounds) -> RMSE in deviations of the function.
Errors = Mapping[tuple[str, str, int, int], float]


def errors_of(records: Records) -> dict[tuple[str, str, int, int], float]:
    """The records, to be looked up."""
    return {(r["benchmark"], r["arm"], r["seed"], r["rounds"]): float(r["error"]) for r in records}


def ratios(errors: Errors, names: Sequence[str], arm: str, rounds: int) -> list[float]:
    """Logarithms of an arm's error over that of FPS on these functions, where both are known."""
    return [
        math.log(error / errors[name, BASELINE, seed, t])
        for (name, one, seed, t), error in errors.items()
        if name in names and one == arm and t == rounds and (name, BASELINE, seed, t) in errors
    ]


def less_error(logs: Sequence[float]) -> str:
    """Per cent less error in the geometric mean, with its standard error."""
    if not logs:
        return ""
    ratio = math.exp(np.mean(logs))
    if len(logs) < 2:
        return f"{100 * (1 - ratio):.0f}"
    error = ratio * float(np.std(logs, ddof=1)) / math.sqrt(len(logs))
    return f"{100 * (1 - ratio):.0f} ± {100 * error:.0f}"


def named_part(records: Records) -> list[str]:
    """Area reduction, experiments saved and share of the oracle's gain on the named functions."""
    suite = SUITES["named"]
    found = suite_trajectories([r for r in records if r["benchmark"] in suite.benchmarks])
    arms = [arm for arm in found.arms() if arm not in (BASELINE, ORACLE)]
    if not arms:
        return []
    areas = areas_reached(found, arms)
    seeds = {
        name: seed_ranges(s for arm in arms for s in found.reductions(name, arm, areas[-1]))
        for name in found.benchmarks()
    }

    def area(name: str, arm: str) -> str:
        return plus_minus(_area_of(found, name, arm, areas[-1]))

    def saved(name: str, arm: str) -> str:
        runs = list(found.saved(name, arm, AFTER).values())
        return str(SavedSummary.of(runs)) if runs else DASH

    parts = [f"## {suite.title}", _NAMED, _summary(found, arms, areas)]
    parts += [f"Area reduction after {areas[-1]} rounds, per cent:", _by_function(seeds, arms, area)]
    parts += [f"Experiments saved of {AFTER}:", _by_function(seeds, arms, saved)]
    return parts


def suite_part(suite: Suite, records: Records) -> list[str]:
    """Per cent less error than with farthest points, arm by arm and function by function."""
    here = [r for r in records if r["benchmark"] in suite.benchmarks]
    errors, arms = errors_of(here), [arm for arm in dict.fromkeys(r["arm"] for r in here) if arm != BASELINE]
    if not arms:
        return []
    last = suite.horizons[-1]
    head = ["strategy", "cases", *(f"{t} rounds" for t in suite.horizons), "worst"]
    lines = []
    for arm in arms:
        logs = {t: ratios(errors, suite.benchmarks, arm, t) for t in suite.horizons}
        worst = f"{100 * (1 - math.exp(max(logs[last]))):.0f}" if logs[last] else DASH
        cells = [less_error(logs[t]) for t in suite.horizons]
        lines.append([f"`{arm}`", str(len(logs[last])), *cells, worst])
    table = []
    for name in (n for n in suite.benchmarks if any(r["benchmark"] == n for r in here)):
        cells = [less_error(ratios(errors, [name], arm, last)) for arm in arms]
        seeds = seed_ranges(r["seed"] for r in here if r["benchmark"] == name)
        table.append([find_benchmark(name).title, seeds, *cells])
    return [
        f"## {suite.title}",
        f"`{suite.command}`",
        markdown_table(head, lines),
        f"By function, after {last} rounds:",
        markdown_table(["function", "seeds", *(f"`{arm}`" for arm in arms)], table),
    ]


def batch_part(records: Records) -> list[str]:
    """How much an arm loses in batches against itself, one point at a time."""
    alone = suite_trajectories([r for r in records if r["benchmark"] in SUITES["named"].benchmarks])
    lines = []
    for suite in (suite for name, suite in SUITES.items() if name.startswith("batch-")):
        here = [r for r in records if r["benchmark"] in suite.benchmarks and r["arm"] != BASELINE]
        for arm in dict.fromkeys(str(r["arm"]) for r in here):
            logs = [log for r in here if r["arm"] == arm for log in _against_itself(alone, r)]
            if logs:
                lines.append([f"`{arm}`", suite.title, str(len(logs)), less_error(logs)])
    if not lines:
        return []
    head = ["strategy", "in", "cases", "less error"]
    return ["## What a batch costs", _BATCHES, markdown_table(head, lines)]


def _against_itself(alone: Trajectories, record: Mapping[str, Any]) -> list[float]:
    """Logarithm of a batch's error over that of the same arm one point at a time, if that is known."""
    name = str(record["benchmark"]).partition("+")[0]
    percents = alone.percents(name, record["arm"], record["rounds"])
    known = record["seed"] in percents
    return [math.log(100 * record["error"] / percents[record["seed"]])] if known else []


def choosing_suites(records: Records) -> list[str]:
    """All parts, as paragraphs."""
    if not records:
        return []
    parts = named_part(records)
    for suite in SUITES.values():
        parts += [] if suite.name == "named" else suite_part(suite, records)
    commits = ", ".join(f"`{c}`" for c in dict.fromkeys(str(r["commit"]) for r in records))
    return [*parts, *batch_part(records), f"Maps were fitted at {commits}."]


def areas_reached(found: Trajectories, arms: Sequence[str]) -> tuple[int, ...]:
    """The rounds of :data:`AREAS` that all arms have reached on some function; the first of them if none."""
    names = found.benchmarks()
    reached = [t for t in AREAS if any(all(found.reductions(n, arm, t) for arm in arms) for n in names)]
    return tuple(reached) or AREAS[:1]


def _summary(found: Trajectories, arms: Sequence[str], areas: Sequence[int]) -> str:
    """Over the functions that all arms have, so that they are compared on the same."""
    lines = []
    shared = [n for n in found.benchmarks() if all(found.reductions(n, arm, areas[-1]) for arm in arms)]
    for arm in arms:
        area = {t: [_area_of(found, name, arm, t) for name in shared] for t in areas}
        known = {t: [s for s in area[t] if s.seeds] for t in areas}
        means = [plus_minus(Summary.of(s.mean for s in known[t])) for t in areas]
        below = sum(s.mean < -2 * s.sem for s in known[areas[-1]] if s.seeds > 1)
        runs = [run for name in shared for run in found.saved(name, arm, AFTER).values()]
        saved = str(SavedSummary.of(runs)) if runs else DASH
        line = [f"`{arm}`", str(len(known[areas[-1]])), *means, saved, str(below)]
        lines.append([*line, number_text(oracle_share(found, arm), 0)])
    head = ["strategy", "functions", *(f"AR, {t} rounds" for t in areas), "experiments saved"]
    return markdown_table([*head, "below FPS by 2 SE", "% of the oracle's gain"], lines)


def oracle_share(found: Trajectories, arm: str) -> float:
    """An arm's area reduction over the oracle's, per cent, from functions and seeds that both have."""
    mine = theirs = 0.0
    for name in found.benchmarks():
        for seed in found.shared(name, (BASELINE, arm, ORACLE), ORACLE_ROUNDS):
            mine += found.reductions(name, arm, ORACLE_ROUNDS)[seed]
            theirs += found.reductions(name, ORACLE, ORACLE_ROUNDS)[seed]
    return 100 * mine / theirs if theirs > 0 else math.nan


def _by_function(seeds: Mapping[str, str], arms: Sequence[str], cell: Callable[[str, str], str]) -> str:
    lines = []
    for name, which in seeds.items():
        lines.append([find_benchmark(name).title, which, *(cell(name, arm) for arm in arms)])
    return markdown_table(["function", "seeds", *(f"`{arm}`" for arm in arms)], lines)


def _area_of(found: Trajectories, name: str, arm: str, rounds: int) -> Summary:
    return Summary.of(found.reductions(name, arm, rounds).values())


_NAMED = f"""`equiwarp bench study suites --suite named`; one point at a time, noise 5 %, start and pool as in
[the bench](../bench.md). *AR*: per cent less squared error of the averaged map than with farthest points,
summed over all rounds; mean ± standard error, in the first table over the functions that all have.
*Experiments saved*: how many fewer measurements reach the error that farthest points have after {AFTER}; ≤
marks a bound, because some runs ended before they reached it. The oracle knows the function and chooses
greedily for the same map; shares of its gain are over {ORACLE_ROUNDS} rounds."""
_BATCHES = """Per cent less error after 96 points than the same strategy one point at a time, on the same
functions and seeds; a batch costs what is negative."""
