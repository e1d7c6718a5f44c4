"""Every example of docs/integrations.md runs, each in an interpreter and a folder of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
ADAPTERS = {"ax", "baybe", "bluesky", "botorch", "gest", "notebook", "optuna", "sklearn"}


def adapters(block: str) -> set[str]:
    return set(re.findall(r"from equiwarp\.integrations\.(\w+) import", block))


def test_every_adapter_has_an_example() -> None:
    assert set().union(*map(adapters, BLOCKS)) == ADAPTERS
    files = {path.stem for path in (ROOT / "src" / "equiwarp" / "integrations").glob("*.py")}
    assert (
        files - {"__init__", "campaigns", "guide", "host_record", "loop", "spaces", "torch_geometry"}
        == ADAPTERS
    )


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: "-".join(sorted(adapters(b))))
def test_the_example_runs(block: str, tmp_path: Path) -> None:
    environment = dict(os.environ)
    if "MappingOptimizer" in block:  # of the generation whose import name is the same
        environment["PYTHONPATH"] = str(Path(sys.prefix) / "bluesky-adaptive-1")
    done = subprocess.run(
        [sys.executable, "-c", block],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
