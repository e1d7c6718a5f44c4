"""``imspe``: integrated variance with replication, as hetGP proposes (Binois et al. 2019).

Of the pool and of all places that are already measured, it takes the one whose measurement lowers the
integrated variance most,

    score(x) = mean_u C(u, x)^2 / (C(x, x) + noise^2),

so that a place is measured again where that is worth more than a new one. The noise is the same everywhere
and known, and nothing is looked ahead beyond one measurement; hetGP's package does both if asked.
"""

from __future__ import annotations

import numpy as np

from equiwarp.bench.peers.pool_scores import FittedStepper, PoolArm
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array

#: Places over which the variance is averaged.
TARGETS = 512


class ImspeStepper(FittedStepper):
    """Integrated variance over pool and measured places."""

    replicates = True

    def __init__(self, seeded: SeededBenchmark) -> None:
        super().__init__(seeded)
        self.U = self.domain.embed(self.configuration.targets[:TARGETS])
        self.n0 = seeded.benchmark.n0

    def candidates(self, x: Array) -> Array:
        """The pool and the start; everything later came from these."""
        return np.concatenate([self.configuration.pool, x[: self.n0]])

    def scores(self, x: Array, y: Array, measured: int) -> tuple[Array, Array]:
        model, A = self.model(x, y, measured), self.domain.embed(self.candidates(x))
        mean, deviation = model.predict(A, return_std=True)
        drop = np.mean(model.covariance(A, self.U) ** 2, axis=1) / (deviation**2 + self.noise**2)
        return drop, mean


Imspe = PoolArm("imspe", ImspeStepper)
