"""Programs as simulators: words, folders, values, exit codes; and the command line that drives them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import equiwarp as ew
from equiwarp.cli import main
from equiwarp.runner.command import Command, TryAgainLater
from equiwarp.runner.function import TellingFailure
from equiwarp.runner.placeholders import check_placeholders, read_command
from equiwarp.runner.processes import ProcessPool
from equiwarp.runner.values import value_of_text
from tests.runner.test_processes import LIMIT, gone, until

EXAMPLE = {"temperature": 20.5, "flow rate": 3.0, "solvent": "oil"}
NUMBERS = {"temperature": 20.5, "flow rate": 3.0}
PYTHON = sys.executable


# Placeholders


def test_a_command_is_split_into_words_once():
    words = read_command(f"{PYTHON} -c 'print(1)' --t={{temperature:.2f}} '{{flow rate}} {{{{x}}}}'", NUMBERS)
    assert words == (PYTHON, "-c", "print(1)", "--t={temperature:.2f}", "{flow rate} {{x}}")
    assert words[-1].format_map({"flow rate": 3.0}) == "3.0 {x}"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("PY {temperature} {pressure}", "unknown placeholder {pressure}; known are temperature, flow rate"),
        ("PY {temperature} {}", "unknown placeholder {}"),
        ("PY {temperature.__class__}", "unknown placeholder {temperature.__class__}"),
        ("PY {temperature", "expected '}' before end of string; a name with blanks"),
        ("PY {temperature:zz} {flow rate}", "command, '{temperature:zz}': "),
        ("PY {temperature}", "does not pass on flow rate: write {flow rate}"),
        ("PY {temperature} {flow rate}", "a name with blanks needs quotes"),
        ("PY 'a", "No closing quotation"),
        ("", "the command is empty"),
        ("nosuchprogram {temperature} '{flow rate}'", "there is no program 'nosuchprogram'"),
    ],
)
def test_a_wrong_command_is_refused_with_the_place(command, message):
    with pytest.raises(ew.InvalidInput) as error:
        read_command(command.replace("PY", PYTHON), NUMBERS)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("PY {temperature} '{flow rate}' {solvent:.2f}", "command, '{solvent:.2f}': Unknown format code 'f'"),
        (
            "sh -c 'solve {temperature} {solvent}' {folder}",
            "{solvent} stands within a script, where sh would",
        ),
        ("nice /bin/bash -ec 'cd {folder}'", "{folder} stands within a script"),
    ],
)
def test_texts_are_no_numbers_and_no_part_of_a_script(command, message):
    with pytest.raises(ew.InvalidInput) as error:
        read_command(command.replace("PY", PYTHON), EXAMPLE, "/my runs")
    assert message in str(error.value)
    assert read_command("sh -c 'solve {temperature} \"$1\"' sh {solvent} {folder}", EXAMPLE, "/my runs")
    assert read_command("sh -c 'cd {folder}'", EXAMPLE, "/runs")


@pytest.mark.parametrize("name", ["T [K]", "p.q", "p:q", "p!q"])
def test_a_name_that_cannot_stand_in_braces_is_named_with_the_way_out(name):
    """Python's format would read a part of it as something else."""
    with pytest.raises(
        ew.InvalidInput, match=r"cannot stand in braces, because of .* \{folder\}/inputs.json"
    ):
        read_command(f"echo '{{{name}}}'", {name: 1.0, "p": 2.0})
    assert read_command("echo {folder}", {name: 1.0}) == ("echo", "{folder}")


def test_a_program_may_read_its_inputs_from_the_folder_instead():
    assert read_command(f"{PYTHON} {{folder}}/inputs.json", NUMBERS)
    assert check_placeholders("{folder}/{id}.json", NUMBERS, "file") == {"folder", "id"}
    with pytest.raises(ew.InvalidInput, match="'id' is the experiment's own word"):
        read_command(f"{PYTHON} {{id}}", {"id": 1.0})


# Values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3.5\n", 3.5),
        ("1 2.5, -3e2", [1.0, 2.5, -300.0]),
        ("[1, 2]", [1, 2]),
        ('{"b": 2, "a": 1, "time": 7}', {"a": 1, "b": 2}),
    ],
)
def test_numbers_and_json_are_values(text, value):
    assert value_of_text(text, ("a", "b"), "y.txt") == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  \n", "y.txt: there is no value"),
        ("done", "'done' is neither a number nor JSON"),
        ("1_000", "'1_000' is neither a number nor JSON"),
        ('{"a": 1}', "no value for 'b'; it has a"),
    ],
)
def test_text_without_a_value_is_a_failure(text, message):
    with pytest.raises(TellingFailure, match=message):
        value_of_text(text, ("a", "b"), "y.txt")


# Programs

