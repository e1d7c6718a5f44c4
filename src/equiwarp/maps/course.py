"""The course of a campaign: how the error of its map fell so far, where it is now, and where it goes.

A campaign keeps its measurements, not its earlier maps. They are fitted again here from the first few
measurements, the first few more, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiwarp._util.progress import Progress
from equiwarp.domains import Array
from equiwarp.maps.aiming import AimReport
from equiwarp.maps.error import ErrorEstimate
from equiwarp.maps.forecast import Forecast
from equiwarp.maps.map import Map
from equiwarp.maps.stopping import StopAdvice, StopRule

#: How many earlier maps are fitted: enough to see a trend, few enough to wait for.
STEPS = 6
#: The smallest earlier map; with fewer measurements there is no map to speak of.
FEWEST = 8
#: The largest earlier map; fitting a larger one takes longer than what it tells is worth.
MOST_REFITTED = 500
#: How many experiments the forecast looks ahead.
AHEAD = 20


@dataclass(frozen=True)
class Course:
    """The error of each of k responses over time, in the response's unit.

    Attributes
    ----------
    counts : (s,) array of int
        How many measurements each past error rests on; the last entry is the present number.
    errors : (s, k) array
        The error of the map from that many measurements.
    forecast : Forecast
        The error expected after 0, 1, ... more experiments, the pending ones first, with a band.
    now : tuple of ErrorEstimate
        The present error, one per response.
    pending : int
        How many experiments are pending.
    advice : StopAdvice
        Whether the stop rule says that one may stop.
    aimed : AimReport or None
        What has become of the aim; None if it is everywhere.
    """

    counts: Array
    errors: Array
    forecast: Forecast
    now: tuple[ErrorEstimate, ...]
    pending: int
    advice: StopAdvice
    aimed: AimReport | None = None


def earlier_counts(n: int) -> list[int]:
    """How many measurements each earlier map rests on, ascending and below the present number n."""
    if n <= FEWEST:
        return []
    return sorted({int(c) for c in np.geomspace(FEWEST, n, STEPS) if c < n - 1e-9 and c <= MOST_REFITTED})


def course_of(
    map: Map,
    rule: StopRule,
    ahead: int = AHEAD,
    progress: Progress | None = None,
    remember: dict[bytes, Array] | None = None,
) -> Course:
    """The course up to a map: fit the earlier maps, forecast the error, judge the stop rule.

    Parameters
    ----------
    map : Map
        The present map.
    rule : StopRule
    ahead : int
        How many experiments to look ahead; a list of candidates may end before.
    progress : callable, optional
        Called as ``progress(done, total)`` after each step.
    remember : dict, optional
        Errors of earlier maps, by their measurements. What is in it is not fitted again; what is
        fitted is put into it.
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
    forecast = map.forecast(ahead)
    say(total - 1, total)
    advice = map.stop(rule)
    say(total, total)
    past, now = (np.array([*counts, n]), np.array(errors)), (map.error(), len(map.pending))
    return Course(*past, forecast, *now, advice, map.aimed())


def _error_with(map: Map, count: int, known: dict[bytes, Array]) -> Array:
    """The error ``(k,)`` of the map from the first measurements alone; ``known`` keeps it."""
    x, y = map.x[:count], map.y[:count]
    known_noise = map.known_noise.at(np.arange(count))
    key = (
        f"{map.domain!r} {map.aim!r}".encode()
        + x.tobytes()
        + y.tobytes()
        + b"".join(b"" if a is None else a.tobytes() for a in (known_noise.stated, known_noise.width))
    )
    if key not in known:
        known[key] = np.array([e.value for e in map.refitted(np.arange(count), map.noise).error()])
    return known[key]
