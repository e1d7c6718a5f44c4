"""``Transaction``: what work on a store gets to read and write with; :mod:`equiwarp.store.core` runs it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select

from equiwarp.store import statements
from equiwarp.store.campaign_transaction import CampaignTransaction, campaign_of, now
from equiwarp.store.columns import counts_of, dump, storable
from equiwarp.store.records import Actor, CampaignEntry, CampaignRecord, Counts


class Transaction:
    """The campaigns of a store, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of(self, actor: Actor) -> CampaignTransaction:
        """The same transaction, for one campaign and whoever acts in it."""
        return CampaignTransaction(actor, self._connection)

    def entries(self) -> list[CampaignEntry]:
        """All campaigns, oldest first."""
        return [CampaignEntry(*row) for row in self._connection.execute(statements.ENTRIES)]

    def last_activity(self) -> dict[int, str]:
        """When something happened last in each campaign, by its id."""
        found = self._connection.execute(statements.LAST_ACTIVITY)
        return {int(row.campaign): str(row.at) for row in found}

    def put_away(self) -> set[int]:
        """Ids of campaigns that were put away and not taken out again."""
        found = self._connection.execute(statements.PUT_AWAY)
        return {int(row.campaign) for row in found if row.what == "put away"}

    def counts(self) -> dict[int, Counts]:
        """How many experiments each campaign has, by its id: as many queries for one campaign as for many."""
        rows, ended = (
            self._by_campaign(statement)
            for statement in (statements.COUNTS_OF_ALL, statements.COUNTS_ENDED_OF_ALL)
        )
        return {entry.id: counts_of(rows[entry.id], ended[entry.id]) for entry in self.entries()}

    def _by_campaign(self, statement: Select[Any]) -> defaultdict[int, list[Sequence[Any]]]:
        found: defaultdict[int, list[Sequence[Any]]] = defaultdict(list)
        for campaign, *row in self._connection.execute(statement, {"now": now()}):
            found[campaign].append(row)
        return found

    def leases_ended(self) -> list[int]:
        """Ids of campaigns where a lease has ended and nobody has written it down."""
        return list(self._connection.scalars(statements.CAMPAIGNS_ENDED, {"now": now()}))

    def entry(self, id: int) -> CampaignEntry | None:
        row = self._connection.execute(statements.ENTRY, {"campaign": id}).one_or_none()
        return None if row is None else CampaignEntry(*row)

    def entry_named(self, name: str) -> CampaignEntry | None:
        row = self._connection.execute(statements.ENTRY_NAMED, {"name": storable(name)}).one_or_none()
        return None if row is None else CampaignEntry(*row)

    def find(self, name: str) -> CampaignRecord | None:
        row = self._connection.execute(statements.FIND, {"name": storable(name)}).one_or_none()
        return None if row is None else campaign_of(row)

    def create(
        self,
        name: str,
        domain: Mapping[str, Any],
        settings: Mapping[str, Any],
        who: str,
        beside: Mapping[str, Any] | None = None,
    ) -> CampaignRecord:
        """A new campaign; the caller has made sure that the name is free.

        ``beside`` is kept with the event of its creation, for what is long and seldom read.
        """
        row = {
            "name": storable(name),
            "created": now(),
            "domain": dump(domain),
            "settings": dump(settings),
            **dict.fromkeys(("asks", "numbers", "sequence", "version"), 0),
        }
        self._connection.execute(statements.INSERT_CAMPAIGN, row)
        made = self.find(name)
        assert made is not None
        self.of(Actor(made.id, who)).log(
            "created", None, {"name": name, "settings": settings, "domain": domain, **(beside or {})}
        )
        return made
