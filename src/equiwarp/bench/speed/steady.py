"""A strategy in its steady state, and a clock: measurements that grow by each suggestion.

Processor time of this process, one BLAS thread. The response's deviation is fixed, as it is in the
paper's protocol, so that the noise is the same number in every round.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from equiwarp._util.seeds import DESIGN, stream
from equiwarp.domains import Array, Box, Domain
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import RoundCache

#: Of the timed response: standard deviation of a measurement, and of the function itself.
TIMED_NOISE, TIMED_DEVIATION = 0.015, 0.3

Task = Callable[[], object]


def response(x: Array) -> Array:
    """A smooth function with one steep place, ``(n, 1)``."""
    return np.sin(5 * x).prod(axis=1, keepdims=True) + np.tanh(8 * (x[:, :1] - 0.4))


def measured_at(domain: Domain, x: Array) -> Measurements:
    y = response(x)
    return Measurements(domain, x, y, np.full(y.shape, TIMED_NOISE), np.empty((0, x.shape[1])))


@dataclass
class SteadyRun:
    """Each round knows what the last one left."""

    configuration: RunConfiguration
    measurements: Measurements
    cache: RoundCache | None = None

    @classmethod
    def of(cls, strategy: str, dim: int, n: int) -> SteadyRun:
        """On the unit cube, with n points of a Sobol design measured."""
        domain = Box.unit(dim)
        configuration = prepare(domain, strategy, 0, response_scale=np.array([TIMED_DEVIATION]))
        return cls(configuration, measured_at(domain, domain.sample(n, stream(0, DESIGN))))

    def advance(self) -> None:
        """Suggest one more point, and measure there."""
        suggestion, self.cache = choose(self.configuration, self.measurements, 1, self.cache)
        before, new = self.measurements, measured_at(self.configuration.domain, suggestion.points)
        self.measurements = replace(
            before,
            x=np.vstack([before.x, new.x]),
            y=np.vstack([before.y, new.y]),
            noise=np.full((len(before.x) + 1, 1), TIMED_NOISE),
        )


def processor_seconds(work: Task) -> float:
    """Processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def side_by_side(works: dict[str, Task], budget: float, most: int = 7) -> dict[str, float]:
    """Median processor time of each work, taken in turns until the budget in seconds is used up."""
    for work in works.values():
        work()  # tables and pages that only a first call pays for
    times: dict[str, list[float]] = {name: [] for name in works}
    used = 0.0
    while used < budget and len(next(iter(times.values()))) < most:
        for name, work in works.items():
            times[name].append(processor_seconds(work))
            used += times[name][-1]
    return {name: median(values) for name, values in times.items()}
