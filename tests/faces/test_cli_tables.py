"""Spreadsheets through the command line: Excel in and out, what would be taken, the words of refusals."""

from __future__ import annotations

import os

import openpyxl
import pytest

from tests.faces.test_cli_campaign import ONE, TOML, Shell

UNITS = TOML.replace('name = "taste"', 'name = "taste"\nunit = "points"')


@pytest.fixture
def sh(tmp_path, monkeypatch):
    return Shell(tmp_path, monkeypatch)


@pytest.fixture
def two(sh):
    """A campaign with two responses, one of them with a unit."""
    sh.write("tea.toml", UNITS)
    sh("new", "tea.toml")
    return sh


def test_a_plate_in_excel_goes_to_the_bench_and_comes_back(two):
    answer = two("ask", "-n", 3, "--csv", "plate.xlsx")
    assert "Fill in taste, cost, then: equiwarp tell plate.xlsx" in answer.output
    book = openpyxl.load_workbook(two.folder / "plate.xlsx")
    page = book["plate"]
    header = [cell.value for cell in page[1]]
    assert header == ["id", "temperature (°C)", "minutes", "taste (points)", "cost", "failed"]
    settings = [e["temperature"] for e in two.json("export")]
    assert [page.cell(row, 2).value for row in (2, 3, 4)] == settings
    for row, (taste, cost, failed) in enumerate(
        [(5.5, 2, None), (None, None, "spilt"), (6, 3, "no")], start=2
    ):
        page.cell(row, 4).value, page.cell(row, 5).value, page.cell(row, 6).value = taste, cost, failed
    book.save(two.folder / "plate.xlsx")
    assert "4 values and 1 failure were taken." in two("tell", "plate.xlsx").output
    assert [e["state"] for e in two.json("export")] == ["done", "failed", "done"]


def test_an_export_in_excel_has_a_sheet_of_events(two):
    two("ask", "-n", 2)
    two("tell", 1, "taste=5", "cost=2")
    two("export", "-o", "all.xlsx")
    book = openpyxl.load_workbook(two.folder / "all.xlsx")
    assert book.sheetnames == ["experiments", "events"]
    rows = list(book["experiments"].values)
    assert rows[0][:5] == ("id", "temperature", "minutes", "taste", "cost")
    assert rows[1][3:5] == (5, 2)
    assert [row[3] for row in list(book["events"].values)[1:]] == [
        e["what"] for e in two.json("export", "--events")
    ]
    two("export", "--plate", "-o", "plate.xlsx")
    assert openpyxl.load_workbook(two.folder / "plate.xlsx")["plate"].max_row == 2
    two("export", "--events", "-o", "events.xlsx")
    assert openpyxl.load_workbook(two.folder / "events.xlsx").sheetnames == ["events"]


@pytest.mark.parametrize("name", ["out.csv", "out.xlsx"])
def test_a_link_and_a_pipe_that_an_export_is_written_to_stay_what_they_are(two, name):
    """A link was replaced by a file, so that what it pointed to went stale, and a pipe was put aside."""
    two("ask", "-n", 2)
    (two.folder / "shared").mkdir()
    (two.folder / "shared" / name).write_text("of last week")
    (two.folder / name).symlink_to(two.folder / "shared" / name)
    two("export", "-o", name)
    assert (two.folder / name).is_symlink()
    assert (two.folder / "shared" / name).read_bytes()[:2] in (b"id", b"PK")
    pipe = two.folder / f"pipe.{name}"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR)  # so that nobody waits for a reader
    two("export", "-o", pipe.name)
    assert os.read(end, 2) in (b"id", b"PK")
    os.close(end)
    assert pipe.is_fifo()
    assert not list(two.folder.rglob("*.part"))


def test_what_was_exported_can_be_added_elsewhere_with_the_noise_that_some_values_have(two):
    two("ask", "-n", 3)
    two("tell", 1, "taste=5", "cost=2", "--noise", 0.5)
    two("tell", 2, "taste=6", "cost=<0.5")
    two("export", "--state", "done", "-o", "all.csv")
    two("new", "tea.toml", "--store", "other.db")
    two("add", "all.csv", "--store", "other.db")
    columns = ("temperature", "minutes", "taste", "cost", "noise taste", "noise cost")
    here, there = two.json("export", "--state", "done"), two.json("export", "--store", "other.db")
    assert [[e[c] for c in columns] for e in there] == [[e[c] for c in columns] for e in here]
    assert [e["noise cost"] for e in there] == [0.5, None]


def test_a_format_that_cannot_be_written_is_refused_before_anything_is_handed_out(two, monkeypatch):
    for words in (("ask", "--csv", "plate.ods"), ("export", "-o", "all.xls")):
        assert "ends with .xlsx or .csv" in two(*words, code=1).stderr
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    assert "equiwarp[excel]" in two("ask", "--csv", "plate.xlsx", code=1).stderr
    assert "equiwarp[excel]" in two("export", "-o", "all.xlsx", code=1).stderr
    assert two.json("status", "--quick")["pending"] == 0
    assert not list(two.folder.glob("*.xls*"))


