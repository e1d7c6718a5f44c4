"""The JSON API, which the page itself uses. Described by ``/api/openapi.json`` and the page ``/api``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from equiwarp._util.plain import plain
from equiwarp.campaign import Campaign
from equiwarp.campaign.experiment import Experiment
from equiwarp.campaign.exports import export_events, export_experiments
from equiwarp.campaign.plates import Assured, plate_of
from equiwarp.campaign.responses import ReadValue, read_value
from equiwarp.exceptions import Conflict, InvalidInput
from equiwarp.store import ExperimentState
from equiwarp.tables.files import file_of
from equiwarp.tables.sheets import Sheet
from equiwarp.web import as_json, new_campaign, pictures, uploads
from equiwarp.web.bounds import BoundedRoute
from equiwarp.web.hub import Hub
from equiwarp.web.schemas import (
    Amend,
    Ask,
    AxisNames,
    CampaignId,
    Close,
    ExperimentId,
    Failure,
    HeldAt,
    MeasurementsFile,
    Minus,
    PlateFile,
    Release,
    ResponseIndex,
    Spec,
    TableFile,
    Tell,
    UpTo,
)
from equiwarp.web.visitor import who_of
from equiwarp.web.waiting import asked, quickly

EXCEL_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
DryRun = Annotated[bool, Query(description="Show what would be taken, and take nothing.")]
WhichTable = Annotated[Literal["experiments", "events"], Query(description="The experiments, or the events.")]
REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": Failure} for code in (400, 401, 403, 404, 409, 413, 415, 421, 422)
}
router = APIRouter(prefix="/api", responses=REFUSALS, route_class=BoundedRoute)


def hub_of(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


def opened(request: Request, id: int) -> Campaign:
    """A campaign in the name of whoever asks."""
    return hub_of(request).campaign(id, who_of(request))


async def viewer_of(request: Request, id: int) -> pictures.Viewer:
    """Whoever looks at a campaign."""
    return pictures.Viewer(request, hub_of(request), id, await quickly(lambda: opened(request, id)))


@router.get("/campaigns", tags=["campaigns"])
def campaigns(request: Request) -> list[dict[str, Any]]:
    """All campaigns of the store, oldest first; those that cannot be opened here with the reason."""
    hub, answer = hub_of(request), []
    last, away = hub.last_activity(), hub.put_away()
    for entry in hub.entries():
        about: dict[str, Any] = {"id": entry.id, "name": entry.name, "created": entry.created}
        about |= {
            "last": last.get(entry.id, entry.created),
            "archived": entry.id in away,
            **as_json.known_error(hub.known_course(entry.id)),
        }
        try:
            campaign = hub.campaign(entry.id)
            status, unit = campaign.status(), campaign.spec.responses[0].unit
            about |= {"counts": status.counts, "strategy": status.strategy, "problem": None, "unit": unit}
        except InvalidInput as error:  # a domain that only Python can describe
            about |= {"counts": {}, "strategy": "", "problem": str(error), "unit": ""}
        answer.append(about)
    return answer


@router.post("/campaigns", status_code=201, tags=["campaigns"])
def create(request: Request, body: Spec) -> dict[str, Any]:
    """Begin a campaign from the fields or the text of a campaign file; mistakes come with their paths."""
    spec = _described(body)
    entry = new_campaign.begin(hub_of(request), spec, who_of(request) or hub_of(request).who)
    return as_json.campaign(entry, opened(request, entry.id))


@router.post("/check", tags=["campaigns"])
def check(body: Spec) -> dict[str, Any]:
    """Validate a description and begin nothing: 422 with every mistake, or the whole description."""
    return plain(_described(body).to_dict())


def _described(body: Spec) -> Any:
    if (body.spec is None) == (body.toml is None):
        raise InvalidInput("give either spec or toml")
    if body.toml is not None:
        return new_campaign.spec_of_toml(body.toml, body.csv)
    return new_campaign.spec_of_data(body.spec or {}, body.csv)


@router.get("/campaigns/{id}", tags=["campaigns"])
def campaign(request: Request, id: CampaignId) -> dict[str, Any]:
    """One campaign at a glance."""
    return as_json.campaign(hub_of(request).entry(id), opened(request, id))


@router.get("/campaigns/{id}/version", tags=["campaigns"])
def version(request: Request, id: CampaignId) -> dict[str, int]:
    """A number that grows with every change: ask for it every few seconds to stay up to date."""
    return {"version": hub_of(request).entry(id).version}


@router.post("/campaigns/{id}/ask", tags=["experiments"])
async def ask(request: Request, id: CampaignId, body: Ask) -> list[dict[str, Any]]:
    """The next experiments, pending from now on; the same ones if a key of yours is repeated."""
    campaign = await quickly(lambda: opened(request, id))
    named = body.model_dump(exclude={"n", "key"})
    rules: dict[str, Any] = {name: rule for name, rule in named.items() if rule}
    askers = hub_of(request).cache(id).askers
    found = await asked(request, askers, lambda: campaign.ask(body.n, body.key, **rules))
    return [as_json.experiment(e) for e in found]


@router.get("/campaigns/{id}/experiments", tags=["experiments"])
def experiments(
    request: Request,
    id: CampaignId,
    state: Annotated[
        list[ExperimentState] | None, Query(max_length=6, description="Only those in this state.")
    ] = None,
) -> list[dict[str, Any]]:
    """All experiments, or those in some states, by id."""
    return [as_json.experiment(e) for e in opened(request, id).experiments(state)]


@router.get("/campaigns/{id}/experiments/{experiment}", tags=["experiments"])
def experiment(request: Request, id: CampaignId, experiment: ExperimentId) -> dict[str, Any]:
    """One experiment, with everything that happened to it."""
    campaign = opened(request, id)
    found = campaign.experiment(experiment)
    return {**as_json.experiment(found), "events": plain([vars(e) for e in campaign.events(experiment)])}


@router.post("/campaigns/{id}/experiments/{experiment}/tell", tags=["experiments"])
def tell(request: Request, id: CampaignId, experiment: ExperimentId, body: Tell) -> dict[str, Any]:
    """The value of an experiment. The same value again changes nothing; another one is a conflict."""
    campaign = opened(request, id)
    with hub_of(request).cache(id).lock:
        require_unchanged(campaign, experiment, body.since, has_values(campaign, body.values))
        said: dict[str, Any] = body.model_dump(exclude={"values", "noise", "since"})
        return as_json.experiment(campaign.tell(experiment, body.values, body.noise, **said))


@router.post("/campaigns/{id}/experiments/{experiment}/fail", tags=["experiments"])
def fail(request: Request, id: CampaignId, experiment: ExperimentId, body: Close) -> dict[str, Any]:
    """It did not work; it may be suggested again, but not soon."""
    campaign = opened(request, id)
    with hub_of(request).cache(id).lock:
        require_unchanged(campaign, experiment, body.since, is_closed("failed", body.reason))
        return as_json.experiment(campaign.tell_failed(experiment, body.reason))


@router.post("/campaigns/{id}/experiments/{experiment}/abandon", tags=["experiments"])
def abandon(request: Request, id: CampaignId, experiment: ExperimentId, body: Close) -> dict[str, Any]:
    """It will not be done, and nothing near it will be suggested again."""
    campaign = opened(request, id)
    with hub_of(request).cache(id).lock:
        require_unchanged(campaign, experiment, body.since, is_closed("abandoned", body.reason))
        return as_json.experiment(campaign.abandon(experiment, body.reason))


@router.post("/campaigns/{id}/experiments/{experiment}/amend", tags=["experiments"])
def amend(request: Request, id: CampaignId, experiment: ExperimentId, body: Amend) -> dict[str, Any]:
    """Correct a value; the old one stays in the history."""
    campaign = opened(request, id)
    corrected = campaign.amend(experiment, body.values, body.noise, body.reason, body.since, body.sure)
    return as_json.experiment(corrected)


#: Whether an experiment is as a request would make it: the request was made before, and its answer got lost.
Repeated = Callable[[Experiment], bool]


def require_unchanged(campaign: Campaign, experiment: int, since: str | None, repeated: Repeated) -> None:
    """Refuse what was decided on an outdated view, unless it says what is known already."""
    if since is None:
        return
    now = campaign.experiment(experiment)
    if now.since != since and not repeated(now):
        raise Conflict(
            f"experiment {experiment} was changed after it was shown to you: {describe(now)} since "
            f"{now.since[:19]}Z; look again before you change it"
        )


def has_values(campaign: Campaign, values: Any) -> Repeated:
    """Whether an experiment has these values, however they are written."""

    def repeated(now: Experiment) -> bool:
        if now.values is None or now.state not in ("done", "pending"):
            return False
        names = campaign.responses
        below, above = (tuple(map(names.index, side)) for side in (now.below, now.above))
        there = ReadValue(names, tuple(map(now.values.get, names)), below, above)
        return read_value(values, names, limits=True).shown.items() <= there.shown.items()

    return repeated


def is_closed(state: str, reason: str) -> Repeated:
    """Whether an experiment failed, was abandoned or withdrawn for this very reason."""
    return lambda now: (now.state, now.reason or "") == (state, reason)


def describe(e: Experiment) -> str:
    """What an experiment has come to, in a few words."""
    if e.values is not None and e.state != "withdrawn":
        return ", ".join(f"{name} = {value}" for name, value in e.shown.items())
    return f"{e.state} ({e.reason})" if e.reason else e.state


@router.post("/campaigns/{id}/release", tags=["experiments"])
def release(request: Request, id: CampaignId, body: Release) -> list[dict[str, Any]]:
    """Make pending experiments available again."""
    return [as_json.experiment(e) for e in opened(request, id).release(body.older_than)]


@router.post("/campaigns/{id}/plate", tags=["tables"])
def plate(request: Request, id: CampaignId, body: PlateFile, dry_run: DryRun = False) -> dict[str, Any]:
    """A filled plate, taken whole or not at all."""
    upload, assured = _uploaded(body, "the plate"), Assured(actual=body.actual, sure=body.sure)
    return (uploads.preview if dry_run else uploads.take)(upload, opened(request, id), "plate", assured)


@router.post("/campaigns/{id}/measurements", tags=["tables"])
def add(request: Request, id: CampaignId, body: MeasurementsFile, dry_run: DryRun = False) -> dict[str, Any]:
    """Measurements made earlier or elsewhere, all of them or none; those that are known are left out."""
    upload, assured = _uploaded(body, "the table"), Assured(again=body.again, sure=body.sure, key=body.key)
    work = uploads.preview if dry_run else uploads.take
    return work(upload, opened(request, id), "measurements", assured)


def _uploaded(body: TableFile, name: str) -> uploads.Upload:
    if (body.csv is None) == (body.base64 is None):
        raise InvalidInput("give either csv or base64")
    if body.base64 is not None:
        return uploads.Upload.from_base64(body.base64, body.name or name)
    return uploads.Upload(body.name or name, (body.csv or "").encode("utf-8"))


@router.get("/campaigns/{id}/plate.csv", tags=["tables"], response_class=Response)
def plate_csv(request: Request, id: CampaignId) -> Response:
    """The pending experiments as a plate to fill in."""
    return _download(f"plate-{id}.csv", _plate(opened(request, id)))


@router.get("/campaigns/{id}/plate.xlsx", tags=["tables"], response_class=Response)
def plate_excel(request: Request, id: CampaignId) -> Response:
    """The same for Excel, with drop-downs."""
    return _download(f"plate-{id}.xlsx", _plate(opened(request, id)))


def _plate(campaign: Campaign) -> list[Sheet]:
    return [plate_of(campaign, campaign.experiments("pending"))]


@router.get("/campaigns/{id}/export.csv", tags=["tables"], response_class=Response)
def export_csv(request: Request, id: CampaignId, what: WhichTable = "experiments") -> Response:
    """All experiments with their values, or all events, in full precision."""
    experiments, events = _exported(opened(request, id))
    return _download(f"{what}-{id}.csv", [events if what == "events" else experiments])


@router.get("/campaigns/{id}/export.xlsx", tags=["tables"], response_class=Response)
def export_excel(request: Request, id: CampaignId) -> Response:
    """All experiments and, on a sheet of their own, all events as an Excel file."""
    return _download(f"campaign-{id}.xlsx", _exported(opened(request, id)))


def _exported(campaign: Campaign) -> list[Sheet]:
    return [export_experiments(campaign).sheet("experiments"), export_events(campaign).sheet("events")]


def _download(name: str, sheets: Sequence[Sheet]) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    kind = "text/csv; charset=utf-8" if name.endswith(".csv") else EXCEL_TYPE
    return Response(file_of(name, sheets), media_type=kind, headers=headers)


@router.get("/campaigns/{id}/map", tags=["map"])
async def map_(
    request: Request,
    id: CampaignId,
    axis: AxisNames = [],  # noqa: B006
    at: HeldAt = "{}",
    response: ResponseIndex = 0,
    layers: Annotated[bool, Query(description="Also what drives the next choice.")] = False,
    coarse: Annotated[
        bool, Query(description="While the map is being fitted, one of fewer measurements will do.")
    ] = False,
    upto: UpTo = None,
    minus: Minus = "",
    overlay: Annotated[bool, Query(description="Also mean and deviation of every response.")] = False,
) -> dict[str, Any]:
    """The map over a slice: mean and deviation, the design, and what drives the next choice."""
    wanted = as_json.MapRequest(tuple(axis), read_held(at), response, layers, coarse, upto, minus, overlay)
    return await pictures.map_over_slice(await viewer_of(request, id), wanted)


@router.get("/campaigns/{id}/map/{cell}", tags=["map"])
async def map_at(
    request: Request,
    id: CampaignId,
    cell: Annotated[int, Path(ge=0, le=10_000_000, description="A cell of the picture, row by row.")],
    axis: AxisNames = [],  # noqa: B006
    at: HeldAt = "{}",
    upto: UpTo = None,
) -> dict[str, Any]:
    """One cell of that picture: its settings, and what the map says there, of all responses."""
    wanted = as_json.MapRequest(tuple(axis), read_held(at), upto=upto)
    return await pictures.at_a_place(await viewer_of(request, id), wanted, cell)


def read_held(text: str) -> dict[str, float]:
    """Where axes are held, from a JSON object of finite numbers."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(f"at: {text[:40]!r} is not JSON") from None
    if not isinstance(held, dict):
        raise InvalidInput("at: give a JSON object of numbers by axis")
    for name, value in held.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
            raise InvalidInput(f"at: {str(name)[:40]!r} must be a finite number")
    return {str(name): float(value) for name, value in held.items()}


@router.get("/campaigns/{id}/progress", tags=["map"])
def progress(request: Request, id: CampaignId) -> dict[str, int]:
    """How far the fit is that somebody waits for: `done` of `total` steps, 0 of 0 if there is none."""
    hub = hub_of(request)
    done, total = hub.steps(hub.entry(id).id)
    return {"done": done, "total": total}


@router.get("/campaigns/{id}/error", tags=["map"])
def error(request: Request, id: CampaignId) -> dict[str, Any]:
    """The map error so far, the forecast and the stop rule; `working` while they are being computed."""
    hub, campaign = hub_of(request), opened(request, id)
    work = hub.course(id)
    return as_json.course(campaign, work, hub.cache(id).finished)
