"""The JSON API of the verbs of a laboratory, and of what may change later."""

from __future__ import annotations

import dataclasses
from typing import Any

from fastapi import APIRouter, Request

from equiwarp.campaign import Campaign
from equiwarp.exceptions import InvalidInput
from equiwarp.maps.stopping import StopRule
from equiwarp.web import as_json
from equiwarp.web.api import REFUSALS, ask, hub_of, is_closed, opened, require_unchanged
from equiwarp.web.bounds import BoundedRoute
from equiwarp.web.schemas import (
    CampaignId,
    Change,
    Claim,
    Close,
    ExperimentId,
    NoteText,
    Rename,
    Renew,
    Repeat,
    Widen,
)

router = APIRouter(prefix="/api", responses=REFUSALS, route_class=BoundedRoute)


@router.post("/campaigns/{id}/claim", tags=["experiments"])
async def claim(request: Request, id: CampaignId, body: Claim) -> list[dict[str, Any]]:
    """The next experiments for a limited time, after which they are released by themselves."""
    return await ask(request, id, body)


@router.post("/campaigns/{id}/experiments/{experiment}/renew", tags=["experiments"])
def renew(request: Request, id: CampaignId, experiment: ExperimentId, body: Renew) -> dict[str, Any]:
    """Hold a claimed experiment for longer, counted from now."""
    return as_json.experiment(opened(request, id).renew(experiment, body.lease))


@router.post("/campaigns/{id}/experiments/{experiment}/withdraw", tags=["experiments"])
def withdraw(request: Request, id: CampaignId, experiment: ExperimentId, body: Close) -> dict[str, Any]:
    """Take a value back: it stays in the history and leaves the map."""
    campaign = opened(request, id)
    with hub_of(request).cache(id).lock:
        require_unchanged(campaign, experiment, body.since, is_closed("withdrawn", body.reason))
        return as_json.experiment(campaign.withdraw(experiment, body.reason))


@router.post("/campaigns/{id}/experiments/{experiment}/undo", tags=["experiments"])
def undo(request: Request, id: CampaignId, experiment: ExperimentId) -> dict[str, Any]:
    """Undo the last failure, abandonment, release or withdrawal."""
    return as_json.experiment(opened(request, id).undo(experiment))


@router.post("/campaigns/{id}/experiments/{experiment}/note", tags=["experiments"])
def note(request: Request, id: CampaignId, experiment: ExperimentId, body: NoteText) -> dict[str, Any]:
    """A note, the sample or the block of an experiment."""
    campaign = opened(request, id)
    return as_json.experiment(campaign.note(experiment, body.text, sample=body.sample, block=body.block))


@router.post("/campaigns/{id}/experiments/{experiment}/repeat", tags=["experiments"])
def repeat(request: Request, id: CampaignId, experiment: ExperimentId, body: Repeat) -> list[dict[str, Any]]:
    """Experiments at the same settings, which point to the first."""
    return [as_json.experiment(e) for e in opened(request, id).repeat(experiment, body.n)]


@router.post("/campaigns/{id}/rename", tags=["campaigns"])
def rename(request: Request, id: CampaignId, body: Rename) -> dict[str, Any]:
    """Another name for the campaign, a parameter or a response."""
    campaign = opened(request, id)
    give_name(campaign, body.of, body.old, body.name)
    return as_json.campaign(hub_of(request).entry(id), campaign)


def give_name(campaign: Campaign, of: str, old: str | None, name: str) -> None:
    """Rename what is named."""
    if of == "campaign":
        campaign.rename(name)
    elif not old:
        raise InvalidInput(f"old: name the {of} that gets another name")
    elif of == "parameter":
        campaign.rename_parameter(old, name)
    else:
        campaign.rename_response(old, name)


@router.post("/campaigns/{id}/widen", tags=["campaigns"])
def widen(request: Request, id: CampaignId, body: Widen) -> dict[str, Any]:
    """Wider bounds, more settings or more candidates; what was handed out stays."""
    campaign = opened(request, id)
    if (body.parameter is None) == (body.rows is None):
        raise InvalidInput("give a parameter, or rows of the list of candidates, and not both")
    if body.rows is not None:
        campaign.widen_list(body.rows)
    elif body.parameter is not None:
        campaign.widen(body.parameter, body.low, body.high, add=body.add)
    return as_json.campaign(hub_of(request).entry(id), campaign)


@router.post("/campaigns/{id}/change", tags=["campaigns"])
def change(request: Request, id: CampaignId, body: Change) -> dict[str, Any]:
    """Noise, plausible ranges, the stop rule and the rest of the description."""
    campaign = opened(request, id)
    fields: dict[str, Any] = body.model_dump(exclude={"stop"})
    campaign.change(stop=None if body.stop is None else _rule(campaign, body.stop), **fields)
    return as_json.campaign(hub_of(request).entry(id), campaign)


def _rule(campaign: Campaign, said: dict[str, Any]) -> StopRule:
    """The present rule with other fields."""
    known = {field.name for field in dataclasses.fields(StopRule)}
    for name in said:
        if name not in known:
            raise InvalidInput(f"stop: unknown field {name!r}; there are {', '.join(sorted(known))}")
    return dataclasses.replace(campaign.spec.stop, **said)
