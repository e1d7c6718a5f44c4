"""The verbs that change what is known of an experiment, each one transaction.

A verb states from which states it may start; the store changes the row only if it is in one of them,
so of two who tell at once exactly one wins, and the other learns what happened.
"""

from __future__ import annotations

import json
import uuid
import warnings
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row

from equiwarp.campaign.asking import CampaignContext
from equiwarp.campaign.responses import LARGEST, read_deviations, read_value, read_value_table
from equiwarp.domains import Array
from equiwarp.engine.reading import read_noise, read_points
from equiwarp.exceptions import Conflict, InvalidInput, OutsideDomain, UnknownExperiment
from equiwarp.store import records
from equiwarp.store.records import dump
from equiwarp.store.steps import reached


def tell(context: CampaignContext, id: int, value: Any, noise: Any = None) -> None:
    """pending, released or failed -> done."""
    tell_many(context, [(id, value, noise)])


def tell_many(
    context: CampaignContext, told: Sequence[tuple[int, Any, Any]], failed: Sequence[tuple[int, str]] = ()
) -> None:
    """Values ``(id, value, noise)`` and failures ``(id, reason)`` in one transaction: all of them or none."""
    values = [(read_id(id), value, noise) for id, value, noise in told]
    failures = [(read_id(id), str(reason)) for id, reason in failed]

    def work(connection: Connection) -> None:
        for number, value, noise in values:
            _tell(connection, context, number, value, noise)
        for number, reason in failures:
            _close(connection, context, number, "failed", reason)

    context.store.write(work)
    reached("tell:done")


def _tell(connection: Connection, context: CampaignContext, number: int, value: Any, noise: Any) -> None:
    known = _open_names(connection, context)
    names, values = read_value(value, known, f"value of experiment {number}")
    deviations = read_deviations(noise, names, f"noise of experiment {number}")
    columns = {"value": dump(values), "noise": None if deviations is None else dump(deviations)}
    from_states = ("pending", "released", "failed")
    if records.move(connection, context.actor, number, from_states, state="done", reason=None, **columns):
        if not known:
            _fix_names(connection, context, names)
        detail = {"value": dict(zip(names, values, strict=True)), "noise": deviations}
        records.log(connection, context.actor, "told", number, detail)
        reached("tell:written")
        return
    _same_or_conflict(_find(connection, context, number), names, values)


def _same_or_conflict(found: Row[Any], names: tuple[str, ...], values: list[float]) -> None:
    if found.state == "abandoned":
        raise Conflict(
            f"experiment {found.number} was abandoned on {_when(found)}; if it was measured after all, "
            "add the measurement instead"
        )
    stored = json.loads(found.value)
    if stored != values:
        raise Conflict(
            f"experiment {found.number} has the value {_shown(names, stored)} since {_when(found)}, and now "
            f"{_shown(names, values)} was told; if the new one is right, amend it"
        )


def _when(row: Row[Any]) -> str:
    return f"{row.changed[:19]}Z"


def _shown(names: tuple[str, ...], values: list[float]) -> str:
    if len(values) == 1:
        return repr(values[0])
    return ", ".join(f"{name} = {value!r}" for name, value in zip(names, values, strict=True))


def tell_failed(context: CampaignContext, id: int, reason: str = "") -> None:
    """pending or released -> failed; another reason for a failure is recorded too."""
    number = read_id(id)
    context.store.write(lambda connection: _close(connection, context, number, "failed", str(reason)))


def abandon(context: CampaignContext, id: int, reason: str = "") -> None:
    """pending, released or failed -> abandoned."""
    number = read_id(id)
    context.store.write(lambda connection: _close(connection, context, number, "abandoned", str(reason)))


def _close(connection: Connection, context: CampaignContext, number: int, state: str, reason: str) -> None:
    from_states = ("pending", "released") if state == "failed" else ("pending", "released", "failed")
    records.take(connection, context.actor.campaign)
    changed = records.move(
        connection, context.actor, number, from_states, state=state, claim=None, reason=reason or None
    )
    if not changed:
        found = _find(connection, context, number)
        if found.state == state and (found.reason or "") == reason:
            return
        if found.state != state:
            raise Conflict(_closed(found, state))
        records.move(connection, context.actor, number, (state,), reason=reason or None)
    records.log(connection, context.actor, state, number, {"reason": reason})


def _closed(found: Row[Any], state: str) -> str:
    if found.state == "done":
        return (
            f"experiment {found.number} has the value {found.value} since {_when(found)} and cannot be "
            f"marked as {state}; amend the value if it is wrong"
        )
    return f"experiment {found.number} is {found.state} since {_when(found)} and cannot be {state}"


def amend(
    context: CampaignContext,
    id: int,
    value: Any,
    noise: Any = None,
    reason: str = "",
    since: str | None = None,
) -> None:
    """done -> done with another value; noise stays unless given. ``since`` is when the old one was read."""
    number = read_id(id)

    def work(connection: Connection) -> None:
        names = _open_names(connection, context)
        found = _find(connection, context, number)
        if found.state != "done":
            raise Conflict(f"experiment {number} is {found.state} and has no value to amend; tell it one")
        if since is not None and since != found.changed:
            raise Conflict(
                f"experiment {number} was changed on {_when(found)}, after it was shown to you; "
                "look at its present value first"
            )
        names, values = read_value(value, names, f"value of experiment {number}")
        deviations = read_deviations(noise, names, f"noise of experiment {number}")
        before = {"value": json.loads(found.value), "noise": json.loads(found.noise or "null")}
        after = {"value": values, "noise": before["noise"] if deviations is None else deviations}
        if before == after:
            return
        columns = {key: None if entry is None else dump(entry) for key, entry in after.items()}
        records.move(connection, context.actor, number, ("done",), **columns)
        detail = {"before": before, "after": after, "reason": reason}
        records.log(connection, context.actor, "amended", number, detail)

    context.store.write(work)


