"""The pages: what people see, and the forms that work without script.

A form that succeeds answers with a redirect, so that a reload does not send it again; one that does not
answers with the page it was on, the message at the top and what was typed kept where it was.
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import anyio
from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from equiwarp._util.plain import plain
from equiwarp.campaign import Campaign
from equiwarp.campaign.plates import Assured
from equiwarp.exceptions import InvalidInput
from equiwarp.plotting.slices import cut
from equiwarp.report.document import map_caption
from equiwarp.store import CampaignEntry
from equiwarp.strategy import DEFAULT_STRATEGY, strategies
from equiwarp.tables.cells import number_or_limit
from equiwarp.web import api, api_examples, as_json, lab_forms, new_campaign, pictures, uploads, visitor
from equiwarp.web.api import hub_of, opened
from equiwarp.web.errors import EXPECTED, failure_of, status_of
from equiwarp.web.form_data import posted
from equiwarp.web.new_campaign_form import Form
from equiwarp.web.schemas import CampaignId, ExperimentId
from equiwarp.web.security import address_of, own_page
from equiwarp.web.uploads import Upload
from equiwarp.web.waiting import asked, quickly

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
#: Rows of the table of measurements before "show all".
LISTED = 12
#: What a redirect may say; the address holds a word from this list, never a text of its own.
SAID = {
    "told": "Saved.",
    "failed": "Marked as failed.",
    "abandoned": "Abandoned: nothing near it will be suggested again.",
    "amended": "Corrected; the old value stays in the history.",
    "withdrawn": "Withdrawn: the value stays in the history and leaves the map.",
    "undone": "Undone.",
    "noted": "Noted.",
    "renewed": "It is held for longer.",
    "repeated": "The repeats are ready.",
    "changed": "Changed. Experiments that were handed out stay as they are.",
    "asked": "New experiments are ready.",
    "released": "Pending experiments were released.",
    "plate": "The values of the table were taken.",
    "added": "The measurements were added.",
    "created": "The campaign has begun. Take the first experiments.",
    "put-away": "Put away: it is below the others, and nothing of it is lost.",
    "taken-out": "It is among the others again.",
    "who": "Your name will be recorded with what you do.",
}


def render(request: Request, name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A template, with what all of them need."""
    said = SAID.get(request.query_params.get("said", ""), "")
    gate = request.app.state.gate
    common = {
        "request": request,
        "said": said,
        "who": visitor.who_of(request),
        "guarded": gate.token is not None,
        "theme": visitor.theme_of(request),
    }
    template = request.app.state.templates.get_template(name)
    return HTMLResponse(template.render({"problem": None, **common, **values}), status_code=status)


def back(to: str, said: str) -> RedirectResponse:
    return RedirectResponse(f"{to}?said={said}", status_code=303)


@router.get("/")
def index(request: Request) -> HTMLResponse:
    """The campaigns of the store, the one that was used last first."""
    found = sorted(api.campaigns(request), key=lambda about: str(about["last"]), reverse=True)
    return render(request, "index.html", campaigns=found, store=hub_of(request).store.name)


@router.get("/login")
def login_page(request: Request) -> HTMLResponse:
    return render(request, "login.html", to=request.query_params.get("to", ""))


@router.post("/login")
async def login(request: Request) -> Response:
    """Exchange the token for a cookie that proves it."""
    gate, form = request.app.state.gate, await posted(request)
    to = form.get("to") if own_page(form.get("to")) else ""
    if not gate.knows(form.get("token").strip()):
        status, problem = 403, "That is not the token that the server printed."
        if not await request.app.state.guesses.slow_down(address_of(request.scope)):
            status, problem = 429, "Too many wrong tokens; wait a while."
        return render(request, "login.html", status, problem=problem, to=to)
    answer = RedirectResponse(to or "/", status_code=303)
    answer.set_cookie(gate.cookie, gate.session, httponly=True, samesite="strict", path="/")
    return answer


@router.post("/who")
async def who(request: Request) -> Response:
    """Remember the visitor's name."""
    form = await posted(request)
    to = form.get("to", "/")
    answer = back(to if to.startswith("/c/") and to[3:].isdigit() else "/", "who")
    visitor.remember(answer, form.get("who"))
    return answer


