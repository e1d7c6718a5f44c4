"""What is known of an experiment beside its values, leases, and editions of a campaign's description."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("equiwarp_experiments", sa.Column("about", sa.Text))
    op.add_column("equiwarp_experiments", sa.Column("lease", sa.Text))
    op.add_column(
        "equiwarp_campaigns", sa.Column("edition", sa.BigInteger, nullable=False, server_default="0")
    )
