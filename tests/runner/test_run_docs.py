"""The page on runs is true: its files, blocks and commands run in order and give what they show."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.faces.test_docs import BLOCK, DOCS, Reader


class FileReader(Reader):
    """Someone who also saves the blocks that begin with the name of a file."""

    def follow(self, language, text):
        name = re.match(r"# (\w+\.py)\n", text)
        if name:
            (self.folder / name[1]).write_text(text, encoding="utf-8")
        elif language == "console" and text.startswith("$ pip"):
            return
        else:
            super().follow(language, text)


def test_the_page_on_runs_goes_from_equations_to_a_figure_and_a_cluster(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for name in ("EQUIWARP_STORE", "EQUIWARP_CAMPAIGN"):
        monkeypatch.delenv(name, raising=False)
    reader = FileReader(tmp_path)
    blocks = BLOCK.findall((DOCS / "runs.md").read_text(encoding="utf-8"))
    assert {language for language, _ in blocks} == {"console", "toml", "python"}
    try:
        for language, text in blocks:
            reader.follow(language, text)
    finally:
        sys.modules.pop("reactor", None)
    assert (tmp_path / "reactor.png").stat().st_size > 10_000
