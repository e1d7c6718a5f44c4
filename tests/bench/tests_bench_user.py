"""What a user of the bench might write: functions, a strategy, an arm."""

from __future__ import annotations

import numpy as np

from equiwarp.bench.arms import Arm, Stepper
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array
from equiwarp.strategy import Strategy
from equiwarp.strategy.variance import Variance


def ramp(x: Array) -> Array:
    return x @ np.arange(1.0, x.shape[1] + 1)


def wrong_shape(x: Array) -> Array:
    return x


def not_finite(x: Array) -> Array:
    return np.full(len(x), np.nan)


def fails_late(x: Array) -> Array:
    """Fine on large samples; fails when one point is measured."""
    if len(x) == 1:
        raise RuntimeError("the furnace tripped")
    return ramp(x)


plain_variance = Strategy("mine", Variance())


class Midpoints(Stepper):
    def next(self, x: Array, y: Array) -> Array:
        return (x[np.argmax(y)] + x[np.argmin(y)]) / 2


class MidpointArm(Arm):
    """Between the largest and the smallest value: a design of its own, outside the pool."""

    name = "midpoints"

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        return Midpoints()


def first_of_the_pool(configuration: object, measurements: object) -> int:
    """A dense reference that is wrong."""
    return 0
