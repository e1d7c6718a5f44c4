"""``learner-nd``: adaptive's LearnerND, which splits the simplex of largest loss.

It is told the initial design and then follows its own proposals. The first of those are the corners
of the cube, 2^D of them, and they count: it measures no point for free.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from equiwarp.bench.arms import Arm, Stepper
from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.bench.peers.packages import load_package, only_boxes
from equiwarp.bench.peers.replayed import ReplayedStepper
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array

LEARNER_ND = "learner-nd"


class LearnerStepper(ReplayedStepper):
    """One LearnerND with its default loss."""

    def __init__(self, seeded: SeededBenchmark) -> None:
        super().__init__(seeded.benchmark.n0)
        bounds = [(0.0, 1.0)] * seeded.benchmark.dim
        self.learner: Any = load_package("adaptive", LEARNER_ND).LearnerND(_not_called, bounds=bounds)

    def begin(self, x: Array, y: Array) -> None:
        for point, value in zip(x, y, strict=True):
            self.tell(point, float(value))

    def propose(self) -> Array:
        points, _ = self.learner.ask(1)
        return np.array(points[0], dtype=float)

    def tell(self, point: Array, value: float) -> None:
        self.learner.tell(tuple(point.tolist()), value)


def _not_called(point: Any) -> float:
    raise AssertionError("the learner is told values; it measures nothing itself")


class Learner(Arm):
    """LearnerND proposes anywhere in the cube, not from the pool. Its triangulation grows fast with D."""

    name = LEARNER_ND

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        return LearnerStepper(seeded)

    def objection(self, benchmark: Benchmark) -> str | None:
        return only_boxes(benchmark)
