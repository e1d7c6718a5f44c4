"""``check_strategy`` rejects what it should reject: at least one wrong strategy for each of its laws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import equiwarp as ew
from equiwarp.strategy import Criterion, OpenLoop
from equiwarp.strategy.distance import Distance, DistanceState
from equiwarp.testing import ConformanceError, check_strategy
from equiwarp.testing.strategy_laws import STRATEGY_LAWS

BOX = ew.Box({"temperature": (20, 90), "pH": (3, 9)})


@dataclass(frozen=True)
class FarAway(OpenLoop):
    def points(self, domain, start, n, seed):
        return domain.sample(n, np.random.default_rng(seed), start) + 1000


@dataclass(frozen=True)
class OfItsOwnLength(OpenLoop):
    """Another sequence for each number of points."""

    def points(self, domain, start, n, seed):
        return domain.sample(n, np.random.default_rng(n), start)


class Greedy(DistanceState):
    """Looks for the best point, whatever is taken."""

    def best(self, weights, free):
        return super().best(weights, np.ones_like(free))


@dataclass(frozen=True)
class Repeating(Criterion):
    """Wants the first points of the pool, which are measured."""

    def begin(self, inputs):
        return Greedy(inputs.P, inputs.Z, -np.arange(len(inputs.P), dtype=float))


@dataclass(frozen=True)
class Impatient(Criterion):
    """Does not know that points are pending."""

    def begin(self, inputs):
        measured = inputs.Z[: len(inputs.y)]
        seen = Distance().begin(replace(inputs, x=inputs.x[: len(measured)]))
        return Greedy(inputs.P, inputs.Z, seen.nearest)


def scored(change):
    """A criterion whose scores are the distances, changed."""

    @dataclass(frozen=True)
    class Changed(Criterion):
        uses_values: ClassVar[bool] = change in (fails_on_constants,)

        def begin(self, inputs):
            state = Distance().begin(inputs)
            return replace(state, nearest=change(inputs, np.minimum(state.nearest, 10.0)))

    return Changed()


def noisy(inputs, score):
    return score * np.random.random(len(score))  # noqa: NPY002  (the mistake under test)


def not_a_number(inputs, score):
    return np.full_like(score, np.nan)


def by_row(inputs, score):
    return np.arange(len(score), dtype=float)


def from_the_first(inputs, score):
    return np.linalg.norm(inputs.P - inputs.Z[0], axis=1) if len(inputs.Z) else score


def from_the_highest(inputs, score):
    return np.linalg.norm(inputs.P - inputs.Z[np.argmax(inputs.y[:, 0])], axis=1) if len(inputs.y) else score


def fails_on_constants(inputs, score):
    if len(inputs.y) > 1 and not np.ptp(inputs.y):
        raise ZeroDivisionError("the values do not vary")
    return score


def sorts_the_pool(inputs, score):
    inputs.pool.sort(axis=0)
    return score


class Forgetful(DistanceState):
    """Takes a point in and does not learn from it."""

    def add(self, z):
        return Forgetful(self.P, np.vstack([self.points, z]), self.nearest)


@dataclass(frozen=True)
class Forgetting(Criterion):
    def begin(self, inputs):
        state = Distance().begin(inputs)
        return Forgetful(state.P, state.points, state.nearest)


#: A wrong criterion, the law that it breaks (by its first words), and a part of what is said about it.
WRONG = {
    "outside": (FarAway(), "Proposals are new", "lies outside: temperature ="),
    "repeats what is measured": (
        Repeating(),
        "Proposals are new",
        "is also a point that is measured or pending",
    ),
    "changes the pool": (scored(sorts_the_pool), "Proposals are new", "read-only"),
    "ignores what is pending": (Impatient(), "A point that is pending", "is also a point that is measured"),
    "global randomness": (scored(noisy), "The same question", "the same question gave"),
    "depends on the batch": (OfItsOwnLength(), "A larger batch", "of a batch of 2, and"),
    "no score": (scored(not_a_number), "Every chosen point", "with a score of nan"),
    "order of the pool": (scored(by_row), "The order of the pool", "became"),
    "order of measurements": (scored(from_the_first), "The order of the measurements", "became"),
    "forgets": (Forgetting(), "What one round leaves", "with what the round before left"),
    "looks at values": (scored(from_the_highest), "A strategy that says it ignores", "set uses_values"),
    "fails": (scored(fails_on_constants), "Few, equal", "a constant value: ZeroDivisionError: the values do"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_strategy_is_rejected_by_its_law_with_numbers(case):
    criterion, law, said = WRONG[case]
    with pytest.raises(ConformanceError) as caught:
        check_strategy(ew.Strategy("wrong", criterion, summary=case), [BOX])
    assert caught.value.law.startswith(law), str(caught.value)
    assert said in caught.value.finding
    assert caught.value.part == f"'wrong' on {BOX!r}"


def test_every_law_rejects_something():
    assert [law for law in STRATEGY_LAWS if not any(law.startswith(w[1]) for w in WRONG.values())] == []


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        (ew.Strategy("fps", Distance(), summary="mine"), "the name 'fps' belongs to another strategy"),
        (ew.Strategy("mine", Distance()), "summary = ''"),
        (ew.Strategy(" ", Distance(), summary="mine"), "name = ' '"),
    ],
)
def test_a_strategy_without_a_name_of_its_own_or_a_summary_is_rejected(strategy, said):
    with pytest.raises(ConformanceError, match="A strategy has a name of its own") as caught:
        check_strategy(strategy, [BOX])
    assert said in caught.value.finding


def test_a_strategy_of_ones_own_conforms():
    check_strategy(ew.Strategy("mine", Distance(), summary="farthest points, under my name"))