@router.post("/theme")
async def theme(request: Request) -> Response:
    """Remember the colours that the visitor likes."""
    form = await posted(request)
    to, chosen = form.get("to", "/"), form.get("theme")
    answer = RedirectResponse(to if own_page(to) else "/", status_code=303)
    visitor.remember_theme(answer, chosen if chosen in visitor.THEMES else "auto")
    return answer


@router.get("/api")
def documentation(request: Request) -> HTMLResponse:
    """The API, in words: from the same description that programs read, with calls for one campaign."""
    schema, hub = request.app.openapi(), hub_of(request)
    wanted = request.query_params.get("campaign", "")
    known = [c for c in api.campaigns(request) if not c["problem"]]
    id = next((c["id"] for c in known if str(c["id"]) == wanted), known[0]["id"] if known else None)
    numbers = api_examples.numbers_of(hub.campaign(id), id) if id else api_examples.NOTHING
    base, guarded = str(request.base_url).rstrip("/"), request.app.state.gate.token is not None
    calls = {
        (path, method): api_examples.calls(base, path, method, numbers, guarded)
        for path, methods in schema["paths"].items()
        for method in methods
    }
    return render(request, "api.html", schema=schema, calls=calls, known=known, chosen=id)


@router.get("/glossary")
def glossary(request: Request) -> HTMLResponse:
    """The method's words that the page explains."""
    return render(request, "glossary.html")


@router.post("/c/{id}/archive")
async def archive(request: Request, id: CampaignId) -> Response:
    """Put a campaign away, or take it out again."""
    away = (await posted(request)).get("archived", "yes") == "yes"
    await quickly(lambda: hub_of(request).archive(id, visitor.who_of(request), away))
    return back("/", "put-away" if away else "taken-out")


@router.get("/new")
def new(request: Request) -> HTMLResponse:
    return _new(request, Form())


def _new(request: Request, form: Form, status: int = 200, **values: Any) -> HTMLResponse:
    known = {name: strategy.summary for name, strategy in strategies().items()}
    defaults = {
        "toml": "",
        "toml_problems": [],
        "strategies": known,
        "default_strategy": DEFAULT_STRATEGY,
        "form": form,
    }
    return render(request, "new.html", status, **{**defaults, **values})


@router.post("/new")
async def create(request: Request) -> Response:
    """Begin a campaign from the form."""
    given = await posted(request, fields=400)
    form, action = Form.of(given.fields), given.get("action", "create")
    if action == "more-parameters":
        form.parameters = min(form.parameters + 1, 24)
        return _new(request, form)
    if action == "more-responses":
        form.responses = min(form.responses + 1, 24)
        return _new(request, form)
    spec = await anyio.to_thread.run_sync(form.spec, given.text("csv"))
    if spec is None:
        return _new(request, form, 422, problem="Something is missing or wrong; see the fields below.")
    return await _begin(request, spec, lambda error: _new(request, _blamed(form, error), status_of(error)))


def _blamed(form: Form, error: Exception) -> Form:
    form.blame("name", str(error))
    return form


@router.post("/new/toml")
async def create_from_file(request: Request) -> Response:
    """Begin a campaign from a campaign file."""
    given = await posted(request)
    text, csv = given.text("file") or given.get("toml"), given.text("csv")

    def refused(error: Exception) -> HTMLResponse:
        failure = failure_of(error)
        problems = [(p.path, p.message) for p in failure.problems] or [("name", failure.message)]
        return _new(request, Form(), status_of(error), toml=text, toml_problems=problems)

    try:
        spec = await anyio.to_thread.run_sync(new_campaign.spec_of_toml, text, csv)
    except InvalidInput as error:
        return refused(error)
    return await _begin(request, spec, refused)


async def _begin(request: Request, spec: Any, refused: Any) -> Response:
    hub, name = hub_of(request), visitor.who_of(request)
    try:
        entry = await anyio.to_thread.run_sync(new_campaign.begin, hub, spec, name or hub.who)
    except InvalidInput as error:
        return refused(error)
    return back(f"/c/{entry.id}", "created")


@router.get("/c/{id}")
def campaign(request: Request, id: CampaignId) -> HTMLResponse:
    """A campaign: the next experiments, the map, its error, the measurements."""
    return _campaign(request, id)


