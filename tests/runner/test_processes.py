"""The process pool: calls fail one by one, and the pool goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import equiwarp as ew
from equiwarp.runner.processes import ProcessPool
from tests.runner import functions

LIMIT = 60


@pytest.fixture
def pool():
    with ProcessPool(1) as found:
        yield found


def until(condition):
    """Wait for something that another process does; only a broken one takes this long."""
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def gone(process):
    """A process is gone or waits for its parent to notice."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True


def test_values_of_module_functions_and_of_local_ones_come_back(pool):
    local = 5
    assert pool.submit(functions.product, 2, 3).result(LIMIT) == 6
    assert pool.submit(lambda x: x + local, 1).result(LIMIT) == 6
    assert pool.submit(functions.product, 2, y=4).result(LIMIT) == 8
    assert pool.submit(os.getpid).result(LIMIT) not in (os.getpid(), None)


def test_an_exception_arrives_as_itself_with_the_traceback_of_the_worker(pool):
    error = pool.submit(functions.fails_on_the_left, 0.1, 0).exception(LIMIT)
    assert isinstance(error, ValueError)
    assert "no solution at x = 0.1" in str(error)
    assert "in fails_on_the_left" in error.__notes__[0]


def test_an_exception_that_cannot_be_sent_is_described(pool):
    class StrangeError(Exception):
        def __init__(self, a, b):
            super().__init__(f"{a} and {b}")

    def raises():
        raise StrangeError(1, 2)

    assert "StrangeError: 1 and 2" in str(pool.submit(raises).exception(LIMIT))
    assert pool.submit(functions.product, 2, 3).result(LIMIT) == 6


def test_a_worker_that_dies_fails_its_own_call_and_the_next_gets_a_new_one(pool):
    first = pool.submit(os.getpid).result(LIMIT)
    error = pool.submit(functions.dies_always, 1, 2).exception(LIMIT)
    assert isinstance(error, ew.WorkerLost)
    assert "by signal 9" in str(error)
    assert pool.submit(os.getpid).result(LIMIT) not in (first, os.getpid())


def test_what_a_function_prints_does_not_disturb_the_answers(capfd):
    with ProcessPool(1) as pool:
        assert pool.submit(functions.talks).result(LIMIT) == "value"
    assert "hello" in capfd.readouterr().err


def test_sys_exit_is_a_failure_and_not_the_end(pool):
    assert isinstance(pool.submit(functions.exits).exception(LIMIT), SystemExit)
    assert pool.submit(functions.product, 2, 3).result(LIMIT) == 6


def test_a_call_can_be_ended_with_everything_it_started(pool, tmp_path):
    future = pool.submit(functions.starts_a_child, tmp_path)
    until(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text())
    assert pool.end(future)
    assert isinstance(future.exception(LIMIT), ew.WorkerLost)
    until(lambda: gone(int((tmp_path / "child").read_text())))


def test_a_waiting_call_can_be_taken_back(pool, tmp_path):
    first = pool.submit(functions.waits_for, 1, 2, folder=tmp_path)
    second = pool.submit(functions.product, 1, 2)
    until(lambda: list(tmp_path.glob("begun-*")))
    assert pool.end(second)
    assert second.cancelled()
    (tmp_path / "go").touch()
    assert first.result(LIMIT) == 3


def test_what_cannot_be_sent_is_refused_with_a_remedy(pool, tmp_path):
    with (tmp_path / "file").open("w") as file, pytest.raises(ew.InvalidInput, match="use threads"):
        pool.submit(lambda: file)
    pool.shutdown()
    with pytest.raises(ew.InvalidInput, match="closed"):
        pool.submit(functions.talks)


def test_a_fork_of_the_function_neither_hides_the_end_of_its_worker_nor_answers_for_it(pool):
    with pytest.raises(ew.WorkerLost, match="by signal 9"):
        pool.submit(functions.dies_and_leaves_a_fork).result(LIMIT)
    assert pool.submit(functions.returns_in_both).result(LIMIT) == "worker"
    assert pool.submit(functions.product, 2, 3).result(LIMIT) == 6


def test_an_exception_of_a_module_that_only_the_worker_has_is_described(pool, tmp_path):
    (tmp_path / "solver_of_the_worker.py").write_text("class Diverged(Exception):\n    pass\n")
    error = pool.submit(functions.fails_by_a_module_of_its_own, str(tmp_path)).exception(LIMIT)
    assert str(error) == "Diverged: at step 7"
    assert "solver_of_the_worker.Diverged" in error.__notes__[0]
    assert pool.submit(functions.product, 2, 3).result(LIMIT) == 6


def test_values_and_exceptions_of_classes_of_the_script_come_back():
    script = """
from typing import NamedTuple
from equiwarp.runner.processes import ProcessPool

class Both(NamedTuple):
    a: float
    b: float

class LicenceError(OSError):
    pass

def refuses():
    raise LicenceError("none is free")

with ProcessPool(1) as pool:
    print(pool.submit(lambda: Both(1.0, 2.0)).result(60))
    print(repr(pool.submit(refuses).exception(60)))
"""
    ended = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
    )
    assert ended.stdout.splitlines() == ["Both(a=1.0, b=2.0)", "LicenceError('none is free')"], ended.stderr


def test_a_function_may_do_with_its_output_what_it_likes(pool):
    assert pool.submit(functions.closes_its_output).result(LIMIT) == "value"
    assert pool.submit(functions.product, 2, 3).result(LIMIT) == 6
