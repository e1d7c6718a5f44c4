"""``CampaignTransaction``: what is read and written of one campaign, within one transaction.

Every writer first takes the campaign's row (:meth:`CampaignTransaction.take`), so that writers of one
campaign follow one another on PostgreSQL as BEGIN IMMEDIATE makes them do on SQLite. A state is changed
only where it still is what the change expects.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Unpack

from sqlalchemy import Connection

from equiwarp.domains import Array
from equiwarp.engine.explanation import Explanation
from equiwarp.exceptions import CampaignChanged
from equiwarp.store import statements
from equiwarp.store.chain import event_digest, leaves_of, numbers_of
from equiwarp.store.columns import (
    NOTHING,
    ExperimentArrays,
    PlausibleRange,
    arrays_of,
    asked_rows,
    counts_of,
    dump,
    measured_rows,
    particulars_of,
    particulars_text,
    signed,
    storable,
    table_of,
)
from equiwarp.store.records import (
    SPENT,
    TAKEN,
    Actor,
    CampaignRecord,
    Changes,
    Counts,
    Event,
    ExperimentRecord,
    ExperimentState,
    NewAsked,
    NewMeasurements,
)

#: Rows per statement of a large insert.
BLOCK = 20_000


def now() -> str:
    """UTC, to the microsecond, sortable as text."""
    return _stamp(datetime.now(UTC))


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")


#: Numbers of an explanation that are NaN where they are not known; others have their own word for it.
NUMBERS_NOT_KNOWN = ("variance", "equalizer", "stretch", "score")


class CampaignTransaction:
    """One campaign within one transaction, for one who acts in it."""

    def __init__(self, actor: Actor, connection: Connection, token: str | None = None) -> None:
        self._connection, self._actor = connection, actor
        self._its = {"campaign": actor.campaign}
        #: For whoever looks, leases that ended by this moment have ended.
        self._seen = {**self._its, "now": now()}
        self._token, self._left_token = token, token
        self._moved: dict[int | None, str] = {}
        self._written_down = False

    # The campaign

    def look(self) -> CampaignRecord:
        """The campaign as it is now."""
        return self._current(campaign_of(self._connection.execute(statements.LOOK, self._its).one()))

    def take(self) -> CampaignRecord:
        """The same, locked against other writers until the transaction ends.

        Leases that have ended are written down now.
        """
        taken = self._current(campaign_of(self._connection.execute(statements.TAKE, self._its).one()))
        if self._leases_ended():
            return self.look()
        return taken

    def _leases_ended(self) -> bool:
        """Write down which leases have ended, if that was not done before; says whether one has."""
        if self._written_down:
            return False
        self._written_down = True
        ended = self._connection.scalars(statements.LEASE_ENDED, self._seen).all()
        for id in ended:
            self.move(id, ("pending",), state="released", claim=None, lease=None)
        # Without this transaction's token: that is for the work itself.
        self._append("released", ((id, {"lease": "ended"}) for id in ended), None)
        return bool(ended)

    def _current(self, campaign: CampaignRecord) -> CampaignRecord:
        """The campaign itself; refused if its description is not the one that the actor goes by."""
        if self._actor.edition not in (None, campaign.edition):
            raise CampaignChanged(f"the description of campaign {campaign.name!r} has changed; open it again")
        return campaign

    def set_asks(self, asks: int) -> None:
        """So many ask numbers have been given out."""
        self._change(False, asks=asks)

    def set_settings(self, settings: Mapping[str, Any]) -> None:
        self._change(settings=dump(settings))

    def set_description(
        self, campaign: CampaignRecord, name: str, domain: Mapping[str, Any], settings: Mapping[str, Any]
    ) -> None:
        """Another name, domain or settings: a new edition, so that whoever goes by the old one notices."""
        described = {"name": name, "domain": dump(domain), "settings": dump(settings)}
        self._change(**described, edition=campaign.edition + 1)

    def rekey(self, rows: Iterable[tuple[int, str, bool]]) -> None:
        """The key of each experiment's location, and whether it is inside, after the domain has changed."""
        new = [
            {"its_campaign": self._actor.campaign, "its_number": id, "new_key": key, "new_inside": inside}
            for id, key, inside in rows
        ]
        if new:
            self._connection.execute(statements.REKEY, new)
            self._connection.execute(statements.RECLAIM, {"its_campaign": self._actor.campaign})

    def _change(self, learns: bool = True, /, **columns: Any) -> None:
        """Another version; unless nothing was learnt, a map of the one before is of an earlier state."""
        values = {f"new_{name}": value for name, value in columns.items()}
        self._connection.execute(statements.change_campaign(tuple(columns), learns), {**self._its, **values})

    # Events

    def log(
        self,
        what: str,
        id: int | None = None,
        detail: Mapping[str, Any] | None = None,
        token: str | None = None,
    ) -> None:
        """Append an event."""
        self.log_many(what, [(id, detail or {})], token)

    def log_many(
        self, what: str, entries: Iterable[tuple[int | None, Mapping[str, Any]]], token: str | None = None
    ) -> None:
        """Append one event per (experiment, detail); the first takes the token, or this transaction's.

        Change the experiments first: each event takes the digest of the row as it is now.
        """
        if token is None:
            token, self._left_token = self._left_token, None
        self._append(what, entries, token)

    def _append(
        self, what: str, entries: Iterable[tuple[int | None, Mapping[str, Any]]], token: str | None
    ) -> None:
        at = now()
        rows: list[dict[str, Any]] = [
            {
                "campaign": self._actor.campaign,
                "number": id,
                "at": self._moved.get(id, at),
                "who": storable(self._actor.who),
                "what": what,
                "detail": dump(detail),
                "token": None if i else token,
                "leaves": self._leaves(numbers_of(id, detail)),
            }
            for i, (id, detail) in enumerate(entries)
        ]
        if not rows:
            return
        head = self._connection.execute(statements.HEAD, self._its).scalar_one()
        for row in rows:
            row["chain"] = head = event_digest(head, row)
        self._connection.execute(statements.INSERT_EVENTS, rows)
        self._connection.execute(statements.SET_HEAD, {**self._its, "new_head": head})

    def _leaves(self, numbers: range) -> str | None:
        """Digests of the rows of these experiments."""
        parts = []
        for first in range(numbers.start, numbers.stop, BLOCK):
            ends = {"first": first, "last": min(first + BLOCK, numbers.stop) - 1}
            found = self._connection.execute(statements.ROWS, {**self._its, **ends})
            parts.append(leaves_of(found.mappings()))
        return "".join(parts) or None

    def event_with(self, token: str) -> Event | None:
        """The event that carries this token, if the request has been served before."""
        row = self._connection.execute(statements.WITH_TOKEN, {"token": token}).one_or_none()
        return None if row is None else _event_of(row)

    def served(self) -> bool:
        """Whether an earlier attempt at this very work was kept, although its answer got lost."""
        return self._token is not None and self.event_with(self._token) is not None

    def events(self, id: int | None = None, after: int = 0) -> list[Event]:
        """Events in the order in which they happened, of one experiment or of all."""
        statement = statements.EVENTS if id is None else statements.EVENTS_OF_ONE
        one = {} if id is None else {"number": id}
        rows = self._connection.execute(statement, {**self._its, **one, "after": after})
        return [_event_of(row) for row in rows]

    def creation(self) -> Event:
        """The event with which the campaign began."""
        return _event_of(self._connection.execute(statements.FIRST_EVENT, {**self._its, "after": 0}).one())

    # Changing experiments

    def insert_asked(self, campaign: CampaignRecord, new: NewAsked) -> list[int]:
        """Pending experiments under the next free ids, which are returned; ``campaign`` is locked."""
        given_out = campaign.asks if new.ask is None else max(campaign.asks, new.ask + 1)
        counters = {"sequence": new.sequence, "asks": given_out}
        return self._insert(campaign, asked_rows(new), counters, learns=False)

    def insert_measured(self, campaign: CampaignRecord, new: NewMeasurements) -> list[int]:
        """Measurements under the next free ids, which are returned; ``campaign`` is locked."""
        return self._insert(campaign, measured_rows(new), {}, learns=True)

    def _insert(
        self,
        campaign: CampaignRecord,
        rows: Sequence[Mapping[str, Any]],
        counters: Mapping[str, int],
        learns: bool,
    ) -> list[int]:
        first, at = campaign.ids + 1, now()
        common = {**self._its, "created": at, "changed": at}
        for begin in range(0, len(rows), BLOCK):
            full = [
                {**row, **common, "number": first + begin + i}
                for i, row in enumerate(rows[begin : begin + BLOCK])
            ]
            self._connection.execute(statements.INSERT_EXPERIMENTS, full)
        self._change(learns, numbers=campaign.ids + len(rows), **counters)
        return list(range(first, first + len(rows)))

    def move(self, id: int, expected: Sequence[ExperimentState], **changes: Unpack[Changes]) -> bool:
        """Change an experiment if its state is still one of those expected; says whether it was."""
        columns: dict[str, Any] = {"changed": self._new_stamp(id), **changes}
        if columns.get("reason"):
            columns["reason"] = storable(columns["reason"])
        for name in ("value", "noise", "point"):
            if columns.get(name) is not None:
                columns[name] = dump(columns[name])
        if "about" in columns:
            columns["about"] = particulars_text(columns["about"])
        key = {"its_campaign": self._actor.campaign, "its_number": id, "expected": expected}
        values = {f"new_{name}": value for name, value in columns.items()}
        if self._connection.execute(statements.move(tuple(columns)), {**key, **values}).rowcount == 0:
            return False
        self._moved[id] = columns["changed"]
        self._change()
        return True

    def _new_stamp(self, id: int) -> str:
        """Now; or, if the clock stands still or was set back, a moment this experiment has not had yet.

        So ``since`` is never the same for two states of an experiment, whatever the clocks do.
        """
        moment = datetime.now(UTC)
        while True:
            stamp = _stamp(moment)
            had = {**self._its, "number": id, "stamp": stamp}
            if self._connection.execute(statements.HAD_STAMP, had).first() is None:
                return stamp
            moment += timedelta(microseconds=1)

    # Looking at experiments

    def experiment(self, id: int) -> ExperimentRecord | None:
        found = self._experiments(statements.ONE, number=id)
        return found[0] if found else None

    def take_with(self, id: int) -> tuple[CampaignRecord, ExperimentRecord | None]:
        """The campaign, locked, and one of its experiments."""
        return self.take(), self.experiment(id)

    def with_names(self, id: int) -> tuple[ExperimentRecord, tuple[str, ...]]:
        """An experiment that is there, and the names of its responses."""
        return self._experiments(statements.ONE, number=id)[0], self.look().responses

    def experiments(self, states: Sequence[ExperimentState] | None = None) -> list[ExperimentRecord]:
        """Experiments in the order of their ids, which does not depend on when values arrived."""
        if states is None:
            return self._experiments(statements.ALL)
        return self._experiments(statements.IN_STATES, states=list(states))

    def experiments_with(self, ids: Sequence[int]) -> list[ExperimentRecord]:
        """Those of these ids that there are, in their order."""
        found = []
        for first in range(0, len(ids), 500):
            found += self._experiments(statements.SOME, numbers=list(ids[first : first + 500]))
        return found

    def of_ask(self, ask: int) -> list[ExperimentRecord]:
        """What an ask has been given already."""
        return self._experiments(statements.OF_ASK, ask=ask)

    def released(self) -> list[ExperimentRecord]:
        """Released points of the fixed sequence whose location nobody has taken since, oldest first."""
        return self._experiments(statements.RELEASED)

    def _experiments(self, statement: Any, **parameters: Any) -> list[ExperimentRecord]:
        return _experiments_of(self._connection.execute(statement, {**self._seen, **parameters}).all())

    def arrays(
        self, columns: int, noise: Sequence[float | None], ranges: Sequence[PlausibleRange] = ()
    ) -> ExperimentArrays:
        """All experiments; points have so many columns, ``noise`` is for values that came without any."""
        rows = self._connection.execute(statements.KNOWN, self._seen).all()
        return arrays_of(rows, columns, noise, ranges)

    def points_after(self, id: int, columns: int) -> Array:
        """Locations handed out after this experiment, done or not, inside the domain."""
        texts = self._connection.scalars(statements.POINTS_AFTER, {**self._seen, "number": id}).all()
        return table_of(texts, columns)

    def spent(self, keys: Sequence[str]) -> set[str]:
        """Which of these locations the fixed sequence does not return to."""
        return self._keys_in(keys, SPENT)

    def taken(self, keys: Sequence[str]) -> set[str]:
        """Which of these locations may not be suggested."""
        return self._keys_in(keys, TAKEN)

    def _keys_in(self, keys: Sequence[str], states: Sequence[ExperimentState]) -> set[str]:
        found: set[str] = set()
        for first in range(0, len(keys), 500):  # databases limit the parameters of one statement
            some = {**self._seen, "keys": keys[first : first + 500], "states": states}
            found |= set(self._connection.scalars(statements.KEYS_IN, some))
        return found

    def values_at(self, keys: Sequence[str]) -> list[tuple[str, tuple[tuple[float, str] | None, ...]]]:
        """The key and the values, with the signs of limits, of every experiment here that has some."""
        found = []
        for first in range(0, len(keys), 500):
            some = {**self._its, "keys": keys[first : first + 500]}
            rows = self._connection.execute(statements.VALUES_AT, some)
            found += [(key, signed(value, about)) for key, value, about in rows]
        return found

    def holder(self, key: str) -> int | None:
        """Id of the experiment that alone may be at this location."""
        return self._connection.execute(statements.HOLDER, {**self._its, "key": key}).scalar_one()

    def pending_since(self, limit: datetime | None) -> list[int]:
        """Ids of experiments that are pending since this moment or longer; of all if there is none."""
        until = "9" if limit is None else _stamp(limit)  # after every moment of four digits
        return list(self._connection.scalars(statements.PENDING_SINCE, {**self._its, "limit": until}))

    def oldest_pending(self) -> str | None:
        """When the experiment was handed out that has been pending longest."""
        return self._connection.execute(statements.OLDEST_PENDING, self._seen).scalar_one()

    def counts(self) -> Counts:
        rows = self._connection.execute(statements.COUNTS, self._its).all()
        ended = self._connection.execute(statements.COUNTS_ENDED, self._seen).all()
        return counts_of(rows, ended)

    def added_inside(self) -> int:
        """How many added measurements lie in the domain."""
        return int(self._connection.execute(statements.ADDED_INSIDE, self._its).scalar_one())


