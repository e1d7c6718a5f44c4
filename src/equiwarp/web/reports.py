"""The report of a campaign, from the page."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from equiwarp.web.api import REFUSALS, heavily, opened
from equiwarp.web.schemas import Id

router = APIRouter(prefix="/api", responses=REFUSALS)


@router.get("/campaigns/{id}/report.html", tags=["map"], response_class=Response)
async def report(request: Request, id: Id) -> Response:
    """One self-contained HTML file: slices of the map, its error, the design, every measurement."""
    from equiwarp.report.page import report_html

    campaign = opened(request, id)
    text = await heavily(lambda: report_html(campaign))
    headers = {"content-disposition": f'attachment; filename="report-{id}.html"'}
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)
