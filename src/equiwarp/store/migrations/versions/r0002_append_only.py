"""Events can be added and read, never changed or deleted; repeated requests are recognised by a token."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from equiwarp.store.steps import reached

revision = "0002"
down_revision = "0001"

_SQLITE = """
CREATE TRIGGER equiwarp_events_no_{verb} BEFORE {verb} ON equiwarp_events
BEGIN SELECT RAISE(ABORT, 'equiwarp_events is append-only'); END
"""
_POSTGRES_FUNCTION = """
CREATE FUNCTION equiwarp_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'equiwarp_events is append-only'; END $$
"""
_POSTGRES_TRIGGER = """
CREATE TRIGGER equiwarp_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON equiwarp_events
FOR EACH STATEMENT EXECUTE FUNCTION equiwarp_append_only()
"""


def upgrade() -> None:
    op.add_column("equiwarp_events", sa.Column("token", sa.Text))
    op.create_index("equiwarp_one_token", "equiwarp_events", ["token"], unique=True)
    reached("migrate:half")
    op.create_index("equiwarp_by_experiment", "equiwarp_events", ["campaign", "number"])
    if op.get_bind().dialect.name != "sqlite":
        op.execute(_POSTGRES_FUNCTION)
    set_up(op.get_bind().dialect.name)


def set_up(dialect: str) -> None:
    """Events only grow from here on."""
    if dialect == "sqlite":
        op.execute(_SQLITE.format(verb="UPDATE"))
        op.execute(_SQLITE.format(verb="DELETE"))
    else:
        op.execute(_POSTGRES_TRIGGER)


def lift(dialect: str) -> None:
    """For a migration that fills in a new column of events."""
    if dialect == "sqlite":
        op.execute("DROP TRIGGER equiwarp_events_no_UPDATE")
        op.execute("DROP TRIGGER equiwarp_events_no_DELETE")
    else:
        op.execute("DROP TRIGGER equiwarp_events_append_only ON equiwarp_events")
