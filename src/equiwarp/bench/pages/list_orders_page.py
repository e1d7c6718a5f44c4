"""``docs/results/lists.md``: how a list is best begun and sampled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equiwarp.bench.cases.registry import CASES
from equiwarp.bench.pages.cases_page import ReplayRecords
from equiwarp.bench.pages.markdown import DASH, markdown_table
from equiwarp.bench.studies.list_orders import ARMS, RANDOM, STAGES

#: The stage at which kinds of lists are told apart.
EARLY = 20
#: How lists are begun and sampled today.
PRESENT = "box / box"
HOW = (
    "In which order should the entries of a list stand, when its beginning is the start of a campaign and a "
    "longer part of it says over which entries the map's error is expected to fall? An arm names the order "
    "of the start and that of the second; `map` chooses after ten experiments, in batches of four. `box`: "
    "the entries nearest to Sobol points of the box around the list. `random`: as they come. `balanced`: one "
    "entry of each half of the list, of each quarter and so on, halved where entries deviate most. "
    "`energy`: each entry brings the energy distance to the whole list down most."
)
NUMBERS = (
    "Per cent less error of the map over the whole list than after as many random experiments, geometric "
    "mean over lists ± standard error; negative: more error."
)


def less_error(records: ReplayRecords, arm: str, points: int, against: str = RANDOM) -> list[float]:
    """Logarithms of the error of one arm over that of another, one for each case that both have seen."""
    errors = {(r["case"], r["seed"], r["arm"]): r["error"] for r in records if r["points"] == points}
    return [
        float(np.log(errors[case, seed, against] / error))
        for (case, seed, one), error in errors.items()
        if one == arm and (case, seed, against) in errors
    ]


def gain_text(logs: Sequence[float]) -> str:
    """``12 ± 3``: per cent less error."""
    if not logs:
        return DASH
    gain = 100.0 * (1.0 - np.exp(-np.mean(logs)))
    text = f"{gain:.0f}".replace("-", "−")
    return f"{text} ± {100 * np.std(logs, ddof=1) / np.sqrt(len(logs)):.0f}" if len(logs) > 1 else text


def stage_table(records: ReplayRecords, against: str = RANDOM) -> str:
    """Arms by number of experiments."""
    arms = [arm for arm in ARMS if arm not in (RANDOM, against) and any(r["arm"] == arm for r in records)]
    lines = [[f"`{arm}`", *(gain_text(less_error(records, arm, n, against)) for n in STAGES)] for arm in arms]
    return markdown_table(["start / targets", *(str(n) for n in STAGES)], lines)


def kind_table(records: ReplayRecords) -> str:
    """Arms by kind of list, or by table, after a few experiments."""
    arms = [arm for arm in ARMS if arm != RANDOM and any(r["arm"] == arm for r in records)]
    lines = []
    for kind in dict.fromkeys(kind_of(r["case"]) for r in records):
        here = [r for r in records if kind_of(r["case"]) == kind]
        lines.append([kind, *(gain_text(less_error(here, arm, EARLY)) for arm in arms)])
    return markdown_table([f"after {EARLY}", *(f"`{arm}`" for arm in arms)], lines)


def kind_of(case: str) -> str:
    """A real table is its own kind."""
    return case if case in CASES else case.partition("-")[0]


def list_orders_page(records: ReplayRecords, command: str, notes: str = "") -> str:
    """Random lists, by which an order may be chosen; real tables, which confirm; and what follows."""
    real = [r for r in records if r["case"] in CASES]
    made = [r for r in records if r["case"] not in CASES]
    parts = ["# How to begin a list", HOW, NUMBERS]
    for title, here in (("Random lists", made), ("Real tables", real)):
        if here:
            count = len({(r["case"], r["seed"]) for r in here})
            parts += [f"## {title}", f"{count} lists and seeds.", stage_table(here), kind_table(here)]
            parts += [f"The same against `{PRESENT}`, list by list:", stage_table(here, PRESENT)]
    parts += [part for part in (notes, f"Made by `{command}`.") if part]
    return "\n\n".join(parts) + "\n"
