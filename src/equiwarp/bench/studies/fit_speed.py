"""How fast a map is fitted: one family beside scikit-learn's fit of the same likelihood, and all families.

Both begin from three places, on one thread, in the same process and in turn, so that the ratio of their
processor times hardly depends on what else the machine does.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp._util.threads import one_thread
from equiwarp.bench.functions.random_families import random_function
from equiwarp.bench.pages.markdown import markdown_table
from equiwarp.bench.studies.resumed import run_cases
from equiwarp.domains import Array, Box
from equiwarp.maps.map import build_map
from equiwarp.models.covariance import AMPLITUDE_BOUNDS, LENGTHSCALE_BOUNDS
from equiwarp.models.fitting import STARTING_LENGTHSCALES
from equiwarp.models.matern import MaternModel

#: Parameters, values, and seeds: of the largest, one.
SIZES = {(2, 40): 3, (4, 40): 3, (4, 100): 3, (4, 300): 2, (4, 1000): 1}
NOISE = 0.05
#: Short work is done several times, and the shortest counts.
REPEATS = 3
SpeedCase = tuple[int, int, int]


@dataclass(frozen=True)
class FitSeconds:
    """Processor seconds: of the family `matern`, of scikit-learn's fit, and of a map of all families."""

    dim: int
    n: int
    seed: int
    matern: float
    scikit_learn: float
    whole_map: float


def measure_fits(case: SpeedCase) -> list[FitSeconds]:
    """Fit a random function's values in three ways."""
    dim, n, seed = case
    domain, rng = Box.unit(dim), stream(seed, "fit speed")
    x = domain.sample(n, rng)
    y = random_function("isotropic", dim, seed)(x) + NOISE * rng.standard_normal(n)
    with one_thread():
        return [
            FitSeconds(
                *case,
                _seconds(lambda: MaternModel.fit_map(domain, x, y, np.full(n, NOISE))),
                _seconds(lambda: _scikit_learn(x, y), 2),
                _seconds(lambda: build_map(domain, x, y, NOISE)),
            )
        ]


def _scikit_learn(x: Array, y: Array) -> None:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern

    variance = tuple(bound**2 for bound in AMPLITUDE_BOUNDS)
    kernel = ConstantKernel(1.0, variance) * Matern([0.5] * x.shape[1], LENGTHSCALE_BOUNDS, nu=2.5)
    scale = y.std()
    model = GaussianProcessRegressor(
        kernel,
        alpha=(NOISE / scale) ** 2,
        n_restarts_optimizer=len(STARTING_LENGTHSCALES) - 1,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of lengthscales at their bounds
        model.fit(x, (y - y.mean()) / scale)


def _seconds(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    found = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return round(min(found), 5)


def run_fit_speed(
    path: Path, progress: Callable[[list[SpeedCase]], Iterable[SpeedCase]] = iter
) -> list[dict[str, Any]]:
    """Measure what the file lacks, append it, and return all records."""
    cases = [(dim, n, seed) for (dim, n), seeds in SIZES.items() for seed in range(seeds)]
    return run_cases(path, FitSeconds, cases, measure_fits, lambda r: (r["dim"], r["n"], r["seed"]), progress)


def fit_speed_table(records: Sequence[dict[str, Any]]) -> str:
    """A line a size; times and ratios are geometric means over seeds."""
    lines = []
    for dim, n in dict.fromkeys((r["dim"], r["n"]) for r in records):
        here = [r for r in records if (r["dim"], r["n"]) == (dim, n)]
        ours, theirs, whole = (
            np.exp(np.mean(np.log([r[name] for r in here])))
            for name in ("matern", "scikit_learn", "whole_map")
        )
        lines.append(
            [f"{dim}", f"{n:,}", f"{ours:.2g} s", f"{theirs:.2g} s", f"{theirs / ours:.1f}", f"{whole:.2g} s"]
        )
    head = ["parameters", "values", "`matern`", "scikit-learn", "times as fast", "map of eight families"]
    return markdown_table(head, lines)
