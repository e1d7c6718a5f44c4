"""How fast experiments end and how long choosing takes, and so how many to choose ahead.

A worker that must wait until the next experiment is chosen is idle. One that gets an experiment chosen
earlier works on older knowledge. So nothing is chosen ahead while choosing takes next to no time beside the
function, and otherwise somewhat more than workers finish while the next ones are chosen.
"""

from __future__ import annotations

import math

#: Workers may be idle for this part of the time before experiments are chosen ahead.
IDLE_SHARE = 0.02
#: So many for each worker at most: nearly all of a choice's time does not depend on how many are chosen.
MOST_AHEAD = 16
#: Of those that end while the next are chosen: so many are kept ready, and so many asked for. A machine that
#: has more to do now than before takes longer than expected.
LEAST, ENOUGH = 1.5, 3.0
#: Weight of the newest duration in the running mean.
NEWEST = 0.2


class Pace:
    """Running means of seconds: of an experiment, and of one call of ``ask``."""

    def __init__(self) -> None:
        self.experiment: float | None = None
        self.choosing: float | None = None

    def finished(self, seconds: float) -> None:
        """An experiment took so long."""
        self.experiment = _mean(self.experiment, seconds, NEWEST)

    def chosen(self, seconds: float) -> None:
        """A choice took so long. It grows with the measurements: a rise counts in full, a fall by half."""
        self.choosing = max(seconds, _mean(self.choosing, seconds, 0.5))

    def stock(self, workers: int) -> tuple[int, int]:
        """How many should be ready when all workers are busy: ask below the first number, up to the second.

        The first number ends while the next ones are chosen. Asking for some more at once spares choices,
        which take nearly as long for few as for many.
        """
        if self.experiment is None or self.choosing is None:
            return 0, 0
        idle_share = self.choosing / max(self.experiment, 1e-9)
        meanwhile = workers * idle_share  # so many end while the next are chosen
        if idle_share < IDLE_SHARE and meanwhile < 0.5:
            return 0, 0
        most = MOST_AHEAD * workers
        return min(most // 2, math.ceil(LEAST * meanwhile)), min(most, math.ceil(ENOUGH * meanwhile))


def _mean(before: float | None, newest: float, weight: float) -> float:
    return newest if before is None else (1 - weight) * before + weight * newest
