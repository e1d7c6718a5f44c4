"""Exact or local: which engine a suggestion uses, and what a strategy without a local form sees.

Up to :data:`MOST_EXACT` observations everything is exact. Beyond that, variance and mean gradient come
from near neighbours (``gp/local.py``); strategies that need all observations at once see a part of
them that is spread over the domain. Either is said in the suggestion's notes.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from equiwarp.design import Design
from equiwarp.domains import Array
from equiwarp.strategies import OpenLoop, Strategy

Engine = Literal["auto", "exact", "local"]
#: Observations, pending ones included, up to which "auto" is exact.
MOST_EXACT = 2000


def checked(engine: str) -> Engine:
    """One of the three names, or an error that lists them."""
    for name in get_args(Engine):
        if engine == name:
            return name
    raise ValueError(f"engine must be one of {', '.join(get_args(Engine))}, got {engine!r}")


def is_local(engine: Engine, design: Design) -> bool:
    """Whether this design is too large to be exact, or the local engine is forced on it."""
    count = design.n + len(design.pending)
    return count > 0 and (engine == "local" or (engine == "auto" and count > MOST_EXACT))


def has_local_form(strategy: Strategy) -> bool:
    """Whether near neighbours are enough for each step of the strategy."""
    if isinstance(strategy.criterion, OpenLoop) or strategy.warp == "kumaraswamy":
        return False
    return strategy.criterion.local and strategy.kernel == "matern52" and strategy.lengthscale == "spacing"


def part_of(design: Design) -> Design:
    """The design itself, or :data:`MOST_EXACT` of its measurements that are spread over the domain."""
    if design.n <= MOST_EXACT:
        return design
    rows = spread_out(design.domain.to_cube(design.x), MOST_EXACT)
    noise = None if design.noise is None else design.noise[rows]
    return Design(design.domain, design.x[rows], design.y[rows], noise, design.pending)


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


def view_of(strategy: Strategy, engine: Engine, design: Design) -> tuple[Design, bool]:
    """What the strategy sees of the design, and whether it sees it locally."""
    if not is_local(engine, design):
        return design, False
    return (design, True) if has_local_form(strategy) else (part_of(design), False)


def remark(design: Design, seen: Design, local: bool) -> str | None:
    """What to tell the user about it; None if everything was exact."""
    if local:
        return f"local engine: each place was judged by the nearest of {design.n} measurements"
    if seen.n < design.n:
        return f"{seen.n} of {design.n} measurements, spread over the domain, were used to choose"
    return None
