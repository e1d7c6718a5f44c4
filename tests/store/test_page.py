"""The page on stores is true: its blocks run in order."""

from __future__ import annotations

import re
from pathlib import Path

import equiwarp as ew

PAGE = Path(__file__).parents[2] / "docs" / "store.md"


def test_the_blocks_of_the_page_run_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 4
    for block in blocks:
        exec(compile(block, "store.md", "exec"), names)
    assert ew.Campaign.names("lab.db") == ["furnace"]
