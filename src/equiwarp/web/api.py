"""The JSON API, which the page itself uses. Described by ``/api/openapi.json`` and the page ``/api``."""

from __future__ import annotations

import io
import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from equiwarp._util.plain import plain
from equiwarp.campaign import Campaign
from equiwarp.campaign.experiment import Experiment
from equiwarp.campaign.exports import export_events, export_experiments
from equiwarp.campaign.plates import take_measurements, take_plate, write_plate
from equiwarp.exceptions import Conflict, InvalidInput
from equiwarp.store import ExperimentState
from equiwarp.tables.table import Table, read_table, write_table
from equiwarp.web import as_json, new_campaign, pictures
from equiwarp.web.bounds import BoundedRoute
from equiwarp.web.hub import Hub
from equiwarp.web.schemas import (
    Amend,
    Ask,
    AxisNames,
    CampaignId,
    Close,
    Csv,
    ExperimentId,
    Failure,
    HeldAt,
    Release,
    ResponseIndex,
    Spec,
    Tell,
)
from equiwarp.web.visitor import who_of
from equiwarp.web.waiting import asked, quickly

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
    last = hub.last_activity()
    for entry in hub.entries():
        about: dict[str, Any] = {"id": entry.id, "name": entry.name, "created": entry.created}
        about |= {
            "last": last.get(entry.id, entry.created),
            **as_json.known_error(hub.known_course(entry.id)),
        }
        try:
            status = hub.campaign(entry.id).status()
            about |= {"counts": status.counts, "strategy": status.strategy, "problem": None}
        except InvalidInput as error:  # a domain that only Python can describe
            about |= {"counts": {}, "strategy": "", "problem": str(error)}
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
    """The next experiments, pending from now on."""
    campaign = await quickly(lambda: opened(request, id))
    found = await asked(request, hub_of(request).cache(id).askers, lambda: campaign.ask(body.n))
    return [as_json.experiment(e) for e in found]


@router.get("/campaigns/{id}/experiments", tags=["experiments"])
def experiments(
    request: Request,
    id: CampaignId,
    state: Annotated[
        list[ExperimentState] | None, Query(max_length=5, description="Only those in this state.")
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
        require_unchanged(campaign, experiment, body.since, same=body.values)
        return as_json.experiment(campaign.tell(experiment, body.values, body.noise))


@router.post("/campaigns/{id}/experiments/{experiment}/fail", tags=["experiments"])
def fail(request: Request, id: CampaignId, experiment: ExperimentId, body: Close) -> dict[str, Any]:
    """It did not work; it may be suggested again, but not soon."""
    campaign = opened(request, id)
    with hub_of(request).cache(id).lock:
        require_unchanged(campaign, experiment, body.since)
        return as_json.experiment(campaign.tell_failed(experiment, body.reason))


@router.post("/campaigns/{id}/experiments/{experiment}/abandon", tags=["experiments"])
def abandon(request: Request, id: CampaignId, experiment: ExperimentId, body: Close) -> dict[str, Any]:
    """It will not be done, and nothing near it will be suggested again."""
    campaign = opened(request, id)
    with hub_of(request).cache(id).lock:
        require_unchanged(campaign, experiment, body.since)
        return as_json.experiment(campaign.abandon(experiment, body.reason))


@router.post("/campaigns/{id}/experiments/{experiment}/amend", tags=["experiments"])
def amend(request: Request, id: CampaignId, experiment: ExperimentId, body: Amend) -> dict[str, Any]:
    """Correct a value; the old one stays in the history."""
    campaign = opened(request, id)
    return as_json.experiment(campaign.amend(experiment, body.values, body.noise, body.reason, body.since))


def require_unchanged(campaign: Campaign, experiment: int, since: str | None, same: Any = None) -> None:
    """Refuse what was decided on an outdated view, unless it says what is known already."""
    if since is None:
        return
    now = campaign.experiment(experiment)
    if now.since != since and not (now.state == "done" and same in (now.value, now.values)):
        raise Conflict(
            f"experiment {experiment} was changed after it was shown to you: {describe(now)} since "
            f"{now.since[:19]}Z; look again before you change it"
        )


def describe(e: Experiment) -> str:
    """What an experiment has come to, in a few words."""
    if e.values is not None:
        return ", ".join(f"{name} = {value!r}" for name, value in e.values.items())
    return f"{e.state} ({e.reason})" if e.reason else e.state


@router.post("/campaigns/{id}/release", tags=["experiments"])
def release(request: Request, id: CampaignId, body: Release) -> list[dict[str, Any]]:
    """Make pending experiments available again."""
    return [as_json.experiment(e) for e in opened(request, id).release(body.older_than)]


@router.post("/campaigns/{id}/plate", tags=["tables"])
def plate(request: Request, id: CampaignId, body: Csv) -> dict[str, int]:
    """A filled plate, taken whole or not at all."""
    return tell_plate(opened(request, id), body.csv, "the plate")


def tell_plate(campaign: Campaign, text: str, name: str) -> dict[str, int]:
    """Take a plate; how many values, failures and empty rows it had."""
    taken = take_plate(campaign, parse_table(text, name))
    return {"told": len(taken.told), "failed": len(taken.failed), "open": len(taken.open)}


@router.post("/campaigns/{id}/measurements", tags=["tables"])
def add(request: Request, id: CampaignId, body: Csv) -> dict[str, int]:
    """Measurements made earlier or elsewhere, all of them or none."""
    return add_measurements(opened(request, id), body.csv, "the table")


def add_measurements(campaign: Campaign, text: str, name: str) -> dict[str, int]:
    """Add the rows of a table; how many, and how many of them lie outside the domain."""
    taken = take_measurements(campaign, parse_table(text, name))
    return {"added": len(taken.added), "outside": taken.outside}


def parse_table(text: str, name: str) -> Table:
    """The table in the text of a file."""
    return read_table(io.StringIO(text, newline=""), name)


@router.get("/campaigns/{id}/plate.csv", tags=["tables"], response_class=Response)
def plate_csv(request: Request, id: CampaignId) -> Response:
    """The pending experiments as a plate to fill in."""
    campaign, file = opened(request, id), io.StringIO()
    write_plate(file, campaign, campaign.experiments("pending"))
    return _download(file.getvalue(), f"plate-{id}.csv")


@router.get("/campaigns/{id}/export.csv", tags=["tables"], response_class=Response)
def export_csv(request: Request, id: CampaignId, what: WhichTable = "experiments") -> Response:
    """All experiments with their values, or all events, in full precision."""
    campaign, file = opened(request, id), io.StringIO()
    export = export_events(campaign) if what == "events" else export_experiments(campaign)
    write_table(file, export.columns, export.rows)
    return _download(file.getvalue(), f"{what}-{id}.csv")


def _download(text: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


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
) -> dict[str, Any]:
    """The map over a slice: mean and deviation, the design, and what drives the next choice."""
    wanted = as_json.MapRequest(tuple(axis), read_held(at), response, layers, coarse)
    return await pictures.map_over_slice(await viewer_of(request, id), wanted)


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


@router.get("/campaigns/{id}/error", tags=["map"])
def error(request: Request, id: CampaignId) -> dict[str, Any]:
    """The map error so far, the forecast and the stop rule; `working` while they are being computed."""
    hub, campaign = hub_of(request), opened(request, id)
    work = hub.course(id)
    return as_json.course(campaign, work, hub.cache(id).finished)
