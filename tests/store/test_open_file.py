"""A file that goes away while it is open: nobody is told that something was kept that was not."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading

import pytest

import equiwarp as ew
from equiwarp.exceptions import StoreMoved
from equiwarp.store import doctor, steps

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lab.db"


@pytest.fixture
def campaign(path):
    with ew.Campaign("furnace", BOX, store=path, strategy="random") as made:
        for e in made.ask(3)[:2]:
            made.tell(e.id, float(e.id))
        yield made


def delete(path):
    path.unlink()


def delete_everything(path):
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def rename(path):
    path.rename(path.with_name("old.db"))


def replace(path):
    """By another store, as a restored copy would do."""
    with ew.Campaign("furnace", BOX, store=path.with_name("other.db")) as other:
        other.ask(3)
    os.replace(path.with_name("other.db"), path)


def delete_log(path):
    path.with_name("lab.db-wal").unlink()


def replace_log(path):
    log = path.with_name("lab.db-wal")
    shutil.copy(log, log.with_name("copy"))
    os.replace(log.with_name("copy"), log)


GOES = [delete, delete_everything, rename, replace, delete_log, replace_log]
SAYS = {
    "delete": "was deleted, or moved to another folder",
    "delete_everything": "was deleted, or moved to another folder",
    "rename": r"was renamed to old\.db",
    "replace": "another file was put in the place of",
    "delete_log": r"its log lab\.db-wal was deleted",
    "replace_log": r"its log lab\.db-wal was deleted, moved or replaced",
}


@pytest.mark.parametrize("goes", GOES)
def test_nothing_succeeds_into_a_file_that_is_gone(campaign, path, goes):
    goes(path)
    there = path.exists()
    verbs = [
        lambda: campaign.tell(3, 1.0),
        campaign.ask,
        lambda: campaign.add([[30.0, 4.0]], [1.0]),
        lambda: campaign.amend(1, 9.0),
        campaign.release,
        campaign.status,
    ]
    for verb in verbs:
        with pytest.raises(StoreMoved, match=SAYS[goes.__name__]) as caught:
            verb()
        assert "nothing was written" in str(caught.value)
    assert path.exists() == there, "an empty file was left at the path"


@pytest.mark.parametrize("goes", [delete, delete_everything, replace, delete_log])
def test_what_the_program_still_holds_can_be_saved(campaign, path, tmp_path, goes):
    goes(path)
    saved = campaign.store.save_copy(tmp_path / "saved.db")
    assert doctor(saved).ok
    with ew.Campaign("furnace", store=saved) as again:
        assert [e.value for e in again.experiments("done")] == [1.0, 2.0]
        assert again.tell(3, 3.0).value == 3.0


def test_a_file_that_goes_away_during_the_change_is_not_acknowledged(campaign, path, monkeypatch):
    monkeypatch.setattr(steps, "watchers", [lambda name: name == "tell:written" and path.unlink()])
    with pytest.raises(StoreMoved, match="the last change went with it"):
        campaign.tell(3, 1.0)


def test_a_file_put_back_is_the_same_again(campaign, path):
    moved = path.with_name("moved.db")
    path.rename(moved)
    with pytest.raises(StoreMoved):
        campaign.tell(3, 1.0)
    moved.rename(path)
    assert campaign.tell(3, 1.0).value == 1.0


def test_closing_and_opening_again_is_no_loss(campaign, path):
    campaign.close()  # SQLite puts the log away and makes another
    assert campaign.tell(3, 1.0).value == 1.0


def test_opening_a_store_a_second_time_keeps_the_locks_of_the_first(campaign, path):
    """POSIX gives up a process's locks on a file when it closes any descriptor of that file."""
    held = []

    def work(_transaction):
        with ew.Campaign("furnace", store=path) as second:
            second.status()
        doctor(path)
        held.append(_locked_for_others(path))

    campaign.store.write(work)
    assert held == [True]


def _locked_for_others(path):
    """Whether another process cannot begin to write."""
    code = (
        "import sqlite3, sys\n"
        "try:\n    sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')\n"
        "except sqlite3.OperationalError:\n    print('locked')"
    )
    import subprocess
    import sys

    return subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    ).stdout.startswith("locked")


def test_a_copy_made_with_vacuum_into_works_like_the_original(campaign, path, tmp_path):
    copy = tmp_path / "copy.db"
    with sqlite3.connect(path) as raw:
        raw.execute(f"VACUUM INTO '{copy}'")
    raw.close()
    with ew.Campaign("furnace", store=copy) as ours, ew.Campaign("furnace", store=copy) as theirs:
        seen = []

        def look(_transaction):
            reader = threading.Thread(target=lambda: seen.append(theirs.status().counts["done"]))
            reader.start()
            reader.join()

        ours.tell(3, 3.0)
        ours.store.write(look)  # readers do not wait for a writer
        assert seen == [3]
        assert doctor(copy).ok
        assert not [f for f in doctor(copy).findings if f.level == "warning"]
