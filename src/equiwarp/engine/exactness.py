"""Exact or local: which engine a suggestion uses, and what a strategy without a local form sees.

Up to :data:`MOST_EXACT` observations everything is exact. Beyond that, variance and mean gradient come
from near neighbours (``gp/local.py``); strategies that need all observations at once see a part of
them that is spread over the domain. Either is said in the suggestion's notes.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.engine.measurements import Measurements
from equiwarp.exceptions import InvalidInput
from equiwarp.strategy import OpenLoop, Strategy

Engine = Literal["auto", "exact", "local"]
#: Observations, pending ones included, up to which "auto" is exact.
MOST_EXACT = 2000


def checked(engine: str) -> Engine:
    """One of the three names, or an error that lists them."""
    for name in get_args(Engine):
        if engine == name:
            return name
    raise InvalidInput(f"engine must be one of {', '.join(get_args(Engine))}, got {engine!r}")


def is_local(engine: Engine, measurements: Measurements) -> bool:
    """Whether this design is too large to be exact, or the local engine is forced on it."""
    count = measurements.n + len(measurements.pending)
    return count > 0 and (engine == "local" or (engine == "auto" and count > MOST_EXACT))


def has_local_form(strategy: Strategy) -> bool:
    """Whether near neighbours are enough for each step of the strategy."""
    if isinstance(strategy.criterion, OpenLoop) or strategy.warp == "kumaraswamy":
        return False
    return strategy.criterion.local and strategy.kernel == "matern52" and strategy.lengthscale == "spacing"


def part_of(measurements: Measurements) -> Measurements:
    """The design itself, or :data:`MOST_EXACT` of its measurements that are spread over the domain."""
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


def restricted(strategy: Strategy, engine: Engine, measurements: Measurements) -> tuple[Measurements, bool]:
    """What the strategy sees of the design, and whether it sees it locally."""
    if not is_local(engine, measurements):
        return measurements, False
    return (measurements, True) if has_local_form(strategy) else (part_of(measurements), False)


def remark(measurements: Measurements, seen: Measurements, local: bool) -> str | None:
    """What to tell the user about it; None if everything was exact."""
    if local:
        return f"local engine: each place was judged by the nearest of {measurements.n} measurements"
    if seen.n < measurements.n:
        return f"{seen.n} of {measurements.n} measurements, spread over the domain, were used to choose"
    return None
