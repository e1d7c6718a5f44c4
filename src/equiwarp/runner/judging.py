"""How good the map is while a run goes on: fitted beside the run, never in its way.

A fit begins when there are new values and the fits so far have taken less than a fifth of the time. A slow
simulator is judged after every value, a fast one as often as a fifth of one core allows.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.campaign import Campaign
from equiwarp.exceptions import InvalidInput, RunStopped
from equiwarp.maps.stopping import StopRule, require_responses

if TYPE_CHECKING:
    from equiwarp.maps.map import Map

#: The part of the time that may go into fits.
SHARE = 0.2
#: Fewer values make no map to speak of.
FEWEST_VALUES = 5
#: How many experiments the forecast looks ahead.
FORECAST_AHEAD = 20


@dataclass(frozen=True)
class Judgement:
    """What a map says: its error and forecast for the first response, and whether the rule holds.

    Attributes
    ----------
    values : int
        How many values the map is made of.
    stop : str
        Why the run may stop; empty if it may not.
    """

    values: int
    error: float
    forecast: float
    stop: str
    seconds: float


def judge(campaign: Campaign, rule: StopRule) -> Judgement:
    """Draw the map and look at it."""
    begin = time.monotonic()
    known = campaign.map()
    _require_measured(rule, known)
    advice = known.stop(rule)
    forecast = np.asarray(known.forecast(FORECAST_AHEAD))[-1, 0]
    seconds = time.monotonic() - begin
    stop = advice.reason if advice.stop else ""
    return Judgement(len(known.x), known.error()[0].value, float(forecast), stop, seconds)


def _require_measured(rule: StopRule, known: Map) -> None:
    """A rule for a response that nobody measures would never hold, and the run never end."""
    try:
        require_responses(rule, known.responses)
    except InvalidInput as error:
        raise RunStopped(f"{error}. Correct the rule and run again") from error


class JudgingPace:
    """Decides when the next fit may begin."""

    def __init__(self) -> None:
        self._values, self._not_before = 0, 0.0

    def due(self, values: int, now: float) -> bool:
        """Whether there is something new to see, and time to look at it."""
        return values >= FEWEST_VALUES and values > self._values and now >= self._not_before

    def begun(self, values: int) -> None:
        """A fit of so many values began."""
        self._values = values

    def ended(self, seconds: float, now: float) -> None:
        """It took so long."""
        self._not_before = now + seconds * (1 / SHARE - 1)
