"""What is drawn on the server: the report of a campaign, and the map as a picture."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from equiwarp.web import pictures
from equiwarp.web.api import REFUSALS, hub_of, read_held, viewer_of
from equiwarp.web.as_json import MapRequest
from equiwarp.web.schemas import AxisNames, CampaignId, HeldAt, ResponseIndex
from equiwarp.web.visitor import who_of
from equiwarp.web.waiting import answer_of

router = APIRouter(prefix="/api", responses=REFUSALS)


@router.get("/campaigns/{id}/report.html", tags=["map"], response_class=Response)
async def report(request: Request, id: CampaignId) -> Response:
    """One self-contained HTML file: slices of the map, its error, the design, every measurement."""
    text = await answer_of(request, lambda: hub_of(request).report(id, who_of(request)))
    headers = {"content-disposition": f'attachment; filename="report-{id}.html"'}
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)


@router.get("/campaigns/{id}/map.png", tags=["map"], response_class=Response)
async def map_png(
    request: Request,
    id: CampaignId,
    axis: AxisNames = [],  # noqa: B006
    at: HeldAt = "{}",
    response: ResponseIndex = 0,
) -> Response:
    """The map over a slice as a picture: its value, its uncertainty, the design."""
    wanted = MapRequest(tuple(axis), read_held(at), response)
    drawn = await pictures.map_as_png(await viewer_of(request, id), wanted)
    return Response(drawn, media_type="image/png")
