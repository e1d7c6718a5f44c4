"""``StorePatience``: how long a run waits for a store that is out of reach, and for which errors."""

from __future__ import annotations

import time

from equiwarp.exceptions import StoreBusy, StoreFull, StoreUnreachable

#: Errors of a store that pass.
PASSING = (StoreBusy, StoreFull, StoreUnreachable)
#: Seconds: how long a store may be out of reach, and between attempts.
STORE_PATIENCE, PAUSE = 600.0, 0.5


class StorePatience:
    """Since when the store has been out of reach."""

    def __init__(self) -> None:
        self._lost: float | None = None

    def reached(self) -> None:
        """The store answered."""
        self._lost = None

    def wait(self, error: BaseException) -> None:
        """Pause before another attempt; raise the error if it has lasted too long."""
        now = time.monotonic()
        self._lost = now if self._lost is None else self._lost
        if now - self._lost > STORE_PATIENCE:
            raise error
        time.sleep(PAUSE)
