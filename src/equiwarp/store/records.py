"""The queries: what is read from and written to a store, each in the caller's transaction.

Every writer first takes the campaign's row (:func:`take`), so that writers of one campaign follow one
another on PostgreSQL as BEGIN IMMEDIATE makes them do on SQLite. A state is changed only where it
still is what the change expects.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Update, bindparam, func, insert, select, update

from equiwarp.store.schema import campaigns, events, experiments

#: States in which the fixed sequence does not return to a location.
SPENT = ("pending", "done", "failed", "abandoned")
#: States in which a location may not be suggested at all.
TAKEN = ("pending", "done", "abandoned")
#: Rows per statement of a large insert.
BLOCK = 20_000

# Statements are built once: building one costs more than running it, and some run under a lock.
_of = experiments.c.campaign == bindparam("campaign")
_by_id = select(campaigns).where(campaigns.c.id == bindparam("campaign"))
_LOOK, _TAKE = _by_id, _by_id.with_for_update()
_ONE = select(experiments).where(_of, experiments.c.number == bindparam("number"))
_OF_ASK = select(experiments).where(_of, experiments.c.ask == bindparam("ask")).order_by(experiments.c.place)
_TOKEN = select(events).where(events.c.token == bindparam("token"))
_KEYS_IN = select(experiments.c.key).where(
    _of,
    experiments.c.key.in_(bindparam("keys", expanding=True)),
    experiments.c.state.in_(bindparam("states", expanding=True)),
)
_other = experiments.alias()
_RELEASED = (
    select(experiments)
    .where(_of, experiments.c.state == "released", experiments.c.origin == "sequence")
    .where(
        ~select(_other.c.number)
        .where(_other.c.campaign == experiments.c.campaign, _other.c.key == experiments.c.key)
        .where(_other.c.state.in_(SPENT))
        .exists()
    )
    .order_by(experiments.c.number)
)
_NEWER = select(experiments).where(
    _of,
    experiments.c.number > bindparam("number"),
    experiments.c.state.in_(TAKEN),
    experiments.c.inside,
)
_x = experiments.c
_KNOWN = (
    select(_x.number, _x.state, _x.origin, _x.inside, _x.point, _x.value, _x.noise)
    .where(_of)
    .order_by(_x.number)
)
_INSERT_EXPERIMENTS, _INSERT_EVENTS = insert(experiments), insert(events)


@dataclass(frozen=True)
class Actor:
    """Who acts, in which campaign (its row's id)."""

    campaign: int
    who: str


def now() -> str:
    """UTC, to the microsecond, sortable as text."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def dump(value: Any) -> str:
    """JSON that reads back bit for bit and never holds NaN."""
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def find(connection: Connection, name: str) -> Row[Any] | None:
    return connection.execute(select(campaigns).where(campaigns.c.name == name)).one_or_none()


def names(connection: Connection) -> list[str]:
    """Names of all campaigns, oldest first."""
    return list(connection.scalars(select(campaigns.c.name).order_by(campaigns.c.id)))


def create(
    connection: Connection, name: str, domain: Mapping[str, Any], settings: Mapping[str, Any], who: str
) -> Row[Any]:
    """A new campaign; the caller has made sure that the name is free."""
    row = {
        "name": name,
        "created": now(),
        "domain": dump(domain),
        "settings": dump(settings),
        **dict.fromkeys(("asks", "numbers", "sequence", "version"), 0),
    }
    connection.execute(insert(campaigns).values(row))
    made = find(connection, name)
    assert made is not None
    log(connection, Actor(made.id, who), "created", None, {"settings": settings, "domain": domain})
    return made


def take(connection: Connection, campaign: int) -> Row[Any]:
    """The campaign's row, locked against other writers until the transaction ends."""
    return connection.execute(_TAKE, {"campaign": campaign}).one()


def look(connection: Connection, campaign: int) -> Row[Any]:
    """The campaign's row as it is now."""
    return connection.execute(_LOOK, {"campaign": campaign}).one()


def set_campaign(connection: Connection, campaign: int, **columns: Any) -> None:
    """Change counters or settings; the version always grows."""
    values = {f"new_{name}": value for name, value in columns.items()}
    connection.execute(_set_campaign(tuple(columns)), {"campaign": campaign, **values})


@cache
def _set_campaign(columns: tuple[str, ...]) -> Update:
    values: dict[str, Any] = {name: bindparam(f"new_{name}") for name in columns}
    statement = update(campaigns).where(campaigns.c.id == bindparam("campaign"))
    return statement.values(version=campaigns.c.version + 1, **values)


def log(
    connection: Connection,
    actor: Actor,
    what: str,
    number: int | None = None,
    detail: Mapping[str, Any] | None = None,
    token: str | None = None,
) -> None:
    """Append an event."""
    log_many(connection, actor, what, [(number, detail or {})], token)


def log_many(
    connection: Connection,
    actor: Actor,
    what: str,
    entries: Iterable[tuple[int | None, Mapping[str, Any]]],
    token: str | None = None,
) -> None:
    """Append one event per (experiment, detail); a token goes to the first of them."""
    at = now()
    rows = [
        {
            "campaign": actor.campaign,
            "number": number,
            "at": at,
            "who": actor.who,
            "what": what,
            "detail": dump(detail),
            "token": None if i else token,
        }
        for i, (number, detail) in enumerate(entries)
    ]
    if rows:
        connection.execute(_INSERT_EVENTS, rows)


def known_token(connection: Connection, token: str) -> Row[Any] | None:
    """The event that carries this token, if the request has been served before."""
    return connection.execute(_TOKEN, {"token": token}).one_or_none()


def insert_experiments(
    connection: Connection, campaign: Row[Any], rows: Sequence[Mapping[str, Any]], **counters: int
) -> list[int]:
    """New experiments under the next free numbers, which are returned; ``campaign`` is its locked row."""
    first, at = campaign.numbers + 1, now()
    common = {"campaign": campaign.id, "created": at, "changed": at}
    for begin in range(0, len(rows), BLOCK):
        full = [
            {**row, **common, "number": first + begin + i}
            for i, row in enumerate(rows[begin : begin + BLOCK])
        ]
        connection.execute(_INSERT_EXPERIMENTS, full)
    set_campaign(connection, campaign.id, numbers=campaign.numbers + len(rows), **counters)
    return list(range(first, first + len(rows)))


def move(connection: Connection, actor: Actor, number: int, expected: Sequence[str], **columns: Any) -> bool:
    """Change an experiment if its state is still one of those expected; says whether it was."""
    values = {f"new_{name}": value for name, value in columns.items()}
    key = {"its_campaign": actor.campaign, "its_number": number, "expected": expected, "new_changed": now()}
    if connection.execute(_move(("changed", *columns)), {**key, **values}).rowcount == 0:
        return False
    set_campaign(connection, actor.campaign)
    return True


@cache
def _move(columns: tuple[str, ...]) -> Update:
    return (
        update(experiments)
        .where(experiments.c.campaign == bindparam("its_campaign"))
        .where(experiments.c.number == bindparam("its_number"))
        .where(experiments.c.state.in_(bindparam("expected", expanding=True)))
        .values({name: bindparam(f"new_{name}") for name in columns})
    )


def one(connection: Connection, campaign: int, number: int) -> Row[Any] | None:
    return connection.execute(_ONE, {"campaign": campaign, "number": number}).one_or_none()


def all_experiments(
    connection: Connection, campaign: int, states: Sequence[str] | None = None
) -> Sequence[Row[Any]]:
    """Experiments in the order of their numbers, which does not depend on when values arrived."""
    statement = select(experiments).where(experiments.c.campaign == campaign)
    if states is not None:
        statement = statement.where(experiments.c.state.in_(states))
    return connection.execute(statement.order_by(experiments.c.number)).all()


def known(connection: Connection, campaign: int) -> Sequence[Row[Any]]:
    """What a strategy or a map needs to know of all experiments, by number."""
    rows: Any = connection.execute(_KNOWN, {"campaign": campaign}).all()
    return rows


def of_ask(connection: Connection, campaign: int, ask: int) -> Sequence[Row[Any]]:
    """What an ask has been given already."""
    return connection.execute(_OF_ASK, {"campaign": campaign, "ask": ask}).all()


def keys_in(connection: Connection, campaign: int, keys: Sequence[str], states: Sequence[str]) -> set[str]:
    """Which of these locations have an experiment in one of these states."""
    found: set[str] = set()
    for first in range(0, len(keys), 500):  # databases limit the parameters of one statement
        some = {"campaign": campaign, "keys": keys[first : first + 500], "states": states}
        found |= set(connection.scalars(_KEYS_IN, some))
    return found


def released_sequence(connection: Connection, campaign: int) -> Sequence[Row[Any]]:
    """Released points of the fixed sequence whose location nobody has taken since, oldest first."""
    return connection.execute(_RELEASED, {"campaign": campaign}).all()


def newer(connection: Connection, campaign: int, number: int) -> Sequence[Row[Any]]:
    """Experiments handed out after this one, done or not, inside the domain."""
    return connection.execute(_NEWER, {"campaign": campaign, "number": number}).all()


def pending_since(connection: Connection, campaign: int, limit: datetime) -> list[int]:
    """Numbers of experiments that are pending since this moment or longer."""
    statement = (
        select(experiments.c.number)
        .where(experiments.c.campaign == campaign, experiments.c.state == "pending")
        .where(experiments.c.changed <= limit.isoformat(timespec="microseconds"))
        .order_by(experiments.c.number)
    )
    return list(connection.scalars(statement))


def oldest_pending(connection: Connection, campaign: int) -> str | None:
    """When the experiment was handed out that has been pending longest."""
    statement = select(func.min(experiments.c.changed)).where(
        experiments.c.campaign == campaign, experiments.c.state == "pending"
    )
    return connection.execute(statement).scalar_one()


def count(connection: Connection, campaign: int, **columns: Any) -> int:
    """Number of experiments with these column values."""
    statement = select(func.count()).select_from(experiments).where(experiments.c.campaign == campaign)
    for name, value in columns.items():
        statement = statement.where(experiments.c[name] == value)
    return int(connection.execute(statement).scalar_one())


def all_events(
    connection: Connection, campaign: int, number: int | None = None, after: int = 0
) -> Sequence[Row[Any]]:
    """Events in the order in which they happened."""
    statement = select(events).where(events.c.campaign == campaign, events.c.id > after)
    if number is not None:
        statement = statement.where(events.c.number == number)
    return connection.execute(statement.order_by(events.c.id)).all()
