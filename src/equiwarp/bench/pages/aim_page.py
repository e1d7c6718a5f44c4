"""``docs/results/aim.md`` from the study of aims: every number on it comes from one command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equiwarp.bench.pages.choosing_suites import Records
from equiwarp.bench.pages.markdown import markdown_table, seed_ranges
from equiwarp.bench.studies.aim import ARMS, POINTS, START

#: Less than this is counted as this: one place of the test set, so that a perfect map has a logarithm.
SMALLEST = 1 / 4096
SETUP = """One experiment at a time, noise 5 % of the function's deviation. The level is exceeded by 30 % of
the domain. All arms read the same averaged map, so that only where they measured differs. `+ aim` is
`ew.Aim(near=level)`; the last six are criteria of others by their published formulas on one Matern model
(`bench/peers/contours.py` has formulas and sources). Standard errors are over cases."""
PAIRED = """Area over that of `map + aim` in the same case, geometric mean; below 1 the arm is better than
ours. In brackets, in how many cases its area was smaller."""


def mean_table(records: Records) -> str:
    """Mean misclassified area of each arm in per cent, after each number of points."""
    return markdown_table(
        ["arm", *(f"{points} points" for points in POINTS), "map error at the end"],
        [
            [f"`{arm}`", *(_mean([100 * r["area"] for r in _of(records, arm, n)]) for n in POINTS),
             _mean([r["error"] for r in _of(records, arm, POINTS[-1])], 3)]
            for arm in ARMS
        ],
    )  # fmt: skip


def function_table(records: Records) -> str:
    """The same function by function, at the end."""
    names = list(dict.fromkeys(r["benchmark"] for r in records))
    lines = []
    for arm in ARMS:
        found = _of(records, arm, POINTS[-1])
        lines.append(
            [
                f"`{arm}`",
                *(_mean([100 * r["area"] for r in found if r["benchmark"] == name]) for name in names),
            ]
        )
    return markdown_table(["arm", *names], lines)


def paired_table(records: Records, against: str = "map + aim") -> str:
    """Geometric mean of each arm's area over another's, case by case, and in how many cases it is smaller."""
    lines = []
    for arm in ARMS:
        if arm == against:
            continue
        cells = []
        for n in POINTS:
            ratios = np.array(_log_ratios(records, arm, against, n))
            spread = float(ratios.std(ddof=1)) / np.sqrt(len(ratios)) if len(ratios) > 1 else np.nan
            ratio = float(np.exp(ratios.mean()))
            cells.append(f"{ratio:.2f} ± {ratio * spread:.2f} ({int((ratios < 0).sum())} of {len(ratios)})")
        lines.append([f"`{arm}`", *cells])
    return markdown_table(["arm", *(f"{points} points" for points in POINTS)], lines)


def aim_page(records: Records, command: str) -> str:
    """The whole page."""
    seeds = seed_ranges(r["seed"] for r in records)
    names = ", ".join(dict.fromkeys(r["benchmark"] for r in records))
    cases = len({(r["benchmark"], r["seed"]) for r in records})
    parts = [
        "# Finding a contour: misclassified area against experiments",
        f"Written by `{command}`: {cases} cases ({names}; seeds {seeds}).",
        f"{START} points to begin with. {SETUP}",
        "## Misclassified area, per cent of the domain",
        mean_table(records),
        "## Case by case",
        PAIRED,
        paired_table(records),
        f"## Function by function, after {POINTS[-1]} points",
        function_table(records),
    ]
    return "\n\n".join(parts) + "\n"


def _of(records: Records, arm: str, points: int) -> list[Mapping[str, Any]]:
    return [r for r in records if r["arm"] == arm and r["points"] == points]


def _log_ratios(records: Records, arm: str, against: str, points: int) -> list[float]:
    there = {(r["benchmark"], r["seed"]): max(r["area"], SMALLEST) for r in _of(records, against, points)}
    return [
        float(np.log(max(r["area"], SMALLEST) / there[r["benchmark"], r["seed"]]))
        for r in _of(records, arm, points)
    ]


def _mean(values: Sequence[float], digits: int = 2) -> str:
    if not values:
        return ""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{np.mean(values):.{digits}f} ± {error:.{digits}f}"
