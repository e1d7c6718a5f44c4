"""A day in the laboratory at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from equiwarp import Campaign
from tests.faces.test_cli_campaign import Shell, fill

TOML = """
name = "film"
n0 = 6
change_cost = {temperature = 30}
blocks = {day = "offset", operator = "record"}
[domain]
type = "box"
parameters = {temperature = {low = 20, high = 100, step = 5, unit = "°C"}, minutes = [1, 10]}
[[responses]]
name = "thickness"
low = 0
high = 500
[[responses]]
name = "conductivity"
"""


@pytest.fixture
def film(tmp_path, monkeypatch):
    sh = Shell(tmp_path, monkeypatch)
    sh.write("film.toml", TOML)
    sh("new", "film.toml")
    return sh


def stop_error(name):
    """The map error at which a campaign may stop."""
    with Campaign(name) as c:
        return c.spec.stop.error


def test_levels_categories_and_lists_grow_at_the_command_line(tmp_path, monkeypatch):
    sh = Shell(tmp_path, monkeypatch)
    sh.write(
        "a.toml", 'name = "a"\n[domain]\ntype = "box"\nparameters = {p = {levels = [1, 2]}, s = ["x", "y"]}\n'
    )
    sh("new", "a.toml")
    assert "p may also be 5, 7.5 now" in sh("widen", "p", "--add", 5, "--add", 7.5).stdout
    assert "s may also be z now" in sh("widen", "s", "--add", "z").stdout
    assert "has the setting" in sh("widen", "s", "--add", "z", code=1).stderr
    sh.write("b.csv", "u,v\n1,2\n3,4\n")
    sh.write("b.toml", 'name = "b"\n[domain]\ntype = "candidates"\ncsv = "b.csv"\n')
    sh("new", "b.toml")
    sh.write("more.csv", "v,u\n9,8\n4,3\n")
    said = sh("widen", "--list", "more.csv", "-c", "b").stdout
    assert "1 candidate was added to the list, which has 3 now" in said
    sh.write("wrong.csv", "u (mm);v\n1,5;2\n7;x\n")
    assert (
        "wrong.csv, line 3, column 'v': 'x' is not a number"
        in sh("widen", "--list", "wrong.csv", "-c", "b", code=1).stderr
    )
    assert "say one thing" in sh("widen", "-c", "b", code=2).stderr


def row(shell, id):
    return next(e for e in shell.json("export") if e["id"] == id)


def test_values_come_in_part_below_limits_at_other_settings_and_from_the_sure(film):
    film("ask", "-n", 4, "--block", "day=Monday")
    said = film("tell", 1, "thickness=120", "--sample", "S-17", "--at", "minutes=4.5")
    assert "Experiment 1: thickness = 120." in said.stdout
    assert "Still to come: conductivity" in said.stderr
    assert (
        "Experiment 1: thickness = 120, conductivity = <0.5." in film("tell", 1, "conductivity=<=0.5").stdout
    )
    first = row(film, 1)
    assert (first["conductivity"], first["minutes"], first["sample"]) == ("<0.5", 4.5, "S-17")
    assert "thickness = >450" in film("tell", 4, "thickness=≥450", "conductivity=1").stdout
    assert row(film, 4)["thickness"] == ">450"
    assert first["day"] == "Monday"
    assert first["asked minutes"] != 4.5
    assert "thickness = 900 is above 500" in film("tell", 2, 900, 1, code=1).stderr
    film("tell", 2, 900, 1, "--sure")
    film("amend", 2, "conductivity=2")
    assert (row(film, 2)["thickness"], row(film, 2)["conductivity"]) == (900, 2)


def test_a_plate_with_empty_cells_limits_and_other_settings(film):
    film("ask", "-n", 3, "--csv", "plate.csv")
    cells = {
        "1": {"thickness": 10, "minutes": 2.5},
        "2": {"thickness": 20, "conductivity": "<0.1"},
        "3": {"conductivity": 3},
    }
    fill(film, "plate.csv", lambda r: cells[r["id"]])
    assert "--actual" in film("tell", "plate.csv", code=1).stderr
    film("tell", "plate.csv", "--actual")
    rows = film.json("export")
    assert [e["state"] for e in rows] == ["pending", "done", "pending"]
    assert (rows[0]["minutes"], rows[1]["conductivity"]) == (2.5, "<0.1")
    film("tell", "plate.csv", "--actual")  # the same again changes nothing
    assert film.json("export") == rows


def test_batches_have_rules(film):
    rows = film.json("ask", "-n", 3, "--fix", "temperature=40", "--order", "random")
    assert {r["temperature"] for r in rows} == {40}
    rows = film.json("ask", "-n", 3, "--share", "temperature")
    assert len({r["temperature"] for r in rows}) == 1
    cheapest = [r["temperature"] for r in film.json("ask", "-n", 4, "--fix", "minutes=5")]
    assert len(set(cheapest)) == 4
    assert "NAME=VALUE" in film("ask", "--fix", "temperature", code=2).stderr


def test_withdraw_undo_note_and_repeat(film):
    film("ask", "-n", 2)
    film("tell", 1, 10, 1)
    assert "withdrawn: contaminated" in film("withdraw", 1, "contaminated").stdout
    assert film.json("status", "--quick")["withdrawn"] == 1
    assert "Experiment 1 is done again" in film("undo", 1).stdout
    film("fail", 2, "wrong row")
    assert "Experiment 2 is pending again" in film("undo", 2).stdout
    film("note", 2, "cloudy", "--sample", "S-18", "--block", "operator=Ann")
    assert (row(film, 2)["notes"], row(film, 2)["sample"], row(film, 2)["operator"]) == (
        "cloudy",
        "S-18",
        "Ann",
    )
    assert "2 repeats of experiment 1: 3, 4." in film("repeat", 1, "-n", 2).stdout
    assert row(film, 4)["repeats"] == 1


def test_claims_end(film):
    (held,) = film.json("claim", "--lease", "10m")
    assert held["lease"] > "2"
    assert "is held until" in film("renew", held["id"], "--lease", "1h").stdout
    film("tell", held["id"], 1, 2)


def test_known_rows_are_left_out_unless_they_were_measured_again(film):
    film.write("old.csv", "temperature,minutes,thickness,conductivity\n50,5,100,1\n60,6,110,2\n")
    film("add", "old.csv")
    again = film("add", "old.csv")
    assert "all of them are known already" in again.stdout
    assert "2 of 2 rows are known already" in again.stderr
    assert "2 measurements were added" in film("add", "old.csv", "--again").stdout


def test_names_bounds_and_the_rest_change_later(film):
    film("ask", "-n", 1)
    film("rename", "--parameter", "minutes", "time")
    film("rename", "--response", "conductivity", "sigma")
    film("rename", "second film")
    assert "runs from 10 to 120" in film("widen", "temperature", "--low", 10, "--high", 120).stdout
    film("change", "--noise", "sigma=0.5", "--plausible", "sigma=0:", "--stop-error", 2)
    assert stop_error("second film") == 2
    film("change", "--stop-error", "sigma=3", "--stop-error", "thickness=50")
    assert stop_error("second film") == {"sigma": 3, "thickness": 50}
    assert "write NAME=" in film("change", "--stop-error", 2, "--stop-error", "sigma=3", code=2).stderr
    assert "sigma = -1 is below 0" in film("tell", 1, "thickness=1", "sigma=-1", code=1).stderr
    assert set(film.json("ask")[0]) >= {"temperature", "time"}
    whats = [e["what"] for e in film.json("export", "--events")]
    assert whats.count("renamed") == 3
    assert "widened" in whats
    assert "changed" in whats
    assert film.json("list")[0]["name"] == "second film"


def test_a_file_of_earlier_measurements_has_limits_and_empty_cells(film):
    """Two responses: decimal commas, below, above, one not measured, and what is not plausible."""
    head = "temperature;minutes;thickness (nm);conductivity\n"
    film.write("old.csv", f"{head}40;2,5;<0,5;3\n45;3;12,5;> 90\n50;4;n/a;7\n")
    shown = film("add", "old.csv", "--dry-run").stdout
    assert "<0.5" in shown
    assert ">90" in shown.split()
    assert "3 measurements were added" in film("add", "old.csv").stdout
    assert [(e["thickness"], e["conductivity"]) for e in film.json("export")] == [
        ("<0.5", 3.0), (12.5, ">90"), (None, 7.0),
    ]  # fmt: skip
    assert "3 of 3 rows are known already (first: line 2)" in film("add", "old.csv").stderr
    film.write("far.csv", f"{head}55;2;100;1\n60;2;>500;1\n")
    assert "REFUSED: thickness is not plausible" in film("add", "far.csv", "--dry-run").stdout
    said = film("add", "far.csv", code=1).stderr
    assert "far.csv, line 3: thickness = >500 is not plausible, which is from 0 to 500" in said
    assert "2 measurements were added" in film("add", "far.csv", "--sure").stdout
    film.write("bad.csv", f"{head}55;2;<0;1\n60;2;;\n61;2;<x;1\n")
    said = film("add", "bad.csv", code=1).stderr
    assert "line 2, column 'thickness': <0 is no limit, which is a number above 0" in said
    assert "line 3, column 'thickness': the cell is empty" in said
    assert "line 4, column 'thickness': 'x' is not a number" in said


def test_a_value_or_a_setting_that_is_given_twice_is_refused(film):
    film("ask", "-n", 2)
    assert "'thickness' is given twice" in film("tell", 1, "thickness=120", "thickness=130", code=1).stderr
    twice = ("--at", "minutes=4", "--at", "minutes=5")
    assert "'minutes' is given twice" in film("tell", 1, "thickness=120", *twice, code=2).stderr
    assert "'day' is given twice" in film("ask", "--block", "day=a", "--block", "day=b", code=2).stderr


def test_a_category_may_be_called_like_an_empty_cell_or_a_formula(tmp_path, monkeypatch):
    sh = Shell(tmp_path, monkeypatch)
    domain = '[domain]\ntype = "box"\nparameters = {sign = ["+", "-", "n/a"], x = [0, 1]}\n'
    sh.write("a.toml", f'name = "a"\n{domain}')
    sh("new", "a.toml")
    for sign in ("+", "-", "n/a"):
        assert sh.json("ask", "--fix", f"sign={sign}")[0]["sign"] == sign
    assert "x: '-' is not a number" in sh("ask", "--fix", "x=-", code=1).stderr


def test_what_to_do_with_a_plate_can_be_copied(film):
    said = film("ask", "--csv", "plate of Monday.csv", "-c", "film").stdout
    assert said.endswith("then: equiwarp tell 'plate of Monday.csv' -c film\n")


def test_a_plate_that_was_written_keeps_its_experiments_though_nobody_listens(film, monkeypatch):
    def nobody(*_, **__):
        raise BrokenPipeError

    with monkeypatch.context() as changed:
        changed.setattr("equiwarp.cli.ask.click.echo", nobody)
        film("ask", "-n", 2, "--csv", "plate.csv", code=1)
    assert film.json("status", "--quick")["pending"] == 2


def test_no_part_of_a_plate_is_left_where_the_disk_was_full(film, monkeypatch):
    def full(self, data):
        self.open("wb").write(data[:9])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert "were released again" in film("ask", "-n", 2, "--csv", "plate.csv", code=1).stderr
    assert not (film.folder / "plate.csv").exists()
