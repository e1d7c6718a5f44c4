"""What a PostgreSQL server answers besides yes: collisions, timeouts, refusals. And one view for readers."""

from __future__ import annotations

import threading

import fault_actions as act
import psycopg
import pytest

import equiwarp as ew
from equiwarp.campaign.exports import export_experiments
from equiwarp.exceptions import (
    StoreBusy,
    StoreCancelled,
    StoreMissing,
    StoreRefused,
    StoreTimeout,
    StoreUnsuitable,
)
from equiwarp.store import Actor, core, doctor, redacted

pytestmark = pytest.mark.postgres

#: Seconds after which something that never comes fails its test.
GUARD = 300


@pytest.fixture
def campaign(postgres):
    with ew.Campaign("furnace", act.BOX, store=postgres.database(), strategy="random") as made:
        made.ask(4)
        yield made


@pytest.fixture
def other(campaign):
    url = campaign.store.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with ew.Campaign("furnace", store=url) as made:
        yield made


def test_all_that_is_read_in_one_go_is_of_one_moment(campaign, other):
    seen = []

    def look(transaction):
        for number in (1, 2, 3):
            seen.append((transaction.look().version, transaction.counts().states["done"]))
            other.tell(number, 1.0)

    campaign._context.store.read(look)
    assert len(set(seen)) == 1
    assert campaign.status().counts["done"] == 3


def test_an_export_names_the_responses_of_the_moment_it_shows(campaign, other, monkeypatch):
    """Before the first value, nobody knows how many responses there are."""
    look = type(campaign)._record

    def told_meanwhile(self):
        other.tell(1, [1.0, 2.0])
        return look(self)

    monkeypatch.setattr(type(campaign), "_record", told_meanwhile)
    export = export_experiments(campaign)
    assert [c for c in export.columns if c.startswith("value")] == ["value"]


def sql(transaction, statement):
    return transaction._connection.exec_driver_sql(statement)


def test_a_deadlock_is_resolved_and_both_go_on(campaign, other):
    ew.Campaign("second", act.BOX, store=campaign.store)
    both, through = threading.Barrier(2, timeout=GUARD), threading.Event()
    tries, found = [], []

    def work(first, second):
        def take(transaction):
            tries.append(first)
            if len(tries) > 2:  # who lost; at once, they could be in the winner's way a second time
                assert through.wait(GUARD), "the other one did not go on"
            transaction.of(Actor(first, "ann")).take()
            if len(tries) <= 2:
                both.wait()
            transaction.of(Actor(second, "ann")).take()
            return first

        return take

    def write(store, first, second):
        found.append(store.write(work(first, second)))
        through.set()

    thread = threading.Thread(target=write, args=(other.store, 2, 1))
    thread.start()
    write(campaign.store, 1, 2)
    thread.join()
    assert sorted(found) == [1, 2]
    assert sorted(tries.count(first) for first in (1, 2)) == [1, 2], "one of them is in the other's way, once"


def test_a_serialization_failure_is_tried_again(campaign):
    tries = []

    def work(transaction):
        tries.append(None)
        if len(tries) < 3:
            sql(transaction, "DO $$ BEGIN RAISE EXCEPTION 'no order' USING ERRCODE = '40001'; END $$")
        return "done"

    assert campaign.store.write(work) == "done"
    assert len(tries) == 3


def test_a_statement_that_takes_too_long_has_a_name(campaign):
    def work(transaction):
        sql(transaction, "SET LOCAL statement_timeout = '20ms'")
        sql(transaction, "SELECT pg_sleep(60)")

    with pytest.raises(StoreTimeout, match="longer than the server allows"):
        campaign.store.write(work)


def test_a_transaction_that_idles_too_long_has_the_same_name(campaign):
    tries = []

    def work(transaction):
        tries.append(None)
        me = sql(transaction, "SELECT pg_backend_pid()").scalar_one()
        sql(transaction, "SET LOCAL idle_in_transaction_session_timeout = '20ms'")
        with psycopg.connect(_url(campaign), autocommit=True) as watching:
            alive = f"SELECT count(*) FROM pg_stat_activity WHERE pid = {me}"
            while watching.execute(alive).fetchone()[0]:
                pass
        sql(transaction, "SELECT 1")

    with pytest.raises(StoreTimeout):
        campaign.store.write(work)
    assert len(tries) == 1  # the connection is gone, and yet to try again would end in the same way


def _url(campaign):
    return campaign.store.url.set(drivername="postgresql").render_as_string(hide_password=False)


