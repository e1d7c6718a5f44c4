"""Events are chained by digests, and carry those of the rows they leave; see ``equiwarp.store.chain``.

What an older version wrote is sealed as it is found: the last event of every experiment takes the digest of
the row as it is now.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

from equiwarp.store.chain import event_digest, numbers_of, row_digest
from equiwarp.store.migrations.versions import r0002_append_only as triggers

revision = "0004"
down_revision = "0003"

#: Rows per statement.
BLOCK = 5_000


def upgrade() -> None:
    op.add_column("equiwarp_campaigns", sa.Column("head", sa.Text))
    op.add_column("equiwarp_events", sa.Column("leaves", sa.Text))
    op.add_column("equiwarp_events", sa.Column("chain", sa.Text))
    bind = op.get_bind()
    triggers.lift(bind.dialect.name)
    for campaign in bind.execute(sa.text("SELECT id FROM equiwarp_campaigns ORDER BY id")).scalars().all():
        _seal(bind, campaign)
    triggers.set_up(bind.dialect.name)


def _seal(bind: sa.Connection, campaign: int) -> None:
    events = sa.Table("equiwarp_events", sa.MetaData(), autoload_with=bind)
    found = bind.execute(sa.select(events).where(events.c.campaign == campaign).order_by(events.c.id))
    rows = [dict(row) for row in found.mappings()]
    leaves, head, changes = _leaves(bind, campaign, rows), None, []
    for event in rows:
        event["leaves"] = leaves.get(event["id"])
        head = event_digest(head, event)
        changes.append({"its": event["id"], "new_leaves": event["leaves"], "new_chain": head})
    update = sa.update(events).where(events.c.id == sa.bindparam("its"))
    update = update.values(leaves=sa.bindparam("new_leaves"), chain=sa.bindparam("new_chain"))
    for first in range(0, len(changes), BLOCK):
        bind.execute(update, changes[first : first + BLOCK])
    bind.execute(
        sa.text("UPDATE equiwarp_campaigns SET head = :head WHERE id = :id"), {"head": head, "id": campaign}
    )


def _leaves(bind: sa.Connection, campaign: int, events: list[dict[str, Any]]) -> dict[int, str]:
    """For each event, the digests of the experiments that nothing happened to since; gaps are dots."""
    experiments = sa.Table("equiwarp_experiments", sa.MetaData(), autoload_with=bind)
    found = bind.execute(sa.select(experiments).where(experiments.c.campaign == campaign)).mappings()
    digests = {row["number"]: row_digest(row) for row in found}
    return seal(events, digests)


def seal(events: list[dict[str, Any]], digests: Mapping[int, str]) -> dict[int, str]:
    """The digests that go to each event: those of the experiments that it was the last to change."""
    last = {
        number: event["id"]
        for event in events
        for number in numbers_of(event["number"], json.loads(event["detail"]))
    }
    found: dict[int, str] = {}
    for event in events:
        numbers = numbers_of(event["number"], json.loads(event["detail"]))
        parts = [digests.get(n, "." * 12) if last[n] == event["id"] else "." * 12 for n in numbers]
        if parts:
            found[event["id"]] = "".join(parts)
    return found
