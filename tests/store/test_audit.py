"""What was changed behind our back is found: values, points, descriptions, events, and a lost log."""

from __future__ import annotations

import os
import shutil
import sqlite3
import warnings

import pytest

import equiwarp as ew
from equiwarp.exceptions import StoreDamaged
from equiwarp.store import chain, doctor

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


@pytest.fixture
def path(tmp_path):
    """Experiments of every kind: told, amended, failed, released, pending, added, added and amended."""
    path = tmp_path / "lab.db"
    with ew.Campaign("furnace", BOX, store=path, strategy="random") as c:
        c.ask(4)
        c.tell(1, 1.5, 0.1)
        c.tell(2, 2.5)
        c.amend(2, 2.75, reason="read the wrong column")
        c.tell_failed(3, "tripped")
        c.release()
        c.ask(2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            c.add([[30, 4], [40, 5], [200, 5]], [7.0, 8.0, 9.0])
        c.amend(8, 8.5)
    return path


def by_hand(path, statement):
    raw = sqlite3.connect(path)
    with raw:
        raw.execute(statement)
    raw.close()


def errors(path):
    return [f for f in doctor(path).findings if f.level == "error"]


def test_a_store_that_nobody_touched_is_sound_and_stays_as_it_is(path):
    assert errors(path) == []
    assert [p.name for p in path.parent.iterdir()] == ["lab.db"]
    assert {"chain", "rows", "campaigns"} <= {f.check for f in doctor(path).findings}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("value = '[1.25]' WHERE number = 1", r"experiment 1: its value is \[1.25\], its events say \[1.5\]"),
        ("noise = '[0.2]' WHERE number = 1", r"experiment 1: its noise is \[0.2\], its events say \[0.1\]"),
        ("value = '[2.5]' WHERE number = 2", r"experiment 2: its value is \[2.5\], its events say \[2.75\]"),
        ("point = '[21.0, 4.0]' WHERE number = 2", r"experiment 2: its point is \[21.0, 4.0\], its events"),
        ("reason = 'oops' WHERE number = 3", r"experiment 3: its reason is oops, its events say tripped"),
        ("value = '[7.5]' WHERE number = 7", r"experiment 7: in something that its events do not"),
        ("value = '[8.0]' WHERE number = 8", r"experiment 8: its value is \[8.0\], its events say \[8.5\]"),
        ("inside = 1 WHERE number = 9", "experiment 9"),
        ("key = 'elsewhere' WHERE number = 1", "experiment 1"),
        ("created = '2020' WHERE number = 5", "experiment 5"),
    ],
)
def test_a_row_that_was_changed_is_named_with_what_its_events_say(path, change, says):
    by_hand(path, f"UPDATE equiwarp_experiments SET {change}")
    report = doctor(path)
    assert not report.ok
    with pytest.raises(AssertionError, match=says):
        raise AssertionError(str(report))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE equiwarp_campaigns SET domain = replace(domain, '90', '95')", "domain differ"),
        ("UPDATE equiwarp_campaigns SET settings = replace(settings, 'random', 'fps')", "strategy differ"),
        ("UPDATE equiwarp_campaigns SET name = 'kiln'", "name differ"),
        ("UPDATE equiwarp_campaigns SET asks = 1", "counts 1 asks"),
        ("UPDATE equiwarp_campaigns SET numbers = 5", "has 9 experiments"),
    ],
)
def test_a_description_or_counter_that_was_changed_is_found(path, change, says):
    by_hand(path, change)
    assert says in str(doctor(path))
    assert not doctor(path).ok


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE equiwarp_events SET detail = replace(detail, '1.5', '1.25') WHERE id = 6",
        "UPDATE equiwarp_events SET who = 'nobody' WHERE id = 7",
        "UPDATE equiwarp_events SET at = '2020' WHERE id = 1",
        "UPDATE equiwarp_events SET chain = 'x' WHERE id = 2",
        "DELETE FROM equiwarp_events WHERE id = 7",
        "DELETE FROM equiwarp_events WHERE id = (SELECT max(id) FROM equiwarp_events)",
    ],
)
def test_an_event_that_was_changed_or_removed_is_found(path, change):
    for verb in ("UPDATE", "DELETE"):
        by_hand(path, f"DROP TRIGGER equiwarp_events_no_{verb}")
    by_hand(path, change)
    assert "chain" in [f.check for f in errors(path)]


def test_a_row_that_was_removed_or_slipped_in_is_found(path):
    by_hand(path, "DELETE FROM equiwarp_experiments WHERE number = 7")
    assert "has 8 experiments, its events speak of 9" in str(doctor(path))
    columns = "campaign, state, origin, inside, point, key, created, changed"
    by_hand(
        path,
        f"INSERT INTO equiwarp_experiments (number, {columns}) SELECT 7, {columns} FROM equiwarp_experiments "
        "WHERE number = 9",
    )
    assert "experiment 7" in str(doctor(path))


def test_a_digest_does_not_depend_on_columns_that_came_later_and_are_empty():
    row = {"number": 1, "state": "done", "ask": 0, "inside": False, "reason": None}
    later = {**row, "note": None, "attempts": 0, "hidden": False, "label": "", "campaign": 7}
    assert chain.row_digest(row) == chain.row_digest(later)
    assert chain.row_digest(row) != chain.row_digest({**row, "ask": None})
    assert chain.row_digest(row) != chain.row_digest({**later, "note": "ä"})


