"""The pages that look into a map: profiler, what matters, measured against predicted, comparison."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from equiwarp.web import as_json
from equiwarp.web.api import hub_of, opened
from equiwarp.web.pages import render
from equiwarp.web.schemas import CampaignId

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/c/{id}/profiler")
def profiler(request: Request, id: CampaignId) -> HTMLResponse:
    """The map along every parameter through one setting."""
    axes = opened(request, id).domain.listed is None
    return _view(request, id, "Profiler", axes=axes, at=request.query_params.get("at", "")[:4000])


@router.get("/c/{id}/effects")
def effects(request: Request, id: CampaignId) -> HTMLResponse:
    """Which parameters matter."""
    return _view(request, id, "What matters")


@router.get("/c/{id}/residuals")
def residuals(request: Request, id: CampaignId) -> HTMLResponse:
    """Measured values against those that the map predicts without them."""
    return _view(request, id, "Measured against predicted")


@router.get("/c/{id}/parallel")
def parallel(request: Request, id: CampaignId) -> HTMLResponse:
    """All parameters and responses as parallel axes."""
    return _view(request, id, "All parameters at once")


def _view(request: Request, id: int, heading: str, **values: Any) -> HTMLResponse:
    path = request.url.path.rpartition("/")[2]
    about = as_json.campaign(hub_of(request).entry(id), opened(request, id))
    values |= {"campaign": about, "heading": heading, "view_path": f"/{path}"}
    return render(request, f"{path}.html", 200, **values)
