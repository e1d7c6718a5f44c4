"""The fixed sequence of a campaign: its space-filling start, or all of it if the strategy is open-loop.

The first ``n0`` experiments are points of the seed's Sobol sequence. A location of the sequence that
was released is handed out again first; one that is spent is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equiwarp.campaign.context import CampaignContext
from equiwarp.domains import Array, Domain
from equiwarp.engine.pool import point_keys
from equiwarp.exceptions import Exhausted
from equiwarp.store import CampaignRecord, CampaignTransaction
from equiwarp.strategy import OpenLoop
from equiwarp.strategy.openloop import SobolSequence

#: How far an open-loop sequence is searched for a location that is still free.
SEARCH = 4096


@dataclass(frozen=True)
class SequencePoints:
    """Points of the fixed sequence that are next ``(k, columns)``, and the counter after them."""

    points: Array
    counter: int


def is_open_loop(context: CampaignContext) -> bool:
    """Whether the strategy never looks at what is measured, so that its sequence is all there is."""
    return isinstance(context.strategy.criterion, OpenLoop)


def location_keys(domain: Domain, x: Array) -> list[str]:
    """Text that is equal for equal locations, one per row of ``(n, columns)``."""
    return [key.hex() for key in point_keys(domain, x)]


def next_in_sequence(
    transaction: CampaignTransaction, context: CampaignContext, campaign: CampaignRecord, n: int
) -> SequencePoints:
    """Up to n points: released ones first, then the sequence from where it stands."""
    found: dict[str, Sequence[float]] = {}  # by key: no location twice
    for record in transaction.released():
        if len(found) < n:
            found.setdefault(record.key, record.point)
    counter, block = campaign.sequence, n
    # Earlier measurements serve as a start as well.
    end = counter + SEARCH + 64 * n if is_open_loop(context) else context.n0 - transaction.added_inside()
    while len(found) < n and counter < end:
        size = min(block, end - counter)
        block = min(2 * block, SEARCH)
        x = _points(context, counter, size)
        if len(x) < size:  # the sequence of a finite list ends
            end = counter + len(x)
        keys = location_keys(context.domain, x)
        spent = transaction.spent(keys)
        for point, key in zip(x.tolist(), keys, strict=True):
            if len(found) == n:
                break
            counter += 1
            if key not in spent:
                found.setdefault(key, point)
    if is_open_loop(context) and len(found) < n:
        raise Exhausted(
            f"the {context.strategy.name} sequence has no free location left for {n} experiments; "
            "release pending ones, or use a strategy that chooses"
        )
    points = np.array(list(found.values()), dtype=float).reshape(-1, context.domain.columns)
    return SequencePoints(points, counter)


def _points(context: CampaignContext, first: int, n: int) -> Array:
    """Points ``first`` to ``first + n`` of the strategy's own sequence, or else of the seed's Sobol one."""
    criterion = context.strategy.criterion
    sequence = criterion if isinstance(criterion, OpenLoop) else SobolSequence()
    return sequence.points(context.domain, first, n, context.spec.seed)
