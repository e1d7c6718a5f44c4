"""Sweeps over processes: resumed, failing politely, and surviving a killed worker."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from equiwarp.bench.cell import Cell, Job, compute
from equiwarp.cli import main

distributed = import_module("distributed") if os.environ.get("CI") else pytest.importorskip("distributed")


def bench(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["bench", *arguments])
    return result.exit_code, result.output


def test_run_resumes_extends_and_recomputes_nothing(tmp_path: Path, worker_path: None) -> None:
    out = str(tmp_path)
    common = (
        "--function",
        "tests_bench_user:ramp",
        "--dim",
        "2",
        "--arms",
        "fps",
        "--out",
        out,
        "--workers",
        "1",
    )
    strategy = ("--strategy", "tests_bench_user:plain_variance")
    code, text = bench("run", *common, *strategy, "--seeds", "1", "--rounds", "3")
    assert code == 0, text
    assert "2 cells computed, 0 found finished" in text
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    assert len(before) == 2
    code, text = bench("run", *common, *strategy, "--seeds", "1", "--rounds", "2")
    assert "0 cells computed, 2 found finished" in text
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")} == before
    code, text = bench("run", *common, "--seed", "0", "--seeds", "2", "--rounds", "4")
    assert "2 cells computed, 0 found finished" in text
    assert "3 scores computed, 0 found" in bench("score", out, "--readouts", "5nn", "--workers", "1")[1]
    assert "0 scores computed, 3 found" in bench("score", out, "--readouts", "5nn")[1]
    code, text = bench("table", out, "--format", "json", "--rounds", "3", "--readout", "5nn")
    assert [(row["arm"], row["seeds"]) for row in json.loads(text)] == [
        ("tests_bench_user:plain_variance", 1)
    ]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_failing_cell_is_named_and_the_others_are_kept(
    tmp_path: Path, worker_path: None, workers: str
) -> None:
    own = ("--function", "tests_bench_user:fails_late", "--dim", "2", "--benchmarks", "levy-2d")
    how = ("--arms", "fps", "--seeds", "1", "--rounds", "1", "--out", str(tmp_path), "--workers", workers)
    code, text = bench("run", *own, *how)
    assert code == 1
    assert "failed: tests_bench_user:fails_late@2 fps seed 0: the furnace tripped" in text
    [cell] = [Cell.load(path) for path in tmp_path.rglob("*.npz")]
    assert cell.benchmark == "levy-2d"
    # In this process or in a worker: the same bits.
    np.testing.assert_array_equal(cell.x, compute(Job("levy-2d", "fps", 0, 1)).x)


def test_one_worker_needs_no_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    common = ("run", "--benchmarks", "levy-2d", "--arms", "fps", "--seeds", "1", "--rounds", "1")
    code, text = bench(*common, "--out", str(tmp_path), "--workers", "1")
    assert (code, "1 cells computed" in text) == (0, True), text
    code, text = bench(*common, "--out", str(tmp_path / "other"), "--workers", "2")
    assert (code, "equiwarp[bench]" in text) == (1, True), text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "--benchmarks", "nope", "--out", "x"), "unknown benchmark 'nope'"),
        (("run", "--arms", "nope", "--out", "x"), "unknown arm 'nope'"),
        (("run", "--function", "a:b", "--out", "x"), "--function needs --dim"),
        (("run", "--lengthscale-factor", "-1", "--out", "x"), "must be positive"),
        (("run", "--lengthscale-factor", "one", "--out", "x"), "numbers separated by commas"),
        (("table", "nowhere"), "nowhere holds no results"),
    ],
)
def test_mistakes_are_sentences(arguments: tuple[str, ...], message: str) -> None:
    code, text = bench(*arguments)
    assert code != 0
    assert message in text
    assert "Traceback" not in text


def test_killed_worker_loses_a_cell_and_not_the_table(tmp_path: Path) -> None:
    out = tmp_path / "results"
    with cluster(tmp_path) as (address, workers):
        arguments = ("--benchmarks", "levy-2d,cap-s2", "--arms", "fps,equiwarp", "--seeds", "3")
        arguments += ("--rounds", "20", "--out", str(out), "--scheduler", address)
        client = subprocess.Popen(
            [sys.executable, "-c", "from equiwarp.cli import main; main()", "bench", "run", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        with client:
            _wait(lambda: any(out.rglob("seed-*.npz")), client)
            os.kill(workers[0].pid, signal.SIGKILL)
            unfinished = 12 - len(list(out.rglob("seed-*.npz")))
            text, _ = client.communicate(timeout=120)
    assert client.returncode == 0, text
    assert unfinished > 0, "the worker was killed after the run had ended"
    assert "12 cells computed" in text
    _, text = bench("table", str(out), "--format", "json", "--rounds", "20")
    assert [(row["benchmark"], row["arm"], row["seeds"]) for row in json.loads(text)] == [
        ("levy-2d", "equiwarp", 3),
        ("cap-s2", "equiwarp", 3),
    ]


@contextmanager
def cluster(scratch: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers as processes of their own on loopback; workers without nannies."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    python = [sys.executable, "-W", "ignore", "-m"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": scratch}
    scheduler = [*python, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)]
    worker = [*python, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    off = ["--no-dashboard"]
    processes = [subprocess.Popen([*scheduler, *off], **quiet)]  # type: ignore[call-overload]
    processes += [subprocess.Popen([*worker, *off], **quiet) for _ in range(2)]  # type: ignore[call-overload]
    try:
        _wait(lambda: _listening(port), processes[0])
        with distributed.Client(address, timeout="60s") as client:
            client.wait_for_workers(2, timeout=90)
        yield address, processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _listening(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _wait(ready: Callable[[], bool], process: subprocess.Popen[Any], seconds: float = 90) -> None:
    """Until something is so, as long as the process lives."""
    end = time.monotonic() + seconds
    while not ready():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < end, f"{process.args} took too long"
        time.sleep(0.02)
