"""Functions with a hidden region in which every experiment fails: what does learning where it is save?

It is compared with a waiting list: a failed place waits for ten successes, and for twice as many with each
failure near it. Where failures are accidents, nothing is to be learnt; they may also be flagged as such. All
arms of a case have the same start, noise and accidents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp._util.seeds import POOL, stream
from equiwarp.bench.functions import unseen
from equiwarp.bench.studies.resumed import run_cases
from equiwarp.campaign.chooser import SHIELD, shielded
from equiwarp.domains import Array, Box
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.maps.map import build_map
from equiwarp.store import ExperimentArrays
from equiwarp.store.records import Booleans

START, TOTAL, NOISE = 12, 50, 0.05
#: Who chooses, and from how many points.
STRATEGY, POOL_POINTS = "lookahead-gp", 1024
BOX = Box.unit(2)
FUNCTIONS = {"branin": unseen.branin, "franke": unseen.franke, "front": unseen.front}
#: Where experiments work, and the chance of an accident.
REGIONS: dict[str, tuple[Callable[[Array], Booleans], float]] = {
    "disc": (lambda x: ((x - [0.7, 0.6]) ** 2).sum(axis=1) > 0.09, 0.0),
    "corner": (lambda x: x.sum(axis=1) < 1.35, 0.0),
    "band": (lambda x: np.abs(x[:, 0] - 0.5) > 0.12, 0.0),
    "accidents": (lambda x: np.ones(len(x), dtype=bool), 0.15),
}
#: The waiting list, which is what the others are compared with; what is learnt; accidents that are flagged.
WAITING, LEARNT, FLAGGED = "waiting list", "learnt", "flagged"
FailureCase = tuple[str, str, str, int]


@dataclass(frozen=True)
class Failed:
    """Failures among :data:`TOTAL` experiments, and the map's error over what works, in deviations of f."""

    region: str
    function: str
    arm: str
    seed: int
    failures: int
    error: float


def failure_cases(seeds: Sequence[int]) -> list[FailureCase]:
    """Region, function, arm and seed of every run; seeds first."""
    return [
        (region, function, arm, seed)
        for seed in seeds
        for region in REGIONS
        for function in FUNCTIONS
        for arm in (WAITING, LEARNT, FLAGGED)
        if arm != FLAGGED or region == "accidents"
    ]


def judge(case: FailureCase) -> Iterator[Failed]:
    """Let one arm choose until all experiments are spent."""
    region, name, arm, seed = case
    (works, accident), function = REGIONS[region], FUNCTIONS[name]
    rng = np.random.default_rng([seed, 1])
    mishaps, noise = rng.random(TOTAL) < accident, NOISE * rng.standard_normal(TOTAL)
    scale = float(function(BOX.sample(1024, np.random.default_rng(0))).std())
    configuration = prepare(BOX, STRATEGY, seed, pool=BOX.pool(POOL_POINTS, stream(seed, POOL)))
    x = BOX.sample(START, np.random.default_rng([seed, 7]))
    while True:
        n = len(x)
        done = works(x) & ~mishaps[:n]
        y = function(x)[:, None] / scale + noise[:n, None]
        if n == TOTAL:
            break
        x = np.concatenate([x, choose(configuration, _measurements(arm, x, y, done))[0].points])
    test = BOX.sample(2048, np.random.default_rng(5))
    test = test[works(test)]
    found = build_map(BOX, x[done], y[done], NOISE).predict(test).mean[:, 0]
    error = float(np.sqrt(np.mean((found - function(test) / scale) ** 2)))
    yield Failed(region, name, arm, seed, int((~done).sum()), round(error, 6))


def run_failures(
    path: Path, seeds: Sequence[int], progress: Callable[[list[FailureCase]], Any] = iter
) -> list[dict[str, Any]]:
    """Judge what the file lacks, append it, and return all records of these seeds."""
    return run_cases(
        path,
        Failed,
        failure_cases(seeds),
        judge,
        lambda r: (r["region"], r["function"], r["arm"], r["seed"]),
        progress,
    )


def _measurements(arm: str, x: Array, y: Array, done: Booleans) -> Measurements:
    """What an arm makes of the experiments so far."""
    waits = np.zeros(len(x), dtype=bool)
    if arm != FLAGGED:
        waits = shielded(BOX, _known(x, y, done)) if arm == LEARNT else waiting_list(x, done)
    noise = np.full((int(done.sum()), 1), NOISE)
    return Measurements(BOX, x[done], y[done], noise, x[waits], x[~done] if arm == LEARNT else None)


def waiting_list(x: Array, done: Booleans) -> Booleans:
    """Failed places that still wait, whatever is known of the places around them."""
    waits = np.zeros(len(x), dtype=bool)
    for i in np.flatnonzero(~done):
        near = int((np.linalg.norm(x[~done] - x[i], axis=1) <= BOX.spacing()).sum())
        waits[i] = done[i + 1 :].sum() < SHIELD * 2.0 ** (near - 1)
    return waits


def _known(x: Array, y: Array, done: Booleans) -> ExperimentArrays:
    """The experiments as a campaign's store has them."""
    n = len(x)
    states = np.where(done, "done", "failed")
    no, yes = np.full(n, False), np.full(n, True)
    values = np.where(done[:, None], y, np.nan)  # what failed has none
    return ExperimentArrays(np.arange(1, n + 1), states, x, values, np.full((n, 1), NOISE), yes, no, no)
