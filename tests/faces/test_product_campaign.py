"""Directions and numbers at once, Product(Sphere(2), Box), constrained together: from file to report."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import equiwarp as ew
from tests.faces.test_cli_campaign import Shell

TOML = """
name = "sky"
n0 = 8
strategy = "lookahead-gp"
[domain]
type = "product"
constraints = ["distance <= 6 + 4 * x3", "x3 >= -0.5 + 0.5 * (lens == 'long')"]
[[domain.parts]]
type = "sphere"
dim = 2
[[domain.parts]]
type = "box"
parameters = {distance = {low = 1, high = 10, unit = "m"}, lens = ["long", "wide"]}
[[responses]]
name = "light"
noise = 0.05
"""


@pytest.fixture
def sh(tmp_path, monkeypatch):
    shell = Shell(tmp_path, monkeypatch)
    shell.write("sky.toml", TOML)
    assert "x3" in shell("check", "sky.toml").output
    shell("new", "sky.toml")
    return shell


def light(row):
    return float(row["x3"]) + float(row["distance (m)"]) / 5 + (row["lens"] == "long")


def test_from_the_file_to_the_report(sh):
    plate = sh("ask", "-n", 8, "--csv", "-").stdout
    rows = list(csv.DictReader(io.StringIO(plate)))
    assert {row["lens"] for row in rows} == {"long", "wide"}
    for row in rows:
        vector = np.array([float(row[f"x{i}"]) for i in (1, 2, 3)])
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)  # rounded as handed out
        assert float(row["distance (m)"]) <= 6 + 4 * vector[2] + 1e-6
        assert vector[2] >= (0 if row["lens"] == "long" else -0.5) - 1e-6
        row["light"] = str(light(row))
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    sh.write("plate.csv", out.getvalue())
    sh("tell", "plate.csv")
    (asked,) = sh.json("ask")
    with ew.Campaign("sky", store=sh.folder / "equiwarp.db") as again:  # as the store has it
        assert again.experiment(asked["id"]).point["distance"] <= 6 + 4 * asked["x3"] + 1e-6
        assert again.experiment(1).value == pytest.approx(float(rows[0]["light"]))
    sh.write("where.csv", "x1,x2,x3,distance,lens\n0,0,1,5,long\n")
    (there,) = sh.json("map", "--points", "where.csv")
    assert (there["lens"], there["x3"]) == ("long", 1)
    sh("report", "report.html")
    text = (sh.folder / "report.html").read_text(encoding="utf-8")
    assert "lens = " in text
    assert "in each category of lens" in text
    assert (sh.folder / "report-categories-1-1.png").exists()


def test_what_is_outside_is_said_and_an_unknown_category_refused(sh):
    sh.write("old.csv", "x1,x2,x3,distance,lens,light\n0,0,1,5,lang,1\n")
    assert "did you mean 'long'?" in sh("add", "old.csv", code=1).stderr
    assert sh.json("export") == []
    sh.write("old.csv", "x1,x2,x3,distance,lens,light\n0,0,2,5,long,1\n")
    assert "its length is 2, not 1: divide the vector" in sh("add", "old.csv").output
    assert len(sh.json("export")) == 1  # kept, and never suggested
