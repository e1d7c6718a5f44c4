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
from equiwarp.bench.functions.hidden_regions import (
    ACCIDENTS,
    DRAWN,
    FUNCTIONS,
    REGIONS,
    HiddenRegion,
    find_hidden,
)
from equiwarp.bench.functions.random_families import FAMILIES
from equiwarp.bench.studies.resumed import run_cases
from equiwarp.campaign.chooser import SHIELD, shielded
from equiwarp.domains import Array, Domain
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.maps.map import build_map
from equiwarp.store import ExperimentArrays
from equiwarp.store.records import Booleans

START, NOISE = 10, 0.05
#: Experiments, failed ones included, after which the map is judged.
POINTS = (20, 30, 50)
#: Who chooses, and from how many points.
STRATEGY, POOL_POINTS = "map", 1024
#: Dimensions of the random functions.
DIMENSIONS = (2, 3)
#: The waiting list, which is what the others are compared with; what is learnt; accidents that are flagged.
WAITING, LEARNT, FLAGGED = "waiting list", "learnt", "flagged"
#: Region, function, arm and seed.
FailureCase = tuple[str, str, str, int]


@dataclass(frozen=True)
class Failed:
    """Failures among so many experiments, and the map's error over what works, in deviations of f."""

    region: str
    function: str
    arm: str
    seed: int
    points: int
    failures: int
    error: float


def failure_cases(seeds: Sequence[int], groups: Sequence[str] = ("random", "named")) -> list[FailureCase]:
    """Every run; seeds first. A seed of a random function is another function and another region."""
    random = [f"{family}-{dim}d" for dim in DIMENSIONS for family in FAMILIES]
    problems = [(region, name) for region in (DRAWN, ACCIDENTS) for name in random if "random" in groups]
    problems += [
        (region, name) for region in (*REGIONS, ACCIDENTS) for name in FUNCTIONS if "named" in groups
    ]
    return [
        (region, name, arm, seed)
        for seed in seeds
        for region, name in problems
        for arm in (WAITING, LEARNT, FLAGGED)
        if arm != FLAGGED or region == ACCIDENTS
    ]


def judge(case: FailureCase) -> Iterator[Failed]:
    """Let one arm choose until all experiments are spent, and judge its map at every stage."""
    region, name, arm, seed = case
    hidden = find_hidden(name, region, seed)
    domain, total = hidden.domain, POINTS[-1]
    rng = np.random.default_rng([seed, 1])
    mishaps, noise = rng.random(total) < hidden.accident, NOISE * rng.standard_normal(total)
    scale = float(hidden.function(domain.sample(1024, np.random.default_rng(0))).std())
    configuration = prepare(domain, STRATEGY, seed, pool=domain.pool(POOL_POINTS, stream(seed, POOL)))
    x, cache = domain.sample(START, np.random.default_rng([seed, 7])), None
    for stage in POINTS:
        while True:
            done = hidden.works(x) & ~mishaps[: len(x)]
            y = hidden.function(x)[:, None] / scale + noise[: len(x), None]
            if len(x) == stage:
                break
            suggestion, cache = choose(configuration, arm_measurements(domain, arm, x, y, done), 1, cache)
            x = np.concatenate([x, suggestion.points])
        error = error_where_it_works(hidden, x[done], y[done], scale)
        yield Failed(region, name, arm, seed, stage, int((~done).sum()), round(error, 6))


def error_where_it_works(hidden: HiddenRegion, x: Array, y: Array, scale: float) -> float:
    """Root mean square error of the averaged map over what truly works, in deviations of the function."""
    test = hidden.domain.sample(2048, np.random.default_rng(5))
    test = test[hidden.works(test)]
    found = build_map(hidden.domain, x, y, NOISE).predict(test).mean[:, 0]
    return float(np.sqrt(np.mean((found - hidden.function(test) / scale) ** 2)))


def run_failures(
    path: Path,
    seeds: Sequence[int],
    progress: Callable[[list[FailureCase]], Any] = iter,
    groups: Sequence[str] = ("random", "named"),
) -> list[dict[str, Any]]:
    """Judge what the file lacks, append it, and return all records of these seeds."""
    return run_cases(
        path,
        Failed,
        failure_cases(seeds, groups),
        judge,
        lambda r: (r["region"], r["function"], r["arm"], r["seed"]),
        progress,
    )


def arm_measurements(domain: Domain, arm: str, x: Array, y: Array, done: Booleans) -> Measurements:
    """What an arm makes of the experiments so far."""
    noise, nowhere = np.full((int(done.sum()), 1), NOISE), x[:0]
    if arm == LEARNT:
        avoided = x[shielded(domain, _known(x, y, done))]
        return Measurements(domain, x[done], y[done], noise, nowhere, x[~done], avoided)
    waits = nowhere if arm == FLAGGED else x[waiting_list(domain, x, done)]
    return Measurements(domain, x[done], y[done], noise, waits)


def waiting_list(domain: Domain, x: Array, done: Booleans) -> Booleans:
    """Failed places that still wait, whatever is known of the places around them."""
    waits = np.zeros(len(x), dtype=bool)
    for i in np.flatnonzero(~done):
        near = int((np.linalg.norm(x[~done] - x[i], axis=1) <= domain.spacing()).sum())
        waits[i] = done[i + 1 :].sum() < SHIELD * 2.0 ** (near - 1)
    return waits


def _known(x: Array, y: Array, done: Booleans) -> ExperimentArrays:
    """The experiments as a campaign's store has them."""
    n = len(x)
    states = np.where(done, "done", "failed")
    no, yes = np.full(n, False), np.full(n, True)
    values = np.where(done[:, None], y, np.nan)  # what failed has none
    return ExperimentArrays(np.arange(1, n + 1), states, x, values, np.full((n, 1), NOISE), yes, no, no)
