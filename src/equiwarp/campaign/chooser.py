"""From the state of a campaign to the next experiments: the pure part of ``Campaign.ask``.

The first ``start`` experiments come from the seed's Sobol sequence. After that the strategy chooses
from a pool that belongs to (seed, ask number), so an answer depends on the measurements and the
number alone, not on which process gives it or on what it remembers.

A location is spoken for, and its surroundings with it, while an experiment there is pending, for ever
once it was abandoned, and for a while after it failed (:func:`shielded`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from equiwarp._util.seeds import POOL, stream
from equiwarp.domains import Array, Domain
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import POOL_SIZE, RunConfiguration, prepare
from equiwarp.engine.explanation import Explanation
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.pool import point_keys
from equiwarp.engine.round import RoundCache
from equiwarp.exceptions import Exhausted
from equiwarp.gp.noise import estimate_noise
from equiwarp.gp.spacing import spacing_lengthscale
from equiwarp.strategy import OpenLoop, find
from equiwarp.strategy.openloop import SobolSequence

#: A failed location waits for this many later successes, and twice as many for each failure near it.
SHIELD = 10
#: Off the cube, the equalizer is measured on the pool, which takes a second: so many asks share one.
POOL_LIFE = 64
#: Noise beyond this many deviations of the values says no more than that a value says nothing.
MOST_NOISE = 1e6


@dataclass(frozen=True)
class Recipe:
    """What was decided when the campaign began."""

    domain: Domain
    strategy: str
    seed: int
    start: int

    @cached_property
    def sequence(self) -> OpenLoop:
        """The fixed sequence: the strategy itself if it is open-loop, else the seed's Sobol points."""
        criterion = find(self.strategy).criterion
        return criterion if isinstance(criterion, OpenLoop) else SobolSequence()

    @property
    def open_loop(self) -> bool:
        return isinstance(find(self.strategy).criterion, OpenLoop)

    @cached_property
    def lengthscale(self) -> float:
        return spacing_lengthscale(self.domain)

    def keys(self, x: Array) -> list[str]:
        """Text that is equal for equal locations, one per row of ``(n, columns)``."""
        return [key.hex() for key in point_keys(self.domain, x)]

    def sequence_points(self, first: int, n: int) -> Array:
        """Points ``first`` to ``first + n`` of the fixed sequence."""
        return self.sequence.points(self.domain, first, n, self.seed)


