"""How far a long computation is: whoever waits hands in a function, and it is told ``(done, total)``."""

from __future__ import annotations

from collections.abc import Callable

#: Takes how many steps are done, and of how many.
Progress = Callable[[int, int], None]


def part_of(progress: Progress, i: int, n: int) -> Progress:
    """The progress of part ``i`` (from 0) of ``n`` equal ones, which is told as progress of the whole."""
    return lambda done, total: progress(i * total + done, n * total)
