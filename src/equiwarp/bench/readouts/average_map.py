"""``map``: the averaged map that a campaign draws, fitted to the noisy values at checkpoints.

A fit of all families takes up to seconds, so it is made after the rounds of :data:`CHECKPOINTS` and after
the last one, each time from scratch, so that a result depends on the measurements alone. In between the
logarithm of the error is linear in the rounds.
"""

from __future__ import annotations

import numpy as np

from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.bench.seeded import held_out_part, pilot
from equiwarp.domains import Array
from equiwarp.maps.map import build_map

#: Rounds after which the map is fitted: at most a factor of two apart, with those at which tables report.
CHECKPOINTS = (0, 10, 20, 40, 50, 80, 100, 140, 200, 280, 400)


def checkpoints(rounds: int) -> list[int]:
    """The rounds after which a run of so many is judged, the last one among them."""
    return sorted({t for t in CHECKPOINTS if t < rounds} | {rounds})


def average_trajectory(benchmark: Benchmark, x: Array, y: Array, n0: int) -> Array:
    """Mean squared error with the first n0, n0 + 1, ... points of a design, ``(n - n0 + 1,)``."""
    fitted = checkpoints(len(x) - n0)
    logs = [np.log(average_error(benchmark, x[: n0 + t], y[: n0 + t])) for t in fitted]
    return np.exp(np.interp(np.arange(len(x) - n0 + 1), fitted, logs))


def average_error(benchmark: Benchmark, x: Array, y: Array) -> float:
    """Mean squared error of the map of these measurements; never quite zero."""
    deviation = pilot(benchmark).deviation
    Z, truth = held_out_part(benchmark)
    noise = benchmark.noise * deviation
    prediction = build_map(benchmark.domain, x, y, noise).models[0].predict(Z)
    return max(float(np.mean((prediction - truth) ** 2)), 1e-24 * deviation**2)
