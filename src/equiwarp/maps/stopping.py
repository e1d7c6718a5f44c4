"""When mapping may stop. Reported, never enforced."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from equiwarp.exceptions import InvalidInput


@dataclass(frozen=True)
class StopRule:
    """What a campaign's description asks of its map before one may stop.

    Attributes
    ----------
    error : float, optional
        Stop when the map error is below this, in the units of the response.
    gain_per_experiment : float, optional
        Stop when the next experiments are forecast to lower the error by less than this each.
    """

    error: float | None = None
    gain_per_experiment: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not (math.isfinite(value) and value > 0):
                words = field.name.replace("_", " ")
                raise InvalidInput(f"stop rule: {words} must be a positive number, got {value!r}")


@dataclass(frozen=True)
class StopAdvice:
    """Whether a stop rule holds, and the sentence that says why."""

    stop: bool
    reason: str
