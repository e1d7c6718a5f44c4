"""Files that are cut, locked away, or have no room to grow."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

import fault_actions as act
import pytest

import equiwarp as ew
from equiwarp.exceptions import StoreDamaged, StoreMissing
from equiwarp.store import doctor


def _filled(path: Path, rounds: int = 3) -> Path:
    with ew.Campaign("furnace", act.BOX, store=path, strategy="random") as campaign:
        for experiment in campaign.ask(rounds):
            campaign.tell(experiment.id, float(experiment.id))
    return path


@pytest.mark.parametrize("share", [0.9, 0.5, 0.05, 0.0005, 0.0])
def test_a_truncated_file_is_refused_with_the_remedy(tmp_path, share):
    path = _filled(tmp_path / "lab.db")
    whole = path.read_bytes()
    os.truncate(path, int(share * len(whole)))
    with pytest.raises(StoreDamaged, match=r"good copy|not a SQLite file"):
        ew.Campaign("furnace", store=path)
    report = doctor(path)
    assert not report.ok
    assert "NOT SOUND" in str(report)
    path.write_bytes(whole)
    assert ew.Campaign("furnace", store=path).status().counts["done"] == 3


def test_a_page_of_rubbish_is_found(tmp_path):
    path = _filled(tmp_path / "lab.db", 60)
    content = bytearray(path.read_bytes())
    content[8192:] = os.urandom(len(content) - 8192)
    path.write_bytes(content)
    assert not doctor(path).ok
    with pytest.raises(StoreDamaged, match="equiwarp doctor"):
        ew.Campaign("furnace", store=path).experiments()


def test_another_file_is_not_taken_for_a_store(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("temperature, pH\n" * 50)
    with pytest.raises(StoreDamaged, match="not a SQLite file"):
        ew.Campaign("furnace", act.BOX, store=path)
    assert path.read_text().startswith("temperature")
    with pytest.raises(StoreMissing, match="is a folder"):
        ew.Campaign("furnace", act.BOX, store=tmp_path)
    with pytest.raises(StoreMissing, match="does not exist"):
        ew.Campaign("furnace", act.BOX, store=tmp_path / "no" / "lab.db")


@pytest.mark.parametrize("folder_too", [False, True])
def test_a_read_only_store_can_be_looked_at_and_says_that_it_is_read_only(start, folder_too):
    folder = Path(tempfile.mkdtemp(prefix="equiwarp-readonly-"))
    acks = folder.with_name(folder.name + "-acks")
    acks.touch()
    acks.chmod(0o666)
    try:
        path = _filled(folder / "lab.db")
        path.chmod(0o444)
        folder.chmod(0o555 if folder_too else 0o777)
        child = start(act.try_as_nobody, str(path), acks)
        child.join()
        assert child.exitcode == 0
        looked, *errors = act.Acknowledged(acks).read()
        assert looked == ["looked", 3, 7, 2]
        assert [error[:2] for error in errors] == [["error", "StoreReadOnly"]] * 2
        assert all("permissions" in error[2] for error in errors)
        assert doctor(path).ok
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
        acks.unlink()


def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path, start):
    path, acks = tmp_path / "lab.db", tmp_path / "acks"
    with ew.Campaign("furnace", act.BOX, store=path, strategy="random") as campaign:
        campaign.ask(200)
    child = start(act.tell_until_full, str(path), acks, 40_000)
    child.join()
    assert child.exitcode == 0
    said = act.Acknowledged(acks).read()
    errors = [entry for entry in said if entry[0] == "error"]
    assert len(errors) == 1
    assert errors[0][1] == "StoreFull"
    assert "make room" in errors[0][2]
    told = {entry[1] for entry in said if entry[0] == "told"}
    assert len(told) > 3
    campaign = ew.Campaign("furnace", store=path)
    assert {e.id for e in campaign.experiments("failed")} == told
    assert doctor(path).ok, str(doctor(path))


def test_doctor_finds_what_was_changed_by_hand(tmp_path):
    path = _filled(tmp_path / "lab.db")
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE equiwarp_experiments SET state = 'abandoned' WHERE number = 2")
    raw.close()
    report = doctor(path)
    assert not report.ok
    assert "experiment 2 is abandoned, its last event is told" in str(report)
    with sqlite3.connect(path) as raw:
        raw.execute("DELETE FROM equiwarp_experiments WHERE number = 2")
    raw.close()
    assert "belong to no experiment" in str(doctor(path))
