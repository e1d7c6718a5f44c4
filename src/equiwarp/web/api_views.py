"""The JSON API of what the page shows of a map beside the map itself, and the same as pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import anyio
from fastapi import APIRouter, Query, Request, Response

from equiwarp.domains.followed import followed
from equiwarp.exceptions import InvalidInput
from equiwarp.plotting.profiles import require_axes
from equiwarp.web import as_json, views
from equiwarp.web.api import REFUSALS, hub_of, read_held, viewer_of
from equiwarp.web.hub import FittedMap
from equiwarp.web.pictures import Viewer
from equiwarp.web.schemas import CampaignId, HeldAt, ResponseIndex
from equiwarp.web.waiting import answer_of

router = APIRouter(prefix="/api", responses=REFUSALS)
Moved = Annotated[str, Query(max_length=200, description="Of a mixture, the component changed last.")]


@router.get("/campaigns/{id}/profile", tags=["map"])
async def profile(request: Request, id: CampaignId, at: HeldAt = "{}", moved: Moved = "") -> dict[str, Any]:
    """The map along every axis through one setting (`at`, by default the middle), of all responses."""
    viewer, held = await _axes_of(request, id, at, moved)
    answer: dict[str, Any] = await _seen(viewer, views.profile, held, moved, keep=not moved)
    return {**answer, "axes": _followed_axes(viewer)}


def _followed_axes(viewer: Viewer) -> list[dict[str, Any]]:
    """The axes along which a campaign is looked at, with units, scales and settings."""
    return [as_json.axis_of(axis) for axis in followed(viewer.campaign.domain).axes]


async def _axes_of(request: Request, id: int, at: str, moved: str = "") -> tuple[Viewer, views.Held]:
    """Who looks, and the setting that they want; refused before anything is fitted if there is none."""
    viewer, held = await viewer_of(request, id), read_held(at)
    require_axes(viewer.campaign.domain)
    for name in [*held, *([moved] if moved else [])]:
        followed(viewer.campaign.domain).axis(name)
    return viewer, tuple(sorted(held.items()))


@router.get("/campaigns/{id}/sensitivity", tags=["map"])
async def sensitivity(request: Request, id: CampaignId) -> dict[str, Any]:
    """Share of the map's variance that each parameter explains, with 95 % intervals, and main effects."""
    viewer = await viewer_of(request, id)
    answer = await _seen(viewer, views.effects, reports=True)
    return {**answer, "axes": _followed_axes(viewer)}


@router.get("/campaigns/{id}/residuals", tags=["map"])
async def residuals(request: Request, id: CampaignId) -> dict[str, Any]:
    """Each measured value beside what the map predicts without it, and what is odd about the data."""
    viewer = await viewer_of(request, id)
    answer = await _seen(viewer, views.residuals)
    return {**answer, "limits": await anyio.to_thread.run_sync(as_json.limits, viewer.campaign)}


@router.get("/campaigns/{id}/places", tags=["map"])
async def places(request: Request, id: CampaignId) -> dict[str, Any]:
    """What the map says at places all over the domain, and what was measured, by parameter and response."""
    return dict(await _seen(await viewer_of(request, id), views.places))


@router.get("/campaigns/{id}/{what}.png", tags=["map"], response_class=Response)
async def picture(
    request: Request,
    id: CampaignId,
    what: Literal["profile", "sensitivity", "residuals"],
    response: ResponseIndex = 0,
    at: HeldAt = "{}",
) -> Response:
    """The profile, the sensitivity, or measured against predicted, of one response as a picture."""
    viewer = await viewer_of(request, id)
    as_json.require_response(viewer.campaign, response)
    if what == "profile":
        viewer, held = await _axes_of(request, id, at)
        drawn = await _seen(viewer, views.draw_profile, response, held)
    else:
        draw = {"sensitivity": views.draw_effects, "residuals": views.draw_residuals}[what]
        drawn = await _seen(viewer, draw, response)
    return Response(drawn, media_type="image/png")


async def _seen(viewer: Viewer, work: Callable[..., Any], *arguments: Any, **how: bool) -> Any:
    fitted: FittedMap = await viewer.fitted()
    if fitted.map is None:
        raise InvalidInput("there is no map before the first value")
    return await answer_of(
        viewer.request, lambda: hub_of(viewer.request).seen(viewer.id, fitted, work, *arguments, **how)
    )
