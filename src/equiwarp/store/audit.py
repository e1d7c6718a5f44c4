"""Does a store say what its events say? Every digest is computed again, every row compared.

An event that was changed or removed breaks the chain of its campaign. A row that was changed does not have
the digest that its last event left. A campaign's description is compared with the last event that says all
of it: the one that began the campaign, or a later change.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, func, select

from equiwarp.store.chain import WIDTH, event_digest, numbers_of, row_digest
from equiwarp.store.findings import Finding
from equiwarp.store.schema import campaigns, events, experiments

#: Events after which a campaign's description is another one; they say it all.
CHANGED = ("renamed", "widened", "changed")
RESTORE = "somebody changed the tables, or the disk did: restore the last good copy"


def audit(connection: Connection, names: Collection[str] | None = None) -> Iterator[Finding]:
    """One finding per mistake, and one for each kind of check that found none; of all campaigns or some."""
    found: list[Finding] = []
    for campaign in connection.execute(select(campaigns).order_by(campaigns.c.id)).mappings().all():
        if names is not None and campaign["name"] not in names:
            continue
        # Once one event is wrong, so is every digest after it; what the rows should be is not known then.
        broken = _broken_chain(connection, campaign)
        found += broken or _wrong_rows(connection, campaign)
        found += _wrong_campaign(connection, campaign)
    yield from found
    for check, message in (
        ("chain", "every event follows from the one before it"),
        ("rows", "every experiment is as its last event left it"),
        ("campaigns", "every campaign is as its events describe it"),
    ):
        if not any(finding.check == check for finding in found):
            yield Finding("ok", check, message)


def _events(connection: Connection, campaign: int) -> Iterator[Mapping[Any, Any]]:
    query = select(events).where(events.c.campaign == campaign).order_by(events.c.id)
    yield from connection.execute(query.execution_options(yield_per=1000)).mappings()


def _broken_chain(connection: Connection, campaign: Mapping[Any, Any]) -> list[Finding]:
    head: str | None = None
    for event in _events(connection, campaign["id"]):
        head = event_digest(head, event)
        if head != event["chain"]:
            said = f"event {event['id']} was changed, or events before it are missing"
            return [Finding("error", "chain", f"campaign {campaign['name']!r}: {said}", RESTORE)]
    if head != campaign["head"]:
        said = "its last events are missing"
        return [Finding("error", "chain", f"campaign {campaign['name']!r}: {said}", RESTORE)]
    return []


def _wrong_rows(connection: Connection, campaign: Mapping[Any, Any]) -> list[Finding]:
    left = _left(connection, campaign["id"])
    query = select(experiments).where(experiments.c.campaign == campaign["id"])
    rows = connection.execute(query.order_by(experiments.c.number).execution_options(yield_per=1000))
    wrong, seen = [], 0
    for row in rows.mappings():
        seen += 1
        if left.get(row["number"]) != row_digest(row):
            wrong.append(dict(row))
    name, found = campaign["name"], []
    if wrong:
        message = f"campaign {name!r}: {len(wrong)} experiments are not what their events say, the first: "
        found.append(Finding("error", "rows", message + _difference(connection, wrong[0]), RESTORE))
    if seen != len(left) or seen != campaign["numbers"]:
        message = f"campaign {name!r} has {seen} experiments, its events speak of {len(left)}"
        found.append(Finding("error", "rows", message, RESTORE))
    return found


def _left(connection: Connection, campaign: int) -> dict[int, str]:
    """The digest that the last event of each experiment left, by the experiment's number."""
    left: dict[int, str] = {}
    for event in _events(connection, campaign):
        if event["leaves"] is None:
            continue
        for i, number in enumerate(numbers_of(event["number"], json.loads(event["detail"]))):
            left[number] = event["leaves"][i * WIDTH : (i + 1) * WIDTH]
    return left


def _difference(connection: Connection, row: Mapping[Any, Any]) -> str:
    """What the row says and what the events of the experiment say."""
    said = _said(connection, row)
    shown = [
        f"its {name} is {_plain(row[name])}, its events say {said[name]}"
        for name in ("point", "value", "noise", "reason")
        if name in said and _plain(row[name]) != said[name]
    ]
    what = "; ".join(shown) or "in something that its events do not spell out"
    return f"experiment {row['number']}: {what}"


def _said(connection: Connection, row: Mapping[Any, Any]) -> dict[str, Any]:
    """Point, value, noise and reason as the events tell them, as far as they do."""
    said: dict[str, Any] = {}
    parts = 0
    for event in _events(connection, row["campaign"]):
        if event["number"] != row["number"]:
            continue
        detail = json.loads(event["detail"])
        for settings in (detail.get("point"), detail.get("at")):
            said |= {"point": list(settings.values())} if settings else {}
        parts += event["what"] == "told in part"
        if event["what"] == "told":
            said["reason"] = None
            if not parts:  # else no event has all values
                said |= {"value": list(detail["value"].values()), "noise": detail.get("noise")}
        if event["what"] == "amended":
            said |= {name: detail["after"][name] for name in ("value", "noise")}
        elif "reason" in detail:
            said["reason"] = detail["reason"] or None
    return said


def _plain(text: Any) -> Any:
    """A column's JSON as data, where it is any."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


def _wrong_campaign(connection: Connection, campaign: Mapping[Any, Any]) -> Iterator[Finding]:
    said = _description(connection, campaign["id"])
    if said is not None:
        now = {name: json.loads(campaign[name]) for name in ("domain", "settings")}
        different = [] if said.get("name", campaign["name"]) == campaign["name"] else ["name"]
        different += [] if now["domain"] == said["domain"] else ["domain"]
        different += _different_settings(said["settings"], now["settings"])
        if different:
            message = f"campaign {campaign['name']!r}: {', '.join(different)} differ from what its events say"
            yield Finding("error", "campaigns", message, RESTORE)
    last = connection.execute(
        select(func.max(experiments.c.ask)).where(experiments.c.campaign == campaign["id"])
    ).scalar()
    if last is not None and last >= campaign["asks"]:
        message = f"campaign {campaign['name']!r} counts {campaign['asks']} asks and has number {last}"
        yield Finding("error", "campaigns", message, RESTORE)


def _description(connection: Connection, campaign: int) -> dict[str, Any] | None:
    """Name, domain and settings as the last event says them that tells all; None if none does."""
    whole = events.c.what.in_(("created", *CHANGED))
    query = select(events.c.what, events.c.detail).where(events.c.campaign == campaign, whole)
    last = connection.execute(query.order_by(events.c.id.desc()).limit(1)).one_or_none()
    if last is None:
        return None
    detail: dict[str, Any] = json.loads(last.detail)
    return detail if last.what == "created" else detail["now"]


def _different_settings(begun: Mapping[Any, Any], now: Mapping[Any, Any]) -> list[str]:
    """Settings that differ; the first value may have named the responses, and nothing else."""
    free = () if begun.get("settled", True) else ("responses", "settled")
    return [name for name in {**begun, **now} if name not in free and begun.get(name) != now.get(name)]