SCRIPT = """
import json, os, sys
folder, *values = sys.argv[1:]
inputs = json.load(open(folder + "/inputs.json"))
assert [str(inputs[name]) for name in ("x", "y")] == values, (inputs, values)
json.dump({"value": inputs["x"] + inputs["y"], "pid": os.getpid()}, open(folder + "/y.json", "w"))
print("some talk")
print(inputs["x"] * inputs["y"])
"""


def command(tmp_path, script=SCRIPT, source="stdout", **more):
    words = (PYTHON, "-c", script.replace("{", "{{").replace("}", "}}"), "{folder}", "{x}", "{y}")
    return Command(words, source, str(tmp_path / "runs"), str(tmp_path), ("value",), **more)


POINT = {"x": 0.1 + 0.2, "y": 4.0}


@pytest.mark.parametrize(
    ("source", "value"),
    [("stdout", POINT["x"] * 4), ("{folder}/y.json", {"value": POINT["x"] + 4}), ("exit-code", 0)],
)
def test_the_value_comes_from_where_one_says(tmp_path, source, value):
    assert command(tmp_path, source=source)(12, POINT) == value
    folder = tmp_path / "runs" / "000012"
    assert {file.name for file in folder.iterdir()} == {
        "inputs.json", "command.txt", "stdout.txt", "stderr.txt", "y.json",
    }  # fmt: skip
    assert json.loads((folder / "inputs.json").read_text()) == {"id": 12, **POINT}
    assert "some talk" in (folder / "stdout.txt").read_text()


def test_another_attempt_has_another_folder(tmp_path):
    simulate = command(tmp_path)
    simulate(3, POINT)
    simulate(3, POINT)
    assert {folder.name for folder in (tmp_path / "runs").iterdir()} == {"000003", "000003-2"}


def test_exit_codes_and_missing_files_are_failures_with_the_end_of_the_log(tmp_path):
    with pytest.raises(TellingFailure, match=r"exit code 3, see .*000001\n\nfurnace too hot"):
        command(tmp_path, "import sys; print('furnace too hot', file=sys.stderr); sys.exit(3)")(1, POINT)
    with pytest.raises(TryAgainLater):
        command(tmp_path, "import sys; sys.exit(75)")(2, POINT)
    with pytest.raises(TellingFailure, match=r"wrote no .*z.json"):
        command(tmp_path, "", source="{folder}/z.json")(3, POINT)
    assert command(tmp_path, "import sys; sys.exit(3)", source="exit-code")(4, POINT) == 3


@pytest.mark.parametrize("source", ["stdout", "exit-code"])
def test_a_signal_is_no_exit_code(tmp_path, source):
    """The kernel ended the program; -11 is nothing that it had to say."""
    script = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    with pytest.raises(TellingFailure, match=r"ended by signal 9, see .*000001"):
        command(tmp_path, script, source=source)(1, POINT)


def test_in_a_worker_of_ours_a_program_is_not_ended_without_its_children(tmp_path):
    """The pool ends both at once; ended alone, the program would leave the child behind."""
    script = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open(sys.argv[1] + '/child', 'w').write(str(child.pid))\ntime.sleep(600)"
    )
    child = tmp_path / "runs" / "000001" / "child"
    with ProcessPool(1) as pool:
        future = pool.submit(command(tmp_path, script, timeout=0.1), 1, POINT)
        until(lambda: child.exists() and child.read_text())
        with pytest.raises(TimeoutError):  # its own time has been over for long
            future.result(1.0)
        assert pool.end(future)
        until(lambda: gone(int(child.read_text())))


def test_a_program_that_takes_too_long_is_ended_with_its_children(tmp_path):
    script = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open(sys.argv[1] + '/child', 'w').write(str(child.pid))\ntime.sleep(600)"
    )
    with pytest.raises(TellingFailure, match="no value within 2 s"):
        command(tmp_path, script, timeout=2.0)(1, POINT)
    child = tmp_path / "runs" / "000001" / "child"
    if child.exists():  # a slow machine may not have come so far
        until(lambda: gone(int(child.read_text())))


def test_a_worker_of_a_cluster_that_leads_its_group_ends_what_takes_too_long(tmp_path):
    """As Dask's may under Slurm. The run cannot end its calls: the program would hold the worker for good."""
    job = Command(
        (PYTHON, "-c", "import time; time.sleep(600)"), "stdout", str(tmp_path), str(tmp_path), (), 1.0
    )
    script = f"from equiwarp.runner.command import Command\n{job!r}(1, {{}})"
    words, environment = [PYTHON, "-c", script], {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        words, stderr=subprocess.PIPE, text=True, start_new_session=True, env=environment
    ) as leader:
        try:
            said = leader.communicate(timeout=LIMIT)[1]
        finally:
            if leader.poll() is None:
                os.killpg(leader.pid, signal.SIGKILL)
    assert "no value within 1 s" in said


