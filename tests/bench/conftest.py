"""User modules of these tests are importable, here and in worker processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.append(HERE)


@pytest.fixture
def worker_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes started by a test import ``tests_bench_user``."""
    known = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", HERE if not known else os.pathsep.join([HERE, known]))