def release(context: CampaignContext, older_than: timedelta | float | None = None) -> list[int]:
    """pending -> released, for those handed out before now - older_than."""
    if older_than is not None and not isinstance(older_than, timedelta):
        older_than = timedelta(seconds=float(older_than))
    limit = datetime.now(UTC) - (older_than or timedelta(0))

    def work(connection: Connection) -> list[int]:
        records.take(connection, context.actor.campaign)
        numbers = records.pending_since(connection, context.actor.campaign, limit)
        for number in numbers:
            records.move(connection, context.actor, number, ("pending",), state="released", claim=None)
        records.log_many(connection, context.actor, "released", ((number, {}) for number in numbers))
        return numbers

    return context.store.write(work)


def add(context: CampaignContext, points: Any, values: Any, noise: Any = None) -> list[int]:
    """New measurements in one transaction; see :meth:`equiwarp.Campaign.add`."""
    domain = context.recipe.domain
    x = _readable_points(context, points)
    inside = domain.contains(x)
    token = uuid.uuid4().hex

    def work(connection: Connection) -> list[int]:
        names, y = read_value_table(values, len(x), _open_names(connection, context))
        served = records.known_token(connection, token)
        if served is not None:
            detail = json.loads(served.detail)
            return list(range(detail["first"], detail["last"] + 1))
        if len(x) == 0:
            return []
        rows = _measured_rows(context, x, inside, y, _deviations(noise, y, names))
        campaign = records.take(connection, context.actor.campaign)
        numbers = records.insert_experiments(connection, campaign, rows)
        _fix_names(connection, context, names)
        detail = {
            "first": numbers[0], "last": numbers[-1], "count": len(x), "outside": int(np.sum(~inside)),
        }  # fmt: skip
        records.log(connection, context.actor, "added", None, detail, token)
        reached("add:written")
        return numbers

    numbers = context.store.write(work)
    if not inside.all():
        row = int(np.flatnonzero(~inside)[0])
        warnings.warn(
            f"{int(np.sum(~inside))} of {len(x)} points lie outside the domain (first: row {row}, "
            f"{domain.problem(x[row])}); they are kept, serve prediction and are never suggested",
            OutsideDomain,
            stacklevel=3,
        )
    return numbers


def _readable_points(context: CampaignContext, points: Any) -> Array:
    """Points anywhere that the domain's scale can place at all."""
    domain = context.recipe.domain
    x = read_points(domain, points, "points", inside=False)
    with np.errstate(all="ignore"):
        placed = np.isfinite(domain.embed(x)).all(axis=1) & (np.abs(x) <= LARGEST).all(axis=1)
    for row in np.flatnonzero(~placed)[:1]:
        shown = ", ".join(f"{n} = {v:g}" for n, v in zip(domain.names, x[row], strict=True))
        raise InvalidInput(f"points, row {row}: {shown} cannot be placed on the domain's scale; leave it out")
    return x


def _deviations(noise: Any, y: Array, names: tuple[str, ...]) -> Array | None:
    if isinstance(noise, Mapping):
        if set(noise) != set(names):
            raise InvalidInput(f"noise is given for {list(noise)}; give it for the responses {list(names)}")
        columns = [np.broadcast_to(np.asarray(noise[name], dtype=float), len(y)) for name in names]
        noise = np.column_stack(columns)
    return read_noise(noise, y)


def _measured_rows(
    context: CampaignContext, x: Array, inside: np.ndarray[Any, Any], y: Array, noise: Array | None
) -> list[dict[str, Any]]:
    keys = [f"outside {point}" for point in x.tolist()]
    for i, key in zip(np.flatnonzero(inside), context.recipe.keys(x[inside]), strict=True):
        keys[i] = key
    common = {"state": "done", "origin": "added"}
    return [
        {
            **common,
            "inside": bool(inside[i]),
            "point": dump(point),
            "key": keys[i],
            "value": dump(value),
            "noise": None if noise is None else dump(noise[i].tolist()),
        }
        for i, (point, value) in enumerate(zip(x.tolist(), y.tolist(), strict=True))
    ]


def read_id(id: Any) -> int:
    """An experiment's number."""
    if isinstance(id, bool) or not isinstance(id, int | np.integer):
        raise UnknownExperiment(f"an experiment's id is a whole number, got {id!r}")
    return int(id)


def _find(connection: Connection, context: CampaignContext, number: int) -> Row[Any]:
    found = records.one(connection, context.actor.campaign, number)
    if found is None:
        raise UnknownExperiment(f"there is no experiment {number} in this campaign")
    return found


def response_names(row: Row[Any]) -> tuple[str, ...]:
    """Names of the responses of a campaign's row."""
    return tuple(r["name"] for r in json.loads(row.settings)["responses"])


def _open_names(connection: Connection, context: CampaignContext) -> tuple[str, ...]:
    """Names that values must have; empty as long as the first value may decide. Locks the campaign."""
    row = records.take(connection, context.actor.campaign)
    return response_names(row) if json.loads(row.settings)["settled"] else ()


def _fix_names(connection: Connection, context: CampaignContext, names: tuple[str, ...]) -> None:
    """The first value decides what the responses are."""
    settings = json.loads(records.look(connection, context.actor.campaign).settings)
    if settings["settled"]:
        return
    known = settings["responses"][0]
    settings["responses"] = [{**known, "name": name} for name in names]
    settings["settled"] = True
    records.set_campaign(connection, context.actor.campaign, settings=dump(settings))
