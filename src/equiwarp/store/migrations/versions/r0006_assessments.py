"""What the last map of each campaign said, so that a summary need not fit it again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column(
        "equiwarp_campaigns", sa.Column("learned", sa.BigInteger, nullable=False, server_default="0")
    )
    op.create_table(
        "equiwarp_assessments",
        sa.Column("campaign", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("learned", sa.BigInteger, nullable=False),
        sa.Column("made", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
    )
