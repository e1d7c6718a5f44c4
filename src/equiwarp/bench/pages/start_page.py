"""``docs/results/start.md`` from the study of starts: every number on it comes from one command."""

from __future__ import annotations

import math

import numpy as np

from equiwarp.bench.pages.choosing_page import log_ratios
from equiwarp.bench.pages.choosing_suites import Records, less_error
from equiwarp.bench.pages.markdown import markdown_table, seed_ranges
from equiwarp.bench.studies.choosing import POINTS, START, Protocol
from equiwarp.bench.studies.start import BATCH, GROUPS, Group

SETUP = f"""Random functions, noise 5 % of their deviation, one Sobol sequence a case; after as many of its
points as the start has, `map` chooses, in batches of {BATCH}. An arm that is still in its start is judged
there, too. Per cent less error of the averaged map than with the largest start, which is the paper's 20 (D -
1), after the same number of experiments; geometric mean and standard error over functions. Positive: the
smaller start is better."""

TEN = f"""From the records of `equiwarp bench study choosing`: `map` after a start of
{START} points, in batches of {Protocol().batch}, against farthest points, which fill the space all the way.
Per cent less error of the averaged map after the same number of experiments, with standard errors over cases.
The second column is the start that the paper takes: up to there, all points would be fixed in advance."""


def start_table(group: Group, records: Records) -> str:
    """Each smaller start against the largest, after each number of points."""
    errors = {(r["benchmark"], r["start"], r["points"]): float(r["error"]) for r in records}
    largest = group.starts[-1]
    lines = []
    for start in group.starts:
        cells, count = [], 0
        for points in group.points:
            names = [b for b, s, p in errors if s == start and p == points and (b, largest, p) in errors]
            logs = [math.log(errors[b, start, points] / errors[b, largest, points]) for b in names]
            own = [errors[b, start, points] for b in names]
            mean = f"{math.exp(np.mean(np.log(own))):.3f}" if own else ""
            cells.append(mean if start == largest else f"{mean} ({less_error(logs)})")
            count = len(names)
        lines.append([str(start), str(count), *cells])
    return markdown_table(["start", "functions", *(f"{points} points" for points in group.points)], lines)


def ten_table(choosing: Records) -> str:
    """A start of ten points, then `map`, against farthest points all the way, by group and dimension."""
    lines = []
    for group, dim in sorted({(r["group"], r["dim"]) for r in choosing}, reverse=True):
        here = [r for r in choosing if (r["group"], r["dim"]) == (group, dim)]
        logs = [log_ratios(here, "map", points) for points in POINTS]
        lines.append([f"{group}, {dim}", str(20 * (dim - 1)), str(len(logs[0])), *map(less_error, logs)])
    head = ["functions, parameters", "20 (D - 1)", "cases", *(f"{points} points" for points in POINTS)]
    return markdown_table(head, lines)


def start_page(records: Records, command: str, choosing: Records = ()) -> str:
    """The whole page; ``choosing`` are the records of the study of choosing."""
    parts = ["# How large a start has to be", f"Written by `{command}`."]
    if choosing:
        parts += ["## Ten points, then choose", TEN, ten_table(choosing)]
    if not records:
        return "\n\n".join(parts) + "\n"
    parts += [
        f"Seeds of what follows: {seed_ranges(r['seed'] for r in records)}.",
        f"{SETUP} In front of the brackets is the error itself, in deviations of the function.",
    ]
    for group in GROUPS:
        found = [r for r in records if r["group"] == group.title]
        parts += [f"## {group.title.capitalize()}", start_table(group, found)] if found else []
    return "\n\n".join(parts) + "\n"
