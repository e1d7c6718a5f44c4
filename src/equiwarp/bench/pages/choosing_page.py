"""``docs/results/choosing.md`` from the study of choosing and the suites: every number from one command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from equiwarp.bench.pages.choosing_suites import Records, choosing_suites, less_error
from equiwarp.bench.pages.choosing_tried import tried_part
from equiwarp.bench.pages.known_model_part import known_model_part
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.studies.choosing import NAMED, NEAR_FACE, POINTS, RANDOM, START

#: Whom the others are compared with.
AGAINST = "fps"


def log_ratios(records: Records, arm: str, points: int, against: str = AGAINST) -> list[float]:
    """Logarithms of an arm's error over another's, case by case, where both are known."""
    found: dict[str, dict[tuple[str, int], float]] = {arm: {}, against: {}}
    for r in records:
        if r["arm"] in found and r["points"] == points:
            found[r["arm"]][r["benchmark"], r["seed"]] = float(np.log(r["error"]))
    return [error - found[against][case] for case, error in found[arm].items() if case in found[against]]


def summary_table(records: Records) -> str:
    """Each arm against farthest points after each number of points, its worst case, and where it measures."""
    lines = []
    for arm in arms_of(records):
        cells = [less_error(log_ratios(records, arm, points)) for points in POINTS]
        ratios = [ratio for points in POINTS for ratio in log_ratios(records, arm, points)]
        worst = f"{100 * (1 - np.exp(max(ratios))):.0f}" if ratios else ""
        near = [r["near_faces"] for r in records if r["arm"] == arm and r["points"] == POINTS[-1]]
        count = len(log_ratios(records, arm, POINTS[-1]))
        lines.append([f"`{arm}`", str(count), *cells, worst, f"{100 * np.mean(near):.0f} %"])
    return markdown_table(["strategy", "functions", *_stages(), "worst", "near a face"], lines)


def group_table(records: Records, key: Callable[[Mapping[str, Any]], str], head: str) -> str:
    """Each arm by groups of cases: 20 / 40 / 80 points in one cell."""
    arms, lines = [arm for arm in arms_of(records) if arm != AGAINST], []
    for group in dict.fromkeys(key(r) for r in records):
        here = [r for r in records if key(r) == group]
        cells = [" / ".join(less_error(log_ratios(here, arm, points)) for points in POINTS) for arm in arms]
        lines.append([group, str(len(log_ratios(here, arms[0], POINTS[-1]))), *cells])
    return markdown_table([head, "functions", *(f"`{arm}`" for arm in arms)], lines)


def choosing_page(
    records: Records,
    command: str,
    suites: Records = (),
    notes: str = "",
    tried: Records = (),
    modelled: Records = (),
) -> str:
    """The whole page: the study, the suites, what was tried, what is possible, and notes written by hand."""
    parts = ["# Choosing for the averaged map", f"Made by `{command}`."]
    parts += _study_part(records) if records else []
    parts += choosing_suites(suites)
    parts += tried_part(tried)
    parts += known_model_part(modelled)
    return "\n\n".join([*parts, *([notes] if notes else [])]) + "\n"


def _study_part(records: Records) -> list[str]:
    """Random functions, and named ones that nobody chose by, from a start of few points in batches."""
    batch = " or ".join(str(size) for size in sorted({r["batch"] for r in records}))
    parts = [
        "Per cent less true error of the map that a campaign draws than with farthest points (`fps`), in the "
        f"geometric mean, ± standard error. All arms begin with the same {START} Sobol points and choose in "
        f"batches of {batch} from one pool of 4,096; noise is 5 % of the function's deviation. *Near a "
        f"face*: the share of chosen points with a coordinate within {NEAR_FACE:g} of one.",
        "Random functions chose the constants of `map`; the named ones were not looked at before.",
    ]
    for group, title in ((RANDOM, "Random functions"), (NAMED, "Named functions")):
        here = [r for r in records if r["group"] == group]
        if not here:
            continue
        parts += [f"## {title}", summary_table(here)]
        head = "family" if group == RANDOM else "function"
        parts += [f"By {head}, after {' / '.join(map(str, POINTS))} points:"]
        parts += [group_table(here, lambda r: str(r["family"]), head)]
        parts += [group_table(here, lambda r: f"{r['dim']}", "dimensions")]
    return parts


def arms_of(records: Records) -> list[str]:
    """The arms, in the order in which they were run."""
    return list(dict.fromkeys(str(r["arm"]) for r in records))


def _stages() -> list[str]:
    return [f"{points} points" for points in POINTS]
