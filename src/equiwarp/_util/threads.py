"""One thread for small matrices.

A fit factorises hundreds of small matrices. Shared among threads, each takes longer, because the threads wait
for each other; where other programs keep the cores busy, 20 to 50 times as long.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


class _Limit:
    """How many threads there were when nobody was inside: that is what each gives back.

    Some builds of OpenBLAS count threads for each thread that calls, others for the whole process. Of two
    that overlap, the second must not take the first one's limit for the usual number.
    """

    def __init__(self) -> None:
        self._lock, self._inside, self._own = threading.Lock(), 0, threading.local()
        self._usual: Any = None

    def enter(self) -> None:
        self._own.depth = getattr(self._own, "depth", 0) + 1
        with self._lock:
            limiter = _controller().limit(limits=1, user_api="blas")
            if not self._inside:
                self._usual = limiter
            self._inside += 1

    def leave(self) -> None:
        self._own.depth -= 1
        with self._lock:
            self._inside -= 1
            if not self._own.depth:
                self._usual.restore_original_limits()


_LIMIT = _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra on one thread until the block ends."""
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


@cache
def _controller() -> Any:
    """Knows the libraries that are loaded when it is made."""
    import scipy.linalg  # noqa: F401  (its own OpenBLAS, beside NumPy's)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
