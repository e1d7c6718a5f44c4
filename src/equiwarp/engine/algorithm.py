"""The whole method: from what has been measured to where to measure next.

:func:`choose` is the paper's Algorithm 1 for one round, step by step; :func:`suggest` is the same for
people who have arrays. Layers below are pure, and so is this: nothing is remembered between calls,
except what the caller passes back as ``cache``, which saves time and changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.aims import Aim
from equiwarp.domains import Array, Domain
from equiwarp.domains.base import require_domain
from equiwarp.engine.configuration import RunConfiguration, prepare
from equiwarp.engine.explanation import Explanation
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.naming import name_responses
from equiwarp.engine.round import Round, RoundCache
from equiwarp.engine.start import sequence_points, too_many
from equiwarp.engine.suggestion import Suggestion
from equiwarp.exceptions import InvalidInput
from equiwarp.strategy import DEFAULT_STRATEGY, CriterionState, OpenLoop, Strategy
from equiwarp.strategy.distance import Distance

#: What is said of a point that the criterion did not choose.
SPREAD = ("as far as can be from all others, because more points wait for a value than have one",)


def suggest(
    domain: Domain,
    x: Any,
    y: Any,
    n: int = 1,
    strategy: str | Strategy = DEFAULT_STRATEGY,
    *,
    noise: Any = None,
    pending: Any = None,
    failed: Any = None,
    seed: int = 0,
    lengthscale: float | None = None,
    engine: str = "auto",
    aim: Aim | Mapping[str, Any] | None = None,
) -> Suggestion:
    """Say where to measure next, given what has been measured.

    Nothing is remembered between calls. To keep track of what was handed out, use
    :class:`equiwarp.Campaign`.

    Parameters
    ----------
    domain : Domain
        Where one can measure.
    x : (N, columns) array-like, dict of columns or dataframe
        Measured points in the domain's units. May be empty.
    y : (N,) or (N, k) array-like
        Measured values of one response or of k, in their own units.
    n : int
        How many points to suggest at once. They keep their distance from each other.
    strategy : str or Strategy
        A name from :func:`equiwarp.strategies`, or one of your own.
    noise : float or array-like, optional
        Standard deviation of a measurement in the units of y: one number, or one per response, per point or
        per value; by the responses' names in a mapping or a dataframe. None estimates it.
    pending : like x, optional
        Points that were handed out and are not measured yet. The suggestions keep away from them.
    failed : like x, optional
        Points at which the experiment did not work. The probability that it works is learnt from them and
        multiplied into the choice.
    seed : int
        The same seed and data give the same points.
    lengthscale : float, optional
        Of the acquisition GP in kernel coordinates (the unit cube for a box). By default it is
        :meth:`Domain.spacing`.
    engine : "auto", "exact" or "local"
        "exact" uses all measurements everywhere, "local" only those near each place. "auto" is exact up to
        2,000 measurements; the suggestion's ``notes`` say when it was not.
    aim : Aim or mapping, optional
        Where the map has to be good, such as ``ew.Aim(near=60)``; everywhere by default. Responses are called
        as the columns of y, or "value" (several: "value1", "value2", ...).

    Returns
    -------
    Suggestion
        The points, best first, with the reason for each.

    Raises
    ------
    InvalidInput
        If a point lies outside the domain, a value is not a finite number, a strategy is unknown, or n is
        less than 1, or an aim is at an unknown response; the message names the value and its place.
    Exhausted
        If fewer than n points are left.
    InvalidType
        If the domain is not a Domain.

    Examples
    --------
    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    >>> s = ew.suggest(box, [[30, 4], [60, 7], [80, 5]], [1.0, 2.5, 1.7], n=2, noise=0.05)
    >>> s.points.shape
    (2, 2)

    Columns are matched by name, and what waits for its value is avoided:

    >>> measured = {"pH": [4, 7, 5], "temperature": [30, 60, 80]}
    >>> t = ew.suggest(box, measured, [1.0, 2.5, 1.7], noise=0.05, pending=s.table())
    >>> len(t)
    1
    """
    measurements = Measurements.of(require_domain(domain), x, y, noise, pending, failed)
    bound = Aim.of(aim).on(domain, name_responses(None, y, measurements.y.shape[1])[0])
    frame = prepare(domain, strategy, seed, lengthscale=lengthscale, engine=engine, aim=bound)
    return choose(frame, measurements, n)[0]


def choose(
    configuration: RunConfiguration, measurements: Measurements, n: int = 1, cache: RoundCache | None = None
) -> tuple[Suggestion, RoundCache]:
    """One round of Algorithm 1, for a batch of n points, and what makes the next round faster."""
    domain, strategy = configuration.domain, configuration.strategy
    cache, n = cache or RoundCache(), _count(n)
    if isinstance(strategy.criterion, OpenLoop):
        points = sequence_points(configuration, measurements, n, strategy.criterion)
        explain = (Explanation("sequence", strategy.name),) * n
        notes = () if configuration.aim is None else ("the sequence is fixed in advance: no aim steers it",)
        return Suggestion(domain, strategy.name, points, explain, notes), cache

    now = Round(configuration, measurements, cache)
    # Condition the acquisition GP and evaluate the gradient of its mean at the probes; form the density
    # and construct the transport map T. The variance s_T^2 is seen through T, given what was measured and
    # what is pending.
    state, free = now.state, _free(now, n)
    spread = now.spread_first(n) if n > 1 else 0
    evenly: CriterionState = Distance().begin(now.inputs) if spread else state
    chosen: list[int] = []
    reasons: list[Explanation] = []
    for i in range(n):
        # Look up g for the current design size; where experiments have failed, count what is likely to work;
        # with an aim, what serves it.
        weights = now.weights(len(now.inputs.x) + i)
        if i < spread:  # the values say too little for a batch of this size
            best = evenly.best(weights, free)[1]
            evenly = evenly.add(now.inputs.P[best])
        else:
            # Select argmax g(x) s_T^2(x).
            state, best = state.best(weights, free)
        reasons.append(_explanation(now, state, weights, best, SPREAD if i < spread else ()))
        chosen.append(best)
        free[best] = False
        # Before it is observed, a point of the batch counts like a pending one.
        if now.inputs.fixed_geometry or i + 1 < n:  # else nobody will ask this state again
            state = state.add(now.inputs.P[best])

    points = configuration.pool[chosen]
    return Suggestion(domain, strategy.name, points, tuple(reasons), _notes(now, state)), now.leave(state)


def _count(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InvalidInput(f"n must be a whole number of at least 1, got {n!r}")
    return int(n)


def _free(now: Round, n: int) -> NDArray[np.bool_]:
    """Which points of the pool may still be chosen, ``(m,)``; an error if they are fewer than n."""
    free = np.ones(len(now.configuration.pool), dtype=bool)
    free[now.taken.rows] = False
    left = int(free.sum())
    if n > left:
        raise too_many(n, left)
    return free


def _explanation(
    now: Round, state: CriterionState, weights: Array | None, best: int, notes: tuple[str, ...]
) -> Explanation:
    weight = 1.0 if weights is None else float(weights[best])
    works, caution = (1.0 if part is None else float(part[best]) for part in (now.works, now.caution))
    aimed = 1.0 if now.aimed is None else float(now.aimed[best])
    expected = state.error_at(best)
    response = 0 if expected is None else expected[2]
    scale, several = float(now.values.scale[response]), len(now.values.scale) > 1
    return Explanation(
        "model",
        now.configuration.strategy.name,
        variance=state.variance_at(best),
        equalizer=weight / (caution * aimed) if caution * aimed > 0 else 1.0,
        score=weight * state.score_at(best),
        stretch=now.warp.stretch_at(now.configuration.pool, best),
        works=works,
        aim=aimed,
        error_now=None if expected is None else scale * expected[0],
        error_after=None if expected is None else scale * expected[1],
        response=0 if expected is None or not several else response + 1,
        notes=notes,
    )


def _notes(now: Round, state: CriterionState) -> tuple[str, ...]:
    notes, values, jitter = [], now.values, state.jitter
    if now.used.note:
        notes.append(now.used.note)
    if values.estimated:
        notes.append(f"noise was not given; estimated at {values.typical_noise:.3g} of the values' deviation")
    if jitter:
        notes.append(f"coincident points: jitter {jitter:.0e} was added to the kernel matrix")
    if now.configuration.aim is not None:
        notes += now.configuration.aim.remarks(now.measurements.y)
    return tuple(notes)
