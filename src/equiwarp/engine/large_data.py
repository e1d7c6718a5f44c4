"""Very many measurements: which of them a strategy uses, and whether it looks at all of them at once.

Up to :data:`MOST_EXACT` measurements everything is exact. Beyond that, variance and mean gradient come
from near neighbours (:mod:`equiwarp.gp.fast.local`). Strategies that need all measurements at once are
given a part of them that is spread over the domain. The suggestion's notes say either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.engine.measurements import Measurements
from equiwarp.strategy import OpenLoop, Strategy

#: Measurements, pending ones included, up to which "auto" is exact.
MOST_EXACT = 2000


@dataclass(frozen=True)
class UsedData:
    """What a strategy uses of the measurements.

    Attributes
    ----------
    measurements : Measurements
        All of them, or a part that is spread over the domain.
    local : bool
        Whether each place sees its nearest measurements only.
    note : str or None
        What to tell the user about it; None if everything is exact.
    """

    measurements: Measurements
    local: bool = False
    note: str | None = None


def thinned(strategy: Strategy, measurements: Measurements) -> UsedData:
    """What a strategy uses of measurements that are too many to be used exactly."""
    n = len(measurements.x)
    if has_local_form(strategy):
        note = f"local engine: each place was judged by the nearest of {n} measurements"
        return UsedData(measurements, True, note)
    part = spread_part(measurements)
    if part is measurements:
        return UsedData(measurements)
    return UsedData(part, False, f"{part.n} of {n} measurements, spread over the domain, were used to choose")


def has_local_form(strategy: Strategy) -> bool:
    """Whether near neighbours are enough for each step of the strategy."""
    if isinstance(strategy.criterion, OpenLoop) or strategy.warp == "kumaraswamy":
        return False
    return strategy.criterion.local and strategy.kernel == "matern52" and strategy.lengthscale == "spacing"


def spread_part(measurements: Measurements) -> Measurements:
    """The measurements themselves, or :data:`MOST_EXACT` of them that are spread over the domain."""
    if measurements.n <= MOST_EXACT:
        return measurements
    rows = spread_out(measurements.domain.to_cube(measurements.x), MOST_EXACT)
    noise = None if measurements.noise is None else measurements.noise[rows]
    return Measurements(
        measurements.domain, measurements.x[rows], measurements.y[rows], noise, measurements.pending
    )


def spread_out(u: Array, count: int) -> NDArray[np.intp]:
    """``count`` rows of ``(n, D)``, one from each cell of a grid in turn, in their own order.

    Deterministic, and blind to the values. The grid has about ``count`` cells; crowded ones are
    visited again only after all others.
    """
    side = max(1, round(count ** (1.0 / u.shape[1])))
    cell = np.zeros(len(u), dtype=np.int64)
    for column in u.T:
        cell = cell * side + np.clip((column * side).astype(np.int64), 0, side - 1)
    order = np.argsort(cell, kind="stable")
    start = np.flatnonzero(np.diff(cell[order], prepend=-1))
    turn = np.arange(len(u)) - np.repeat(start, np.diff(start, append=len(u)))
    return np.sort(order[np.argsort(turn, kind="stable")[:count]])
