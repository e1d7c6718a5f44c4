"""``HeavyJob``: one piece of heavy work, and who waits for it.

Several may wait for one job. Each joins it and leaves it again, with the answer or without; a job for
which nobody waits any more is not worth its process and is dropped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from typing import Any, Generic, TypeVar

from equiwarp._util.progress import Progress
from equiwarp.exceptions import ComputationEnded

T = TypeVar("T")
#: Seconds between two looks at whether somebody is still there.
GLANCE = 0.25


class HeavyJob(Generic[T]):
    """A function of :mod:`equiwarp.web.tasks` with its arguments, for one campaign.

    Whoever makes a job has joined it.

    Parameters
    ----------
    campaign : int
        Work is shared out among campaigns.
    work, arguments : callable, tuple
        They must survive the way to another process.
    finish : callable, optional
        Turns the result into the answer, in this process.
    progress : callable, optional
        Takes ``(done, total)``.
    reports : bool
        Whether the work gets an argument ``progress`` to call; with a ``progress`` it does.
    background : bool
        Whether the first one who waits is no visitor: then those for whom visitors wait come first.
    """

    def __init__(
        self,
        campaign: int,
        work: Callable[..., Any],
        arguments: tuple[Any, ...],
        *,
        finish: Callable[[Any], T] | None = None,
        progress: Progress | None = None,
        reports: bool = False,
        background: bool = False,
    ) -> None:
        self.campaign, self.work, self.arguments = campaign, work, arguments
        self.finish, self._progress = finish, progress
        self.reports = reports or progress is not None
        self.steps = (0, 0)
        self.future: Future[T] = Future()
        self._lock = threading.Lock()
        self._waiting, self._visitors = 1, 0 if background else 1

    @classmethod
    def known(cls, answer: T) -> HeavyJob[T]:
        """A job that needs no process: its answer is at hand."""
        job: HeavyJob[T] = cls(0, _nothing, ())
        job.future.set_result(answer)
        return job

    @property
    def background(self) -> bool:
        return self._visitors == 0

    @property
    def wanted(self) -> bool:
        return self._waiting > 0

    def join(self, background: bool = False) -> bool:
        """Wait for it, too; False if it was given up already."""
        with self._lock:
            if self._waiting == 0 and not self.future.done():
                return False
            self._waiting += 1
            self._visitors += not background
            return True

    def leave(self, background: bool = False) -> None:
        """Wait no longer."""
        with self._lock:
            self._waiting -= 1
            self._visitors -= not background

    def wait(self, gone: Callable[[], bool], background: bool = False) -> T:
        """The answer, for one who has joined; :class:`ComputationEnded` once ``gone`` says so."""
        try:
            while True:
                try:
                    return self.future.result(GLANCE)
                except NotYet:
                    if self.future.done():  # the work itself ran out of time
                        raise
                if gone():
                    raise ComputationEnded("nobody waits for this answer any more")
        finally:
            self.leave(background)

    def told(self, done: int, total: int) -> None:
        """Take what the work says of how far it is."""
        self.steps = done, total
        if self._progress is not None:
            self._progress(done, total)

    def succeed(self, result: Any) -> None:
        try:
            answer = result if self.finish is None else self.finish(result)
        except Exception as error:
            self.future.set_exception(error)
        else:
            self.future.set_result(answer)

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


def _nothing() -> None:
    """What a job does whose answer is known."""