def test_a_dry_run_shows_what_would_be_taken_and_takes_nothing(two):
    two("ask", "-n", 5)
    two("tell", 1, "taste=5", "cost=2")
    two("tell", 2, "taste=5", "cost=2")
    before = two.json("export", "--events")
    two.write("p.csv", "Id;Taste (points);cost;failed\n1;5,0;2;no\n2;7,5;2;\n3;1,5;2;\n4;;;spilt\n5;n/a;-;\n")
    shown = two("tell", "p.csv", "--dry-run")
    lines = shown.output.splitlines()
    assert lines[0].split() == ["id", "temperature", "minutes", "taste", "cost", "what"]
    assert [line.split()[-1] for line in lines[1:6]] == ["known", "2", "new", "spilt", "is"]
    assert "REFUSED: it has taste = 5, cost = 2" in lines[2]
    assert "1 row would refuse all of it. Nothing was changed." in shown.stderr
    assert two.json("export", "--events") == before
    two("tell", "p.csv", code=3)
    assert two.json("export", "--events") == before


def test_a_dry_run_shows_a_limit_as_it_was_written(two):
    two("ask", "-n", 1)
    two.write("p.csv", "id,taste,cost\n1,<5,>0.25\n")
    assert two("tell", "p.csv", "--dry-run").output.splitlines()[1].split()[-3:] == ["<5", ">0.25", "new"]


def test_a_plate_that_is_told_again_says_what_was_new(two):
    two("ask", "-n", 4)
    two.write("p.csv", "id,taste,cost,failed\n1,5,2,\n2,6,,\n3,,,spilt\n4,,,\n")
    first = two("tell", "p.csv")
    assert first.output.startswith("3 values and 1 failure were taken.\n")
    assert "1 row still lacks cost: experiment 2\n" in first.stderr
    assert [line.split()[-1] for line in two("tell", "p.csv", "--dry-run").output.splitlines()[1:4]] == [
        "known",
        "known",
        "known",
    ]
    again = two("tell", "p.csv")
    assert again.output.startswith("0 new values and 0 new failures were taken, 4 known already.\n")
    assert "1 row still lacks cost: experiment 2\n" in again.stderr
    two.write("p.csv", "id,taste,cost\n1,5,2\n2,,3\n4,7,\n")
    last = two("tell", "p.csv")
    assert last.output.startswith("2 new values and 0 new failures were taken, 2 known already.\n")
    assert "lacks cost: experiment 4\n" in last.stderr
    assert "taste" not in last.stderr  # which 2 had before


def test_a_dry_run_of_measurements_names_their_lines(two):
    two.write("old.csv", "\ntemperature [°C],minutes,taste,cost\n25,2,3,1\n150,2,4,1\n")
    shown = two("add", "old.csv", "--dry-run")
    assert [line.split()[0] for line in shown.output.splitlines()[:3]] == ["line", "3", "4"]
    assert "new, outside the domain" in shown.output
    assert two.json("status", "--quick")["added"] == 0
    said = two("add", "old.csv").stderr
    assert "1 of 2 points lie outside the domain (first: line 4, temperature = 150 is outside" in said


def test_points_to_predict_at_are_named_by_their_lines(sh):
    sh.write("tea.toml", ONE)
    sh("new", "tea.toml")
    sh("ask", "-n", 6)
    for id in range(1, 7):
        sh("tell", id, id)
    sh.write("where.csv", "Minutes,temperature (°C)\n2,40\n99,40\n2,10\n")
    said = sh("map", "--points", "where.csv", code=1).stderr
    assert "error: where.csv: 2 mistakes" in said
    assert "  line 3: minutes = 99 is outside [1, 10]" in said
    assert "  line 4: temperature = 10 is outside [20, 100]" in said


def test_all_mistakes_of_a_plate_are_said_at_once(two):
    two("ask", "-n", 3)
    two.write("p.csv", "id,taste,cost\n1,x,=1\n9,1,1\n3,1,1e999\n")
    lines = two("tell", "p.csv", code=1).stderr.splitlines()
    assert lines[0] == "error: p.csv: 4 mistakes; nothing was taken"
    assert [line.split(":")[0].strip() for line in lines[1:]] == [
        "line 2, column 'taste'",
        "line 2, column 'cost'",
        "line 3, column 'id'",
        "line 4, column 'cost'",
    ]


def test_standard_input_may_be_in_any_encoding(two):
    two("ask", "-n", 1)
    two("tell", "-", stdin="id\ttaste\tcost\n1\t5\t2\n".encode("utf-16"))
    assert two.json("export")[0]["taste"] == 5


def test_the_hint_after_ask_says_how_to_tell_several_responses(two, tmp_path):
    assert "Tell a value: equiwarp tell 1 taste=VALUE cost=VALUE" in two("ask").stderr
    two.write("one.toml", ONE.replace('"tea"', '"one"'))
    two("new", "one.toml")
    assert "Tell a value: equiwarp tell 1 VALUE " in two("ask", "-c", "one").stderr
