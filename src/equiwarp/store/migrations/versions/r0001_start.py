"""Campaigns, experiments and events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "equiwarp_campaigns",
        sa.Column("id", serial, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("domain", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("asks", sa.BigInteger, nullable=False),
        sa.Column("numbers", sa.BigInteger, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "equiwarp_experiments",
        sa.Column("campaign", serial, sa.ForeignKey("equiwarp_campaigns.id"), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("inside", sa.Boolean, nullable=False),
        sa.Column("point", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("claim", sa.Text),
        sa.Column("ask", sa.BigInteger),
        sa.Column("place", sa.BigInteger),
        sa.Column("value", sa.Text),
        sa.Column("noise", sa.Text),
        sa.Column("why", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("changed", sa.Text, nullable=False),
        sa.UniqueConstraint("campaign", "claim", name="equiwarp_one_claim"),
        sa.UniqueConstraint("campaign", "ask", "place", name="equiwarp_one_place"),
    )
    op.create_index("equiwarp_by_key", "equiwarp_experiments", ["campaign", "key"])
    op.create_index("equiwarp_by_state", "equiwarp_experiments", ["campaign", "state"])
    op.create_table(
        "equiwarp_events",
        sa.Column("id", serial, primary_key=True),
        sa.Column("campaign", serial, sa.ForeignKey("equiwarp_campaigns.id"), nullable=False),
        sa.Column("number", sa.BigInteger),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
