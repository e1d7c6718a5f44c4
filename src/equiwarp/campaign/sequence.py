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
from equiwarp.engine.configuration import point_keys
from equiwarp.engine.start import free_of_sequence
from equiwarp.exceptions import Exhausted
from equiwarp.store import CampaignRecord, CampaignTransaction
from equiwarp.strategy import OpenLoop
from equiwarp.strategy.openloop import SobolDesign

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
    released: dict[str, Sequence[float]] = {}  # by key: no location twice
    for record in transaction.released():
        if len(released) < n:
            released.setdefault(record.key, record.point)
    first = campaign.sequence
    # Earlier measurements serve as a start as well.
    end = first + SEARCH + 64 * n if is_open_loop(context) else context.n0 - transaction.added_inside()
    new, counter = free_of_sequence(
        lambda place, count: _points(context, place, count),
        lambda x: location_keys(context.domain, x),
        lambda keys: transaction.spent(keys) | released.keys(),
        range(first, end),
        n - len(released),
    )
    found = [*released.values(), *new]
    if is_open_loop(context) and len(found) < n:
        raise Exhausted(
            f"the {context.strategy.name} sequence has no free location left for {n} experiments; "
            "release pending ones, or use a strategy that chooses"
        )
    points = np.array(found, dtype=float).reshape(-1, context.domain.columns)
    return SequencePoints(points, counter)


def no_points(context: CampaignContext, campaign: CampaignRecord) -> SequencePoints:
    """None of the sequence, which stays where it stands."""
    return SequencePoints(np.empty((0, context.domain.columns)), campaign.sequence)


def _points(context: CampaignContext, first: int, n: int) -> Array:
    """Points ``first`` to ``first + n`` of the strategy's own sequence, or else of the seed's Sobol one.

    Their settings are rounded to what people can type.
    """
    criterion = context.strategy.criterion
    sequence = criterion if isinstance(criterion, OpenLoop) else SobolDesign()
    return context.domain.rounded(sequence.points(context.domain, first, n, context.spec.seed))
