"""What is known of schemas without Alembic is what Alembic knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from equiwarp.store import migrate
from equiwarp.store.schema import VERSION_TABLE


def test_the_names_of_the_steps_are_their_versions():
    steps = ScriptDirectory.from_config(migrate._config()).walk_revisions()
    assert migrate.revisions() == tuple(sorted(step.revision for step in steps))
    assert migrate.revisions()[0] == "0001"


@pytest.mark.parametrize("revision", [None, *migrate.revisions()])
def test_the_version_of_a_store_is_the_one_that_was_written(tmp_path: Path, revision: str | None):
    engine = create_engine(f"sqlite:///{tmp_path / 'lab.db'}")
    if revision is not None:
        with engine.begin() as connection:
            migrate._to(connection, revision)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert context.get_current_revision() == revision
        assert migrate.version(connection) == revision
    engine.dispose()