# The command line

TOML = """
name = "sim"
n0 = 4
strategy = "fps"
[domain]
type = "box"
parameters = {x = [0, 1], y = [0, 2]}
"""
SIMULATE = "import sys; x, y = map(float, sys.argv[1:]); assert x < 0.8, 'too far right'; print(x * y)"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EQUIWARP_STORE", raising=False)
    (tmp_path / "sim.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "simulate.py").write_text(SIMULATE, encoding="utf-8")
    return tmp_path


def invoke(*words, code=0):
    result = CliRunner().invoke(main, ["run", "sim.toml", *map(str, words)])
    assert result.exit_code == code, result.output
    return result.output


COMMAND = ("--command", f"{PYTHON} simulate.py {{x}} {{y}}")


def test_a_file_and_a_command_are_all_it_takes(folder):
    said = invoke(*COMMAND, "--budget", 8, "--workers", 2)
    campaign = ew.Campaign("sim", store="equiwarp.db")
    counts = campaign.status().counts
    assert counts["done"] + counts["failed"] == 8
    assert said.startswith(f"{counts['done']} values and {counts['failed']} failure")
    assert all(e.value == e.point["x"] * e.point["y"] for e in campaign.experiments("done"))
    for experiment in campaign.experiments("failed"):
        assert experiment.point["x"] >= 0.8
        assert "AssertionError: too far right" in experiment.reason
    assert len(list((folder / "sim-runs").iterdir())) == 8
    assert "0 values and 0 failures" in invoke(*COMMAND, "--budget", 8)


def test_a_campaign_whose_name_is_no_file_name_has_a_folder_all_the_same(folder):
    (folder / "sim.toml").write_text(TOML.replace('"sim"', '"sim/2: hot"'), encoding="utf-8")
    invoke(*COMMAND, "--budget", 1, "--workers", 1)
    assert len(list((folder / "sim-2- hot-runs").iterdir())) == 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--command", "python {z}", "--budget", 3), 1, "unknown placeholder {z}"),
        ((*COMMAND, "--budget", 3, "--value", "y.json"), 2, "is the same file for all"),
        ((*COMMAND, "--budget", 3, "--value", "{out}/y"), 1, "unknown placeholder {out}"),
        (COMMAND, 1, "nothing would end this run"),
        ((*COMMAND, "--duration", "soon"), 2, "is no duration"),
        ((*COMMAND, "--duration", f"{10**17}d"), 2, "is longer than a calendar"),
        ((*COMMAND, "--budget", 3, "--scheduler", "nowhere"), 1, "no Dask scheduler answers"),
    ],
)
def test_mistakes_show_before_anything_starts(folder, words, code, message):
    if "--scheduler" in words:
        pytest.importorskip("distributed")
    assert message in invoke(*words, code=code)
    assert not (folder / "equiwarp.db").exists()


def test_a_termination_gives_back_what_runs_and_kill_9_leaves_no_program_behind(folder):
    waiting = "import os, sys, time; open(sys.argv[1] + '/pid', 'w').write(str(os.getpid())); time.sleep(600)"
    (folder / "wait.py").write_text(waiting, encoding="utf-8")
    words = [
        PYTHON,
        "-c",
        "from equiwarp.cli import main; main()",
        "run",
        "sim.toml",
        "--budget",
        "9",
        "--workers",
        "1",
    ]
    words += ["--command", f"{PYTHON} wait.py {{folder}}"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def program(pattern):
        until(lambda: any(f.read_text() for f in Path("sim-runs").glob(pattern)))
        return int(next(iter(Path("sim-runs").glob(pattern))).read_text())

    first = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
    pid = program("*1/pid")
    first.kill()
    first.wait()
    until(lambda: gone(pid))
    second = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)
    pid = program("*2/pid")
    second.send_signal(signal.SIGTERM)
    assert second.wait(LIMIT) == 143
    second.stderr.close()
    until(lambda: gone(pid))
    assert ew.Campaign("sim", store="equiwarp.db").status().counts["pending"] == 0


def test_tables_show_the_first_line_of_a_traceback_and_exports_all_of_it(folder):
    campaign = ew.Campaign("sim", ew.Box({"x": (0, 1), "y": (0, 2)}), store="equiwarp.db", strategy="fps")
    (experiment,) = campaign.ask()
    campaign.tell_failed(experiment.id, "ValueError: no solution\n\nTraceback:\n  line 3")
    table = CliRunner().invoke(main, ["export", "--format", "table"]).output
    assert "ValueError: no solution ..." in table
    assert "line 3" not in table
    assert "line 3" in CliRunner().invoke(main, ["export", "--format", "csv"]).output
