"""The whole method: from what has been measured to where to measure next.

:func:`choose` is the paper's Algorithm 1 for one round, step by step; :func:`suggest` is the same for
people who have arrays. Layers below are pure, and so is this: nothing is remembered between calls,
except what the caller passes back as ``memory``, which saves time and changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.design import Design
from equiwarp.domains import Array, Domain
from equiwarp.engines import remark, view_of
from equiwarp.geometry.warp import Warp
from equiwarp.heap import hold_on
from equiwarp.rounds import (
    Memory,
    Taken,
    begin,
    equalizer_of,
    fit_lengthscale,
    kernel_of,
    resume,
    scene_of,
    warp_of,
)
from equiwarp.setting import Setting, Standardised, point_keys, prepare, standardise
from equiwarp.strategies import OpenLoop, State, Strategy
from equiwarp.suggestion import NO_EXPLANATION, Explanation, Suggestion


def suggest(
    domain: Domain,
    x: Any,
    y: Any,
    n: int = 1,
    strategy: str | Strategy = "equiwarp",
    *,
    noise: Any = None,
    pending: Any = None,
    seed: int = 0,
    lengthscale: float | None = None,
    engine: str = "auto",
) -> Suggestion:
    """Where to measure next, given what has been measured.

    Parameters
    ----------
    domain : Domain
    x : array, list, dict of columns or dataframe, (N, columns)
        Measured locations in the domain's units. May be empty.
    y : array-like, (N,) or (N, k)
        Measured values, of one or several responses.
    n : int
        How many points to suggest at once; each takes the earlier ones into account.
    strategy : str or Strategy
        A name from :func:`equiwarp.strategies`, or one of your own.
    noise : float or array-like, optional
        Standard deviation of a measurement in the units of y; None estimates it.
    pending : like x, optional
        Locations already handed out and not yet measured.
    seed : int
        The same seed and data give the same points.
    lengthscale : float, optional
        Of the acquisition GP in kernel coordinates (the unit cube for a box); by default the spacing
        of the paper's initial design.
    engine : "auto", "exact" or "local"
        "exact" uses all measurements everywhere, "local" those near each place; "auto" is exact up to
        about 2,000 measurements, and the suggestion's notes say when it was not.

    Examples
    --------
    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    >>> s = ew.suggest(box, [[30, 4], [60, 7], [80, 5]], [1.0, 2.5, 1.7], n=2, noise=0.05)
    >>> s.points.shape
    (2, 2)
    """
    design = Design.of(domain, x, y, noise, pending)
    return choose(prepare(domain, strategy, seed, lengthscale=lengthscale, engine=engine), design, n)[0]


def choose(
    setting: Setting, design: Design, n: int = 1, memory: Memory | None = None
) -> tuple[Suggestion, Memory]:
    """One round of Algorithm 1, for a batch of n points."""
    if memory:
        hold_on()
    memory = memory or Memory()
    strategy = setting.strategy
    if isinstance(strategy.criterion, OpenLoop):
        return _fixed_in_advance(setting, design, n, strategy.criterion), memory

    seen, local = view_of(strategy, setting.engine, design)
    values = standardise(setting, seen)
    fitted = fit_lengthscale(setting, seen, values, memory)
    kernel = kernel_of(setting, fitted)
    warp, mean = warp_of(setting, seen, values, kernel, memory, local)
    equalizer = equalizer_of(setting, kernel, values, memory)
    scene = scene_of(setting, seen, values, kernel, warp, memory, local)
    state = resume(memory.state, scene) or begin(strategy.criterion, scene)

    taken = Taken.of(setting, np.concatenate([design.x, design.pending]), memory.taken)
    free = _free(setting, taken, n)
    chosen: list[int] = []
    explain: list[Explanation] = []
    for _ in range(n):
        g = equalizer(len(state.Z)) if equalizer else None
        state, best = state.best(g, free)
        explain.append(_explanation(state, g, warp, setting.pool, best))
        chosen.append(best)
        free[best] = False
        if scene.lasting or len(chosen) < n:  # else nobody will ask this state again
            state = state.add(scene.P[best])

    notes = _notes(values, state, remark(design, seen, local))
    suggestion = Suggestion(setting.domain, strategy.name, setting.pool[chosen], tuple(explain), notes)
    gp, slopes = (mean.gp, mean.slopes) if mean else (None, None)
    taken, placed = taken.expecting(chosen), warp.foreseen(chosen)
    return suggestion, Memory(state, fitted, gp, slopes, scene.neighbours, equalizer, taken, placed)


def _fixed_in_advance(setting: Setting, design: Design, n: int, sequence: OpenLoop) -> Suggestion:
    """The sequence's next points. Steps make it repeat itself: then the pool, in its order, helps out."""
    domain = setting.domain
    measured = np.concatenate([design.x, design.pending])
    taken, fresh = set(point_keys(domain, measured)), list[Array]()

    def keep(points: Array) -> None:
        for point, key in zip(points, point_keys(domain, points), strict=True):
            if key not in taken and len(fresh) < n:
                taken.add(key)
                fresh.append(point)

    place, block = len(measured), _count(n)
    while len(fresh) < n and place < len(measured) + n + len(setting.pool):
        keep(sequence.points(domain, place, block, setting.seed))
        place, block = place + block, 2 * block
    keep(setting.pool)
    if len(fresh) < n:
        raise _too_many(n, len(fresh))
    return Suggestion(domain, setting.strategy.name, np.array(fresh), (NO_EXPLANATION,) * n)


def _too_many(n: int, left: int) -> ValueError:
    return ValueError(f"n = {n}, but only {left} points of the pool are left: ask for fewer")


def _free(setting: Setting, taken: Taken, n: int) -> NDArray[np.bool_]:
    free = np.ones(len(setting.pool), dtype=bool)
    free[taken.rows] = False
    left = int(free.sum())
    if _count(n) > left:
        raise _too_many(n, left)
    return free


def _count(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n must be a whole number of at least 1, got {n!r}")
    return int(n)


def _explanation(state: State, g: Array | None, warp: Warp, pool: Array, best: int) -> Explanation:
    equalizer = 1.0 if g is None else float(g[best])
    return Explanation(
        variance=state.variance_at(best),
        equalizer=equalizer,
        stretch=warp.stretch_at(pool, best),
        score=equalizer * state.score_at(best),
    )


def _notes(values: Standardised, state: State, engine: str | None) -> tuple[str, ...]:
    notes = [] if engine is None else [engine]
    if values.estimated:
        notes.append(f"noise was not given; estimated at {values.typical_noise:.3g} of the values' deviation")
    if state.jitter:
        notes.append(f"coincident points: jitter {state.jitter:.0e} was added to the kernel matrix")
    return tuple(notes)
