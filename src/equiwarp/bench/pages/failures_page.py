"""``docs/results/failures.md`` from the study of failures: every number on it comes from one command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equiwarp.bench.functions.hidden_regions import ACCIDENT, DRAWN, FUNCTIONS, SHARES
from equiwarp.bench.pages.choosing_suites import Records, less_error
from equiwarp.bench.pages.markdown import markdown_table, seed_ranges
from equiwarp.bench.studies.failures import NOISE, POINTS, START, STRATEGY, WAITING

SETUP = f"""Noise {100 * NOISE:g} %, {POINTS[-1]} experiments, failed ones included, of which {START} are the
start; `{STRATEGY}` chooses, one at a time. Every experiment inside a hidden region fails; with *accidents*
{100 * ACCIDENT:g} % fail anywhere. *{WAITING}*: a failed place waits for ten successes, and twice as long
with each failure near it, and nothing is learnt. *learnt*: what a campaign does: the chance that an
experiment works is learnt, multiplied into the choice, and counts where the map's error is averaged.
*flagged*: every accident was said to be one. The error is that of the averaged map over what truly works.
Differences are case by case, with their standard errors; a case is a function and a seed."""
GROUPS = {
    "Named functions and regions, by which nothing was chosen": "Branin, Franke and a steep front; a disc, a "
    "corner and a band, a quarter to a third of the square.",
    "Random functions and regions": f"Seven families in two and three dimensions; the region, *{DRAWN}*, is "
    f"where a random wave is highest, {100 * SHARES[0]:g} to {100 * SHARES[1]:g} % of the domain.",
}


def failures_table(records: Records) -> str:
    """Each region and arm: failures, and what differs from the waiting list."""
    lines = []
    pairs = list(dict.fromkeys((str(r["region"]), str(r["arm"])) for r in records))
    for region, arm in pairs:
        here, there = _cases(records, region, arm), _cases(records, region, WAITING)
        end = [case for case in here if case[2] == POINTS[-1]]
        failures = f"{np.mean([here[case]['failures'] for case in end]):.1f}"
        error = f"{np.exp(np.mean([np.log(here[case]['error']) for case in end])):.3f}"
        against = [""] * (1 + len(POINTS))
        if arm != WAITING:
            fewer = [there[case]["failures"] - here[case]["failures"] for case in end if case in there]
            against = [_mean(fewer), *(less_error(_logs(here, there, n)) for n in POINTS)]
        lines.append([f"{region}, {arm}", str(len(end)), failures, against[0], error, *against[1:]])
    head = ["region and arm", "cases", "failures", "fewer failures", "error"]
    return markdown_table([*head, *(f"per cent less error, {n}" for n in POINTS)], lines)


def failures_page(records: Records, command: str) -> str:
    """The whole page."""
    parts = ["# Where experiments fail", f"Written by `{command}`.", SETUP]
    named = [r for r in records if r["function"] in FUNCTIONS]
    random = [r for r in records if r["function"] not in FUNCTIONS]
    for (title, said), found in zip(GROUPS.items(), (named, random), strict=True):
        if found:
            seeds = seed_ranges(r["seed"] for r in found)
            parts += [f"## {title}", f"{said} Seeds {seeds}.", failures_table(found)]
    return "\n\n".join(parts) + "\n"


Cases = Mapping[tuple[str, int, int], Mapping[str, Any]]


def _cases(records: Records, region: str, arm: str) -> Cases:
    """Records by function, seed and number of experiments."""
    chosen = [r for r in records if (r["region"], r["arm"]) == (region, arm)]
    return {(r["function"], r["seed"], r["points"]): r for r in chosen}


def _logs(here: Cases, there: Cases, points: int) -> list[float]:
    return [
        float(np.log(here[case]["error"] / there[case]["error"]))
        for case in here
        if case[2] == points and case in there
    ]


def _mean(values: Sequence[int]) -> str:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{np.mean(values):.1f} ± {error:.1f}"
