"""``RunPlan``: when a run ends, and how patient it is with one experiment."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from equiwarp._util.arguments import number, whole
from equiwarp.exceptions import InvalidInput, InvalidType
from equiwarp.maps.stopping import StopRule


@dataclass(frozen=True)
class RunPlan:
    """What was decided before a run began. None: no such limit.

    Attributes
    ----------
    budget : int or None
        Experiments of the campaign in all: measured, failed and handed out, by whomever.
    stop : StopRule
        The run ends when it holds.
    duration : float or None
        Seconds after which nothing new is begun.
    timeout : float or None
        Seconds that one experiment may take.
    retries : int
        How often an experiment is begun again whose worker was lost, or that failed for a passing reason.
    ahead : int or None
        How many experiments are chosen before a worker is free; None: as many as keep workers busy.
    """

    budget: int | None = None
    stop: StopRule = StopRule()  # noqa: RUF009  (frozen)
    duration: float | None = None
    timeout: float | None = None
    retries: int = 1
    ahead: int | None = None

    @classmethod
    def of(cls, budget: Any, stop: Any, duration: Any, timeout: Any, retries: Any, ahead: Any) -> RunPlan:
        """Read and checked from what a caller gave."""
        if stop is not None and not isinstance(stop, StopRule):
            raise InvalidType(f"stop must be a StopRule such as equiwarp.StopRule(error=0.1), got {stop!r}")
        return cls(
            None if budget is None else whole(budget, "budget", 1),
            stop or StopRule(),
            _seconds(duration, "duration"),
            _seconds(timeout, "timeout"),
            whole(retries, "retries", 0),
            None if ahead is None else whole(ahead, "ahead", 0),
        )

    @property
    def has_rule(self) -> bool:
        """Whether there is a stop rule to look at."""
        return self.stop != StopRule()

    @property
    def ends(self) -> bool:
        """Whether a run under this plan ends by itself on a domain without an end."""
        return self.has_rule or self.budget is not None or self.duration is not None


def _seconds(value: Any, what: str) -> float | None:
    if value is None:
        return None
    seconds = value.total_seconds() if isinstance(value, timedelta) else number(value, what)
    if not 0 < seconds < math.inf:
        raise InvalidInput(f"{what} must be a positive number of seconds or a timedelta, got {value!r}")
    return seconds
