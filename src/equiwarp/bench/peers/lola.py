"""``lola``: OpenTURNS' LOLA-Voronoi (Crombecq et al. 2011), with its own settings and proposals.

It balances the size of a Voronoi cell against how badly a linear model of the neighbourhood fits, and
proposes anywhere in the cube rather than from the pool.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.bench.arms import Arm, Stepper
from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.bench.peers.packages import load_package, only_boxes
from equiwarp.bench.peers.replayed import ReplayedStepper
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array

LOLA = "lola"


class LolaStepper(ReplayedStepper):
    """One LOLAVoronoi object."""

    algorithm: Any

    def __init__(self, seeded: SeededBenchmark) -> None:
        super().__init__(seeded.benchmark.n0)
        self.ot = load_package("openturns", LOLA)
        self.experimental = load_package("openturns.experimental", LOLA)
        self.seed = seeded.seed

    def begin(self, x: Array, y: Array) -> None:
        cube = self.ot.JointDistribution([self.ot.Uniform(0.0, 1.0)] * x.shape[1])
        self.algorithm = self.experimental.LOLAVoronoi(self.ot.Sample(x), self.ot.Sample(y[:, None]), cube)

    def propose(self) -> Array:
        # The generator is one for the whole process: set it, or proposals depend on who else drew.
        self.ot.RandomGenerator.SetSeed(int(stream(self.seed, LOLA, self.known).integers(2**31)))
        return np.array(self.algorithm.generate(1))[0]

    def tell(self, point: Array, value: float) -> None:
        self.algorithm.update(self.ot.Sample(point[None]), self.ot.Sample([[value]]))


class Lola(Arm):
    """LOLA-Voronoi on the same initial design and budget."""

    name = LOLA

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        return LolaStepper(seeded)

    def objection(self, benchmark: Benchmark) -> str | None:
        return only_boxes(benchmark)
