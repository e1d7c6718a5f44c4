"""When mapping may stop. Reported, never enforced."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from equiwarp._util.arguments import number
from equiwarp.exceptions import InvalidInput
from equiwarp.maps.error import ENOUGH_RESIDUALS

if TYPE_CHECKING:
    from equiwarp.maps.map import Map


@dataclass(frozen=True)
class StopRule:
    """When mapping may stop: the map is good enough, or further experiments hardly improve it.

    It is enough if one of the two holds. A rule is reported, never enforced.

    Parameters
    ----------
    error : float, optional
        The map error is at most this, in the units of the first response.
    gain_per_experiment : float, optional
        Each of the next experiments is forecast to lower the map error by less than this, in the same units.

    Raises
    ------
    InvalidInput
        If one of them is not a positive number.

    Examples
    --------
    >>> import equiwarp as ew
    >>> ew.StopRule(error=0.1)
    StopRule(error=0.1, gain_per_experiment=None)
    """

    error: float | None = None
    gain_per_experiment: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            words = field.name.replace("_", " ")
            if value is not None and not 0 < number(value, f"stop rule: {words}") < math.inf:
                raise InvalidInput(f"stop rule: {words} must be a positive number, got {value!r}")


@dataclass(frozen=True)
class StopAdvice:
    """The answer to "may I stop?", with the reason. :meth:`equiwarp.Map.stop` makes it.

    Attributes
    ----------
    stop : bool
        Whether mapping may stop.
    reason : str
        Why, as a sentence with the numbers.

    Examples
    --------
    >>> import equiwarp as ew
    >>> m = ew.build_map(ew.Box.unit(1), [[0.1], [0.9]], [0.0, 1.0], noise=0.1)
    >>> m.stop(ew.StopRule(error=0.1)).reason
    "values so far: 2, too few to judge the map's error"
    """

    stop: bool
    reason: str


def advise(map: Map, rule: StopRule, horizon: int) -> StopAdvice:
    """Whether a rule holds for a map, judged by its first response.

    Never from so few values that nothing could contradict the model: two equal ones look like a map
    without error.
    """
    if len(map.x) < ENOUGH_RESIDUALS:
        return StopAdvice(False, f"values so far: {len(map.x)}, too few to judge the map's error")
    now = map.error()[0].value
    if rule.error is not None and now <= rule.error:
        return StopAdvice(True, f"the map error {now:.3g} is below {rule.error:g}")
    if rule.gain_per_experiment is not None:
        forecast = map.forecast(horizon)[:, 0]
        gain = float(forecast[0] - forecast[-1]) / horizon
        if gain < rule.gain_per_experiment:
            return StopAdvice(
                True,
                f"the next {horizon} experiments are forecast to lower the error by {gain:.3g} each, "
                f"less than {rule.gain_per_experiment:g}",
            )
    return StopAdvice(False, f"the map error is {now:.3g}; no stop rule holds yet")
