"""``botorch-mixed``: BoTorch's MixedSingleTaskGP with integrated posterior variance, over the pool.

Its kernel is BoTorch's own for categories (a sum and a product of a numerical and a Hamming kernel). Numbers
come scaled to [0, 1]; an angle is a number like others, because the package knows none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from equiwarp.bench.functions.catalogue import Benchmark
from equiwarp.bench.peers.botorch import BotorchArm, IntegratedStepper
from equiwarp.bench.seeded import SeededBenchmark
from equiwarp.domains import Array, Domain
from equiwarp.engine.configuration import RunConfiguration

#: Of the pool and of the targets, the first so many: with all of them a round takes seconds.
POOL, TARGETS = 1024, 256


class MixedStepper(IntegratedStepper):
    """Categories by number, all else on the unit cube."""

    name = "botorch-mixed"

    def __init__(self, seeded: SeededBenchmark, configuration: RunConfiguration) -> None:
        self.domain = seeded.benchmark.domain
        fewer = replace(
            configuration, pool=configuration.pool[:POOL], targets=configuration.targets[:TARGETS]
        )
        super().__init__(seeded, fewer)

    def tensor(self, values: Array) -> Any:
        inputs = values.ndim == 2 and values.shape[1] == self.domain.columns > 1
        return super().tensor(coded(self.domain, values) if inputs else values)

    def _model(self, x: Array, y: Array) -> Any:
        values = self.tensor(y[:, None])
        noise = self.torch.full_like(values, self.noise**2)
        return self.models.MixedSingleTaskGP(self.tensor(x), values, category_columns(self.domain), noise)


class Mixed(BotorchArm):
    """Integrated posterior variance under a kernel for categories."""

    name = "botorch-mixed"
    stepper = MixedStepper

    def objection(self, benchmark: Benchmark) -> str | None:
        boxes = super().objection(benchmark)
        if boxes is None and not category_columns(benchmark.domain):
            return "there is no category; use botorch-nipv"
        return boxes


def category_columns(domain: Domain) -> list[int]:
    """Which columns of a box hold categories."""
    return [i for i, axis in enumerate(domain.chart_axes) if axis.kind == "categories"]


def coded(domain: Domain, x: Array) -> Array:
    """Points of a box with categories by number and all else in [0, 1]."""
    u, columns = np.array(domain.to_cube(x)), category_columns(domain)
    u[:, columns] = x[:, columns]
    return u
