"""The few pieces of Markdown that the results page is made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from equiwarp.bench.area import Summary

DASH = "–"


def markdown_table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A pipe table; the first column is text, the others are numbers."""
    rule = ["---", *("--:" for _ in head[1:])]
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *lines))


def number_text(value: float, digits: int = 1, sign: bool = False) -> str:
    """With a true minus, and a dash for what is not known."""
    if math.isnan(value):
        return DASH
    text = f"{value:{'+' if sign else ''}.{digits}f}"
    return text.replace("-", "−")


def plus_minus(summary: Summary | None, sign: bool = False) -> str:
    """Mean ± standard error, the mean alone for one seed, a dash for none."""
    if summary is None or summary.seeds == 0:
        return DASH
    mean = number_text(summary.mean, sign=sign)
    return mean if math.isnan(summary.sem) else f"{mean} ± {summary.sem:.1f}"


def seed_ranges(values: Iterable[int]) -> str:
    """``0–3, 7`` for 0, 1, 2, 3, 7."""
    runs: list[list[int]] = []
    for value in sorted(set(values)):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs) or DASH
