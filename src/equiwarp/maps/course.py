"""The course of the map error: with fewer measurements, now, and as forecast."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array
from equiwarp.maps.map import ErrorEstimate, Map, build_map
from equiwarp.maps.stopping import StopAdvice, StopRule

#: Earlier maps are fitted anew; this many of them show the trend.
STEPS = 6
#: With fewer measurements there is no map to speak of.
FEWEST = 8
#: Earlier maps with more measurements than this take too long for what they tell.
MOST = 500
#: How far ahead the forecast looks.
AHEAD = 20

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Course:
    """Errors of all responses, in their units.

    Attributes
    ----------
    counts : (s,) array of int
        Measurements behind each earlier error, the present number last.
    errors : (s, k) array
    forecast : (f + 1, k) array
        With 0, 1, ... more experiments, the pending ones counted as done.
    now : tuple of MapError
    pending : int
    advice : StopAdvice
    """

    counts: Array
    errors: Array
    forecast: Array
    now: tuple[ErrorEstimate, ...]
    pending: int
    advice: StopAdvice


def earlier_counts(n: int) -> list[int]:
    """Sizes of the earlier designs whose map is fitted anew, the present one not among them."""
    if n <= FEWEST:
        return []
    return sorted({int(c) for c in np.geomspace(FEWEST, n, STEPS) if c < n - 1e-9 and c <= MOST})


def course_of(
    map: Map,
    rule: StopRule,
    ahead: int = AHEAD,
    progress: Progress | None = None,
    remember: dict[bytes, Array] | None = None,
) -> Course:
    """Fit the earlier maps, roll the campaign forward, judge the stop rule.

    ``progress(done, total)`` is called after each step; ``remember`` keeps errors of earlier designs.
    """
    known = {} if remember is None else remember
    n = len(map.x)
    counts = earlier_counts(n)
    total = len(counts) + 2
    say = progress or (lambda done, total: None)
    errors = []
    for step, count in enumerate(counts):
        errors.append(_error_with(map, count, known))
        say(step + 1, total)
    errors.append(np.array([e.value for e in map.error()]))
    forecast = map.forecast(_possible(map, ahead))
    say(total - 1, total)
    advice = map.stop(rule)
    say(total, total)
    return Course(np.array([*counts, n]), np.array(errors), forecast, map.error(), len(map.pending), advice)


def _error_with(map: Map, count: int, known: dict[bytes, Array]) -> Array:
    """The error that the first measurements alone would have given."""
    x, y = map.x[:count], map.y[:count]
    noise = None if map.noise is None else map.noise[:count]
    key = x.tobytes() + y.tobytes() + (b"" if noise is None else noise.tobytes())
    if key not in known:
        earlier = build_map(map.domain, x, y, noise, strategy=map.strategy, seed=map.seed)
        known[key] = np.array([e.value for e in earlier.error()])
    return known[key]


def _possible(map: Map, ahead: int) -> int:
    """A list of candidates may have fewer experiments left."""
    listed = getattr(map.domain, "points", None)
    if listed is None:
        return ahead
    return max(0, min(ahead, len(listed) - len(map.x) - len(map.pending)))
