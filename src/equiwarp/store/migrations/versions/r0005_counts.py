"""Numbers of experiments that the database keeps up to date, and an index of leases.

A summary of a campaign then costs the same however many experiments it has. Triggers count, so that no way
of changing an experiment can forget to.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

#: What experiments are sorted by, of a row of theirs; ``{0}`` is its name or alias.
_SORT = "{0}.campaign, {0}.state, {0}.origin, {0}.inside, {0}.value IS NOT NULL"
_COLUMNS = "campaign, state, origin, inside, valued"
_TAKE_IN = (
    f"INSERT INTO equiwarp_counts ({_COLUMNS}, n) {{rows}} "
    f"ON CONFLICT ({_COLUMNS}) DO UPDATE SET n = equiwarp_counts.n + excluded.n"
)
# One row after the other. The condition of the source lets SQLite tell ON CONFLICT from the ON of a join.
_SQLITE = """
CREATE TRIGGER equiwarp_counts_{verb} AFTER {event} ON equiwarp_experiments BEGIN {work} END
"""
# One statement at a time: the same count changed thousands of times in one transaction would become slow.
_POSTGRES_FUNCTION = """
CREATE FUNCTION equiwarp_count_{verb}() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN {work}; RETURN NULL; END $$
"""
_POSTGRES_TRIGGER = """
CREATE TRIGGER equiwarp_counts_{verb} AFTER {verb} ON equiwarp_experiments REFERENCING {tables}
FOR EACH STATEMENT EXECUTE FUNCTION equiwarp_count_{verb}()
"""


def upgrade() -> None:
    op.create_table(
        "equiwarp_counts",
        sa.Column("campaign", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("state", sa.Text, primary_key=True),
        sa.Column("origin", sa.Text, primary_key=True),
        sa.Column("inside", sa.Boolean, primary_key=True),
        sa.Column("valued", sa.Boolean, primary_key=True),
        sa.Column("n", sa.BigInteger, nullable=False),
    )
    sort = _SORT.format("x")
    rows = f"SELECT {sort}, count(*) FROM equiwarp_experiments x WHERE true GROUP BY {sort}"
    op.execute(_TAKE_IN.format(rows=rows))
    held = sa.text("lease IS NOT NULL")
    op.create_index(
        "equiwarp_by_lease", "equiwarp_experiments", ["campaign", "lease"], sqlite_where=held,
        postgresql_where=held,
    )  # fmt: skip
    (_sqlite if op.get_bind().dialect.name == "sqlite" else _postgres)()


def _sqlite() -> None:
    def counted(row: str, change: int) -> str:
        return _TAKE_IN.format(rows=f"SELECT {_SORT.format(row)}, {change} WHERE true") + ";"

    more, fewer = counted("NEW", 1), counted("OLD", -1)
    for event, work in (
        ("INSERT", more),
        ("DELETE", fewer),
        ("UPDATE OF campaign, state, origin, inside, value", fewer + more),
    ):
        op.execute(_SQLITE.format(verb=event.partition(" ")[0], event=event, work=work))


def _postgres() -> None:
    def summed(*parts: tuple[str, str]) -> str:
        rows = " UNION ALL ".join(
            f"SELECT {_SORT.format(table)} AS valued, {change} AS n FROM {table}" for table, change in parts
        )
        found = f"SELECT {_COLUMNS}, sum(n) FROM ({rows}) AS both_rows GROUP BY {_COLUMNS} HAVING sum(n) <> 0"
        return _TAKE_IN.format(rows=found)

    new, old = ("new_rows", "1"), ("old_rows", "-1")
    for verb, parts, tables in (
        ("INSERT", (new,), "NEW TABLE AS new_rows"),
        ("DELETE", (old,), "OLD TABLE AS old_rows"),
        ("UPDATE", (old, new), "OLD TABLE AS old_rows NEW TABLE AS new_rows"),
    ):
        op.execute(_POSTGRES_FUNCTION.format(verb=verb, work=summed(*parts)))
        op.execute(_POSTGRES_TRIGGER.format(verb=verb, tables=tables))
