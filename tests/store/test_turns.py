"""Writers of one file take turns in the order in which they came."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

import equiwarp as ew
from equiwarp.exceptions import StoreBusy
from equiwarp.store import core, turns
from equiwarp.store.turns import turn

fcntl = pytest.importorskip("fcntl", reason="this system has no such locks")
LOCKS = Path("/proc/locks")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "queue"


def waiting(path):
    """How many wait for the lock, as the kernel knows it."""
    inode = f":{path.stat().st_ino} "
    return sum("->" in line and inode in line for line in LOCKS.read_text().splitlines())


@pytest.mark.skipif(not LOCKS.exists(), reason="this system does not say who waits")
def test_who_came_first_is_first(path):
    order, threads = [], []

    def wait(name):
        with turn(path, 60):
            order.append(name)

    with turn(path, 60):
        for name in range(6):
            threads.append(threading.Thread(target=wait, args=(name,)))
            threads[-1].start()
            while waiting(path) <= name:
                pass
        assert order == []
    for thread in threads:
        thread.join()
    assert order == list(range(6))


def test_patience_ends_and_who_gave_up_is_not_in_the_way(path):
    with turn(path, 60), pytest.raises(StoreBusy, match="kept its turn to write"), turn(path, 0.01):
        pass
    with turn(path, 60):
        pass


def test_patience_is_for_one_turn_and_not_for_a_queue_that_moves(path, monkeypatch):
    """With many writers on a slow disk one waits for long, and nobody has kept a turn."""
    with turn(path, 60):
        os.utime(path, ns=(0, 0))
    with turn(path, 60):
        assert path.stat().st_mtime_ns > 0  # each turn leaves the moment at which it began
        moments = [4, 4, 3, 2, 1]
        monkeypatch.setattr(turns, "_begun", lambda handle: moments.pop())
        with pytest.raises(StoreBusy, match="kept its turn to write"), turn(path, 0.001):
            pass
    assert moments == []


def test_an_error_ends_the_turn(path):
    with pytest.raises(RuntimeError, match="oops"), turn(path, 60):
        raise RuntimeError("oops")
    with turn(path, 0):
        pass


def test_where_no_file_can_be_made_there_is_no_queue(tmp_path):
    with turn(tmp_path / "no folder" / "queue", 0), turn(tmp_path / "no folder" / "queue", 0):
        pass


def test_a_store_queues_beside_its_file(tmp_path, monkeypatch):
    with ew.Campaign("c", ew.Box.unit(1), store=tmp_path / "lab.db", strategy="random") as campaign:
        campaign.ask()
        monkeypatch.setattr(core, "PATIENCE", 0.01)
        handle = os.open(tmp_path / "lab.db-ack", os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            assert campaign.status().counts["pending"] == 1  # readers do not wait
            with pytest.raises(StoreBusy):
                campaign.tell(1, 1.0)
        finally:
            os.close(handle)
        assert campaign.tell(1, 1.0).value == 1.0
