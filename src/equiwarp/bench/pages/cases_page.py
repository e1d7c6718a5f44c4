"""``docs/cases``: a page for each case of real measurements, and one that sums them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from equiwarp.bench.cases.crowding import COUNT, crowding
from equiwarp.bench.cases.measured_case import MeasuredCase
from equiwarp.bench.cases.replay import ARMS, BATCH, PEER, STAGES, START
from equiwarp.bench.cases.saving import ErrorCurves, saved_with_error
from equiwarp.bench.pages.markdown import DASH, markdown_table, number_text

ReplayRecords = Sequence[Mapping[str, Any]]
#: Experiments after which the other's error has to be reached.
AFTER = 40
AGAINST = ("random", "fps")
ALL_ARMS = (*ARMS, PEER)
HOW = (
    f"All arms begin with the same {START} entries of the list that fill its space (`random` is random from "
    f"the first) and choose in batches of {BATCH}; a measurement is one of the entry's replicates. After "
    "each stage the averaged map, which has to estimate the noise, predicts the *whole* list. Its error is "
    "the root mean square difference to what was measured there, in deviations of the list; the "
    "geometric mean over seeds."
)
WHERE = (
    f"On each list, the mean distance from an entry to the nearest of {COUNT} farthest points, over that to "
    "the nearest of as many random ones. Below 1 the list fills its space: spreading out serves all of it. "
    "Above 1 its entries crowd: most farthest points are outliers that stand for few others, and random "
    "entries lie nearer to what is to be predicted."
)
#: On every page; the tests run it.
SNIPPET = """```python
import matplotlib.pyplot as plt
from equiwarp.bench.cases.registry import find_case
from equiwarp.bench.cases.replay import replay

case = find_case("{name}")
figure, axes = plt.subplots()
for arm in ("random", "map"):
    steps = list(replay(case, arm, seed=0, stages=(14, 20)))
    axes.plot([step.points for step in steps], [step.error for step in steps], "o-", label=arm)
    print(arm, [(step.points, round(step.error, 2)) for step in steps])
axes.set(xlabel="experiments", ylabel="error of the map, in deviations")
axes.legend()
```"""


def case_page(case: MeasuredCase, records: ReplayRecords, command: str) -> str:
    """One case: what was measured, the errors, the experiments saved, the source."""
    rows, entries, columns = len(case.X), len(case.domain), len(case.names)
    noise = case.replicate_deviation
    failed = int(np.isnan(case.Y).any(axis=1).sum())
    facts = f"{rows:,} measurements at {entries:,} different settings of {columns} " + (
        "parameter" if columns == 1 else "parameters"
    )
    if noise is not None:
        spread = float(np.nanstd(case.truth[:, 0]))
        facts += f"; repeated ones have a deviation of {noise:.3g}, {noise / spread:.2f} of the list's"
    if failed:
        facts += f"; {failed} of them failed"
    parts = [
        f"# {case.title}",
        case.story,
        f"{facts}.",
        f"![Error of the map against the number of experiments](images/{case.name}.png)",
        HOW,
        error_table(case.name, records),
        "Experiments saved: how many fewer an arm needs for the error that the other has after "
        f"{AFTER} (± standard error from resampled seeds, where there are enough; negative: more).",
        saving_table(case.name, records),
    ]
    if failed:
        parts.append(failure_table(case.name, records))
    parts += [
        f"Made by `{command}`, seeds {seed_text(records, case.name)}. The first steps by yourself:",
        SNIPPET.format(name=case.name),
        f"**Source.** {case.source.paper}. From: {case.source.origin}. Licence: {case.source.licence}.",
    ]
    return "\n\n".join(parts) + "\n"


def arms_of_case(name: str, records: ReplayRecords) -> list[str]:
    """Who was run on a case: the usual arms in their order, then variants of them."""
    found = {str(r["arm"]) for r in records if r["case"] == name}
    return [arm for arm in ALL_ARMS if arm in found] + sorted(found - set(ALL_ARMS))


def error_table(name: str, records: ReplayRecords) -> str:
    """The map's error by arm and number of experiments."""
    lines = []
    for arm in arms_of_case(name, records):
        if (curves := ErrorCurves.of(records, name, arm)) is not None:
            lines.append([f"`{arm}`", str(len(curves.logs)), *(f"{error:.3f}" for error in curves.mean)])
    return markdown_table(["arm", "seeds", *(f"{stage}" for stage in STAGES)], lines)