@dataclass(frozen=True)
class Situation:
    """What the strategy needs to know of all experiments, in the order of their numbers.

    Attributes
    ----------
    numbers, states : (N,) arrays
    x : (N, columns) array
    y : (N, k) array
        NaN where there is no value.
    noise : (N, k) array
        NaN where it is unknown.
    inside, added : (N,) boolean arrays
    """

    numbers: np.ndarray[tuple[int], np.dtype[np.int64]]
    states: np.ndarray[tuple[int], np.dtype[np.str_]]
    x: Array
    y: Array
    noise: Array
    inside: np.ndarray[tuple[int], np.dtype[np.bool_]]
    added: np.ndarray[tuple[int], np.dtype[np.bool_]]

    @property
    def measured(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return self.states == "done"

    def at(self, state: str) -> Array:
        """Locations in this state, inside the domain."""
        return self.x[(self.states == state) & self.inside]


class Chooser:
    """The strategy's choices for one campaign.

    Remembers the last pool and the equalizer's tables on it. That saves time and changes nothing: what
    it answers depends on its arguments alone.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._pool: tuple[int, RunConfiguration] | None = None
        self._cache = RoundCache()

    def configuration(self, ask: int) -> RunConfiguration:
        """The pool of this ask number. Where tables are measured on it, some numbers share one."""
        recipe = self.recipe
        number = ask // POOL_LIFE if recipe.domain.symmetry == "none" else ask
        if self._pool is None or self._pool[0] != number:
            pool = recipe.domain.pool(POOL_SIZE, stream(recipe.seed, POOL, number))
            self._pool = number, prepare(recipe.domain, recipe.strategy, recipe.seed, pool=pool)
        return self._pool[1]

    def suggest(self, situation: Situation, also: Array, ask: int, n: int) -> tuple[Array, list[Explanation]]:
        """n points for this ask number; ``also`` are points handed out with them."""
        recipe, configuration = self.recipe, self.configuration(ask)
        measurements = acquisition_measurements(recipe, situation, also)
        if _left(configuration, measurements) < n:
            measurements = acquisition_measurements(recipe, situation, also, shield=False)
        left = _left(configuration, measurements)
        if left < n:
            raise Exhausted(
                f"{n} experiments were asked for and {left} are left of the {len(configuration.pool)} that "
                f"the domain allows: ask for fewer, or release pending ones "
                f"({len(situation.at('pending'))} are pending)"
            )
        suggestion, cache = choose(configuration, measurements, n, self._cache)
        self._cache = RoundCache(equalizer=cache.equalizer)
        whys = [replace(explanation, notes=suggestion.notes) for explanation in suggestion.explain]
        return suggestion.points, whys


def _left(configuration: RunConfiguration, measurements: Measurements) -> int:
    """How many points of the pool are free."""
    return len(configuration.pool) - len(
        set(configuration.taken(np.concatenate([measurements.x, measurements.pending])).tolist())
    )


def acquisition_measurements(
    recipe: Recipe, situation: Situation, also: Array, shield: bool = True
) -> Measurements:
    """Measurements inside the domain, and every location that is spoken for."""
    use = situation.measured & situation.inside
    spoken = [situation.at("pending"), situation.at("abandoned"), also]
    if shield:
        spoken.append(situation.x[shielded(recipe, situation)])
    x, y = situation.x[use], situation.y[use]
    noise = full_noise(recipe, x, y, situation.noise[use])
    return Measurements(recipe.domain, x, y, noise, np.concatenate(spoken))


def shielded(recipe: Recipe, situation: Situation) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Failed experiments whose location still waits, ``(N,)``.

    It waits until ``SHIELD * 2**(r - 1)`` experiments with higher numbers have succeeded, where r counts
    the failures within one lengthscale. Numbers, not times, decide: the order of tells is irrelevant.
    """
    failed = np.flatnonzero((situation.states == "failed") & situation.inside)
    waits = np.zeros(len(situation.numbers), dtype=bool)
    if len(failed) == 0:
        return waits
    successes = situation.numbers[situation.measured & ~situation.added]
    later = len(successes) - np.searchsorted(successes, situation.numbers[failed], side="right")
    Z = recipe.domain.embed(situation.x[failed])
    distance = np.linalg.norm(Z[:, None, :] - Z[None, :, :], axis=2)
    near = np.sum(distance <= recipe.lengthscale, axis=1)
    waits[failed] = later < SHIELD * 2.0 ** np.minimum(near - 1, 20)
    return waits


def full_noise(recipe: Recipe, x: Array, y: Array, noise: Array) -> Array | None:
    """Known noise, completed by an estimate where only some of it is known; None if none of it is."""
    unknown = np.isnan(noise)
    if len(y) == 0 or unknown.all():
        return None
    level = np.abs(y).max(axis=0)
    level = np.where(level > 0, level, 1.0)
    deviation = (y / level).std(axis=0) * level  # scaled first: squares of tiny values are 0
    Z = recipe.domain.embed(x)
    for j in np.flatnonzero(unknown.any(axis=0)):
        noise = np.where(
            unknown & (np.arange(y.shape[1]) == j), estimate_noise(Z, y[:, j], recipe.lengthscale), noise
        )
    # Variation at rounding level is none, and says nothing about the noise.
    return np.where(deviation > 1e-12 * level, np.minimum(noise, MOST_NOISE * deviation), noise)


def too_close(recipe: Recipe, chosen: Array, others: Sequence[Sequence[float]]) -> bool:
    """Whether a point that others were given meanwhile would have changed our choice."""
    if not others:
        return False
    ours, theirs = recipe.domain.embed(chosen), recipe.domain.embed(np.array(others, dtype=float))
    distance = np.linalg.norm(ours[:, None, :] - theirs[None, :, :], axis=2)
    return bool((distance < 0.5 * recipe.lengthscale).any())
