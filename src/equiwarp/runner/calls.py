"""The calls of a run: what workers compute, whose time is over, and how long workers were busy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from equiwarp.exceptions import EquiwarpError, RunStopped
from equiwarp.runner.executors import Workers
from equiwarp.runner.function import Evaluated, Simulator
from equiwarp.runner.outcomes import Assignment

#: Seconds between looks at the number of workers.
COUNT_EVERY = 1.0


class Calls:
    """What workers compute now.

    Parameters
    ----------
    workers : Workers
    simulator : Simulator
    names : sequence of str
        What the simulator calls the parameters, in their order: the campaign may rename them meanwhile.
    timeout : float or None
        Seconds that a call may take.
    ended : callable
        Called with the future of every call that has ended, in any thread.
    """

    def __init__(
        self,
        workers: Workers,
        simulator: Simulator,
        names: Sequence[str],
        timeout: float | None,
        ended: Callable[[Future[Evaluated]], None],
    ) -> None:
        self.workers, self.simulator, self.names, self.timeout = workers, simulator, tuple(names), timeout
        self._ended = ended
        self._running, self._stuck = dict[Future[Evaluated], Assignment](), set[Future[Evaluated]]()
        self._count, self._next_count = 0, 0.0
        self._busy_seconds, self._worker_seconds, self._last_look = 0.0, 0.0, time.monotonic()

    def __len__(self) -> int:
        return len(self._running)

    @property
    def stuck(self) -> bool:
        """Whether workers are held by calls whose time was over and that cannot be ended."""
        return bool(self._stuck)

    def count(self) -> int:
        """How many workers there are; a cluster is asked once a second."""
        if time.monotonic() >= self._next_count:
            self._count, self._next_count = self.workers.count(), time.monotonic() + COUNT_EVERY
        return self._count

    def free(self) -> int:
        """How many workers wait for a call."""
        return self.count() - len(self._running) - len(self._stuck)

    def begin(self, job: Assignment) -> None:
        """Hand an experiment to a worker."""
        begun = replace(job, begun=time.monotonic())
        point = dict(zip(self.names, job.experiment.point.values(), strict=True))
        try:
            future = self.workers.submit(self.simulator, job.experiment.id, point, job.attempt)
        except EquiwarpError:
            raise
        except Exception as error:
            raise RunStopped(f"the executor takes no more calls: {error}") from error
        self._running[future] = begun
        future.add_done_callback(self._ended)

    def take(self, future: Future[Evaluated]) -> Assignment | None:
        """The experiment of a call that has ended; None if its time was over before."""
        self._stuck.discard(future)
        return self._running.pop(future, None)

    def computed(self, seconds: float) -> None:
        """A worker was busy for so long."""
        self._busy_seconds += seconds

    def overdue(self) -> list[Assignment]:
        """End the calls whose time is over; their experiments."""
        limit, now = self.timeout, time.monotonic()
        if limit is None:
            return []
        late = [(future, job) for future, job in self._running.items() if now - job.begun > limit]
        for future, job in late:
            del self._running[future]
            self.computed(now - job.begun)
            if not self.workers.end(future) and not future.done():
                self._stuck.add(future)
        if self._stuck and len(self._stuck) >= self.count():
            raise RunStopped(
                f"all {len(self._stuck)} workers are stuck in calls whose time was over; "
                "use processes, whose calls can be ended"
            )
        return [job for _, job in late]

    def next_overdue(self) -> float | None:
        """When the time of a call is over next; None if never."""
        if self.timeout is None or not self._running:
            return None
        return min(job.begun for job in self._running.values()) + self.timeout

    def busy_share(self) -> float:
        """The part of the time that workers computed, from 0 to 1."""
        now = time.monotonic()
        self._worker_seconds += self._count * (now - self._last_look)
        self._last_look = now
        return min(1.0, self._busy_seconds / max(self._worker_seconds, 1e-9))

    def end_all(self) -> list[Assignment]:
        """End every call; the experiments that were being computed."""
        for future in self._running:
            self.workers.end(future)
        left = list(self._running.values())
        self._running.clear()
        return left


def is_broken(executor: Any) -> bool:
    """Whether an executor will never take another call. Ours heals itself."""
    return bool(getattr(executor, "_broken", False))
