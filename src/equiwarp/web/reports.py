"""What is drawn on the server: the report of a campaign, and the map as a picture."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from equiwarp.exceptions import InvalidInput
from equiwarp.plotting.slices import cut
from equiwarp.web import as_json
from equiwarp.web.api import REFUSALS, heavily, hub_of, opened, read_held
from equiwarp.web.schemas import AxisNames, CampaignId, HeldAt, ResponseIndex

router = APIRouter(prefix="/api", responses=REFUSALS)


@router.get("/campaigns/{id}/report.html", tags=["map"], response_class=Response)
async def report(request: Request, id: CampaignId) -> Response:
    """One self-contained HTML file: slices of the map, its error, the design, every measurement."""
    from equiwarp.report.document import report_html

    campaign = opened(request, id)
    text = await heavily(lambda: report_html(campaign))
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
    from equiwarp.report import document

    hub, campaign, held = hub_of(request), opened(request, id), read_held(at)

    def work() -> bytes:
        as_json.require_response(campaign, response)
        fitted, slice = hub.fitted(id), cut(campaign.domain, tuple(axis), held)
        if fitted.map is None:
            raise InvalidInput("there is no map before the first value")
        return document.map_png(campaign, fitted.map, slice, response)

    return Response(await heavily(work), media_type="image/png")
