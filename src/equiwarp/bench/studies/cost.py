"""What one more point costs: the equalizer's lookup against criteria that integrate over the domain.

Two ways are timed. *Afresh*: everything is computed from the design alone, as after a restart.
*Updated*: the last round's state is extended, which is how runs go here; NIPV and EPIG profit from it
too, since their integrals are carried along instead of being taken anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp._util.seeds import DESIGN, stream
from equiwarp.bench.storage.csv_records import read_records, write_records
from equiwarp.domains import Box
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.geometry.equalizer import Equalizer
from equiwarp.gp.kernels import Matern52

if TYPE_CHECKING:
    from equiwarp.engine.configuration import RunConfiguration
    from equiwarp.engine.round import RoundCache

COSTED_ARMS = ("eig", "equalized", "nipv", "epig", "equiwarp")
COST_NOISE = 0.05
#: The lookup alone, timed beside the arms.
LOOKUP = "g"


@dataclass(frozen=True)
class Cost:
    """Seconds per round, the best of several, which other work disturbs least.

    For the lookup both ways are the same.
    """

    what: str
    dim: int
    n: int
    afresh: float
    updated: float


def measure_costs(
    dim: int = 3, n: int = 100, rounds: int = 12, arms: Sequence[str] = COSTED_ARMS
) -> list[Cost]:
    """Time a lookup of g and a round of each arm in ``[0, 1]^dim``, with n points measured already."""
    domain = Box.unit(dim)
    x = domain.sample(n, stream(0, DESIGN))
    y = np.sin(5.0 * x).sum(axis=1)
    found = []
    for arm in arms:
        configuration = prepare(domain, arm, 0, response_scale=np.array([y.std()]))
        found.append(
            Cost(arm, dim, n, *_rounds(configuration, Measurements.of(domain, x, y, COST_NOISE), rounds))
        )
        if arm == arms[0]:
            seconds = _lookup(configuration, n, rounds)
            found.insert(0, Cost(LOOKUP, dim, n, seconds, seconds))
    return found


def _lookup(configuration: RunConfiguration, n: int, rounds: int) -> float:
    """g at the pool for the next design sizes, the tables being in memory."""
    equalizer = Equalizer(
        configuration.domain, Matern52(configuration.lengthscale), COST_NOISE, configuration.pool
    )
    equalizer(n), equalizer(n + rounds)
    sizes = iter(range(n, n + rounds))
    return min(_seconds(lambda: equalizer(next(sizes))) for _ in range(rounds))


def _rounds(configuration: RunConfiguration, measurements: Measurements, rounds: int) -> tuple[float, float]:
    """Best seconds of a round afresh, and of one that updates the last."""
    cache: RoundCache | None = None
    # The first call reads the equalizer's tables, which is done once in a run.
    suggestion, cache = choose(configuration, measurements, 1)
    afresh: list[float] = []
    updated: list[float] = []
    for _ in range(rounds):
        x = np.vstack([measurements.x, suggestion.points])
        measurements = Measurements.of(configuration.domain, x, np.sin(5.0 * x).sum(axis=1), COST_NOISE)
        began = time.perf_counter()
        suggestion, cache = choose(configuration, measurements, 1, cache)
        updated.append(time.perf_counter() - began)
        if len(afresh) < max(rounds // 3, 1):
            afresh.append(_seconds(lambda now=measurements: choose(configuration, now, 1)))  # type: ignore[misc]
    return min(afresh), min(updated)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def stored_costs(results: Path) -> list[Cost]:
    """The costs kept in a results folder; measured and kept if there are none yet."""
    path = results / "studies" / "cost.csv"
    if path.exists():
        return [Cost(**record) for record in read_records(path)]
    costs = measure_costs()
    write_records(path, [asdict(cost) for cost in costs])
    return costs
