"""``docs/results/choosing.md`` from the study of choosing and the suites: every number from one command."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from equiwarp.bench.experiments import experiments_saved
from equiwarp.bench.pages.choosing_suites import Records, choosing_suites, less_error
from equiwarp.bench.pages.choosing_tried import tried_part
from equiwarp.bench.pages.known_model_part import known_model_part
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.studies.batches import START as LARGE_START
from equiwarp.bench.studies.batches import batches_table
from equiwarp.bench.studies.choosing import NAMED, NEAR_FACE, PEERS, POINTS, RANDOM, START
from equiwarp.domains import Array

#: Whom the others are compared with.
AGAINST = "fps"
#: Measurements of theirs whose error the others have to reach.
REACHED = 40


def log_ratios(records: Records, arm: str, points: int, against: str = AGAINST) -> list[float]:
    """Logarithms of an arm's error over another's, case by case, where both are known."""
    found: dict[str, dict[tuple[str, int], float]] = {arm: {}, against: {}}
    for r in records:
        if r["arm"] in found and r["points"] == points:
            found[r["arm"]][r["benchmark"], r["seed"]] = float(np.log(r["error"]))
    return [error - found[against][case] for case, error in found[arm].items() if case in found[against]]


def saved_of(records: Records, arm: str) -> str:
    """How many fewer measurements reach the error that farthest points have after :data:`REACHED`.

    Errors are geometric means over the cases that both have; between the stages that were judged their
    logarithm is linear. The standard error is the jackknife's, over cases. Case by case the number says
    little: where noise is all that is left, the error hardly falls, and chance decides when it is reached.
    """
    mine, theirs = _courses(records, arm), _courses(records, AGAINST)
    both = [case for case in mine if case in theirs]
    if not both:
        return ""
    logs = np.array([[mine[case], theirs[case]] for case in both])
    whole = _saved(logs)
    if len(both) < 2:
        return f"{whole:.1f}"
    without = [_saved(np.delete(logs, i, axis=0)) for i in range(len(both))]
    error = math.sqrt((len(both) - 1) * float(np.var(without)))
    return f"{whole:.1f} ± {error:.1f}"


def _saved(logs: Array) -> float:
    """Of logarithms of errors ``(cases, 2, measurements)``, an arm's and those of farthest points."""
    mine, theirs = np.exp(logs.mean(axis=0))
    return experiments_saved(mine, theirs, REACHED - POINTS[0]).count


def _courses(records: Records, arm: str) -> dict[tuple[str, int], Array]:
    """The logarithm of the error after each number of measurements from the first stage on, case by case."""
    known: dict[tuple[str, int], dict[int, float]] = {}
    for r in records:
        if r["arm"] == arm:
            known.setdefault((r["benchmark"], r["seed"]), {})[r["points"]] = math.log(r["error"])
    every = np.arange(POINTS[0], POINTS[-1] + 1)
    return {
        case: np.interp(every, POINTS, [logs[n] for n in POINTS])
        for case, logs in known.items()
        if set(logs) == set(POINTS)
    }


def summary_table(records: Records) -> str:
    """Each arm against farthest points after each number of points, its worst case, and where it measures."""
    lines = []
    for arm in arms_of(records):
        cells = [less_error(log_ratios(records, arm, points)) for points in POINTS]
        ratios = [ratio for points in POINTS for ratio in log_ratios(records, arm, points)]
        worst = f"{100 * (1 - np.exp(max(ratios))):.0f}" if ratios else ""
        near = [r["near_faces"] for r in records if r["arm"] == arm and r["points"] == POINTS[-1]]
        count, saved = len(log_ratios(records, arm, POINTS[-1])), saved_of(records, arm)
        lines.append([f"`{arm}`", str(count), saved, *cells, worst, f"{100 * np.mean(near):.0f} %"])
    head = ["strategy", "functions", f"experiments saved of {REACHED}", *_stages(), "worst", "near a face"]
    return markdown_table(head, lines)


def group_table(records: Records, key: Callable[[Mapping[str, Any]], str], head: str) -> str:
    """Each strategy of ours by groups of cases: 20 / 40 / 80 points in one cell."""
    arms, lines = [arm for arm in arms_of(records) if arm not in (AGAINST, *PEERS)], []
    for group in dict.fromkeys(key(r) for r in records):
        here = [r for r in records if key(r) == group]
        cells = [" / ".join(less_error(log_ratios(here, arm, points)) for points in POINTS) for arm in arms]
        lines.append([group, str(len(log_ratios(here, arms[0], POINTS[-1]))), *cells])
    return markdown_table([head, "functions", *(f"`{arm}`" for arm in arms)], lines)


@dataclass(frozen=True)
class Beside:
    """What stands beside the study on its page: records of other studies, and notes written by hand.

    Attributes
    ----------
    suites, batches, varied, screened, modelled : records
        Of the suites, of large batches, of variants of `map` with the whole pool and screened, and of a known
        model.
    notes : str
    """

    suites: Records = ()
    batches: Records = ()
    varied: Records = ()
    screened: Records = ()
    modelled: Records = ()
    notes: str = ""


def choosing_page(records: Records, command: str, beside: Beside = Beside()) -> str:
    """The whole page: the study, the suites, what was tried, what is possible, and notes written by hand."""
    parts = ["# Choosing for the averaged map", f"Made by `{command}`."]
    parts += _study_part(records) if records else []
    parts += choosing_suites(beside.suites)
    if beside.batches:
        parts += ["## A batch larger than what is known", _BATCHES, batches_table(beside.batches)]
    parts += tried_part(beside.varied, beside.screened)
    parts += known_model_part(beside.modelled)
    return "\n\n".join([*parts, *([beside.notes] if beside.notes else [])]) + "\n"


_PEERS = """Other people's criteria are `vigf` (Mohammadi and Challenor 2022), `guess` (Lämmle et al. 2023),
`imspe` (Binois et al. 2019; a place may be measured again), each on one Matern model with a lengthscale for
each parameter that is fitted as often as the models of `map`, and `qb-mgp` (Riis et al. 2022) on a mixture of
six lengthscales. Within a batch, points without a value are believed to have the model's mean."""
_BATCHES = f"""`equiwarp bench study batches`: per cent less true error of the map after {LARGE_START} Sobol
points and one batch than with a batch of farthest points, on random functions that were used for nothing
else. Variants of `map` spread another share of the batch evenly first; half of it is what `map` does."""


def _study_part(records: Records) -> list[str]:
    """Random functions, and named ones that nobody chose by, from a start of few points in batches."""
    batch = " or ".join(str(size) for size in sorted({r["batch"] for r in records}))
    parts = [
        "Per cent less true error of the map that a campaign draws than with farthest points (`fps`), in the "
        f"geometric mean, ± standard error. All arms begin with the same {START} Sobol points and choose in "
        f"batches of {batch} from one pool of 4,096; noise is 5 % of the function's deviation. *Near a "
        f"face*: the share of chosen points with a coordinate within {NEAR_FACE:g} of one.",
        f"*Experiments saved*: how many fewer measurements bring the error, in the geometric mean over all "
        f"cases, to where it is after {REACHED} farthest points.",
        "Random functions chose the constants of `map`; the named ones were not looked at before.",
        *([_PEERS] if set(PEERS) & set(arms_of(records)) else []),
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
