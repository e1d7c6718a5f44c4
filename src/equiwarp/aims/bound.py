"""``BoundAim``: an aim on a domain, from beliefs at places to their weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equiwarp.aims.goal import Belief, Goal
from equiwarp.domains import Array

#: What a place counts at least where only a belief says that it is of no use: beliefs may be wrong.
FLOOR = 0.02


@dataclass(frozen=True)
class BoundAim:
    """Goals that were checked against a domain and its responses. :meth:`equiwarp.Aim.on` makes it.

    Attributes
    ----------
    goals : tuple of Goal
    responses, units : tuple of str
        In the order of a map's columns.
    """

    goals: tuple[Goal, ...]
    responses: tuple[str, ...]
    units: tuple[str, ...]

    def column(self, goal: Goal) -> int:
        """The number of the response that a goal is about."""
        return 0 if goal.response is None else self.responses.index(goal.response)

    @property
    def needs_beliefs(self) -> bool:
        """Whether the weights depend on what is believed of a response."""
        return any(not goal.certain for goal in self.goals)

    def weights(self, x: Array, mean: Array, deviation: Array, beside_contours: bool = False) -> Array:
        """How much each place counts, ``(m,)`` from 0 to 1.

        ``x`` ``(m, columns)`` are points of the domain, ``mean`` and ``deviation`` ``(m, k)`` what is
        believed of each response there, in its unit. ``beside_contours`` leaves out how near a place is to a
        contour: who looks for it knows better how to count that.
        """

        def of(goal: Goal) -> Array:
            j = self.column(goal)
            found = goal.weights(x, Belief(mean[:, j], deviation[:, j]))
            return np.where(np.isnan(found), 1.0, found)  # of what nobody measured, all may be true

        uncertain = [goal for goal in self.goals if not goal.certain]
        believed = _all(of, [goal for goal in uncertain if not goal.alternative], len(x))
        alternatives = [goal for goal in uncertain if goal.alternative and not beside_contours]
        if alternatives:
            believed = believed * (1.0 - _all(lambda goal: 1.0 - of(goal), alternatives, len(x)))
        if uncertain:
            believed = FLOOR + (1.0 - FLOOR) * believed
        return believed * self.certain_weights(x)

    def contours(self, j: int) -> tuple[float, ...]:
        """The levels of response number j whose contours are looked for."""
        return tuple(
            level
            for goal in self.goals
            if goal.alternative and self.column(goal) == j
            for level in goal.levels
        )

    def certain_weights(self, x: Array) -> Array:
        """What the user's own words say that each place counts, whatever is believed of the responses."""
        certain = [goal for goal in self.goals if goal.certain]
        return _all(lambda goal: goal.weights(x, None), certain, len(x))

    def words(self) -> str:
        """The aim for people: ``yield near 60 %, weighted by temperature / 100``."""
        return ", ".join(map(self.goal_words, self.goals))

    def goal_words(self, goal: Goal) -> str:
        """One of its goals for people."""
        j = self.column(goal)
        return goal.words(self.responses[j], f" {self.units[j]}" if self.units[j] else "")

    def remarks(self, y: Array) -> list[str]:
        """What to say of goals that no measured value ``(n, k)`` has come to; NaN is no value."""
        return [said for goal in self.goals if (said := self.out_of_reach(goal, y))]

    def out_of_reach(self, goal: Goal, y: Array) -> str:
        """That no value has come to one of the goals; empty if one has, or there is none."""
        values = y[np.isfinite(y[:, self.column(goal)]), self.column(goal)]
        if not len(values) or goal.reached(values):
            return ""
        return (
            f"the aim is {self.goal_words(goal)}, and no value has come to that: they run from "
            f"{values.min():.4g} to {values.max():.4g}"
        )


def _all(weights: Callable[[Goal], Array], goals: list[Goal], m: int) -> Array:
    """The product of the goals' weights, ``(m,)``."""
    product = np.ones(m)
    for goal in goals:
        product = product * weights(goal)
    return product
