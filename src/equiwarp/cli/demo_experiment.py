"""The simulated experiment of `equiwarp demo`, and a budget spent on it with one strategy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.domains import Array, Box

if TYPE_CHECKING:
    from equiwarp.maps.map import Map

#: Strategy and label; the first is ours.
OURS = "map"
ARMS = {OURS: "equiwarp", "fps": "farthest point (FPS)", "eig": "plain variance (EIG)"}
BOX = Box(
    {
        "temperature": {"low": 20, "high": 90, "unit": "°C"},
        "pH": {"low": 3, "high": 9},
    }
)
NOISE = 0.02
N0 = 20


def yield_of(points: Array) -> Array:
    """The simulated truth: a reaction that lights up in a narrow window and is inhibited beside it."""
    u = BOX.to_cube(points)
    onset = 1 / (1 + np.exp(-28 * (u[:, 0] - 0.42)))
    optimum = np.exp(-(((u[:, 1] - 0.40) / 0.13) ** 2))
    inhibition = 0.6 * np.exp(-(((u[:, 0] - 0.72) / 0.10) ** 2) - ((u[:, 1] - 0.52) / 0.10) ** 2)
    return onset * optimum - inhibition + 0.1 * u[:, 1]


@dataclass(frozen=True)
class DemoOutcome:
    """One arm of the demo: its final map and the root mean square error of each map on the way."""

    map: Map
    rounds: list[int]
    errors: list[float]


def run_arm(strategy: str, budget: int, seed: int, progress: object) -> DemoOutcome:
    """Spend the budget with one strategy; the same start and the same noise for all."""
    from equiwarp._util.seeds import DESIGN, stream
    from equiwarp.engine.algorithm import choose
    from equiwarp.engine.configuration import prepare
    from equiwarp.engine.measurements import Measurements
    from equiwarp.maps.map import build_map

    noise = NOISE * stream(seed, "demo-noise").standard_normal(budget)
    x = BOX.sample(N0, stream(seed, DESIGN))
    test = BOX.sample(4096, stream(seed, "demo-test"))
    truth, configuration, cache = yield_of(test), prepare(BOX, strategy, seed), None
    rounds: list[int] = []
    errors: list[float] = []
    while True:
        y = yield_of(x) + noise[: len(x)]
        if (len(x) - N0) % 10 == 0 or len(x) == budget:
            fitted = build_map(BOX, x, y, NOISE, seed=seed)
            rounds.append(len(x))
            errors.append(float(np.sqrt(np.mean((fitted.predict(test).mean[:, 0] - truth) ** 2))))
        if len(x) == budget:
            return DemoOutcome(fitted, rounds, errors)
        suggestion, cache = choose(configuration, Measurements.of(BOX, x, y, NOISE), 1, cache)
        x = np.vstack([x, suggestion.points])
        progress.update(1)  # type: ignore[attr-defined]
