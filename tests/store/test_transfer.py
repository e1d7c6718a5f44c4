"""Copies of stores and campaigns that move: whole, checked, and never in the way of what is there."""

from __future__ import annotations

import sqlite3

import pytest
from click.testing import CliRunner

import equiwarp as ew
from equiwarp.cli import main
from equiwarp.exceptions import InvalidInput, Mismatch, StoreDamaged, StoreMissing, StoreMoved
from equiwarp.store import doctor, transfer

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


def fill(store, name="furnace"):
    with ew.Campaign(name, BOX, store=store, strategy="fps", n0=3, seed=5) as c:
        for e in c.ask(5)[:4]:
            c.tell(e.id, e.point["pH"])
        c.amend(1, 7.5, reason="wrong column")
        c.tell_failed(5, "tripped")
        c.add([[30, 4], [40, 5]], [7.0, 8.0], noise=0.1)
        c.release()
    return store


def shown(store, name="furnace"):
    """All that a campaign says of itself, and what it would do next."""
    with ew.Campaign(name, store=store) as c:
        events = [{**vars(e), "id": 0} for e in c.events()]
        return [vars(e) for e in c.experiments()], events, c.preview(2), c.spec


@pytest.fixture
def path(tmp_path):
    return fill(tmp_path / "lab.db")


def test_a_backup_is_the_store_while_others_write(path, tmp_path):
    with ew.Campaign("furnace", store=path) as open_campaign:
        open_campaign.tell(open_campaign.ask()[0].id, 1.0)  # in the log only
        copy = transfer.backup(path, tmp_path / "copy.db")
        assert shown(copy) == shown(path)
        assert doctor(copy).ok
    with pytest.raises(InvalidInput, match="exists"):
        transfer.backup(path, tmp_path / "copy.db")
    with pytest.raises(StoreMissing):
        transfer.backup(tmp_path / "none.db")
    assert transfer.backup(path).parent == path.parent


def test_a_damaged_store_gives_no_backup_that_passes(path, tmp_path):
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE equiwarp_experiments SET value = '[9.0]' WHERE number = 2")
    raw.close()
    with pytest.raises(StoreDamaged, match="experiment 2: its value"):
        transfer.backup(path, tmp_path / "copy.db")


def test_a_restored_store_goes_on_and_the_former_is_kept(path, tmp_path):
    copy, before = transfer.backup(path, tmp_path / "copy.db"), shown(path)
    with ew.Campaign("furnace", store=path) as late:
        late.tell(late.ask()[0].id, 99.0)
        after = shown(path)
        with pytest.raises(InvalidInput, match="--force"):
            transfer.restore(copy, path)
        aside = transfer.restore(copy, path, force=True)
        with pytest.raises(StoreMoved):  # a program that still has the former one open
            late.ask()
    assert shown(path) == before
    assert shown(aside) == after
    assert doctor(path).ok
    assert transfer.restore(copy, tmp_path / "new.db") is None
    assert shown(tmp_path / "new.db") == before


def test_a_campaign_moves_with_all_its_history(path, tmp_path):
    fill(path, "second")
    file = transfer.archive(path, "furnace", tmp_path / "paper.db")
    assert ew.Campaign.names(file) == ["furnace"]
    other = fill(tmp_path / "other.db", "third")
    assert transfer.take_in(file, other) == ["furnace"]
    assert ew.Campaign.names(other) == ["third", "furnace"]
    assert shown(other) == shown(path) == shown(file)
    assert doctor(other).ok
    with ew.Campaign("furnace", store=other) as c, ew.Campaign("furnace", store=path) as original:
        assert [e.point for e in c.ask(2)] == [e.point for e in original.ask(2)]
    with pytest.raises(Mismatch, match="has a campaign 'furnace' already"):
        transfer.take_in(file, other)
    with pytest.raises(StoreMissing, match="no campaign 'fourth'"):
        transfer.archive(path, "fourth", tmp_path / "x.db")
    assert not (tmp_path / "x.db").exists()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_several_campaigns_are_taken_in_together_or_not_at_all(path, tmp_path):
    fill(path, "second")
    other = fill(tmp_path / "other.db", "second")
    with pytest.raises(Mismatch):
        transfer.take_in(path, other)
    assert ew.Campaign.names(other) == ["second"]


def test_what_is_not_what_its_events_say_is_not_taken_in(path, tmp_path, monkeypatch):
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE equiwarp_experiments SET point = '[21.0, 4.0]' WHERE number = 2")
    raw.close()
    for check in (True, False):  # refused by the first look at the file, and by the look at what arrived
        if not check:
            monkeypatch.setattr(transfer, "_require_sound", lambda _: None)
        with pytest.raises(StoreDamaged, match="experiment 2: its point"):
            transfer.take_in(path, tmp_path / "other.db")
    assert ew.Campaign.names(tmp_path / "other.db") == []


def run(*words):
    result = CliRunner().invoke(main, [str(word) for word in words])
    return result.exit_code, result.output


def test_the_commands_do_the_same(path, tmp_path):
    copy, paper = tmp_path / "copy.db", tmp_path / "paper.db"
    assert run("backup", copy, "--store", path) == (0, f"Wrote and checked {copy}.\n")
    code, said = run("verify", copy)
    assert (code, "sound" in said) == (0, True)
    code, said = run("restore", copy, "--store", path)
    assert code == 1
    assert "--force" in said
    code, said = run("restore", copy, "--store", path, "--force")
    assert code == 0
    assert "The former store is" in said
    assert run("archive", paper, "--store", path)[0] == 0
    assert run("import", paper, "--store", tmp_path / "new.db")[1].endswith("new.db: furnace.\n")
    copy.write_bytes(copy.read_bytes()[:5000])
    assert run("verify", copy)[0] == 4
    assert run("restore", copy, "--store", tmp_path / "x.db")[0] == 4
