"""Saying how good the map is, and keeping that, so that a summary costs the same however much was measured.

A map of many measurements takes minutes; what it says of itself fits into a few lines. Whoever fits a map and
asks it for its error and for what is odd keeps the answer in the store: the commands ``map`` and ``report``,
the page, and ``status`` where that is quick.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from equiwarp.campaign.assessment import Assessment, content_of, read_assessment
from equiwarp.campaign.block_values import has_offsets, without_offsets
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.looking import MapInputs, map_from, map_inputs
from equiwarp.domains import Domain
from equiwarp.exceptions import StoreError
from equiwarp.store.assessments import KeptAssessment, keep_assessment
from equiwarp.store.campaign_transaction import now

if TYPE_CHECKING:
    from equiwarp.campaign.campaign import Campaign
    from equiwarp.campaign.experiment import Status
    from equiwarp.maps.map import Map

#: A map is fitted for a summary up to so many values of all responses together, and fewer above so many
#: dimensions. It takes 0.1 to 0.3 processor seconds for 50 values and 0.4 to 1.7 for 200, up to 2.5 if the
#: gain is limited; for 500 it would take up to 6, and for 1,000 in twenty dimensions 20.
MOST_VALUES, MANY_DIMENSIONS = 200, 10


def assess(context: CampaignContext) -> tuple[Map, Assessment]:
    """The map of all measurements, and what it says of itself, which is kept."""
    earlier, inputs = context.last_map[0] if context.last_map else None, map_inputs(context)
    fitted = map_from(inputs, earlier)
    context.last_map[:] = [fitted]
    rule, learned = inputs.spec.stop, inputs.campaign.learned
    content = content_of(fitted, fitted.stop(rule) if rule.is_set else None, offsets_of(inputs))
    made = KeptAssessment(learned, now(), content)
    keep(context, made)
    return fitted, read_assessment(made, learned)


def keep(context: CampaignContext, made: KeptAssessment) -> None:
    """Keep what a map said, if the store can be written: it can be had again from the values."""
    with suppress(StoreError):
        context.store.write(lambda transaction: keep_assessment(transaction, made))


def keep_said(campaign: Campaign, learned: int, content: dict[str, Any]) -> None:
    """Keep what a map said in another process."""
    campaign._do(keep, KeptAssessment(learned, now(), content))


def assessed_map(campaign: Campaign) -> tuple[Map, Assessment]:
    """The same for whoever has a campaign."""
    return campaign._do(assess)


def latest(campaign: Campaign, status: Status, patience: Callable[[], None]) -> Assessment | None:
    """What the map of a campaign says, for a summary: made anew only if it is not known and that is quick.

    ``patience`` is called before a map is fitted.
    """
    known = status.assessment
    if not status.measured:
        return None
    if (known is not None and known.current) or not is_quick(campaign.domain, status):
        return known
    patience()
    return campaign.assess()


def is_quick(domain: Domain, status: Status) -> bool:
    """Whether a map is fitted while one waits for a summary."""
    many = max(domain.dim, MANY_DIMENSIONS) / MANY_DIMENSIONS
    return status.measured * len(status.responses) * many <= MOST_VALUES


def offsets_of(inputs: MapInputs) -> dict[str, Any]:
    """By how much the values of each block are higher, by response, column and block; empty if none is."""
    if not has_offsets(inputs.spec):
        return {}
    found = without_offsets(inputs.spec, inputs.known)[1]
    return dict(zip(inputs.campaign.responses, found, strict=True))
