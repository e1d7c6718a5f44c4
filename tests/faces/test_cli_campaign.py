"""The campaign commands, from a file to a map, through the same entry point as a shell's."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from equiwarp.cli import COMMANDS, SUMMARIES, main
from equiwarp.cli.status_why import FEW
from equiwarp.maps.error import ENOUGH_RESIDUALS

TOML = """
name = "tea"
n0 = 6
[domain]
type = "box"
constraints = ["temperature + 10 * minutes <= 130"]
parameters = {temperature = {low = 20, high = 100, step = 5, unit = "°C"}, minutes = [1, 10]}
[[responses]]
name = "taste"
[[responses]]
name = "cost"
noise = 0.1
[stop]
error = 1000
"""
ONE = TOML.replace('[[responses]]\nname = "cost"\nnoise = 0.1\n', "")


class Shell:
    """Runs commands in a folder of its own."""

    def __init__(self, folder, monkeypatch):
        monkeypatch.chdir(folder)
        monkeypatch.delenv("EQUIWARP_STORE", raising=False)
        monkeypatch.delenv("EQUIWARP_CAMPAIGN", raising=False)
        self.folder = folder

    def __call__(self, *words, code=0, stdin=None):
        result = CliRunner().invoke(main, [str(w) for w in words], input=stdin)
        assert result.exit_code == code, result.output
        return result

    def json(self, *words):
        return json.loads(self(*words, "--format", "json").stdout)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def sh(tmp_path, monkeypatch):
    return Shell(tmp_path, monkeypatch)


@pytest.fixture
def tea(sh):
    """A campaign with one response."""
    sh.write("tea.toml", ONE)
    sh("new", "tea.toml")
    return sh


def fill(shell, name, taste):
    """Fill in a plate as a person would; ``taste`` maps a row to its cells."""
    rows = list(csv.DictReader(io.StringIO((shell.folder / name).read_text(encoding="utf-8"))))
    for row in rows:
        row.update(taste(row))
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    shell.write(name, out.getvalue())
    return rows


def test_every_command_is_listed_and_its_help_has_an_example(sh):
    listed = sh("--help").output
    for name in COMMANDS:
        assert SUMMARIES[name] in listed
        helped = sh(name, "--help").output
        if name != "bench":  # a group: its commands have the examples
            assert f"equiwarp {name}" in helped.split("Options:")[0].split("\n", 1)[1], name
    assert "Exit codes" in listed
    assert "_EQUIWARP_COMPLETE=bash_source" in listed


def test_a_plate_goes_to_the_bench_and_comes_back(tea):
    tea("ask", "-n", 6, "--csv", "plate.csv")
    cells = {"5": {"failed": "spilt"}, "6": {}}
    fill(tea, "plate.csv", lambda r: cells.get(r["id"], {"taste": float(r["temperature (°C)"]) / 10}))
    answer = tea("tell", "plate.csv")
    assert "4 values and 1 failure were taken" in answer.output
    assert "1 row without a value" in answer.stderr
    states = {e["id"]: e["state"] for e in tea.json("export")}
    assert states == {1: "done", 2: "done", 3: "done", 4: "done", 5: "failed", 6: "pending"}
    before = tea.json("export", "--events")
    tea("tell", "plate.csv")  # again: nothing changes
    assert tea.json("export", "--events") == before
    tea("tell", 6, "-1.5")
    assert tea.json("status")["done"] == 5
    assert tea.json("ask")[0]["id"] == 7


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"taste": "1,5"}, "line 3, column 'taste': '1,5' is ambiguous; write 1.5"),
        ({"taste": "nan"}, "line 3, column 'taste': 'nan' is not a finite number"),
        ({"taste": "1e308"}, "line 3, column 'taste': 1e+308 is beyond"),
        ({"taste": "=1+1"}, "line 3, column 'taste': '=1+1' is a formula"),
        ({"taste": "good"}, "line 3, column 'taste': 'good' is not a number"),
        ({"taste": "1", "failed": "spilt"}, "line 3, column 'taste': '1', but the row is marked as failed"),
        ({"taste": "1", "id": "99"}, "line 3, column 'id': there is no experiment 99"),
        ({"taste": "1", "id": "1"}, "line 3, column 'id': experiment 1 is on line 2 already"),
        ({"taste": "1", "id": "two"}, "line 3, column 'id': 'two' is not a number"),
        (
            {"taste": "1", "minutes": "9.9"},
            "line 3, column 'minutes': 9.9 is not the setting of experiment 2",
        ),
    ],
)
def test_one_bad_cell_refuses_the_whole_plate(tea, cells, message):
    tea("ask", "-n", 3, "--csv", "plate.csv")
    fill(tea, "plate.csv", lambda r: cells if r["id"] == "2" else {"taste": 1})
    assert message in tea("tell", "plate.csv", code=1).stderr
    assert tea.json("status", "--quick")["pending"] == 3


def test_a_plate_with_a_conflict_is_refused_whole(tea):
    tea("ask", "-n", 3, "--csv", "plate.csv")
    tea("tell", 3, 7)
    fill(tea, "plate.csv", lambda r: {"taste": 8})
    assert "has the value 7.0" in tea("tell", "plate.csv", code=3).stderr
    assert tea.json("status", "--quick")["pending"] == 2


def test_a_plate_is_checked_before_anything_is_handed_out(tea):
    tea.write("plate.csv", "precious")
    assert "--force" in tea("ask", "--csv", "plate.csv", code=1).stderr
    assert "not a folder" in tea("ask", "--csv", "none/plate.csv", code=1).stderr
    assert tea.json("status", "--quick")["pending"] == 0
    tea("ask", "--csv", "plate.csv", "--force")
    assert tea("export", "--plate").stdout == (tea.folder / "plate.csv").read_text(encoding="utf-8")
    piped = tea("ask", "--csv", "-").stdout.splitlines()
    assert piped[0] == "id,temperature (°C),minutes,taste,failed"
    filled = piped[0] + "\n" + piped[1].replace(",,", ",3.5,")
    tea("tell", "-", stdin=filled)
    assert tea.json("export", "--state", "done")[0]["taste"] == 3.5


def test_several_responses_by_name_in_order_and_on_a_plate_with_noise(sh):
    sh.write("tea.toml", TOML)
    sh("new", "tea.toml")
    sh("ask", "-n", 4, "--csv", "plate.csv")
    sh("tell", 1, "taste=5", "cost=2")
    sh("tell", 2, 6, 3, "--noise", 0.2)
    assert "name every value" in sh("tell", 3, "taste=5", 3, code=2).stderr
    fill(sh, "plate.csv", lambda r: {"taste": 5, "cost": 2} if r["id"] == "1" else {})
    text = (sh.folder / "plate.csv").read_text(encoding="utf-8").splitlines()
    sh.write("p.csv", "\n".join([text[0] + ",noise taste,noise cost", text[1] + ",,", text[3] + ",0.5,0.1"]))
    sh.write("p.csv", (sh.folder / "p.csv").read_text(encoding="utf-8").replace(",,,,0.5", ",7,1,,0.5"))
    sh("tell", "p.csv")
    rows = {e["id"]: e for e in sh.json("export")}
    assert (rows[3]["taste"], rows[3]["noise taste"], rows[3]["noise cost"]) == (7, 0.5, 0.1)
    assert (rows[2]["cost"], rows[2]["noise cost"]) == (3, 0.2)
    fill(sh, "plate.csv", lambda r: {"taste": "4", "cost": ""} if r["id"] == "4" else {})
    sh("tell", "plate.csv")
    assert (rows[4]["taste"], sh.json("export")[3]["taste"], sh.json("export")[3]["cost"]) == (None, 4, None)


def test_fail_abandon_amend_release_and_their_history(tea):
    tea("ask", "-n", 4)
    tea("fail", 1, "furnace tripped")
    tea("abandon", 2, "foams")
    tea("tell", 3, 4)
    assert "taste = 5, before taste = 4" in tea("amend", 3, 5, "--reason", "misread").output
    assert "1 experiment was released: 4" in tea("release", "--all").output
    assert tea("release", "--older-than", "7d").output.startswith("0 experiments")
    tea("tell", 4, 2.5)  # late, and welcome
    counts = tea.json("status", "--quick")
    assert [counts[s] for s in ("done", "failed", "abandoned", "released")] == [2, 1, 1, 0]
    story = tea.json("why", 3)
    assert [e["what"] for e in story["events"]] == ["asked", "told", "amended"]
    assert story["events"][-1]["detail"]["reason"] == "misread"
    assert "Space-filling" in story["words"]
    assert "misread" in tea("why", 3).output
    tea("abandon", 3, code=3)
    tea("tell", 99, 1, code=1)


def test_add_takes_all_rows_or_none_and_warns_of_those_outside(tea):
    tea.write("old.csv", "taste,temperature,minutes,lot\n3,25,2,A\n4,150,2,B\n")
    answer = tea("add", "old.csv")
    assert "2 measurements were added as experiments 1 to 2" in answer.output
    assert "warning: 1 of 2 points lie outside the domain" in answer.stderr
    tea.write("old.csv", "taste,temperature,minutes\n3,25,2\n4,,2\n")
    assert "line 3, column 'temperature': the cell is empty" in tea("add", "old.csv", code=1).stderr
    tea.write("old.csv", "taste,temperature,minutes\n")
    tea("add", "old.csv", code=1)
    status = tea.json("status", "--quick")
    assert status["added"] == 2
    assert status["notes"] == ["1 measurement lies outside the domain; it serves prediction only"]


def test_an_error_from_hardly_any_values_is_called_a_guess(tea):
    assert FEW == ENOUGH_RESIDUALS  # its own number, because status loads no models
    for id in range(1, 6):
        tea("ask")
        tea("tell", id, 2.0 * id)
        said = tea("status").output
        assert "map error of taste" in said
        assert ("a guess from so few values" in said) == (id < 5)


def test_whether_an_error_is_a_guess_is_said_of_each_response(tmp_path, monkeypatch):
    sh = Shell(tmp_path, monkeypatch)
    responses = "".join(f"[[responses]]\nname = '{name}'\nunit = 'mV'\n" for name in ("now", "later", "last"))
    domain = "[domain]\ntype = 'box'\nparameters = {x = [0, 1]}\n"
    sh.write("a.toml", f"name = 'a'\nn0 = 6\nblocks = {{day = 'offset'}}\n{domain}{responses}")
    sh("new", "a.toml")
    sh("ask", "-n", 6, "--block", "day=Monday")
    for id in range(1, 7):
        sh("tell", id, f"now={id * id}", *(["later=1"] if id == 1 else []))
    said = sh("status").output
    assert re.search(r"offset of day Monday, now +\+0 mV\n", said)
    assert re.search(r"map error of now +[\d.]+ mV\n", said)  # none is done, yet six values are there
    assert re.search(r"map error of later +[\d.]+ mV, a guess from so few values\n", said)
    assert re.search(r"map error of last +no value yet\n", said)
    assert sh.json("status")["values"] == {"now": 6, "later": 1, "last": 0}
    names, numbers = csv.reader(sh("status", "--format", "csv").stdout.splitlines())
    row = dict(zip(names, numbers, strict=True))
    assert row["error last"] == ""
    assert float(row["offset of day Monday, now"]) == 0


def test_the_map_its_forecast_and_the_advice(tea):
    assert "at least one value" in tea("map", code=1).stderr
    tea("ask", "-n", 8, "--csv", "plate.csv")
    fill(tea, "plate.csv", lambda r: {"taste": float(r["temperature (°C)"]) / 10 + float(r["minutes"])})
    tea("tell", "plate.csv")
    status = tea.json("status")
    assert status["may_stop"] is True
    assert status["error"]["taste"] == pytest.approx(tea.json("map")[0]["error"])
    assert "may stop" in tea("status").output
    course = [row["taste"] for row in tea.json("forecast", "-n", 3)]
    assert len(course) == 4
    assert course[0] > course[-1]
    tea.write("where.csv", "minutes,temperature\n2,40\n3,60\n")
    predicted = tea.json("map", "--points", "where.csv")
    assert [row["temperature"] for row in predicted] == [40, 60]
    assert predicted[1]["taste"] > predicted[0]["taste"]
    assert len(tea("map", "-n", 5, "--format", "csv").stdout.splitlines()) == 6
    asked = tea.json("ask")
    assert "Chosen by map" in asked[0]["why"]
    assert tea.json("why", asked[0]["id"])["numbers"]["equalizer"] <= 1


def test_single_values_are_as_strict_as_plates(tea):
    tea("ask")
    for text, reason in (
        ("1,5", "write 1.5"),
        ("=1+1", "is a formula"),
        ("nan", "finite"),
        ("x", "not a number"),
    ):
        assert reason in tea("tell", 1, text, code=1).stderr
    assert "beyond" in tea("tell", 1, "1e308", code=1).stderr
    assert "unknown response 'smell'; the campaign has 'taste'" in tea("tell", 1, "smell=3", code=1).stderr
    assert tea.json("status", "--quick")["pending"] == 1


def test_exports_neutralise_formulas_and_keep_full_precision(tea):
    tea("ask", "-n", 2)
    tea("tell", 1, "0.1234567890123456")
    tea("fail", 2, "=HYPERLINK(1)")
    rows = list(csv.DictReader(io.StringIO(tea("export").stdout)))
    assert rows[0]["taste"] == "0.1234567890123456"
    assert rows[1]["reason"] == "'=HYPERLINK(1)"
    assert "Wrote all.csv" in tea("export", "-o", "all.csv").output
    assert (tea.folder / "all.csv").read_text(encoding="utf-8") == tea("export").stdout


def test_new_again_goes_on_and_another_description_is_a_conflict(tea):
    tea("ask")
    assert "goes on" in tea("new", "tea.toml").output
    tea.write("tea.toml", ONE.replace("high = 100", "high = 90"))
    message = tea("new", "tea.toml", code=3).stderr
    assert "100" in message
    assert "90" in message


def test_several_campaigns_in_one_store(tea):
    tea.write("two.toml", ONE.replace('"tea"', '"coffee"'))
    tea("new", "two.toml")
    assert [row["name"] for row in tea.json("list")] == ["tea", "coffee"]
    assert "several campaigns (tea, coffee)" in tea("ask", code=2).stderr
    assert tea("ask", "-c", "coffee").exit_code == 0
    assert "no campaign 'milk'" in tea("ask", "-c", "milk", code=4).stderr


def test_store_troubles_have_their_own_code(sh, monkeypatch):
    assert "no store at" in sh("status", code=4).stderr
    sh.write("broken.db", "this is no database, " * 100)
    sh("status", "--store", "broken.db", code=4)
    assert "NOT SOUND" in sh("doctor", "broken.db", code=4).output
    sh.write("tea.toml", ONE)
    monkeypatch.setenv("EQUIWARP_STORE", "from-env.db")
    sh("new", "tea.toml")
    assert (sh.folder / "from-env.db").exists()
    assert "sound" in sh("doctor").output


def test_debug_shows_the_traceback_and_nothing_else_does(tea):
    assert "Traceback" not in tea("tell", 99, 1, code=1).stderr
    assert "Traceback" in tea("tell", 99, 1, "--debug", code=1).stderr
    assert "Traceback" in tea("--debug", "tell", 99, 1, code=1).stderr


@pytest.mark.parametrize(
    "words",
    [
        ("tell", "1"),
        ("tell", "1", "--nosie", "3"),
        ("release",),
        ("release", "--older-than", "soon"),
        ("ask", "-n", "0"),
        ("boil",),
        ("tell", "a.csv", "b.csv"),
    ],
)
def test_wrong_usage(tea, words):
    tea(*words, code=2)


def test_counts_are_quick_because_nothing_is_loaded_to_draw_to_serve_or_to_migrate(tea):
    code = (
        "import sys; from equiwarp.cli import main\n"
        "try: main(['status', '--quick'])\n"
        "except SystemExit as done: assert not done.code\n"
        "loaded = {'alembic', 'matplotlib', 'plotly', 'fastapi', 'scipy.optimize'} & set(sys.modules)\n"
        "sys.exit(f'loaded {loaded}' if loaded else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tea.folder
    )
    assert done.returncode == 0, done.stderr


def test_what_is_odd_is_said_with_the_experiment_and_the_remedy(tea):
    """In `status`, in `map` and for programs; the map without the value is one command away."""
    tea("ask", "-n", 24, "--csv", "plate.csv")
    numbers = iter(range(24))

    def taste(row):
        wrong = 60 if next(numbers) == 10 else 0
        return {"taste": float(row["temperature (°C)"]) / 10 + float(row["minutes"]) + wrong}

    fill(tea, "plate.csv", taste)
    tea("tell", "plate.csv")
    for command in ("status", "map"):
        said = tea(command).stdout
        assert "! Experiment 11: the others contradict taste = " in said
        assert "`equiwarp withdraw 11`" in said
    [finding] = [f for f in tea.json("status")["findings"] if f["kind"] == "contradicted"]
    assert (finding["experiments"], finding["response"]) == ([11], "taste")
    assert finding in tea.json("map")[0]["findings"]
    assert "contradict" not in tea("status", "--format", "csv").stdout


def test_which_parameters_matter(tea):
    tea("ask", "-n", 12, "--csv", "plate.csv")
    fill(tea, "plate.csv", lambda r: {"taste": float(r["temperature (°C)"])})
    tea("tell", "plate.csv")
    assert "taste: share of the map's variance" in tea("map", "--sensitivity").stdout
    temperature, minutes = tea.json("map", "--sensitivity")
    assert temperature["parameter"] == "temperature"
    assert temperature["total"] > 0.5 > minutes["total"]
    assert temperature["total_low"] <= temperature["total"] <= temperature["total_high"]
    assert len(tea("map", "--sensitivity", "--format", "csv").stdout.splitlines()) == 3


def test_without_a_stop_rule_nobody_speaks_of_one(sh):
    sh.write("tea.toml", ONE.replace("[stop]\nerror = 1000\n", ""))
    sh("new", "tea.toml")
    sh("ask", "-n", 6, "--csv", "plate.csv")
    fill(sh, "plate.csv", lambda r: {"taste": float(r["temperature (°C)"])})
    sh("tell", "plate.csv")
    assert "may_stop" not in sh.json("status")
    assert "may stop" not in sh("status").output
    assert "limit" not in sh("forecast", "-n", 2).output
