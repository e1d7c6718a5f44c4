"""One benchmark case: a domain, measurements that grow by each suggestion, and a clock.

Processor time of this process, one BLAS thread. The response's deviation is fixed, as it is in the
paper's protocol, so that the noise is the same number in every round.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

import equiwarp as ew
from equiwarp._util.seeds import DESIGN, stream
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import RoundCache

NOISE, DEVIATION = 0.015, 0.3


def response(x):
    """A smooth function with one steep place, ``(n, 1)``."""
    return np.sin(5 * x).prod(axis=1, keepdims=True) + np.tanh(8 * (x[:, :1] - 0.4))


def measurements_of(domain, x):
    y = response(x)
    return Measurements(domain, x, y, np.full(y.shape, NOISE), np.empty((0, x.shape[1])))


@dataclass
class Run:
    """A strategy in its steady state: each round knows what the last one left."""

    configuration: RunConfiguration
    measurements: Measurements
    cache: RoundCache | None = None

    @classmethod
    def of(cls, name: str, dim: int, n: int) -> Run:
        domain = ew.Box.unit(dim)
        configuration = prepare(domain, name, 0, response_scale=np.array([DEVIATION]))
        return cls(configuration, measurements_of(domain, domain.sample(n, stream(0, DESIGN))))

    def advance(self) -> None:
        """Suggest one more point, and measure there."""
        suggestion, self.cache = choose(self.configuration, self.measurements, 1, self.cache)
        known, new = self.measurements, measurements_of(self.configuration.domain, suggestion.points)
        self.measurements = replace(
            known,
            x=np.vstack([known.x, new.x]),
            y=np.vstack([known.y, new.y]),
            noise=np.vstack([known.noise, new.noise]),
        )


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def side_by_side(works: dict[str, Callable[[], object]], budget: float, most: int = 7) -> dict[str, float]:
    """Median processor time of each work, taken in turns until the budget in seconds is used up."""
    for work in works.values():
        work()  # tables and pages that only a first call pays for
    times: dict[str, list[float]] = {name: [] for name in works}
    used = 0.0
    while used < budget and len(next(iter(times.values()))) < most:
        for name, work in works.items():
            times[name].append(seconds(work))
            used += times[name][-1]
    return {name: median(values) for name, values in times.items()}
