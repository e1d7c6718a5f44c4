"""Every verb of the laboratory leaves events by which doctor calls the store sound, and finds a change."""

import sqlite3

import pytest

import equiwarp as ew
from equiwarp.store.health import doctor

BOX = ew.Box({"temp": (20, 90), "pH": (3, 9)})


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A store in which every verb was used."""
    path = tmp_path_factory.mktemp("audit") / "lab.db"
    responses = [ew.Response("yield", noise=0.1), ew.Response("purity")]
    described = {"responses": responses, "strategy": "random", "blocks": ["day"]}
    with ew.Campaign("oven", BOX, store=path, **described) as c:
        c.ask(5, key="monday", order="random", block={"day": "Monday"})
        c.ask(1, fixed={"temp": 40})
        c.tell(1, {"yield": 1.5})
        c.tell(1, {"purity": "<0.5"}, sample="A1")
        c.tell(2, [2.5, 0.9], at={"temp": 41.0}, block={"day": "Tuesday"})
        c.amend(2, {"yield": 2.75}, reason="wrong column")
        c.note(1, "cloudy")
        c.withdraw(1, "contaminated")
        c.undo(1)
        c.tell_failed(3, "tripped")
        c.undo(3)
        c.abandon(4, "too hot")
        c.undo(4)
        c.abandon(4, "really too hot")
        c.withdraw(2)
        c.repeat(2, 2)
        held = c.claim(1, lease=60.0)[0].id
        c.renew(held, lease=120.0)
        c.release(ids=[held])
        with pytest.warns(ew.exceptions.OutsideDomain):
            c.add([[30, 4], [95, 5]], [[7.0, 1.0], [8.0, 2.0]])
        c.widen("temp", high=110)
        c.tell(5, [3.0, 0.1])
        c.rename("second oven")
        c.rename_parameter("temp", "temperature")
        c.rename_response("purity", "share")
        c.change(noise={"share": 0.2}, description="moved", blocks=["day", "operator"])
    return path


@pytest.fixture
def path(sound, tmp_path):
    target = tmp_path / "lab.db"
    target.write_bytes(sound.read_bytes())
    return target


def errors(path):
    return [f.check for f in doctor(path).findings if f.level == "error"]


def test_a_store_in_which_every_verb_was_used_is_sound(path):
    assert [f for f in doctor(path).findings if f.level != "ok"] == []


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ("experiments SET about = NULL WHERE number = 1", "rows"),
        ("experiments SET about = replace(about, 'cloudy', 'clear') WHERE number = 1", "rows"),
        ("experiments SET lease = '2099' WHERE number = 3", "rows"),
        ("experiments SET inside = 0 WHERE inside", "rows"),
        ("experiments SET key = 'elsewhere' WHERE number = 5", "rows"),
        ("campaigns SET settings = replace(settings, 'moved', 'stayed')", "campaigns"),
        ("campaigns SET settings = replace(settings, '0.2', '0.3')", "campaigns"),
        ("campaigns SET domain = replace(domain, '110', '120')", "campaigns"),
        ("campaigns SET name = 'third oven'", "campaigns"),
    ],
)
def test_what_was_changed_behind_our_back_is_found(path, change, check):
    raw = sqlite3.connect(path)
    with raw:
        assert raw.execute(f"UPDATE equiwarp_{change}").rowcount
    raw.close()
    assert errors(path) == [check]
