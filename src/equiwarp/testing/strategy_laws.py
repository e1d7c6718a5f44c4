"""Laws of a strategy on one domain: what it proposes, and what must not matter to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.engine.algorithm import choose
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.suggestion import Suggestion
from equiwarp.exceptions import EquiwarpError
from equiwarp.strategy import OpenLoop
from equiwarp.testing.conformance import Laws
from equiwarp.testing.domain_laws import SAME_PLACE
from equiwarp.testing.drawing import first_row, generator, global_seed
from equiwarp.testing.trial import NOISE, Trial

#: Two scores that differ by this share of themselves are a tie, which rounding may decide.
TIE = 1e-6
NOTHING = "no measurement"


def bad_points(domain: Domain, points: Array, n: int, *taken: Array) -> str | None:
    """Why these are not n points of the domain that can be set and are new; None if they are."""
    if points.shape != (n, domain.columns):
        return f"{n} points were asked for, the shape is {points.shape}"
    row = first_row(~np.isfinite(points))
    if row is not None:
        return f"point {row} is not finite: {points[row]}"
    row = first_row(~domain.contains(points))
    if row is not None:
        return f"point {row}, {points[row]}, lies outside: {domain.problem(points[row])}"
    row = first_row(domain.snap(points) != points)
    if row is not None:
        return f"point {row}, {points[row]}, can only be set as {domain.snap(points)[row]}"
    Z = domain.embed(np.concatenate([points, *taken]))
    for i in range(n):
        apart = np.linalg.norm(Z - Z[i], axis=1)
        apart[i] = np.inf
        if apart.min() <= SAME_PLACE:
            other = "of the batch" if apart.argmin() < n else "that is measured or pending"
            return f"point {i}, {points[i]}, is also a point {other}"
    return None


def new_points(trial: Trial) -> str | None:
    known = trial.measurements
    return bad_points(trial.domain, trial.answer(4).points, 4, known.x, known.pending)


def waits_for_pending(trial: Trial) -> str | None:
    best = trial.answer().points
    waiting = replace(trial.measurements, pending=np.concatenate([trial.measurements.pending, best]))
    again = trial.choose(waiting).points
    return bad_points(trial.domain, again, 1, waiting.x, waiting.pending)


def by_seed(trial: Trial) -> str | None:
    with global_seed(1):
        first = trial.choose(n=2).points
    with global_seed(2):
        second = trial.choose(n=2).points
    row = first_row(first != second)
    return None if row is None else f"the same question gave {first[row]} and then {second[row]}"


def batch_prefix(trial: Trial) -> str | None:
    two, four = trial.answer(2).points, trial.answer(4).points
    row = first_row(two != four[:2])
    return None if row is None else f"point {row} is {two[row]} of a batch of 2, and {four[row]} of 4"


def scored(trial: Trial) -> str | None:
    suggestion = trial.answer(4)
    for point, explanation in zip(suggestion.points, suggestion.explain, strict=True):
        if explanation.source == "model" and not np.isfinite(explanation.score):
            return f"{point} was chosen with a score of {explanation.score}"
    return None


def _other_choice(expected: Suggestion, found: Suggestion) -> str | None:
    """How two choices of one point differ; a tie is no difference."""
    if np.array_equal(expected.points, found.points):
        return None
    here, there = expected.explain[0].score, found.explain[0].score
    if abs(here - there) <= TIE * abs(here):
        return None
    return f"{expected.points[0]} (score {here:.9g}) became {found.points[0]} (score {there:.9g})"


def pool_order(trial: Trial) -> str | None:
    if isinstance(trial.strategy.criterion, OpenLoop):
        return None  # a sequence has an order, and does not look at the pool
    shuffled = generator(1).permutation(trial.configuration.pool)
    return _other_choice(trial.answer(), trial.choose(pool=shuffled))


def measurement_order(trial: Trial) -> str | None:
    known = trial.measurements
    order = generator(2).permutation(known.n)
    assert known.noise is not None
    mixed = Measurements(
        known.domain, known.x[order], known.y[order], known.noise[order], known.pending[::-1]
    )
    return _other_choice(trial.answer(), trial.choose(mixed))


def cache_changes_nothing(trial: Trial) -> str | None:
    # Few points, so that each new one matters. None is pending: those come after the new measurement,
    # and the round would begin anew.
    known, cache = trial.measured(trial.measurements.x[:3], trial.measurements.y[:3]), None
    for number in range(3):
        fresh = trial.choose(known)
        resumed, cache = choose(trial.configuration, known, 1, cache)
        difference = _other_choice(fresh, resumed)
        if difference is not None:
            return f"round {number}, with what the round before left: {difference}"
        # The fresh choice is measured: a tie that rounding decided would else part the two for good.
        x, y = np.concatenate([known.x, fresh.points]), np.concatenate([known.y, trial.values(fresh.points)])
        known = trial.measured(x, y)
    return None


def blind_if_it_says_so(trial: Trial) -> str | None:
    if not trial.strategy.observation_independent:
        return None
    known = trial.measurements
    other = np.cos(37 * trial.domain.embed(known.x)[:, :1])
    # As large as the first ones: their scale alone would let values in, by way of the noise.
    other = other * (known.y.std() / other.std())
    difference = _other_choice(trial.answer(), trial.choose(replace(known, y=other)))
    return None if difference is None else f"other values: {difference}; set uses_values on the criterion"


def extreme_measurements(trial: Trial) -> dict[str, Measurements]:
    """Inputs that occur on a bench and that formulas forget."""
    x = trial.measurements.x
    y = trial.values(x)
    return {
        NOTHING: trial.measured(x[:0], y[:0]),
        "one measurement": trial.measured(x[:1], y[:1]),
        "a constant value": trial.measured(x, np.full_like(y, 3.7)),
        "the same point three times": trial.measured(
            np.vstack([x, x[:1], x[:1]]), np.vstack([y, y[:1], y[1:2]])
        ),
        "no noise": trial.measured(x, y, 0.0),
        "no noise, and a point measured twice": trial.measured(
            np.vstack([x, x[:1]]), np.vstack([y, y[:1]]), 0.0
        ),
        "unknown noise": trial.measured(x, y, None),
        "values of 1e200": trial.measured(x, 1e200 * y, 1e200 * NOISE),
        "values of 1e-200": trial.measured(x, 1e-200 * y, 1e-200 * NOISE),
        "two responses": trial.measured(x, np.hstack([y, y**2])),
    }


def extremes(trial: Trial) -> str | None:
    for name, known in extreme_measurements(trial).items():
        try:
            suggestion = trial.choose(known, 2)
        except Exception as error:
            if name == NOTHING and isinstance(error, EquiwarpError):
                continue  # it needs values, and says so; a campaign starts with a space-filling design
            return f"{name}: {type(error).__name__}: {error}"
        problem = bad_points(trial.domain, suggestion.points, 2, known.x)
        if problem is not None:
            return f"{name}: {problem}"
        scores = [e.score for e in suggestion.explain if e.source == "model"]
        if np.isnan(scores).any():
            return f"{name}: chosen with scores {scores}"
    return None


STRATEGY_LAWS: Laws[Trial] = {
    "Proposals are new points of the domain that can be set on the instrument.": new_points,
    "A point that is pending is not proposed again.": waits_for_pending,
    "The same question and seed give the same answer, whatever happened before.": by_seed,
    "A larger batch begins with the smaller one.": batch_prefix,
    "Every chosen point has a finite score.": scored,
    "The order of the pool does not matter.": pool_order,
    "The order of the measurements does not matter.": measurement_order,
    "A strategy that says it ignores the values ignores them.": blind_if_it_says_so,
    "What one round leaves to the next saves time and changes nothing.": cache_changes_nothing,
    "Few, equal, repeated, exact, huge and tiny measurements are no reason to fail.": extremes,
}
