"""A few processes for heavy work, shared fairly among campaigns, and ended when nobody waits.

Each process belongs to a thread, which picks a job, sends it over, and looks several times a second
whether somebody still waits for it. If nobody does, the process is ended and the next job gets a new
one. Three rules make it fair:

- work for which a visitor waits comes before work in the background;
- among campaigns, the one that was served longest ago is next;
- no campaign, and no background work, may have all processes: one is left for everybody else.

Waiting holds nothing: neither a process nor, for requests, a thread. What is ended holds no store, so
nothing can be lost by it.
"""

from __future__ import annotations

import importlib
import multiprocessing
import threading
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, SpawnContext
from typing import Any

from equiwarp.exceptions import ComputationEnded
from equiwarp.web import tasks
from equiwarp.web.jobs import GLANCE, HeavyJob

#: What every process needs is loaded once, in a server that the processes are forked from; where there
#: is none (Windows), each loads it for itself. Never forked from the page: it has threads and stores.
FAMILIES = (
    "matern", "additive", "smooth", "trend", "warped", "envelope", "pairs", "single_index", "average",
)  # fmt: skip
LOADED = [
    "equiwarp.web.tasks",
    "equiwarp.geometry.equalizer",
    *(f"equiwarp.models.{name}" for name in FAMILIES),
]


def _context() -> ForkServerContext | SpawnContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    return context


def load_ahead() -> None:
    """Have the modules loaded before the first visitor comes: there, and here, where maps are unpacked."""
    if _context().get_start_method() == "forkserver":
        forkserver.ensure_running()
    for name in LOADED:
        importlib.import_module(name)


class Processes:
    """At most ``size`` processes (two or more) for the jobs of one kind."""

    def __init__(self, size: int, niceness: int = 0) -> None:
        self.size, self.niceness = size, niceness
        self._changed = threading.Condition()
        self._waiting: list[HeavyJob[Any]] = []
        self._running: list[HeavyJob[Any]] = []
        self._turn = 0
        self._served: dict[int, int] = {}  # campaign -> the turn at which it was served last
        self._workers: list[_Worker] = []
        self._threads = 0
        self._closed = False

    def submit(self, job: HeavyJob[Any]) -> None:
        """Have it done as soon as it is its turn."""
        with self._changed:
            if self._closed:
                job.fail(ComputationEnded("the page is being stopped"))
                return
            self._waiting.append(job)
            if self._threads < min(self.size, len(self._waiting) + len(self._running)):
                self._threads += 1
                threading.Thread(target=self._serve, name="equiwarp-jobs", daemon=True).start()
            self._changed.notify_all()

    def close(self) -> None:
        """End all processes; those who wait are told so. Takes no time, whatever is being computed."""
        with self._changed:
            self._closed = True
            left, self._waiting = [*self._waiting, *self._running], []
            workers = list(self._workers)
            self._changed.notify_all()
        for worker in workers:
            worker.kill()
        for job in left:
            job.fail(ComputationEnded("the page is being stopped"))

    def _serve(self) -> None:
        """What a thread does: jobs in a process of its own, one after the other."""
        worker: _Worker | None = None
        while (job := self._take()) is not None:
            worker = worker or self._new_worker()
            if worker is None or not worker.run(job):
                self._forget(worker)
                worker = None
            with self._changed:
                self._running.remove(job)
                self._changed.notify_all()

    def _take(self) -> HeavyJob[Any] | None:
        """The next job; None when the page is stopped."""
        with self._changed:
            while not self._closed:
                self._drop_unwanted()
                job = self._fairest()
                if job is not None:
                    self._waiting.remove(job)
                    self._running.append(job)
                    self._turn += 1
                    self._served[job.campaign] = self._turn
                    return job
                self._changed.wait(GLANCE if self._waiting else None)
            return None

    def _drop_unwanted(self) -> None:
        for job in [job for job in self._waiting if not job.wanted]:
            self._waiting.remove(job)
            job.fail(ComputationEnded("nobody waits for this answer any more"))

    def _fairest(self) -> HeavyJob[Any] | None:
        """Of the jobs that may have a process now, the one whose turn it is."""
        most = max(1, self.size - 1)
        background = sum(job.background for job in self._running)
        busy = [job.campaign for job in self._running]
        allowed = [
            job
            for job in self._waiting
            if busy.count(job.campaign) < most and not (job.background and background >= most)
        ]
        return min(allowed, key=lambda job: (job.background, self._served.get(job.campaign, 0)), default=None)

    def _new_worker(self) -> _Worker | None:
        worker = _Worker(self.niceness)
        with self._changed:
            if not self._closed:
                self._workers.append(worker)
                return worker
        worker.kill()
        worker.bury()
        return None

    def _forget(self, worker: _Worker | None) -> None:
        if worker is None:
            return
        with self._changed:
            self._workers.remove(worker)
        worker.bury()


class _Worker:
    """One process, and the line to it."""

    def __init__(self, niceness: int) -> None:
        context = _context()
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=tasks.serve, args=(theirs, niceness), daemon=True)
        self.process.start()
        theirs.close()

    def run(self, job: HeavyJob[Any]) -> bool:
        """Have a job done; whether the process is fit for another one."""
        try:
            self.line.send((job.work, job.arguments, job.reports))
            while True:
                if self.line.poll(GLANCE):
                    kind, content = self.line.recv()
                    if kind == "done":
                        job.succeed(content)
                        return True
                    if kind == "failed":
                        job.fail(content)
                        return True
                    job.told(*content)
                elif not job.wanted:
                    job.fail(ComputationEnded("nobody waits for this answer any more"))
                    return False
        except (EOFError, OSError):
            said = "the computation was ended by the machine, perhaps because memory was short; try again"
            job.fail(ComputationEnded(said))
        except (
            Exception
        ) as error:  # something that cannot be sent: a thread that ended here would never be back
            job.fail(ComputationEnded(f"{type(error).__name__}: {error}"))
        return False

    def kill(self) -> None:
        """End it. It has nothing that could be lost."""
        self.process.kill()

    def bury(self) -> None:
        """End it, and let go of what this side has of it. Only the thread that runs it may do so."""
        self.kill()
        self.line.close()
        self.process.join(5)
