"""``docs/results/failures.md`` from the study of failures: every number on it comes from one command."""

from __future__ import annotations

import numpy as np

from equiwarp.bench.pages.choosing_suites import Records, less_error
from equiwarp.bench.pages.markdown import markdown_table, seed_ranges
from equiwarp.bench.studies.failures import NOISE, START, STRATEGY, TOTAL, WAITING

SETUP = f"""Two parameters, three functions (Branin, Franke and a steep front), noise {100 * NOISE:g} %,
{TOTAL} experiments, of which {START} are the start; `{STRATEGY}` chooses. In *disc*, *corner* and *band*
every experiment inside a hidden region fails; with *accidents* 15 % fail anywhere. *{WAITING}*: a failed
place waits for ten successes, and twice as long with each failure near it, and nothing is learnt. *learnt*:
the chance that an experiment works is learnt and multiplied into the choice, as campaigns do. *flagged*:
every accident was said to be one. The error is that of the averaged map over what works. Differences are case
by case, with their standard errors; a case is a function and a seed."""


def failures_table(records: Records) -> str:
    """Each region and arm: failures, and what differs from the waiting list."""
    lines = []
    for region, arm in dict.fromkeys((r["region"], r["arm"]) for r in records):
        here = {(r["function"], r["seed"]): r for r in records if (r["region"], r["arm"]) == (region, arm)}
        there = {
            (r["function"], r["seed"]): r for r in records if (r["region"], r["arm"]) == (region, WAITING)
        }
        shared = [case for case in here if case in there]
        fewer = [there[case]["failures"] - here[case]["failures"] for case in shared]
        logs = [float(np.log(here[case]["error"] / there[case]["error"])) for case in shared]
        error = float(np.exp(np.mean([np.log(r["error"]) for r in here.values()])))
        failures = float(np.mean([r["failures"] for r in here.values()]))
        against = ["", ""] if arm == WAITING else [_mean(fewer), less_error(logs)]
        lines.append(
            [f"{region}, {arm}", str(len(here)), f"{failures:.1f}", against[0], f"{error:.3f}", against[1]]
        )
    head = ["region and arm", "cases", "failures", "fewer failures", "error", "per cent less error"]
    return markdown_table(head, lines)


def failures_page(records: Records, command: str) -> str:
    """The whole page."""
    seeds = seed_ranges(r["seed"] for r in records)
    parts = [
        "# Where experiments fail",
        f"Written by `{command}`: seeds {seeds}.",
        SETUP,
        failures_table(records),
    ]
    return "\n\n".join(parts) + "\n"


def _mean(values: list[int]) -> str:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{np.mean(values):.1f} ± {error:.1f}"
