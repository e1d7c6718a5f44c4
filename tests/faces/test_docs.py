"""The guide is true: its blocks are executed in order, and what it shows is what comes out."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner

from equiwarp.cli import main

DOCS = Path(__file__).parents[2] / "docs"
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
        said = result.stdout + (result.stderr if code or "rule holds" in shown else "")
        assert_shown(re.sub(r"^\[exit code \d+\]\n", "", shown, flags=re.M), "" if into else said)


def assert_shown(shown, said):
    """Both agree, blanks aside; ``...`` in what is shown stands for anything."""
    parts = [re.escape(" ".join(part.split())) for part in shown.split("...")]
    pattern = r"\s*" + r".*?".join(parts) + r"\s*"
    assert re.fullmatch(pattern, " ".join(said.split()), re.S), f"shown:\n{shown}\nsaid:\n{said}"


def test_the_guide_runs_from_the_first_file_to_a_stopped_campaign(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("EQUIWARP_STORE", "EQUIWARP_CAMPAIGN"):
        monkeypatch.delenv(name, raising=False)
    reader = Reader(tmp_path)
    blocks = BLOCK.findall((DOCS / "guide.md").read_text(encoding="utf-8"))
    assert {language for language, _ in blocks} == {"console", "toml", "python"}
    for language, text in blocks:
        reader.follow(language, text)


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