def campaign_of(row: Sequence[Any]) -> CampaignRecord:
    """A row of ``statements.LOOK`` as a record."""
    id, name, created, asks, ids, sequence, version, edition, learned, domain, text = row
    settings = json.loads(text)
    names = tuple(response["name"] for response in settings["responses"])
    noise = [response["noise"] for response in settings["responses"]]
    counters = (asks, ids, sequence, version, edition, learned)
    return CampaignRecord(id, name, created, *counters, settings, domain, names, noise, settings["settled"])


def _event_of(row: Sequence[Any]) -> Event:
    """A row of ``statements.EVENTS`` as a record."""
    id, at, who, what, experiment, detail = row
    return Event(id, at, who, what, experiment, json.loads(detail))


def _experiments_of(rows: Sequence[Sequence[Any]]) -> list[ExperimentRecord]:
    """Rows of ``statements.EXPERIMENT`` as records. Their JSON is parsed at once: faster for many."""
    texts = [
        f"[{point},{value or 'null'},{noise or 'null'},{why or 'null'}]"
        for _, _, _, _, point, _, _, value, noise, why, *_ in rows
    ]
    decoded = json.loads(f"[{','.join(texts)}]")
    return [_experiment_of(row, *fields) for row, fields in zip(rows, decoded, strict=True)]


def _experiment_of(
    row: Sequence[Any], point: Any, value: Any, noise: Any, why: dict[str, Any] | None
) -> ExperimentRecord:
    id, state, origin, inside, _, key, ask, _, _, _, reason, created, changed, about, lease = row
    reasons: dict[str, Any] = {
        k: math.nan if v is None else v
        for k, v in (why or {"source": origin}).items()
        if v is not None or k in NUMBERS_NOT_KNOWN
    }
    return ExperimentRecord(
        id,
        state,
        origin,
        bool(inside),
        tuple(point),
        key,
        ask,
        None if value is None else tuple(value),
        None if noise is None else tuple(noise),
        Explanation(**{**reasons, "notes": tuple(reasons.get("notes", ()))}),
        reason,
        created,
        changed,
        NOTHING if about is None else particulars_of(about),
        lease,
    )
