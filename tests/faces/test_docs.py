"""Guide, README and CONTRIBUTING are true: their blocks run in order and give what they show."""

from __future__ import annotations

import csv
import re
import shlex
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner

from equiwarp.cli import main
from equiwarp.domains import registry as domain_registry
from equiwarp.models import registry as model_registry
from equiwarp.strategy import registry as strategy_registry

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


@dataclass
class Reader:
    """Someone who follows a page to the letter."""

    folder: Path
    names: dict = field(default_factory=dict)

    def follow(self, language, text):
        if language == "toml":
            name = text.split("\n", 1)[0].removeprefix("# ")
            (self.folder / name).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, "guide.md", "exec"), self.names)
        elif language == "console":
            for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
                command, _, shown = part.partition("\n")
                self.run(command, shown)

    def run(self, command, shown):
        words = shlex.split(command)
        assert words[0] == "equiwarp", command
        into = words[words.index(">") + 1] if ">" in words else None
        result = CliRunner().invoke(main, words[1 : words.index(">") if into else None])
        code = re.search(r"^\[exit code (\d+)\]\n", shown, re.M)
        assert result.exit_code == (int(code[1]) if code else 0), result.output
        if into:
            (self.folder / into).write_text(result.stdout, encoding="utf-8")
        # Hints on standard error need not be shown, errors are.
        said = result.stdout + (result.stderr if code or "the limit of" in shown else "")
        assert_shown(re.sub(r"^\[exit code \d+\]\n", "", shown, flags=re.M), "" if into else said)


def assert_shown(shown, said):
    """Both agree, blanks aside; ``...`` in what is shown stands for anything."""
    parts = [re.escape(" ".join(part.split())) for part in shown.split("...")]
    pattern = r"\s*" + r".*?".join(parts) + r"\s*"
    assert re.fullmatch(pattern, " ".join(said.split()), re.S), f"shown:\n{shown}\nsaid:\n{said}"


@pytest.mark.parametrize("page", ["guide.md", "laboratory.md"])
def test_a_guide_runs_from_its_first_file_to_its_end(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("EQUIWARP_STORE", "EQUIWARP_CAMPAIGN"):
        monkeypatch.delenv(name, raising=False)
    reader = Reader(tmp_path)
    blocks = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    assert {language for language, _ in blocks} == {"console", "toml", "python"}
    for language, text in blocks:
        reader.follow(language, text)


def blocks_of(page, language):
    return [
        text for kind, text in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")) if kind == language
    ]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/prior.md"])
def test_the_python_blocks_of_a_page_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reader = Reader(tmp_path)
    blocks = blocks_of(page, "python")
    assert blocks
    for text in blocks:
        reader.follow("python", text)


def commands_of(page):
    """The commands of a page that shows no output, each as its words, comments left out."""
    lines = "".join(blocks_of(page, "console")).splitlines()
    return [shlex.split(line, comments=True) for line in lines]


def fill_in(plate):
    """What happens between `ask` and `tell`: somebody measures."""
    with plate.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    empty = [
        name for name, value in rows[0].items() if value == "" and not name.startswith(("noise", "failed"))
    ]
    for i, row in enumerate(rows):
        row.update(dict.fromkeys(empty, str(1.0 + i)))
    with plate.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return len(rows)


def test_the_commands_of_the_readme_take_a_campaign_from_its_file_to_the_first_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = commands_of("README.md")
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`make ([a-z-]+)`", readme)) <= set(targets)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    installed = [words[-1] for words in commands if words[:2] == ["pip", "install"]]
    assert installed[0] == "."  # first without any extra
    assert {extra for what in installed[1:] for extra in what[2:-1].split(",")} <= set(extras)
    ours = [words[1:] for words in commands if words[0] == "equiwarp"]
    assert [words[0] for words in ours] == ["demo", "init", "new", "ask", "tell", "serve"]
    for words in ours[1:-1]:  # `make release` runs the demo; serve does not end by itself, tests/web has it
        if words[0] == "tell":
            assert fill_in(tmp_path / words[1]) == 8
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.output
    status = CliRunner().invoke(main, ["status", "--store", "furnace.db"])
    assert re.search(r"^done +8$", status.stdout, re.M), status.output


def test_the_entry_points_that_contributing_shows_are_those_that_are_looked_up():
    (text,) = blocks_of("CONTRIBUTING.md", "toml")
    shown = tomllib.loads(text)["project"]["entry-points"]
    assert set(shown) == {strategy_registry.GROUP, domain_registry.GROUP, model_registry.GROUP}


def test_the_checker_notices_what_is_not_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reader = Reader(tmp_path)
    for text in (
        "$ equiwarp init a.toml\nWrote b.toml.\n",
        "$ equiwarp status\n",
        "$ equiwarp list\n[exit code 3]\n",
    ):
        with pytest.raises(AssertionError):
            reader.follow("console", text)
    with pytest.raises(NameError):
        reader.follow("python", "unknown")
