"""A disk that fails inside write and fsync, at the calls that a tell and the closing after it make."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fresh import SOURCE

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        message = "the failing disk needs Linux and a C compiler"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    made = tmp_path_factory.mktemp("disk") / "failing_disk.so"
    source = HERE / "failing_disk.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", made, source, "-ldl"], check=True)
    return made


def trials(library, folder, kind, action, step):
    done = subprocess.run(
        [sys.executable, HERE / "disk_trials.py", folder, kind, action, str(step)],
        capture_output=True, text=True, check=False,
        env={**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": SOURCE},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("kind", "action", "step"),
    [
        ("write", "full", 3),
        ("write", "short", 9),
        ("write", "kill half", 3),
        ("sync", "error", 1),
        ("sync", "kill before", 1),
        ("sync", "kill after", 1),
    ],
)
def test_nothing_acknowledged_is_lost_and_nothing_is_half_there(library, tmp_path, kind, action, step):
    outcomes = trials(library, tmp_path, kind, action, step)
    assert len(outcomes) >= 2, "the disk was hardly used"
    for outcome in outcomes:
        assert outcome["ended"] == (-signal.SIGKILL if action.startswith("kill") else 0), outcome
        assert outcome["sound"], outcome["report"]
        assert outcome["values"][:2] == [1.0, 2.0]
        allowed = [3.0] if outcome["said"] == "acknowledged" else [None, 3.0]
        assert outcome["values"][2] in allowed, outcome
        assert outcome["again"] == 3.0
        if outcome["said"] not in ("acknowledged", ""):
            assert outcome["said"].startswith(("StoreFull", "StoreError")), outcome["said"]
    if action in ("error", "full"):  # what was written in part is completed
        refused = [o for o in outcomes if o["said"] != "acknowledged"]
        assert refused, "no failure was noticed"
        assert all(o["values"][2] is None for o in refused), "a change was denied and kept"
