"""Do the fast and the dense path choose the same points? Many rounds at full size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from equiwarp.bench.speed.dense import DenseChoose
from equiwarp.bench.speed.steady import SteadyRun

#: Strategies compared unless others are named.
COMPARED_STRATEGIES = ("eig", "equalized", "equiwarp", "nipv", "epig")


@dataclass(frozen=True)
class RoundChoice:
    """What both paths chose in one round, as text where they differ."""

    strategy: str
    round: int
    difference: str | None


def choices(
    strategies: Sequence[str], dim: int, rounds: int, dense_choose: DenseChoose
) -> Iterator[RoundChoice]:
    """Every round of every strategy; the fast path's choice is measured and the run goes on with it."""
    for strategy in strategies:
        run = SteadyRun.of(strategy, dim, 20 * (dim - 1))
        for number in range(rounds):
            expected = run.configuration.pool[dense_choose(run.configuration, run.measurements)]
            run.advance()
            chosen = run.measurements.x[-1]
            same = np.array_equal(chosen, expected)
            yield RoundChoice(strategy, number, None if same else f"fast {chosen}, dense {expected}")
