"""The whole method: from what has been measured to where to measure next.

:func:`choose` is the paper's Algorithm 1 for one round, step by step; :func:`suggest` is the same for
people who have arrays. Layers below are pure, and so is this: nothing is remembered between calls,
except what the caller passes back as ``cache``, which saves time and changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain
from equiwarp.domains.base import require_domain
from equiwarp.engine.configuration import RunConfiguration, Standardised, point_keys, prepare, standardise
from equiwarp.engine.exactness import remark, restricted
from equiwarp.engine.explanation import Explanation
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import (
    RoundCache,
    Taken,
    begin,
    equalizer_of,
    fit_lengthscale,
    inputs_of,
    kernel_of,
    resume,
    warp_of,
)
from equiwarp.engine.suggestion import Suggestion
from equiwarp.exceptions import InvalidInput
from equiwarp.geometry.warp import Warp
from equiwarp.strategy import CriterionState, OpenLoop, Strategy


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
        A name from :func:`equiwarp.strategy`, or one of your own.
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
    measurements = Measurements.of(require_domain(domain), x, y, noise, pending)
    return choose(prepare(domain, strategy, seed, lengthscale=lengthscale, engine=engine), measurements, n)[0]


def choose(
    configuration: RunConfiguration, measurements: Measurements, n: int = 1, cache: RoundCache | None = None
) -> tuple[Suggestion, RoundCache]:
    """One round of Algorithm 1, for a batch of n points."""
    cache = cache or RoundCache()
    strategy = configuration.strategy
    if isinstance(strategy.criterion, OpenLoop):
        return _fixed_in_advance(configuration, measurements, n, strategy.criterion), cache

    seen, local = restricted(strategy, configuration.engine, measurements)
    values = standardise(configuration, seen)
    fitted = fit_lengthscale(configuration, seen, values, cache)
    kernel = kernel_of(configuration, fitted)
    warp, mean = warp_of(configuration, seen, values, kernel, cache, local)
    equalizer = equalizer_of(configuration, kernel, values, cache)
    inputs = inputs_of(configuration, seen, values, kernel, warp, cache, local)
    state = resume(cache.state, inputs) or begin(strategy.criterion, inputs)

    taken = Taken.of(configuration, np.concatenate([measurements.x, measurements.pending]), cache.taken)
    free = _free(configuration, taken, n)
    chosen: list[int] = []
    explain: list[Explanation] = []
    for _ in range(n):
        g = equalizer(len(state.Z)) if equalizer else None
        state, best = state.best(g, free)
        explain.append(_explanation(configuration, state, g, warp, best))
        chosen.append(best)
        free[best] = False
        if inputs.lasting or len(chosen) < n:  # else nobody will ask this state again
            state = state.add(inputs.P[best])

    notes = _notes(values, state, remark(measurements, seen, local))
    suggestion = Suggestion(
        configuration.domain, strategy.name, configuration.pool[chosen], tuple(explain), notes
    )
    gp, slopes = (mean.gp, mean.slopes) if mean else (None, None)
    taken, placed = taken.expecting(chosen), warp.foreseen(chosen)
    return suggestion, RoundCache(state, fitted, gp, slopes, inputs.neighbours, equalizer, taken, placed)


def _fixed_in_advance(
    configuration: RunConfiguration, measurements: Measurements, n: int, sequence: OpenLoop
) -> Suggestion:
    """The sequence's next points. Steps make it repeat itself: then the pool, in its order, helps out."""
    domain = configuration.domain
    measured = np.concatenate([measurements.x, measurements.pending])
    taken, fresh = set(point_keys(domain, measured)), list[Array]()

    def keep(points: Array) -> None:
        for point, key in zip(points, point_keys(domain, points), strict=True):
            if key not in taken and len(fresh) < n:
                taken.add(key)
                fresh.append(point)

    place, block = len(measured), _count(n)
    while len(fresh) < n and place < len(measured) + n + len(configuration.pool):
        keep(sequence.points(domain, place, block, configuration.seed))
        place, block = place + block, 2 * block
    keep(configuration.pool)
    if len(fresh) < n:
        raise _too_many(n, len(fresh))
    name = configuration.strategy.name
    return Suggestion(domain, name, np.array(fresh), (Explanation("sequence", name),) * n)


def _too_many(n: int, left: int) -> InvalidInput:
    return InvalidInput(f"n = {n}, but only {left} points of the pool are left: ask for fewer")


def _free(configuration: RunConfiguration, taken: Taken, n: int) -> NDArray[np.bool_]:
    free = np.ones(len(configuration.pool), dtype=bool)
    free[taken.rows] = False
    left = int(free.sum())
    if _count(n) > left:
        raise _too_many(n, left)
    return free


def _count(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InvalidInput(f"n must be a whole number of at least 1, got {n!r}")
    return int(n)


def _explanation(
    configuration: RunConfiguration, state: CriterionState, g: Array | None, warp: Warp, best: int
) -> Explanation:
    equalizer = 1.0 if g is None else float(g[best])
    return Explanation(
        "model",
        configuration.strategy.name,
        variance=state.variance_at(best),
        equalizer=equalizer,
        stretch=warp.stretch_at(configuration.pool, best),
        score=equalizer * state.score_at(best),
    )


def _notes(values: Standardised, state: CriterionState, engine: str | None) -> tuple[str, ...]:
    notes = [] if engine is None else [engine]
    if values.estimated:
        notes.append(f"noise was not given; estimated at {values.typical_noise:.3g} of the values' deviation")
    if state.jitter:
        notes.append(f"coincident points: jitter {state.jitter:.0e} was added to the kernel matrix")
    return tuple(notes)
