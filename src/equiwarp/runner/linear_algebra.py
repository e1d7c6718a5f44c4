"""One thread for the linear algebra of a run whose workers fill the machine.

BLAS starts as many threads as there are cores, and they wait for each other in loops. Beside workers that
compute, a choice then takes ten times its processor time. The setting belongs to the whole process: the first
run of it sets it, the last one takes it back.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from importlib import import_module
from typing import Any

_lock = threading.Lock()
_runs, _limits = 0, list[Any]()


@contextlib.contextmanager
def one_thread(workers: int, here: bool) -> Iterator[None]:
    """Within it, linear algebra takes one thread, if so many workers ``here`` leave no core to it."""
    if not here or workers < (os.cpu_count() or 1):
        yield
        return
    _begin()
    try:
        yield
    finally:
        _end()


def _begin() -> None:
    global _runs
    import_module("scipy.linalg")  # what is loaded later would not be limited
    with _lock:
        _runs += 1
        if _runs == 1:
            _limits.append(import_module("threadpoolctl").threadpool_limits(1, "blas"))


def _end() -> None:
    global _runs
    with _lock:
        _runs -= 1
        if _runs == 0:
            _limits.pop().restore_original_limits()
