"""Goals at levels of a response: near one, above or below one, between two."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from equiwarp._util.arguments import number
from equiwarp.aims.goal import Belief, Goal
from equiwarp.domains import Array
from equiwarp.exceptions import InvalidInput


@dataclass(frozen=True)
class LevelGoal(Goal):
    """Bounds of a response; infinite where there is none."""

    low: float
    high: float
    response: str | None = None

    @classmethod
    def read(cls, given: Any, what: str) -> Iterator[Goal]:
        if not isinstance(given, Mapping):
            yield from cls.read_levels(given, None, what)
            return
        if not given:
            raise InvalidInput(f"{what} names no response; give a level for one, or leave it out")
        for name, levels in given.items():
            yield from cls.read_levels(levels, str(name), f"{what}.{name}")

    @classmethod
    def read_levels(cls, given: Any, response: str | None, what: str) -> Iterator[Goal]:
        """The goals at what was said of one response."""
        raise NotImplementedError

    @property
    def levels(self) -> tuple[float, ...]:
        return tuple(level for level in (self.low, self.high) if math.isfinite(level))

    def reached(self, values: Array) -> bool:
        return bool(values.max() >= self.low and values.min() <= self.high)

    def weights(self, x: Array, belief: Belief | None) -> Array:
        """The probability that the truth lies inside."""
        assert belief is not None
        return np.maximum(belief.above(self.low) - belief.above(self.high), 0.0)


@dataclass(frozen=True)
class Above(LevelGoal):
    """Where the response exceeds a level."""

    @classmethod
    def read_levels(cls, given: Any, response: str | None, what: str) -> Iterator[Goal]:
        yield cls(_level(given, what), math.inf, response)

    @property
    def plain(self) -> float:
        return self.low

    def words(self, name: str, unit: str) -> str:
        return f"{name} above {self.low:g}{unit}"


@dataclass(frozen=True)
class Below(LevelGoal):
    """Where the response stays below a level."""

    @classmethod
    def read_levels(cls, given: Any, response: str | None, what: str) -> Iterator[Goal]:
        yield cls(-math.inf, _level(given, what), response)

    @property
    def plain(self) -> float:
        return self.high

    def words(self, name: str, unit: str) -> str:
        return f"{name} below {self.high:g}{unit}"


@dataclass(frozen=True)
class Between(LevelGoal):
    """Where the response lies between two levels."""

    @classmethod
    def read_levels(cls, given: Any, response: str | None, what: str) -> Iterator[Goal]:
        ends = list(given) if isinstance(given, list | tuple) else []
        if len(ends) != 2:
            raise InvalidInput(f"{what} must be two levels, such as [40, 60], got {given!r}")
        low, high = (_level(end, what) for end in ends)
        if not low < high:
            raise InvalidInput(
                f"{what} must rise from its first level to its second, got {low:g} and {high:g}"
            )
        yield cls(low, high, response)

    @property
    def plain(self) -> list[float]:
        return [self.low, self.high]

    def words(self, name: str, unit: str) -> str:
        return f"{name} between {self.low:g} and {self.high:g}{unit}"


@dataclass(frozen=True)
class Near(LevelGoal):
    """A contour: where the response crosses a level.

    The weight is the density that the belief has at the level, relative to its largest value: 1 where the map
    puts the contour, and less the more deviations the map is away from the level.
    """

    alternative: ClassVar[bool] = True

    @classmethod
    def read_levels(cls, given: Any, response: str | None, what: str) -> Iterator[Goal]:
        levels = list(given) if isinstance(given, list | tuple) else [given]
        if not levels:
            raise InvalidInput(f"{what} is an empty list; give a level, or leave it out")
        for level in dict.fromkeys(_level(level, what) for level in levels):
            yield cls(level, level, response)

    @property
    def plain(self) -> float:
        return self.low

    @property
    def levels(self) -> tuple[float, ...]:
        return (self.low,)

    def weights(self, x: Array, belief: Belief | None) -> Array:
        assert belief is not None
        return np.exp(-0.5 * np.square(belief.distance(self.low)))

    def words(self, name: str, unit: str) -> str:
        return f"{name} near {self.low:g}{unit}"


def _level(given: Any, what: str) -> float:
    if isinstance(given, bool | str):  # Python would count them, as 1, or as what they spell
        raise InvalidInput(f"{what} must be a level, a number without quotes, got {given!r}")
    level = number(given, what)
    if not math.isfinite(level):
        raise InvalidInput(f"{what} must be a finite number, got {given!r}")
    return level
