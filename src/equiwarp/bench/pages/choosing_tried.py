"""Part of ``docs/results/choosing.md``: variants of `map` in pairs with it, and the oracle's share."""

from __future__ import annotations

import math

import numpy as np

from equiwarp.bench.pages.choosing_suites import Records, less_error
from equiwarp.bench.pages.markdown import DASH, markdown_table
from equiwarp.bench.studies.choosing import ORACLE, POINTS, SCREENING, START

DEFAULT, BASELINE = "map", "fps"
#: (benchmark, seed) -> logarithms of the errors at all stages.
Logs = dict[tuple[str, int], list[float]]


def logs_of(records: Records, arm: str) -> Logs:
    """The cases that an arm has finished."""
    found: dict[tuple[str, int], dict[int, float]] = {}
    for r in records:
        if r["arm"] == arm:
            found.setdefault((r["benchmark"], r["seed"]), {})[r["points"]] = math.log(r["error"])
    return {
        case: [at[points] for points in POINTS]
        for case, at in found.items()
        if all(points in at for points in POINTS)
    }


def paired(records: Records, arm: str, against: str) -> list[list[float]]:
    """Logarithms of an arm's error over another's, stage by stage, where both have finished."""
    mine, theirs = logs_of(records, arm), logs_of(records, against)
    cases = [case for case in mine if case in theirs]
    return [[mine[case][i] - theirs[case][i] for case in cases] for i in range(len(POINTS))]


def tried_table(records: Records) -> str:
    """Each variant against `map` on the same functions, its worst case, and points near faces."""
    lines = []
    for arm in dict.fromkeys(str(r["arm"]) for r in records if r["arm"] not in (DEFAULT, ORACLE)):
        stages = paired(records, arm, DEFAULT)
        if not stages[0]:
            continue
        mean = np.mean(stages, axis=0).tolist()
        near = [r["near_faces"] for r in records if r["arm"] == arm and r["points"] == POINTS[-1]]
        cells = [less_error(stage) for stage in (*stages, mean)]
        worst = f"{100 * (1 - math.exp(max(mean))):.0f}"
        lines.append([f"`{arm}`", str(len(mean)), *cells, worst, f"{100 * np.mean(near):.0f} %"])
    head = [
        "variant",
        "functions",
        *(f"{points} points" for points in POINTS),
        "mean",
        "worst",
        "near a face",
    ]
    return markdown_table(head, lines)


def oracle_table(records: Records) -> str:
    """What `map` and someone who knows the function gain over farthest points, and the former's share."""
    known = logs_of(records, ORACLE)
    here = [r for r in records if (r["benchmark"], r["seed"]) in known]
    mine, best = paired(here, DEFAULT, BASELINE), paired(here, ORACLE, BASELINE)
    if not mine[0] or not best[0]:
        return ""
    lines = []
    for points, one, other in zip(POINTS, mine, best, strict=True):
        possible = float(np.mean(other))
        share = f"{100 * float(np.mean(one)) / possible:.0f} %" if possible < 0 else DASH
        lines.append([f"{points} points", str(len(one)), less_error(one), less_error(other), share])
    head = ["after", "functions", f"`{DEFAULT}`", f"`{ORACLE}`", "share of the logarithm"]
    return markdown_table(head, lines)


def tried_part(varied: Records, screened: Records) -> list[str]:
    """Variants with the whole pool and those that were screened, and the oracle's share, as paragraphs."""
    parts = ["## Variants that were tried", _TRIED] if varied or screened else []
    for text, records in ((_WHOLE, varied), (_SCREENED, screened)):
        if records:
            parts += [text, tried_table(records)]
    oracle = oracle_table(screened)
    return [*parts, "## What can be gained", _ORACLE, oracle] if oracle else parts


_TRIED = """On random functions that were used for nothing else, the same for all; those that were finished.
Per cent less error *than `map`* on the same functions, in the geometric mean, ± standard error; *mean* is
over the three stages. What each variant is, stands in [the theory](../theory.md)."""
_WHOLE = """As the strategies above, in two, four and six dimensions (`equiwarp bench study choosing --out
docs/results/tables/variants --group random --seed 30 --arm NAME`):"""
_SCREENED = f"""More cheaply, in two and three dimensions (`equiwarp bench study choosing --screening --seed
20 --seeds 1`): from {START} points on in batches of {SCREENING.batch}, later of a fifth of what is known, out
of a pool of {SCREENING.pool:,}; judged by the map as it was before `pairs` and `single-index` came."""
_ORACLE = """On some of these functions: per cent less error than with farthest points, and which share of the
oracle's gain (in logarithms) `map` reaches. The oracle knows the function at the whole pool and at the
targets. It measures one point at a time, where a value without noise takes most off the error that the map
really has. That includes the error that noise has left in the map, which nobody else can see."""