def saving_cell(name: str, records: ReplayRecords, arm: str, against: str) -> str:
    """``12 ± 3``, or that the error was not reached."""
    seeds = [{r["seed"] for r in records if (r["case"], r["arm"]) == (name, one)} for one in (arm, against)]
    both = [r for r in records if r["seed"] in seeds[0] & seeds[1]]  # what only one has seen is no comparison
    ours, theirs = ErrorCurves.of(both, name, arm), ErrorCurves.of(both, name, against)
    if ours is None or theirs is None or arm == against:
        return DASH
    value, error = saved_with_error(ours, theirs, AFTER)
    if not isfinite(value):
        return f"not reached by {STAGES[-1]}"
    text = number_text(round(value), 0)  # a whole number: zero has no sign
    return text + (f" ± {error:.0f}" if isfinite(error) else "")


def saving_table(name: str, records: ReplayRecords) -> str:
    """Experiments saved by every arm against random choice and farthest points."""
    lines = [
        [f"`{arm}`", *(saving_cell(name, records, arm, other) for other in AGAINST)]
        for arm in arms_of_case(name, records)
    ]
    return markdown_table(["arm", *(f"against `{other}` after {AFTER}" for other in AGAINST)], lines)


def failure_table(name: str, records: ReplayRecords) -> str:
    """Failures among the experiments of the last stage."""
    lines = []
    for arm in ALL_ARMS:
        found = [
            r["failures"] for r in records if (r["case"], r["arm"], r["points"]) == (name, arm, STAGES[-1])
        ]
        if found:
            lines.append([f"`{arm}`", f"{np.mean(found):.1f}"])
    return markdown_table(["arm", f"failures among {STAGES[-1]}"], lines)


def summary_page(cases: Sequence[MeasuredCase], records: ReplayRecords, command: str) -> str:
    """All cases at a glance."""
    arms = [arm for arm in ALL_ARMS if any(r["arm"] == arm for r in records)]
    parts = [
        "# Real measurements, replayed",
        "Tables that somebody measured whole, from which a strategy may choose row by row: what would the "
        "map have been after 20, 40 or 80 experiments? Nothing in equiwarp was chosen by these data.",
        HOW,
        f"## Experiments saved against random choice after {AFTER}",
        _saved_by_case(cases, records, arms, "random"),
        f"## Experiments saved against farthest points after {AFTER}",
        _saved_by_case(cases, records, arms, "fps"),
        "## Where it pays to choose",
        WHERE,
        _crowding_table(cases),
        f"## Error after {AFTER} and {STAGES[-1]} experiments",
        _errors_by_case(cases, records, arms),
        f"Made by `{command}`; {_seeds_text(records)}.",
    ]
    return "\n\n".join(parts) + "\n"


def _seeds_text(records: ReplayRecords) -> str:
    """How many seeds an arm had on a case, from the fewest to the most."""
    runs: dict[tuple[str, str], set[int]] = {}
    for r in records:
        runs.setdefault((r["case"], r["arm"]), set()).add(r["seed"])
    counts = sorted(len(seeds) for seeds in runs.values())
    if not counts:
        return "no seeds yet"
    if counts[0] == counts[-1]:
        return f"{counts[0]} seeds"
    return f"{counts[0]} to {counts[-1]} seeds (see the page of each case): with few, only large gaps count"


def _saved_by_case(
    cases: Sequence[MeasuredCase], records: ReplayRecords, arms: Sequence[str], against: str
) -> str:
    others = [arm for arm in arms if arm != against]
    lines = [
        [
            f"[{case.title}]({case.name}.md)",
            *(saving_cell(case.name, records, arm, against) for arm in others),
        ]
        for case in cases
    ]
    return markdown_table(["case", *(f"`{arm}`" for arm in others)], lines)


def _errors_by_case(cases: Sequence[MeasuredCase], records: ReplayRecords, arms: Sequence[str]) -> str:
    lines = []
    for case in cases:
        found = [ErrorCurves.of(records, case.name, arm) for arm in arms]
        cells = [
            DASH if c is None else " / ".join(f"{c.mean[STAGES.index(n)]:.3f}" for n in (AFTER, STAGES[-1]))
            for c in found
        ]
        lines.append([case.title, *cells])
    return markdown_table(["case", *(f"`{arm}`" for arm in arms)], lines)


def _crowding_table(cases: Sequence[MeasuredCase]) -> str:
    lines = []
    for case in cases:
        Z = case.domain.embed(case.domain.points)
        lines.append([case.title, str(case.domain.dim), f"{len(Z):,}", f"{crowding(Z):.2f}"])
    lines.sort(key=lambda line: float(line[-1]))
    return markdown_table(["case", "dimensions", "entries", "crowding"], lines)


def seed_text(records: ReplayRecords, name: str) -> str:
    """``0 to 9``."""
    seeds = sorted({r["seed"] for r in records if r["case"] == name})
    return f"{seeds[0]} to {seeds[-1]}" if seeds else DASH
