"""``Events``: whatever happens beside the loop of a run, in the order in which it happened.

Threads put into it what the loop shall do; the loop alone takes from it, so nothing else needs a lock.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any


class Events:
    """A queue of things to do in the loop's own thread."""

    def __init__(self) -> None:
        self._queue = queue.SimpleQueue[Callable[[], None]]()

    def put(self, event: Callable[[], None]) -> None:
        """Have something done by the loop; from any thread."""
        self._queue.put(event)

    def take(self, patience: float) -> bool:
        """Do the next event and all others that are there; False if none came within so many seconds."""
        try:
            self._queue.get(timeout=patience)()
        except queue.Empty:
            return False
        while not self._queue.empty():
            self._queue.get()()
        return True

    def beside(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do work in a thread; what it returns or raises is an event."""

        def go() -> None:
            try:
                found = work()
            except Exception as error:
                found = error
            self.put(lambda: then(found))

        threading.Thread(target=go, daemon=True, name="equiwarp-run").start()
