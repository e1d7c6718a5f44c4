"""``docs/results/aim.md`` from the study of aims: every number on it comes from one command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equiwarp.bench.pages.choosing_suites import Records
from equiwarp.bench.pages.markdown import markdown_table, seed_ranges
from equiwarp.bench.studies.aim import POINTS, START, VARIANTS, whole_cases

#: Less than this is counted as this: one place of the test set, so that a perfect map has a logarithm.
SMALLEST = 1 / 4096
SETUP = """One experiment at a time, noise 5 % of the function's deviation. The level is exceeded by 30 % of
the domain, or by 20, 10 or 5 % where more than a tenth of the domain lies within the noise of that level
(Gramacy-Lee is flat on three quarters of its domain: a level there divides nothing that can be measured). All
arms read the same averaged map, so that only where they measured differs. `+ aim` is `ew.Aim(near=level)`.
Criteria of others are computed by their published formulas on one Matern model, fitted anew for every choice:
`feasibility` and `timse` are trieste's, `target` is gpCAM's, `straddle`, `tmse`, `mee`, `csur` and `icu` are
hetGP's, `class error`, `mi` and `eavc` AEPsych's look-ahead, `sur` that of Bect et al.
(`bench/peers/contours.py` has formulas and sources). Standard errors are over cases."""
PAIRED = """Area over that of `map + aim` in the same case, geometric mean; below 1 the arm is better than
ours. In brackets, in how many cases its area was smaller."""
TRIED = "`{0} + aim` is `map` that looks for the contour {1}."


def mean_table(records: Records) -> str:
    """Mean misclassified area of each arm in per cent, after each number of points."""
    return markdown_table(
        ["arm", *(f"{points} points" for points in POINTS), "map error at the end"],
        [
            [f"`{arm}`", *(_mean([100 * r["area"] for r in _of(records, arm, n)]) for n in POINTS),
             _mean([r["error"] for r in _of(records, arm, POINTS[-1])], 3)]
            for arm in arms_of(records)
        ],
    )  # fmt: skip


def function_table(records: Records) -> str:
    """The same function by function, at the end."""
    names = list(dict.fromkeys(r["benchmark"] for r in records))
    lines = []
    for arm in arms_of(records):
        found = _of(records, arm, POINTS[-1])
        lines.append(
            [
                f"`{arm}`",
                *(_mean([100 * r["area"] for r in found if r["benchmark"] == name]) for name in names),
            ]
        )
    return markdown_table(["arm", *names], lines)


def paired_table(records: Records, against: str = "map + aim") -> str:
    """Geometric mean of each arm's area over another's, case by case, and in how many cases it is smaller.

    Cases that the other arm has not finished are left out.
    """
    lines = []
    for arm in arms_of(records):
        if arm == against:
            continue
        cells = []
        for n in POINTS:
            ratios = np.array(_log_ratios(records, arm, against, n))
            if not len(ratios):
                cells.append("–")
                continue
            spread = float(ratios.std(ddof=1)) / np.sqrt(len(ratios)) if len(ratios) > 1 else np.nan
            ratio = float(np.exp(ratios.mean()))
            cells.append(f"{ratio:.2f} ± {ratio * spread:.2f} ({int((ratios < 0).sum())} of {len(ratios)})")
        lines.append([f"`{arm}`", *cells])
    return markdown_table(["arm", *(f"{points} points" for points in POINTS)], lines)


def aim_page(records: Records, command: str) -> str:
    """The whole page: named functions, by which nothing was chosen, then random ones."""
    groups = {
        "Named functions, by which nothing was chosen": [r for r in records if not _is_random(r)],
        "Random functions": [r for r in records if _is_random(r)],
    }
    parts = [
        "# Finding a contour: misclassified area against experiments",
        f"Written by `{command}`.",
        f"{START} points to begin with. {SETUP}",
    ]
    for title, found in groups.items():
        parts += _group(title, whole_cases(found, arms_of(found)))
    return "\n\n".join(parts) + "\n"


def _group(title: str, records: Records) -> list[str]:
    """One group of functions; nothing if no case is whole."""
    if not records:
        return []
    cases = len({(r["benchmark"], r["seed"]) for r in records})
    names = list(dict.fromkeys(r["benchmark"] for r in records if not _is_random(r)))
    seeds = seed_ranges(r["seed"] for r in records)
    which = ", ".join(names) if names else "seven families in two and three dimensions"
    tried = [
        TRIED.format(v.name, v.summary) for v in VARIANTS.values() if f"{v.name} + aim" in arms_of(records)
    ]
    parts = [
        f"## {title}",
        f"{cases} cases: {which}; seeds {seeds}.",
        *tried,
        "Misclassified area, per cent of the domain:",
        mean_table(records),
        PAIRED,
        paired_table(records),
    ]
    if names:
        parts += [
            f"Misclassified area function by function, after {POINTS[-1]} points:",
            function_table(records),
        ]
    return parts


def arms_of(records: Records) -> list[str]:
    """The arms, in the order in which they were run."""
    return list(dict.fromkeys(r["arm"] for r in records))


def _is_random(record: Mapping[str, Any]) -> bool:
    return str(record["benchmark"]).startswith("random:")


def _of(records: Records, arm: str, points: int) -> list[Mapping[str, Any]]:
    return [r for r in records if r["arm"] == arm and r["points"] == points]


def _log_ratios(records: Records, arm: str, against: str, points: int) -> list[float]:
    there = {(r["benchmark"], r["seed"]): max(r["area"], SMALLEST) for r in _of(records, against, points)}
    return [
        float(np.log(max(r["area"], SMALLEST) / there[r["benchmark"], r["seed"]]))
        for r in _of(records, arm, points)
        if (r["benchmark"], r["seed"]) in there
    ]


def _mean(values: Sequence[float], digits: int = 2) -> str:
    if not values:
        return ""
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{np.mean(values):.{digits}f} ± {error:.{digits}f}"
