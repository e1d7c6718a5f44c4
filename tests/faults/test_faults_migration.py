"""An older store is copied and migrated; a newer one is refused; a killed migration is done again."""

from __future__ import annotations

import signal
import sqlite3

import fault_actions as act
import pytest
from alembic import command
from sqlalchemy import text

import equiwarp as ew
from equiwarp.exceptions import StoreNewer
from equiwarp.store import Store, doctor, migrate
from equiwarp.store.engine import connect, locate

DOMAIN = """{"type": "box", "parameters": [{"name": "temperature", "low": 20.0, "high": 90.0},
{"name": "pH", "low": 3.0, "high": 9.0}]}"""
SETTINGS = """{"name": "furnace", "responses": [{"name": "value", "unit": "", "noise": null}],
"strategy": "fps", "n0": 4, "seed": 0, "settled": true}"""


def make_old(store: str) -> None:
    """A store as the first schema left it, with one campaign and one measured experiment."""
    url, file = locate(store)
    engine = connect(url, file)
    if file is not None:
        with sqlite3.connect(file) as raw:
            raw.execute("PRAGMA journal_mode = WAL")
        raw.close()
    with engine.execution_options(writing=True).begin() as connection:
        config = migrate._config()
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        old = "'2026-01-01T00:00:00.000000+00:00'"
        statements = (
            "INSERT INTO equiwarp_campaigns "
            "(name, created, domain, settings, asks, numbers, sequence, version) "
            f"VALUES ('furnace', {old}, '{DOMAIN}', '{SETTINGS}', 1, 1, 1, 2)",
            "INSERT INTO equiwarp_experiments VALUES (1, 1, 'done', 'sequence', true, '[30.0, 4.0]', 'key', "
            f"'key', 0, 0, '[2.5]', NULL, NULL, NULL, {old}, {old})",
            "INSERT INTO equiwarp_events (campaign, number, at, who, what, detail) "
            f"VALUES (1, 1, {old}, 'ann', 'asked', '{{}}'), (1, 1, {old}, 'ann', 'told', '{{}}')",
        )
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def schema_of(store: str) -> str | None:
    url, file = locate(store)
    engine = connect(url, file)
    with engine.connect() as connection:
        found = migrate.version(connection)
    engine.dispose()
    return found


@pytest.mark.parametrize("step", ["migrate:copied", "migrate:half", "migrate:done"])
def test_an_interrupted_migration_leaves_the_old_schema_and_is_done_again(store, step, start):
    make_old(store)
    child = start(act.open_and_die, store, step)
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert schema_of(store) == "0001"
    with ew.Campaign("furnace", store=store) as campaign:
        assert campaign.experiment(1).value == 2.5
        assert schema_of(store) == migrate.revisions()[-1]
        campaign.tell(campaign.ask()[0].id, 1.0)
    assert doctor(store).ok, str(doctor(store))


def test_a_migration_killed_after_its_commit_is_done(store, start):
    make_old(store)
    child = start(act.open_and_die, store, "migrate:committed")
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert schema_of(store) == migrate.revisions()[-1]
    opened = Store(store)
    assert opened.backup is None, "it was migrated twice"
    opened.close()
    with ew.Campaign("furnace", store=store) as campaign:
        assert campaign.experiment(1).value == 2.5
        campaign.tell(campaign.ask()[0].id, 1.0)
    assert doctor(store).ok, str(doctor(store))


def test_the_copy_made_before_a_migration_is_the_old_store(store):
    make_old(store)
    opened = Store(store)
    if opened.file is not None:
        assert schema_of(str(opened.backup)) == "0001"
        assert doctor(opened.backup).ok
    else:
        statement = text(f'SELECT value FROM "{opened.backup}".equiwarp_experiments')
        with opened.engine.connect() as connection:
            assert connection.execute(statement).scalar_one() == "[2.5]"
    opened.close()
    assert Store(store).backup is None


def test_a_newer_schema_is_refused_and_left_alone(store):
    ew.Campaign("furnace", act.BOX, store=store).close()
    opened = Store(store)
    with opened.engine.begin() as connection:
        connection.execute(text("UPDATE equiwarp_schema SET version_num = '9999'"))
    opened.close()
    with pytest.raises(StoreNewer, match=r"schema 9999.*upgrade equiwarp"):
        ew.Campaign("furnace", store=store)
    assert schema_of(store) == "9999"
    assert not doctor(store).ok


def test_events_cannot_be_changed_even_by_hand(store):
    from sqlalchemy.exc import DBAPIError

    ew.Campaign("furnace", act.BOX, store=store).close()
    opened = Store(store)
    for statement in ("UPDATE equiwarp_events SET who = 'nobody'", "DELETE FROM equiwarp_events"):
        with pytest.raises(DBAPIError, match="append-only"), opened.engine.begin() as connection:
            connection.execute(text(statement))
    opened.close()


def test_the_tables_in_the_code_are_those_that_the_migrations_make(store):
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    from equiwarp.store import schema

    opened = Store(store)

    def differences(connection):
        context = MigrationContext.configure(connection, opts={"version_table": schema.VERSION_TABLE})
        return compare_metadata(context, schema.metadata)

    with opened.engine.connect() as connection:
        assert differences(connection) == []
    opened.close()
