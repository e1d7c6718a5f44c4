"""What a run says of itself while it works."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RunProgress:
    """A run at one moment. :meth:`equiwarp.Runner.progress` makes it.

    Attributes
    ----------
    done, failed : int
        Experiments of this run that have a value, and that failed.
    running, ready : int
        Experiments that workers compute, and that are chosen and wait for a worker.
    retried : int
        How often an experiment was begun again.
    elapsed : float
        Seconds since the run began.
    busy : float
        The part of the time that workers spent in the function, from 0 to 1.
    error : float or None
        The map error of the first response when the map was last drawn; None before.
    ahead : int
        How many experiments ``forecast`` looks ahead.
    forecast : float or None
        The map error expected after so many more experiments.
    reason : str
        Why the run ended; empty while it runs.

    Examples
    --------
    >>> import equiwarp as ew
    >>> p = ew.RunProgress(done=30, running=4, elapsed=60.0, busy=0.97, error=0.12)
    >>> p.per_minute
    30.0
    >>> print(p)
    30 done, 4 running, 0 failed, 30 per minute, map error 0.12
    """

    done: int = 0
    failed: int = 0
    running: int = 0
    ready: int = 0
    retried: int = 0
    elapsed: float = 0.0
    busy: float = 0.0
    error: float | None = None
    ahead: int = 0
    forecast: float | None = None
    reason: str = ""

    @property
    def per_minute(self) -> float:
        """Experiments that ended per minute, so far."""
        return 60.0 * (self.done + self.failed) / self.elapsed if self.elapsed > 0 else 0.0

    def __str__(self) -> str:
        parts = [
            f"{self.done} done, {self.running} running, {self.failed} failed",
            f"{self.per_minute:.3g} per minute",
        ]
        if self.error is not None:
            parts.append(f"map error {self.error:.3g}")
        if self.forecast is not None:
            parts.append(f"{self.forecast:.3g} after {self.ahead} more")
        return ", ".join(parts) + (f"; {self.reason}" if self.reason else "")


ProgressReport = Callable[[RunProgress], None]


class ProgressBar:
    """Progress as one line of a terminal, with a bar if the number of experiments is known."""

    def __init__(self, left: int | None) -> None:
        from tqdm import tqdm

        self._bar = tqdm(total=left, file=sys.stderr, bar_format=self._form(left), dynamic_ncols=True)

    @staticmethod
    def _form(left: int | None, text: str = "") -> str:
        """The line; without a number there is nothing to fill and the text says all."""
        text = text.replace("{", "{{").replace("}", "}}")
        return text or " " if left is None else "{l_bar}{bar}| " + text

    def __call__(self, progress: RunProgress) -> None:
        """Redraw; the last report closes the line."""
        bar = self._bar
        bar.n = progress.done + progress.failed
        bar.bar_format = self._form(bar.total, str(progress))
        bar.refresh()
        if progress.reason:
            bar.close()


def read_report(progress: Any, left: int | None) -> ProgressReport | None:
    """What ``progress`` asks for: a function of yours, a bar, nothing, or (None) a bar on a terminal.

    ``left`` experiments are still to come; None if nobody knows.
    """
    if callable(progress):
        return progress
    shown = sys.stderr.isatty() if progress is None else bool(progress)
    return ProgressBar(left) if shown else None
