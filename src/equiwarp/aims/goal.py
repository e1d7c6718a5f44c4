"""What an aim is made of: one goal, and how it weighs places.

A goal at a response knows no more of a place than what a model believes of it there: mean and deviation. So
its weight is a probability under that belief, from 0 (of no use) to 1 (this is what the map is for).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from equiwarp.domains import Array, Domain


class Belief(NamedTuple):
    """What is believed of one response at m places: its mean and deviation ``(m,)``, in its unit."""

    mean: Array
    deviation: Array

    def above(self, level: float) -> Array:
        """The probability ``(m,)`` that the truth lies above a level."""
        from scipy.special import ndtr

        return np.asarray(ndtr(self.distance(level)))

    def distance(self, level: float) -> Array:
        """How many deviations the mean lies above a level, ``(m,)``."""
        gap = self.mean - level
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.deviation > 0, gap / self.deviation, np.where(gap == 0, 0.0, gap * np.inf))


class Goal(ABC):
    """One thing that a map is for. A new kind is a subclass in a file and a line in the registry.

    Attributes
    ----------
    alternative : bool
        Whether a place may serve any one of several such goals; otherwise it has to serve all of them.
    certain : bool
        Whether the weight is the user's word, not a belief that may be wrong.
    response : str or None
        The response that it is about; None is the only one there is.
    """

    alternative: ClassVar[bool] = False
    certain: ClassVar[bool] = False
    response: str | None = None

    @classmethod
    @abstractmethod
    def read(cls, given: Any, what: str) -> Iterator[Goal]:
        """The goals that a user's words mean; ``what`` begins the message if they mean none."""

    @property
    @abstractmethod
    def plain(self) -> Any:
        """The goal as a campaign file holds it, without the name of the response."""

    @property
    def levels(self) -> tuple[float, ...]:
        """Levels of the response that bound what the goal is about."""
        return ()

    def reached(self, values: Array) -> bool:
        """Whether any of the values ``(n,)`` of the response came to what the goal is about."""
        return True

    def prepared(self, domain: Domain) -> Goal:
        """The goal on a domain; an error if it cannot be meant there."""
        return self

    @abstractmethod
    def weights(self, x: Array, belief: Belief | None) -> Array:
        """How much each of the places ``(m, columns)`` counts, ``(m,)`` from 0 to 1."""

    @abstractmethod
    def words(self, name: str, unit: str) -> str:
        """What the goal is, for people: ``yield near 60 %``."""
