"""Functions with a hidden region in which every experiment fails: what does learning where it is save?

``python -m equiwarp.bench.studies.failures 2`` prints failures and the map's error over what works, for two
seeds. It is compared with a waiting list: a failed place waits for ten successes, and for twice as many with
each failure near it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product

import numpy as np

from equiwarp.bench.functions import unseen
from equiwarp.campaign.chooser import SHIELD, shielded
from equiwarp.domains import Array, Box
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.maps.map import build_map
from equiwarp.store import ExperimentArrays
from equiwarp.store.records import Booleans

START, TOTAL, NOISE = 12, 50, 0.05
BOX = Box.unit(2)
FUNCTIONS = (unseen.branin, unseen.franke, unseen.front)
#: Where experiments work, and the chance of an accident that nobody flags.
REGIONS: dict[str, tuple[Callable[[Array], Booleans], float]] = {
    "disc": (lambda x: ((x - [0.7, 0.6]) ** 2).sum(axis=1) > 0.09, 0.0),
    "corner": (lambda x: x.sum(axis=1) < 1.35, 0.0),
    "band": (lambda x: np.abs(x[:, 0] - 0.5) > 0.12, 0.0),
    "accidents": (lambda x: np.ones(len(x), dtype=bool), 0.15),
}


def run(function: Callable[[Array], Array], region: str, learn: bool, seed: int) -> tuple[int, float]:
    """Failures among :data:`TOTAL` experiments, and the map's error over what works, in deviations of f."""
    works, accident = REGIONS[region]
    rng = np.random.default_rng([seed, 1])
    scale = float(function(BOX.sample(1024, np.random.default_rng(0))).std())
    configuration = prepare(BOX, "lookahead-gp", seed)
    x = BOX.sample(START, np.random.default_rng([seed, 7]))
    done = works(x) & (rng.random(START) >= accident)
    y = function(x)[:, None] / scale + NOISE * rng.standard_normal((START, 1))
    while len(x) < TOTAL:
        waits = shielded(BOX, _known(x, y, done)) if learn else waiting_list(x, done)
        noise = np.full((int(done.sum()), 1), NOISE)
        failed = x[~done] if learn else None
        known = Measurements(BOX, x[done], y[done], noise, x[waits], failed)
        point = choose(configuration, known)[0].points
        x = np.concatenate([x, point])
        done = np.append(done, works(point) & (rng.random(1) >= accident))
        y = np.concatenate([y, function(point)[:, None] / scale + NOISE * rng.standard_normal((1, 1))])
    test = BOX.sample(2048, np.random.default_rng(5))
    test = test[works(test)]
    found = build_map(BOX, x[done], y[done], NOISE).predict(test).mean[:, 0]
    return int((~done).sum()), float(np.sqrt(np.mean((found - function(test) / scale) ** 2)))


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


def main(seeds: int) -> None:
    """Print mean failures and the geometric mean of the error for each region, without and with learning."""
    for region, learn in product(REGIONS, (False, True)):
        pairs = [run(f, region, learn, seed) for f in FUNCTIONS for seed in range(seeds)]
        failures, errors = np.array(pairs).T
        how = "learnt" if learn else "waiting list"
        print(
            f"{region:10} {how:12}: {failures.mean():.1f} failures, error {np.exp(np.log(errors).mean()):.3f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
