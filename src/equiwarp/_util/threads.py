"""One thread for linear algebra.

A fit factorises hundreds of small matrices. Shared among threads, each takes longer, because the threads wait
for each other in loops; where other programs keep the cores busy, 20 to 50 times as long. So it is with the
choices of a run whose workers fill the machine.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

#: The same for processes that are started: what their environment has to say.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class _Limit:
    """How many threads there were when nobody was inside: that is what is given back.

    Most libraries have one number for the whole process: whoever leaves last gives it back, so that nobody
    who is still inside loses the limit. With OpenMP each thread has a number of its own, and gives it back
    when it leaves. The usual number is asked for while nobody is inside: the limit of another is not usual.
    """

    def __init__(self) -> None:
        self._lock, self._inside, self._own = threading.Lock(), 0, threading.local()
        self._usual: tuple[Any, Any] = (None, None)

    def enter(self) -> None:
        self._own.depth = getattr(self._own, "depth", 0) + 1
        with self._lock:
            _let_any_thread_decide()
            per_thread, shared = (libraries.limit(limits=1) for libraries in _libraries())
            if not self._inside:
                self._usual = per_thread, shared
            self._inside += 1

    def leave(self) -> None:
        self._own.depth -= 1
        with self._lock:
            self._inside -= 1
            _let_any_thread_decide()
            per_thread, shared = self._usual
            if not self._own.depth:
                per_thread.restore_original_limits()
            if not self._inside:
                shared.restore_original_limits()


_LIMIT = _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra on one thread until the block ends."""
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


def _let_any_thread_decide() -> None:
    """Later versions of threadpoolctl obey only the first thread that sets a number, as long as it lives."""
    import threadpoolctl

    openblas: Any = getattr(threadpoolctl, "OpenBLASController", None)
    if hasattr(openblas, "clear_controlling_thread"):
        openblas.clear_controlling_thread(force=True)


@cache
def _libraries() -> tuple[Any, Any]:
    """Those whose number of threads belongs to the calling thread, and those where the process has one.

    Libraries that are loaded later are not among them.
    """
    import scipy.linalg  # noqa: F401  (its own OpenBLAS, beside NumPy's)
    from threadpoolctl import ThreadpoolController

    found = ThreadpoolController()
    per_thread = found.select(user_api="openmp", threading_layer="openmp")
    paths = [library.filepath for library in found.lib_controllers]
    own = {library.filepath for library in per_thread.lib_controllers}
    return per_thread, found.select(filepath=[path for path in paths if path not in own])
