"""Where a store may be, and how its errors read."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.exceptions import StoreBusy, StoreError, StoreUnsuitable
from equiwarp.store import Actor, Store, doctor, health, place
from equiwarp.store.errors import translate

MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
fileserver:/lab /mnt/lab nfs4 rw 0 0
/dev/sdb1 /mnt/lab/local xfs rw 0 0
//pc/share /mnt/my\\040share cifs rw 0 0
ann@pc:/data /home/ann/remote fuse.sshfs rw 0 0
broken line
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/mnt/lab/furnace.db", "nfs4"),
        ("/mnt/my share/furnace.db", "cifs"),
        ("/home/ann/remote/a/b.db", "fuse.sshfs"),
    ],
)
def test_network_shares_are_refused_with_the_reason(path, kind):
    with pytest.raises(StoreUnsuitable, match=rf"network share \({kind} at .*PostgreSQL"):
        place.require_local(Path(path), MOUNTS)


@pytest.mark.parametrize("path", ["/mnt/lab/local/x.db", "/mnt/laboratory/x.db", "/home/ann/x.db", "/x.db"])
def test_local_disks_are_accepted_also_below_and_beside_a_share(path):
    place.require_local(Path(path), MOUNTS)


def test_the_file_system_of_this_folder_is_known(tmp_path):
    if not place.MOUNTS.exists():
        pytest.skip("this system has no /proc/mounts")
    point, kind = place.file_system(tmp_path, place.MOUNTS.read_text())
    assert str(tmp_path).startswith(point)
    assert kind != "unknown"


def test_sqlite_is_set_up_to_keep_what_it_confirms(tmp_path):
    store = Store(tmp_path / "lab.db")

    def pragma(name):
        with store.engine.connect() as connection:
            return connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()

    assert pragma("journal_mode") == "wal"
    assert pragma("synchronous") == 2
    assert pragma("busy_timeout") == 30_000
    store.close()


def test_a_writer_holds_the_lock_from_its_first_statement(tmp_path):
    store = Store(tmp_path / "lab.db")

    def second_writer(_transaction):
        other = sqlite3.connect(tmp_path / "lab.db", timeout=0.05)
        try:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("BEGIN IMMEDIATE")
        finally:
            other.close()

    store.write(second_writer)
    store.close()


def test_work_that_fails_leaves_nothing(tmp_path):
    with ew.Campaign("c", ew.Box.unit(1), store=tmp_path / "lab.db") as campaign:

        def work(transaction):
            transaction.of(Actor(transaction.find("c").id, "ann")).set_asks(99)
            raise RuntimeError("in the middle")

        with pytest.raises(RuntimeError, match="in the middle"):
            campaign.store.write(work)
        assert campaign.status().asks == 0


def test_drivers_messages_become_ours():
    busy = translate(sqlite3.OperationalError("database is locked"), "lab.db")
    assert isinstance(busy, StoreBusy)
    assert str(busy).startswith("lab.db: another process")
    other = translate(sqlite3.OperationalError("something new\nin two lines"), "lab.db")
    assert type(other) is StoreError
    assert str(other) == "lab.db: something new"


@pytest.mark.parametrize("name", ["my lab.db", "90%.db", "what?.db", "a#b.db", "é.db", "-wal"])
def test_any_file_name_will_do(tmp_path, name):
    path = tmp_path / name
    with ew.Campaign("c", ew.Box.unit(1), store=path, strategy="random") as campaign:
        campaign.tell(campaign.ask()[0].id, 1.0)
    assert [p.name for p in tmp_path.iterdir()] == [name]
    report = doctor(path)
    assert [f.level for f in report.findings] == ["ok"] * len(report.findings)
    assert place.read_only(path).count("?") == 1


def test_doctor_on_what_is_not_there(tmp_path):
    report = doctor(tmp_path / "none.db")
    assert not report.ok
    assert "does not exist" in str(report)
    with sqlite3.connect(tmp_path / "other.db") as raw:
        raw.execute("CREATE TABLE mine (x)")
    raw.close()
    assert "no campaigns here" in str(doctor(tmp_path / "other.db"))


def test_doctor_speaks_of_stale_experiments(tmp_path, monkeypatch):
    from datetime import timedelta

    campaign = ew.Campaign("c", ew.Box.unit(1), store=tmp_path / "lab.db")
    campaign.ask()
    monkeypatch.setattr(health, "STALE", timedelta(0))
    report = doctor(tmp_path / "lab.db")
    assert report.ok
    assert "equiwarp release" in str(report)
    campaign.close()


def test_importing_the_package_does_not_import_the_database():
    code = "import sys, equiwarp; equiwarp.Box; print('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("good", [True, False])
def test_a_large_table_is_accepted_whole_or_refused_whole(tmp_path, good):
    """More rows than one statement takes; a million go the same way and take longer."""
    rows = 25_000
    box = ew.Box.unit(2)
    campaign = ew.Campaign("c", box, store=tmp_path / "lab.db", strategy="fps", n0=1)
    x = np.random.default_rng(0).random((rows, 2))
    y = x.sum(axis=1)
    if good:
        assert len(campaign.add(x, y)) == rows
        assert campaign.status().counts["done"] == rows
        suggestion = campaign.ask()[0]
        assert f"{rows} measurements" in str(suggestion.why)
    else:
        y[-1] = np.nan
        with pytest.raises(ValueError, match=f"row {rows - 1}"):
            campaign.add(x, y)
        assert campaign.status().counts["done"] == 0
    campaign.close()
