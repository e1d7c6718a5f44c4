"""Published criteria on models of ours: a score over the pool that every arm of the seed has.

Only the criterion is other people's. The model is the map's plain one, a Matern-5/2 with one lengthscale
per parameter and the known noise, fitted from scratch on the schedule of our own strategies. Within a
batch, points without a value are believed to have the model's mean (kriging believer, Ginsbourger et al.
2010).
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from equiwarp.bench.arms import Arm, Stepper
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.gp.spacing import refit_size
from equiwarp.models.gaussian_process import GaussianProcess
from equiwarp.models.matern import MaternModel


class PoolStepper(Stepper):
    """The pool point with the largest score that is not taken."""

    #: Whether a place may be measured again.
    replicates = False

    def __init__(self, seeded: SeededBenchmark) -> None:
        domain = seeded.benchmark.domain
        self.configuration: RunConfiguration = prepare(domain, "fps", seeded.seed, pool=seeded.pool)
        self.domain, self.noise = domain, seeded.noise
        self.P = domain.embed(seeded.pool)

    @abstractmethod
    def scores(self, x: Array, y: Array, measured: int) -> tuple[Array, Array]:
        """Score and mean ``(m,)`` each at the candidates; the first ``measured`` values are measured."""

    def candidates(self, x: Array) -> Array:
        """What may be measured, given the measured places: ``(m, columns)``."""
        return self.configuration.pool

    def next(self, x: Array, y: Array) -> Array:
        return self.next_batch(x, y, 1)[0]

    def next_batch(self, x: Array, y: Array, n: int) -> Array:
        measured = len(x)
        candidates = self.candidates(x)
        for _ in range(n):
            score, mean = self.scores(x, y, measured)
            if not self.replicates:
                score[self.configuration.taken(x)] = -np.inf
            best = int(np.argmax(score))
            x, y = np.vstack([x, candidates[best]]), np.append(y, mean[best])
        return x[measured:]


class FittedStepper(PoolStepper):
    """A pool stepper that rests on the map's plain model."""

    fitted: tuple[int, GaussianProcess | None] = (0, None)

    def model(self, x: Array, y: Array, measured: int) -> GaussianProcess:
        """Conditioned on all, with the hyperparameters of the first ``refit_size`` measured values."""
        Z, size = self.domain.embed(x), refit_size(measured)
        if self.fitted[0] != size:
            noise = np.full(size, self.noise)
            self.fitted = size, MaternModel.fit_map(self.domain, Z[:size], y[:size], noise)
        assert self.fitted[1] is not None
        return self.fitted[1].conditioned_on(self.domain, Z, y, np.full(len(y), self.noise))


class PoolArm(Arm):
    """A published criterion as an arm."""

    batches = True

    def __init__(self, name: str, stepper: type[PoolStepper]) -> None:
        self.name, self.stepper = name, stepper

    def start(self, seeded: SeededBenchmark, lengthscale_factor: float = 1.0) -> Stepper:
        return self.stepper(seeded)
