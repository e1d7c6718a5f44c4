"""When mapping may stop. Reported, never enforced.

A rule limits the error of each response, or what a further experiment must gain. Responses have units of
their own, so a limit may be given for each by its name; one number holds for all. Mapping may stop when
every response that has a limit keeps to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp._util.arguments import number, whole
from equiwarp._util.seeds import stream
from equiwarp._util.text import offered, several, three_digits
from equiwarp.exceptions import InvalidInput, InvalidType
from equiwarp.maps.error import ENOUGH_RESIDUALS, count_places

if TYPE_CHECKING:
    from equiwarp.maps.map import Map

#: One number for every response, or numbers by the response's name.
Limit = float | Mapping[str, float]


@dataclass(frozen=True)
class StopRule:
    """When mapping may stop: the map is good enough, or further experiments hardly improve it.

    For a response with both limits it is enough if one of them holds. Every response that has a limit must
    hold. A rule is reported, never enforced.

    Parameters
    ----------
    error : float or mapping, optional
        The map error is at most this: one number for all responses, each in its own unit, or a number for
        each by its name. A response that a mapping does not name may have any error.
    gain_per_experiment : float or mapping, optional
        Each of the next experiments is forecast to lower the map error by less than this, given alike.

    Raises
    ------
    InvalidInput
        If one of them is not a positive number, or a mapping is empty.

    Examples
    --------
    >>> import equiwarp as ew
    >>> ew.StopRule(error=0.1)
    StopRule(error=0.1, gain_per_experiment=None)
    >>> ew.StopRule(error={"conductivity": 7, "thickness": 100}).error["thickness"]
    100.0
    """

    error: Limit | None = None
    gain_per_experiment: Limit | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            words = f"stop rule: {field.name.replace('_', ' ')}"
            given = getattr(self, field.name)
            object.__setattr__(self, field.name, None if given is None else _read_limit(given, words))

    @property
    def is_set(self) -> bool:
        """Whether there is any limit."""
        return self.error is not None or self.gain_per_experiment is not None

    def limits(self, response: str) -> tuple[float | None, float | None]:
        """The limits of error and gain for one response; None where there is none.

        Parameters
        ----------
        response : str
            Its name.

        Returns
        -------
        tuple of float or None
            In the response's unit.
        """
        error, gain = (_limit_for(response, limit) for limit in (self.error, self.gain_per_experiment))
        return error, gain

    def names(self) -> Iterator[str]:
        """The responses that are limited by name.

        Yields
        ------
        str
        """
        for limit in (self.error, self.gain_per_experiment):
            if isinstance(limit, Mapping):
                yield from limit


def _read_limit(given: Any, words: str) -> Limit:
    """Positive numbers, checked one by one."""
    if isinstance(given, Mapping):
        if not given:
            raise InvalidInput(f"{words} names no response; give a number for one, or leave it out")
        return {str(name): _positive(value, f"{words} of {name}") for name, value in given.items()}
    return _positive(given, words)


def _positive(value: Any, words: str) -> float:
    read = number(value, words)
    if not 0 < read < math.inf:
        raise InvalidInput(f"{words} must be a positive number, got {value!r}")
    return read


def _limit_for(response: str, limit: Limit | None) -> float | None:
    return limit.get(response) if isinstance(limit, Mapping) else limit


@dataclass(frozen=True)
class StopAdvice:
    """The answer to "may I stop?", with the reason. :meth:`equiwarp.Map.stop` makes it.

    Attributes
    ----------
    stop : bool
        Whether mapping may stop.
    reason : str
        Why, as a sentence that names each response, its error and its limit.

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
    """Whether a rule holds for every response of a map that it limits."""
    horizon = whole(horizon, "horizon", 1)
    if not isinstance(rule, StopRule):
        raise InvalidType(f"a stop rule is expected, got {rule!r}; write StopRule(error={rule!r})")
    require_responses(rule, map.responses)
    if not rule.is_set:
        return StopAdvice(False, "there is no stop rule")
    judged = [_judge(map, j, rule, horizon) for j in range(len(map.responses))]
    said = [verdict for verdict in judged if verdict is not None]
    return StopAdvice(all(verdict.stop for verdict in said), "; ".join(v.reason for v in said))


def require_responses(rule: StopRule, known: tuple[str, ...]) -> None:
    """Refuse a rule that names a response which is not measured."""
    for name in rule.names():
        if name not in known:
            raise InvalidInput(f"stop rule: there is no response {name!r}{offered(name, known)}")


def _judge(map: Map, j: int, rule: StopRule, horizon: int) -> StopAdvice | None:
    """One response against its own limits; None if it has none."""
    name, unit = map.responses[j], f" {map.units[j]}" if map.units[j] else ""
    error, gain = rule.limits(name)
    if error is None and gain is None:
        return None
    unknown = _nothing_to_judge(map, j)
    if unknown:
        return StopAdvice(False, unknown)
    now = map.error()[j].value
    about = f"the map error of {name} is {_beside(now, error)}{unit}"
    if error is not None and now <= error:
        return StopAdvice(True, f"{about}, within the limit of {error:g}{unit}")
    if gain is not None:
        brings, ahead = _gain_ahead(map, j, horizon)
        if brings is None:
            return StopAdvice(True, f"{about}, and {ahead}")
        about += f", and {ahead} is forecast to lower it by {_beside(brings, gain)}{unit}"
        if brings < gain:
            return StopAdvice(True, f"{about}, less than {gain:g}{unit}")
        about += f", at least {gain:g}{unit}"
    return StopAdvice(False, about if error is None else f"{about}, above the limit of {error:g}{unit}")


def _beside(value: float, limit: float | None) -> str:
    """To three digits, or to as many as show on which side of the limit it lies: 4.003 is above 4."""
    if limit is None or value == limit or float(three_digits(value)) != limit:
        return three_digits(value)
    return next(text for digits in range(4, 18) if float(text := f"{value:.{digits}g}") != limit)


def _nothing_to_judge(map: Map, j: int) -> str:
    """What to say of a response whose values cannot contradict its model, else nothing.

    A few values cannot, and equal ones look like a map without error, however many they are. Nor can many
    values of a few places, which leave together. Rows do not count: some have values of others alone.
    """
    rows = ~np.isnan(map.y[:, j])
    values, name = map.y[rows, j], map.responses[j]
    if not len(values):
        return f"there is no value of {name} yet"
    of_which = f" of {name}" if len(map.responses) > 1 else ""
    if len(values) < ENOUGH_RESIDUALS:
        return f"values{of_which} so far: {len(values)}, too few to judge the map's error"
    if np.ptp(values) == 0.0:
        return f"all {len(values)} values{of_which} are equal, so nothing tells the map's error"
    places = count_places(map.domain.embed(map.x[rows]))
    if places < ENOUGH_RESIDUALS and places < len(map.domain.pool(ENOUGH_RESIDUALS, stream(0, "places"))):
        at = several(places, "place")
        return f"values{of_which} so far: {len(values)} at {at}, too few to judge the map's error"
    return ""


def _gain_ahead(map: Map, j: int, horizon: int) -> tuple[float | None, str]:
    """By how much each experiment ahead lowers the error, and which they are; None if none is left.

    A list of candidates may end before the horizon.
    """
    forecast = map.forecast(horizon)[:, j]
    count = len(forecast) - 1
    if not count:
        return None, "no experiment is left to lower it"
    one, many = "the next experiment", f"each of the next {count} experiments"
    if count < horizon:
        one, many = "the only experiment left", f"each of the {count} experiments left"
    return float(forecast[0] - forecast[-1]) / count, one if count == 1 else many
