"""The page on which the description of a campaign is changed."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from equiwarp.campaign import Campaign
from equiwarp.campaign.widening import listed_names, rows_of_table
from equiwarp.exceptions import InvalidInput
from equiwarp.tables.cells import read_number
from equiwarp.tables.table import read_table
from equiwarp.web import as_json
from equiwarp.web.api import hub_of, opened
from equiwarp.web.api_laboratory import give_name
from equiwarp.web.bounds import nameable
from equiwarp.web.errors import EXPECTED, status_of
from equiwarp.web.form_data import Posted, posted
from equiwarp.web.lab_forms import settings as read_settings
from equiwarp.web.pages import back, render
from equiwarp.web.schemas import CampaignId
from equiwarp.web.uploads import Upload
from equiwarp.web.waiting import quickly

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/c/{id}/settings")
def settings(request: Request, id: CampaignId) -> HTMLResponse:
    """The forms."""
    return _page(request, id)


def _page(request: Request, id: int, status: int = 200, **values: Any) -> HTMLResponse:
    c = opened(request, id)
    about = as_json.campaign(hub_of(request).entry(id), c)
    bound, listed = c.spec.bound_aim(), listed_names(c.domain)
    shown = {
        "campaign": about,
        "responses": c.spec.responses,
        "typed": {},
        "listed": listed,
        "bounded": [name for name in c.domain.names if name not in listed],
        "aim": bound.words() if bound else "",
    }
    return render(request, "settings.html", status, **{**shown, **values})


@router.post("/c/{id}/settings/{verb}")
async def change(request: Request, id: CampaignId, verb: str) -> Response:
    """One of the forms."""
    given = await posted(request, 512)
    typed = given.fields
    verbs = {"rename": _rename, "widen": _widen, "change": _change, "aim": _aim}
    if verb not in (*verbs, "list"):
        return render(request, "error.html", 404, message="There is no such action.")
    try:
        if verb == "list":
            await quickly(lambda: _widen_list(opened(request, id), given))
        else:
            await quickly(lambda: verbs[verb](opened(request, id), typed))
    except EXPECTED as error:
        again = {"problem": str(error), "typed": typed}
        return await quickly(partial(_page, request, id, status_of(error), **again))
    return back(f"/c/{id}/settings", "changed")


def _rename(c: Campaign, typed: dict[str, str]) -> None:
    of, _, old = typed.get("of", "campaign").partition(" ")
    give_name(c, of, old or None, nameable(typed.get("name", "").strip()))


def _widen(c: Campaign, typed: dict[str, str]) -> None:
    more = [text.strip() for text in typed.get("add", "").split(";") if text.strip()]
    add = list(read_settings(dict(zip(more, more, strict=True))).values()) or None
    c.widen(typed.get("parameter", ""), _number(typed, "low"), _number(typed, "high"), add=add)


def _widen_list(c: Campaign, given: Posted) -> None:
    """More candidates, from a file or from pasted cells."""
    upload = Upload.of_form(given, "csv")
    c.widen_list(rows_of_table(c.domain, read_table(upload.data, upload.name)))


def _change(c: Campaign, typed: dict[str, str]) -> None:
    names = [r.name for r in c.spec.responses]
    noise = {n: v for j, n in enumerate(names) if (v := _number(typed, f"noise-{j}")) is not None}
    error = _number(typed, "error")
    c.change(
        stop=None if error in (None, c.spec.stop.error) else dataclasses.replace(c.spec.stop, error=error),
        noise=noise or None,
        plausible={n: (_number(typed, f"low-{j}"), _number(typed, f"high-{j}")) for j, n in enumerate(names)},
        description=typed.get("description", "").strip(),
    )


def _aim(c: Campaign, typed: dict[str, str]) -> None:
    """One goal at a level, and a weight; an aim of more goals comes from a file or the command line."""
    kind, weight = typed.get("kind", "everywhere"), typed.get("weight", "").strip()
    aim: dict[str, Any] = {"weight": weight} if weight else {}
    if kind != "everywhere":
        level, upper = _number(typed, "level"), _number(typed, "upper")
        if level is None or (kind == "between" and upper is None):
            raise InvalidInput(f"aim: give {'both levels' if kind == 'between' else 'the level'}")
        name = typed.get("response") or c.spec.responses[0].name
        aim[kind] = {name: [level, upper] if kind == "between" else level}
    c.change(aim=aim)


def _number(typed: dict[str, str], field: str) -> float | None:
    text = typed.get(field, "").strip()
    return read_number(text, field) if text else None
