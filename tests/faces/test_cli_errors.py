"""Whatever ends a command is said the same way, with the exit code of its kind."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from equiwarp.cli import COMMANDS, main
from equiwarp.cli.failures import CODES, INTERNAL, USAGE
from equiwarp.exceptions import CONFLICT, STORE, WRONG_INPUT

TOML = 'name = "tea"\nn0 = 6\n[domain]\ntype = "box"\nparameters = {minutes = [1, 10]}\n'
#: One wrong input a command, where "tea" has two experiments and the value 1 for the first.
WRONG = {
    "init": ("init tea.toml", WRONG_INPUT),
    "check": ("check bad.toml", WRONG_INPUT),
    "new": ("new other.toml", CONFLICT),
    "ask": ("ask -n 0", USAGE),
    "tell": ("tell 1 2", CONFLICT),
    "fail": ("fail 9 broken", WRONG_INPUT),
    "abandon": ("abandon 1", CONFLICT),
    "amend": ("amend 1 x", WRONG_INPUT),
    "withdraw": ("withdraw 2", CONFLICT),
    "undo": ("undo 1", CONFLICT),
    "repeat": ("repeat 9", WRONG_INPUT),
    "note": ("note 1", WRONG_INPUT),
    "claim": ("claim --lease soon", USAGE),
    "renew": ("renew 2", CONFLICT),
    "rename": ("rename", USAGE),
    "widen": ("widen minutes --low 9", WRONG_INPUT),
    "change": ("change --noise smell=1", WRONG_INPUT),
    "add": ("add bad.csv", WRONG_INPUT),
    "release": ("release", USAGE),
    "status": ("status --store none.db", STORE),
    "why": ("why 9", WRONG_INPUT),
    "map": ("map --points none.csv", WRONG_INPUT),
    "forecast": ("forecast -c coffee", STORE),
    "run": ("run none.toml --command true", WRONG_INPUT),
    "plot": ("plot map -o map.gif", WRONG_INPUT),
    "export": ("export --state gone", USAGE),
    "list": ("list --store none.db", STORE),
    "doctor": ("doctor --format xml", USAGE),
    "backup": ("backup tea.toml", WRONG_INPUT),
    "restore": ("restore equiwarp.db", WRONG_INPUT),
    "verify": ("verify", USAGE),
    "archive": ("archive tea.db -c coffee", STORE),
    "import": ("import none.db", STORE),
    "report": ("report report.html", WRONG_INPUT),
    "serve": ("serve --token short", USAGE),
    "demo": ("demo --budget 3", USAGE),
    "bench": ("bench boil", USAGE),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("EQUIWARP_STORE", "EQUIWARP_CAMPAIGN"):
        monkeypatch.delenv(name, raising=False)
    for name, text in {
        "tea.toml": TOML,
        "other.toml": TOML.replace("10", "20"),
        "bad.toml": "nam = 1",
        "bad.csv": "minutes,value\n1,x\n",
        "report.html": "precious",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for words in ("new tea.toml", "ask -n 2", "tell 1 1"):
        assert run(words).exit_code == 0
    return tmp_path


def run(words):
    return CliRunner().invoke(main, words.split())


def assert_said_once(result, code):
    """One line that begins with our prefix, none with click's, and the exit code."""
    lines = result.stderr.splitlines()
    assert [line.partition(":")[0] for line in lines if line.lower().startswith("error")] == ["error"], lines
    assert "Traceback" not in result.output
    assert result.exit_code == code


def test_every_command_is_wrong_once():
    assert set(WRONG) == set(COMMANDS)
    assert {code for _, code in WRONG.values()} == {WRONG_INPUT, USAGE, CONFLICT, STORE}
    assert set(CODES) == {0, INTERNAL, WRONG_INPUT, USAGE, CONFLICT, STORE}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_input_ends_every_command_the_same_way(folder, name):
    words, code = WRONG[name]
    assert_said_once(run(words), code)


@pytest.mark.parametrize("words", ["--nope", "boil", "--debug"])
def test_before_there_is_a_command_too(words):
    result = run(words)
    assert_said_once(result, USAGE)
    assert "Usage: main [OPTIONS] COMMAND" in result.stderr


def test_commands_of_a_group_too():
    group = main.get_command(click.Context(main), "bench")
    assert isinstance(group, click.Group)
    for name in group.commands:
        result = run(f"bench {name} --nope")
        assert_said_once(result, USAGE)
        assert f"Try 'main bench {name} --help' for help." in result.stderr


def test_a_group_without_a_command_shows_its_help():
    result = run("bench")
    assert "Commands:" in result.output
    assert "error:" not in result.stderr


def test_a_fault_of_ours_says_so(monkeypatch, folder):
    def broken(*_):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("equiwarp.campaign.campaign.Campaign.status", broken)
    result = run("status")
    assert_said_once(result, INTERNAL)
    assert "error: ZeroDivisionError: by zero\nThis is a fault in equiwarp." in result.stderr


def test_python_runs_the_command_line_where_no_script_is_on_the_path(tmp_path):
    words = ["-m", "equiwarp", "list", "--store", str(tmp_path / "none.db")]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert done.returncode == STORE
    assert "there is no store" in done.stderr
    wrong = subprocess.run([sys.executable, *words, "--what"], capture_output=True, text=True)
    assert wrong.returncode == USAGE
    assert wrong.stderr.startswith("Usage: equiwarp list")