def test_the_digested_form_stays_as_it_is():
    """Other digests would make every older store look damaged."""
    row = {"number": 3, "state": "done", "inside": True, "point": "[0.5]", "value": "[1.25]", "reason": "ä"}
    event = {"number": 3, "at": "t", "who": "ann", "what": "told", "detail": "{}", "leaves": None, "id": 9}
    assert chain.row_digest(row) == "dx3P4VYRy1ad"
    assert chain.event_digest(None, event) == "9cb746196235b4c3e80591e138538f09"
    assert chain.event_digest("0" * 32, event) == "3f0a80972afe57678faa5d06399e3435"


# The log


@pytest.fixture
def crashed(tmp_path):
    """The files of a store whose program ended without closing it: a few values are in the log only."""
    place = tmp_path / "crashed"
    place.mkdir()
    with ew.Campaign("furnace", BOX, store=tmp_path / "lab.db", strategy="random") as c:
        c.ask(6)
        c.close()  # up to here, all is in the file itself
        for number in range(1, 6):
            c.tell(number, float(number))
        for file in tmp_path.glob("lab.db*"):
            shutil.copy(file, place / file.name)
    return place / "lab.db"


def log(path):
    return path.with_name(path.name + "-wal")


def lose(path):
    log(path).unlink()


def cut(path):
    os.truncate(log(path), log(path).stat().st_size * 2 // 3)


def flip(path):
    content = bytearray(log(path).read_bytes())
    content[len(content) // 2] ^= 0x10
    log(path).write_bytes(content)


def test_after_a_crash_everything_acknowledged_is_there(crashed):
    assert errors(crashed) == []
    with ew.Campaign("furnace", store=crashed) as c:
        assert c.status().counts["done"] == 5
        c.tell(6, 6.0)
    assert sorted(p.name for p in crashed.parent.iterdir()) == ["lab.db"]


def test_what_is_acknowledged_is_forced_to_the_disk_before_anybody_hears_of_it(tmp_path, monkeypatch):
    forced = []

    def noted(handle):
        forced.append(os.pread(handle, 200, 0))

    with ew.Campaign("c", ew.Box({"a": (0, 1)}), store=tmp_path / "lab.db", n0=4) as c:
        monkeypatch.setattr(os, "fsync", noted)  # the database forces its own files by itself
        c.ask(2)
        monkeypatch.undo()
        assert forced == [(tmp_path / "lab.db-ack").read_bytes()]
        assert int(forced[0].split()[1]) == c.events()[-1].id


@pytest.mark.parametrize("damage", [lose, cut, flip])
def test_a_log_that_lost_acknowledged_work_is_noticed(crashed, damage):
    damage(crashed)
    report = doctor(crashed)
    assert [f.check for f in report.findings if f.level == "error"] == ["acknowledged"]
    assert "changes up to event 12 were acknowledged, and the store ends with event" in str(report)
    with pytest.raises(StoreDamaged, match=r"lab\.db-wal was lost or damaged.*deleting lab\.db-ack"):
        ew.Campaign("furnace", store=crashed)
    assert damage is lose or log(crashed).stat().st_size > 0, "what is left of the log may still be needed"
    crashed.with_name("lab.db-ack").unlink()  # as the message says
    with ew.Campaign("furnace", store=crashed) as c:
        assert c.status().counts["done"] < 5
        c.tell(5, 5.0)
    assert doctor(crashed).ok


def test_another_history_is_not_continued(crashed, tmp_path):
    """An older copy, continued elsewhere, put beside the note of what was acknowledged here."""
    other = tmp_path / "other.db"
    shutil.copy(crashed, other)
    with ew.Campaign("furnace", store=other) as c:
        for number in range(1, 7):
            c.tell(number, -1.0)
    log(crashed).unlink()
    crashed.with_name("lab.db-shm").unlink()
    shutil.copy(other, crashed)
    with pytest.raises(StoreDamaged, match="event 12 is not the one that was acknowledged"):
        ew.Campaign("furnace", store=crashed)


@pytest.mark.parametrize("noticed", [True, False])
def test_an_older_copy_written_over_the_open_file_shows_nothing_and_the_note_stays(path, tmp_path, noticed):
    """As ``cp`` does it: the file is still the same one, with another content."""
    older = shutil.copy(path, tmp_path / "older.db")
    c = ew.Campaign("furnace", store=path)
    c.tell(c.ask()[0].id, 7.0)
    by_hand(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    path.write_bytes(older.read_bytes())
    if noticed:
        for verb in (c.status, c.ask):
            with pytest.raises(StoreDamaged, match="the rest is lost"):
                verb()
    c.close()
    with pytest.raises(StoreDamaged, match="the rest is lost"):
        ew.Campaign("furnace", store=path)


def test_a_program_that_is_open_notices_too(crashed):
    with ew.Campaign("furnace", store=crashed) as c:
        note = crashed.with_name("lab.db-ack")
        note.write_text(note.read_text().replace("12", "99"))
        with pytest.raises(StoreDamaged, match="up to event 99"):
            c.tell(6, 6.0)
        note.write_text("rubbish")
        assert c.tell(6, 6.0).value == 6.0
        assert "13" in note.read_text()
