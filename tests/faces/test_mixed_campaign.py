"""A campaign with categories and an angle, from its file to its report, in the shell and on the page."""

from __future__ import annotations

import csv
import io

import pytest

from tests.faces.test_cli_campaign import Shell

TOML = """
name = "coating"
n0 = 6
[domain]
type = "box"
constraints = ["heat <= 60 + 30 * (solvent == 'water')"]
[domain.parameters]
heat = {low = 20, high = 90, unit = "°C"}
solvent = ["water", "-OH rich", "oil"]
angle = {low = 0, high = 360, periodic = true}
[[responses]]
name = "gloss"
noise = 0.1
"""


@pytest.fixture
def sh(tmp_path, monkeypatch):
    shell = Shell(tmp_path, monkeypatch)
    shell.write("coating.toml", TOML)
    shell("new", "coating.toml")
    return shell


def filled(plate, change=lambda row: row):
    """A plate as it comes back from the bench."""
    rows = list(csv.DictReader(io.StringIO(plate)))
    for row in rows:
        row["gloss"] = str(2 * len(row["solvent"]))
        change(row)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def test_from_the_file_to_the_report(sh):
    said = sh("check", "coating.toml").output
    assert "3 categories: water, -OH rich, oil" in said
    assert "angle, any value" in said
    plate = sh("ask", "-n", 6, "--csv", "-").stdout
    assert {row["solvent"] for row in csv.DictReader(io.StringIO(plate))} == {"water", "'-OH rich", "oil"}
    sh.write("plate.csv", filled(plate))
    sh("tell", "plate.csv")
    sh.write("old.csv", "heat,solvent,angle,gloss\n30,water,90,10\n40,oil,270,7\n")
    sh("add", "old.csv")
    (asked,) = sh.json("ask")
    assert asked["solvent"] in ("water", "-OH rich", "oil")
    assert f"solvent = {asked['solvent']}" in sh("why", asked["id"]).output
    sh.write("where.csv", "heat,solvent,angle\n30,oil,10\n")
    (row,) = sh.json("map", "--points", "where.csv")
    assert row["solvent"] == "oil"
    assert "-OH rich" in sh("export").stdout
    sh("report", "report.html")
    assert "-OH rich" in (sh.folder / "report.html").read_text(encoding="utf-8")


def test_an_unknown_category_refuses_the_plate_and_loses_nothing(sh):
    plate = sh("ask", "-n", 3, "--csv", "-").stdout
    sh.write("plate.csv", filled(plate, lambda row: row.update(solvent="watr")))
    said = sh("tell", "plate.csv", code=1).stderr
    assert "there is no category 'watr'; did you mean 'water'?" in said
    assert "column 'solvent'" in said
    assert [e["state"] for e in sh.json("export")] == ["pending"] * 3
    sh.write("old.csv", "heat,solvent,angle,gloss\n30,acetone,90,10\n")
    assert "no category 'acetone'; there are water" in sh("add", "old.csv", code=1).stderr


def test_a_plate_whose_category_was_changed_is_noticed(sh):
    plate = sh("ask", "-n", 1, "--csv", "-").stdout
    given = next(csv.DictReader(io.StringIO(plate)))["solvent"]
    other = "oil" if given != "oil" else "water"
    sh.write("plate.csv", filled(plate, lambda row: row.update(solvent=other)))
    assert f"{other} is not the setting of experiment 1" in sh("tell", "plate.csv", code=1).stderr


def test_every_mistake_of_the_file_is_said(sh):
    wrong = TOML.replace('"-OH rich", "oil"', '"10", "water"').replace("== 'water'", "== 'wine'")
    sh.write("wrong.toml", wrong.replace("periodic = true", "periodic = true, step = 7"))
    said = sh("check", "wrong.toml", code=1).stderr
    for words in (
        "domain.parameters.solvent: the category '10' reads as a number",
        "domain.parameters.angle: a step of 7 does not divide the period 360",
        "domain.constraints[1]: ",
        "there is no category 'wine'",
    ):
        assert words in said, said


def test_a_step_that_ends_early_is_said_by_check(sh):
    sh.write(
        "steps.toml",
        'name = "s"\n[domain]\ntype = "box"\nparameters = {T = {low = 300, high = 600, step = 7}}\n',
    )
    said = sh("check", "steps.toml").output
    assert "the last setting is 594" in said


def test_a_start_is_small_where_map_chooses_and_the_papers_elsewhere(sh):
    three = 'name = "s"\n{}[domain]\ntype = "box"\nparameters = {{a = [0, 1], b = [0, 1], c = [0, 1]}}\n'
    sh.write("three.toml", three.format(""))
    said = sh("check", "three.toml").output
    assert "12 experiments to begin with" in said
    sh.write("three.toml", three.format("n0 = 39\n"))
    assert "39 experiments to begin with" in sh("check", "three.toml").output
    sh.write("three.toml", three.format('strategy = "equiwarp"\n'))
    assert "40 experiments to begin with" in sh("check", "three.toml").output


def test_a_category_is_fixed_and_told_in_the_shell(sh):
    (asked,) = sh.json("ask", "--fix", "solvent=oil")
    assert asked["solvent"] == "oil"
    sh("tell", asked["id"], "3.5", "--at", "solvent=water", "--at", "heat=70")
    (row,) = sh.json("export")
    assert (row["solvent"], row["heat"], row["asked solvent"]) == ("water", 70, "oil")
    assert "did you mean 'oil'?" in sh("ask", "--fix", "solvent=oill", code=1).stderr
