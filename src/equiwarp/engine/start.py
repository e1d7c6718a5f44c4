"""The space-filling start: points of a sequence fixed in advance, without those that are taken.

The strategies that are fixed in advance are nothing else; the others begin with it, because before
anything is measured there is nothing to choose by. Three callers share it: open-loop strategies, hosts
that are guided (:mod:`equiwarp.integrations.guide`) and campaigns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

import numpy as np

from equiwarp.domains import Array
from equiwarp.engine.configuration import RunConfiguration, point_keys
from equiwarp.engine.measurements import Measurements
from equiwarp.exceptions import Exhausted
from equiwarp.strategy import OpenLoop

Key = TypeVar("Key", str, bytes)
#: Most points of a sequence that are looked at together.
LONGEST_BLOCK = 4096


def left_of_start(measurements: Measurements, n0: int, n: int) -> int:
    """How many of the next n points belong to a start of n0 points."""
    return min(n, max(0, n0 - len(measurements.locations)))


def free_of_sequence(
    points: Callable[[int, int], Array],
    keys: Callable[[Array], Sequence[Key]],
    taken: Callable[[Sequence[Key]], Collection[Key]],
    places: range,
    n: int,
) -> tuple[list[Array], int]:
    """The first n points of a sequence that are free, fewer if there are no more, and the place after them.

    Parameters
    ----------
    points : function of a place and a count
        That many points ``(count, columns)`` of the sequence from that place on; fewer where it ends.
    keys : function of points
        A key for each; points with equal keys are one place of the domain.
    taken : function of keys
        Those of them that are spoken for already.
    places : range
        The part of the sequence to look at.
    """
    found: list[Array] = []
    used: set[Key] = set()
    place, stop, block = places.start, places.stop, n
    while len(found) < n and place < stop:
        size = min(block, stop - place)
        block = min(2 * block, LONGEST_BLOCK)
        x = points(place, size)
        if len(x) < size:  # a finite sequence ends here
            stop = place + len(x)
        names = keys(x)
        used |= set(taken(names))
        for point, key in zip(x, names, strict=True):
            if len(found) == n:
                break
            place += 1
            if key not in used:
                used.add(key)
                found.append(point)
    return found, place


def sequence_points(
    configuration: RunConfiguration, measurements: Measurements, n: int, sequence: OpenLoop
) -> Array:
    """The sequence's next n points ``(n, columns)`` that are neither measured nor pending.

    Steps make it repeat itself: then the pool, in its order, helps out.
    """
    domain, pool = configuration.domain, configuration.pool
    taken, first, reach = set(point_keys(domain, measurements.locations)), len(measurements.locations), n
    while reach < n + len(pool):  # blocks of n, 2 n, 4 n and so on, until as many as the pool has were seen
        reach = 2 * reach + n
    found, _ = free_of_sequence(
        lambda place, count: sequence.points(domain, place, count, configuration.seed),
        lambda x: point_keys(domain, x),
        taken.intersection,
        range(first, first + reach),
        n,
    )
    if len(found) < n:
        taken |= set(point_keys(domain, np.array(found).reshape(-1, domain.columns)))
        more, _ = free_of_sequence(
            lambda place, count: pool[place : place + count],
            lambda x: point_keys(domain, x),
            taken.intersection,
            range(len(pool)),
            n - len(found),
        )
        found += more
    if len(found) < n:
        raise too_many(n, len(found))
    return np.array(found)


def too_many(n: int, left: int) -> Exhausted:
    """The error of whoever asks for more points than are free."""
    return Exhausted(f"n = {n}, but only {left} points of the pool are left: ask for fewer")