def test_a_cancelled_statement_has_a_name(campaign):
    def work(transaction):
        me = sql(transaction, "SELECT pg_backend_pid()").scalar_one()
        with psycopg.connect(_url(campaign), autocommit=True) as killer:
            stop = threading.Thread(target=_cancel, args=(killer, me))
            stop.start()
            try:
                sql(transaction, "SELECT pg_sleep(60)")
            finally:
                stop.join()

    with pytest.raises(StoreCancelled, match="cancelled"):
        campaign.store.write(work)


def _cancel(killer, process):
    busy = (
        f"SELECT state = 'active' AND query LIKE '%%pg_sleep%%' FROM pg_stat_activity WHERE pid = {process}"
    )
    while not killer.execute(busy.replace("%%", "%")).fetchone()[0]:
        pass
    killer.execute(f"SELECT pg_cancel_backend({process})")


# Refusals: at once, in words


@pytest.fixture(scope="module")
def guarded(postgres):
    """A user who needs a password, and a database with room for one connection."""
    rules = postgres.folder / "data" / "pg_hba.conf"
    rules.write_text("host all guest 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN PASSWORD 'secret' CONNECTION LIMIT 1")
    postgres.control("reload")
    return f"127.0.0.1:{postgres.port}"


@pytest.fixture
def impatient(monkeypatch):
    """Whoever waits for a server fails at once: no refusal may be waited for."""

    def no_waiting(_seconds):
        raise AssertionError("waited for a server that had answered")

    monkeypatch.setattr(core.time, "sleep", no_waiting)


@pytest.mark.parametrize(
    ("url", "error", "says"),
    [
        ("postgresql://guest:wrong@{server}/postgres", StoreRefused, "password"),
        ("postgresql://{server}/postgres?user=guest&password=wrong", StoreRefused, "password"),
        ("postgresql://guest@{server}/postgres", StoreRefused, "password"),
        ("postgresql://nobody@{server}/postgres", StoreRefused, "no such user"),
        ("postgresql://lab@{server}/nowhere", StoreMissing, "no such database"),
    ],
)
def test_a_server_that_refuses_is_believed_at_once(guarded, impatient, url, error, says):
    with pytest.raises(error, match=says) as caught:
        ew.Campaign("furnace", act.BOX, store=url.format(server=guarded))
    assert "does not answer" not in str(caught.value)
    assert "wrong" not in str(caught.value)
    assert "wrong" not in str(doctor(url.format(server=guarded)))


def test_the_connection_limit_is_named(guarded, impatient):
    url = f"postgresql://guest:secret@{guarded}/postgres"
    with psycopg.connect(url), pytest.raises(StoreBusy, match="connection limit"):
        ew.Campaign("furnace", act.BOX, store=url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://lab:secret@host:port/lab",
        "postgresql://lab:secret@host:99999/lab",
        "postgresql://lab:se/cret@host:port/lab",
        "postgresql://host:port/lab?password=secret&user=lab",
        "mysql://lab:secret@host/lab",
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_its_password(url):
    with pytest.raises(StoreUnsuitable) as caught:
        ew.Campaign("furnace", act.BOX, store=url)
    assert "secret" not in str(caught.value)
    assert "cret" not in str(caught.value)


def test_a_password_is_left_out_of_every_name(postgres):
    url = f"postgresql://127.0.0.1:{postgres.port}/postgres?user=lab&password=secret&sslpassword=secret"
    with ew.Campaign("named", act.BOX, store=url) as campaign:
        assert "secret" not in repr(campaign)
        assert "secret" not in campaign.status().store
        assert "user=lab" in campaign.store.name
    assert "secret" not in str(doctor(url))
    assert redacted("postgresql://lab:secret@host/x") == "postgresql://lab:***@host/x"
    assert redacted("lab.db") == "lab.db"


def test_a_campaign_moves_between_sqlite_and_postgresql_and_back(postgres, tmp_path):
    from equiwarp.store import transfer

    def shown(store):
        with ew.Campaign("furnace", store=store) as c:
            return (
                [vars(e) for e in c.experiments()],
                [{**vars(e), "id": 0} for e in c.events()],
                c.preview(1),
                c.status().assessment,
            )

    here, server, back = tmp_path / "lab.db", postgres.database(), tmp_path / "back.db"
    with ew.Campaign("furnace", act.BOX, store=here, strategy="fps", n0=2) as campaign:
        for e in campaign.ask(4)[:3]:
            campaign.tell(e.id, 1 / 3)
        campaign.add([[30.0, 4.0]], [3.0])
        assert campaign.assess() == campaign.status().assessment
    assert transfer.restore(here, server) is None
    assert doctor(server).ok, str(doctor(server))
    transfer.backup(server, back)
    assert shown(back) == shown(server) == shown(here)
    with ew.Campaign("furnace", store=server) as campaign:
        campaign.tell(4, 2.0)
        assert not campaign.status().assessment.current
        assert campaign.assess() == campaign.status().assessment
    assert doctor(server).ok