@router.get("/c/{id}/parts")
def parts(request: Request, id: CampaignId) -> HTMLResponse:
    """The parts of the page that change when somebody tells something."""
    return render(request, "parts.html", **_shown(request, hub_of(request).entry(id), opened(request, id)))


def _campaign(request: Request, id: int, status: int = 200, **values: Any) -> HTMLResponse:
    entry, c = hub_of(request).entry(id), opened(request, id)
    return render(request, "campaign.html", status, **{**_shown(request, entry, c), **values})


def _shown(request: Request, entry: CampaignEntry, c: Campaign) -> dict[str, Any]:
    about = as_json.campaign(entry, c)
    everything = [as_json.experiment(e) for e in reversed(c.experiments())]
    pending = [e for e in reversed(everything) if e["state"] == "pending"]
    rest = [e for e in everything if e["state"] != "pending"]
    all_rows = request.query_params.get("rows") == "all"
    rows = rest if all_rows else rest[:LISTED]
    for e in [*pending, *rows]:
        e["direction"] = as_json.direction(c.domain, e["point"])
    return {
        "campaign": about,
        "pending": pending,
        "rows": rows,
        "hidden": len(rest) - len(rows),
        "pictures": _pictures(c) if about["measured"] else [],
        "alike": _alike(request, entry.id, c),
        "strategy_said": strategies()[about["strategy"]].summary if about["strategy"] in strategies() else "",
        "typed": {},
        "at_experiment": None,
    }


def _alike(request: Request, id: int, c: Campaign) -> list[dict[str, Any]]:
    """Other campaigns with values of the same parameters and responses: their maps can be compared."""
    hub, found = hub_of(request), []
    for entry in hub.entries():
        try:
            other = hub.campaign(entry.id) if entry.id != id else None
        except InvalidInput:  # a domain that only Python can describe
            continue
        if other is not None and pictures.comparable(other, c) and other.status().measured:
            found.append({"id": entry.id, "name": entry.name})
    return found


def _pictures(c: Campaign) -> list[str]:
    """What the pictures show that stand for the map where there is no script: one of each response."""
    slice = cut(c.domain)
    return [map_caption(c, slice, j) for j in range(len(c.responses))]


@router.get("/c/{id}/e/{experiment}")
def experiment(request: Request, id: CampaignId, experiment: ExperimentId) -> HTMLResponse:
    """One experiment with its history, and the way to correct it."""
    return _experiment(request, id, experiment)


def _experiment(request: Request, id: int, experiment: int, status: int = 200, **values: Any) -> HTMLResponse:
    entry, c = hub_of(request).entry(id), opened(request, id)
    found = as_json.experiment(c.experiment(experiment))
    found["direction"] = as_json.direction(c.domain, found["point"])
    events = plain([vars(e) for e in c.events(experiment)])
    shown = {"campaign": as_json.campaign(entry, c), "e": found, "events": events, "typed": {}}
    return render(request, "experiment.html", status, **{**shown, **values})


@router.post("/c/{id}/e/{experiment}/{verb}")
async def act(request: Request, id: CampaignId, experiment: ExperimentId, verb: str) -> Response:
    """Tell, fail, abandon, amend and the other verbs of one experiment, without script."""
    typed = (await posted(request, 512)).fields
    said = {
        "tell": "told", "fail": "failed", "abandon": "abandoned", "amend": "amended",
        "withdraw": "withdrawn", "undo": "undone", "note": "noted", "repeat": "repeated",
        "renew": "renewed",
    }  # fmt: skip
    if verb not in said:
        return render(request, "error.html", 404, message="There is no such action.")
    try:
        await anyio.to_thread.run_sync(_act, request, id, experiment, verb, typed)
    except EXPECTED as error:
        status, message = status_of(error), str(error)
        if status == 404:
            raise
        again = {"problem": message, "typed": typed}
        if verb not in ("tell", "fail", "abandon"):
            return await quickly(partial(_experiment, request, id, experiment, status, **again))
        return await quickly(partial(_campaign, request, id, status, at_experiment=experiment, **again))
    alone = verb in ("amend", "withdraw", "undo", "note", "renew")
    return back(f"/c/{id}/e/{experiment}" if alone else f"/c/{id}", said[verb])


def _act(request: Request, id: int, experiment: int, verb: str, typed: dict[str, str]) -> None:
    c, since, reason = opened(request, id), typed.get("since") or None, typed.get("reason", "")[:2000]
    if verb in ("undo", "note", "repeat", "renew"):
        lab_forms.act(c, experiment, verb, typed)
        return
    if verb == "amend":
        c.amend(experiment, _values(c, typed), None, reason, since, "sure" in typed)
        return
    with hub_of(request).cache(id).lock:
        values = _values(c, typed) if verb == "tell" else None
        closed = {"fail": "failed", "abandon": "abandoned", "withdraw": "withdrawn"}
        there = api.has_values(c, values) if verb == "tell" else api.is_closed(closed[verb], reason)
        api.require_unchanged(c, experiment, since, there)
        if verb == "tell":
            beside = any(
                typed[name] for name in typed if name.startswith(("at-", "block-", "sample", "sure"))
            )
            c.tell(experiment, values, **(lab_forms.beside_the_values(c, typed) if beside else {}))
        elif verb == "withdraw":
            c.withdraw(experiment, reason)
        elif verb == "fail":
            c.tell_failed(experiment, reason)
        else:
            c.abandon(experiment, reason)


def _values(c: Campaign, typed: dict[str, str]) -> dict[str, float | str]:
    """Values by response, from the fields value-0, value-1, ...; of several, some may be empty."""
    names = c.responses
    texts = {name: typed.get(f"value-{j}", "").strip() for j, name in enumerate(names)}
    some = len(names) > 1 and any(texts.values())
    return {name: number_or_limit(text, name) for name, text in texts.items() if text or not some}


@router.post("/c/{id}/ask")
async def ask(request: Request, id: CampaignId) -> Response:
    form = await posted(request, 512)
    text = form.get("n", "1")
    try:
        if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 96):
            raise InvalidInput(f"how many: {text[:20]!r} is not a whole number between 1 and 96")
        c = await quickly(lambda: opened(request, id))
        rules = await quickly(lambda: lab_forms.batch_rules(c, form.fields))
        await asked(request, hub_of(request).cache(id).askers, lambda: c.ask(int(text), **rules))
    except InvalidInput as error:
        problem = str(error)
        return await quickly(partial(_campaign, request, id, status_of(error), problem=problem))
    return back(f"/c/{id}", "asked")


@router.post("/c/{id}/release")
def release(request: Request, id: CampaignId) -> Response:
    opened(request, id).release()
    return back(f"/c/{id}", "released")


@router.post("/c/{id}/{what}")
async def table(request: Request, id: CampaignId, what: str) -> Response:
    """A filled plate, or earlier measurements, as a file: shown first, taken when it is sent again."""
    if what not in ("plate", "measurements"):
        return render(request, "error.html", 404, message="There is no such page.")
    given, kind = await posted(request), cast(uploads.What, what)
    assured = Assured("actual" in given.fields, "again" in given.fields, "sure" in given.fields)
    try:
        if "packed" not in given.fields:
            upload = Upload.of_form(given, "csv")
            return await quickly(lambda: _show_table(request, id, kind, upload, assured))
        packed, name = given.get("packed"), given.get("name", "the table")
        await quickly(lambda: uploads.take(Upload.unpacked(packed, name), opened(request, id), kind, assured))
    except InvalidInput as error:
        problem = str(error)
        return await quickly(partial(_campaign, request, id, status_of(error), problem=problem))
    return back(f"/c/{id}", "plate" if what == "plate" else "added")


def _show_table(
    request: Request, id: int, what: uploads.What, upload: Upload, assured: Assured
) -> HTMLResponse:
    """What would be taken, and the file itself, to be sent again."""
    entry, c = hub_of(request).entry(id), opened(request, id)
    values = {
        "campaign": as_json.campaign(entry, c),
        "what": what,
        "file": upload.name,
        "preview": uploads.preview(upload, c, what, assured),
        "assured": [name for name, said in vars(assured).items() if said],
        "packed": upload.packed(),
    }
    return render(request, "table.html", 200, **values)
