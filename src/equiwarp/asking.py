"""From the state of a campaign to the next experiments: the pure part of ``Campaign.ask``.

The first ``start`` experiments come from the seed's Sobol sequence. After that the strategy chooses
from a pool that belongs to (seed, ask number), so an answer depends on the measurements and the
number alone, not on which process gives it or on what it remembers.

A location is spoken for, and its surroundings with it, while an experiment there is pending, for ever
once it was abandoned, and for a while after it failed (:func:`shielded`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equiwarp.design import Design
from equiwarp.domains import Array, Domain
from equiwarp.experiment import Exhausted, Why
from equiwarp.gp.noise import estimate_noise
from equiwarp.gp.spacing import spacing_lengthscale
from equiwarp.seeds import POOL, stream
from equiwarp.setting import POOL_SIZE, point_keys, prepare
from equiwarp.strategies import OpenLoop, find
from equiwarp.strategies.openloop import SobolSequence
from equiwarp.suggest import choose

#: A failed location waits for this many later successes, and twice as many for each failure near it.
SHIELD = 10
#: The acquisition GP is exact; beyond this many measurements it sees a spread-out part of them.
MOST_MEASUREMENTS = 1500
#: Among so many of them, that part is looked for.
MOST_LOOKED_AT = 20_000
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


def suggest_next(
    recipe: Recipe, situation: Situation, also: Array, ask: int, n: int
) -> tuple[Array, list[Why]]:
    """The strategy's choice of n points for this ask number; ``also`` are points handed out with them."""
    domain = recipe.domain
    pool = domain.pool(POOL_SIZE, stream(recipe.seed, POOL, ask))
    design, notes = acquisition_design(recipe, situation, also)
    if notes:  # measured locations that the design left out must not come up again
        known = set(point_keys(domain, situation.at("done")))
        pool = pool[[key not in known for key in point_keys(domain, pool)]]
    setting = prepare(domain, recipe.strategy, recipe.seed, pool=pool)
    if len(pool) - len(setting.taken(np.concatenate([design.x, design.pending]))) < n:
        design, notes = acquisition_design(recipe, situation, also, shield=False)
    left = len(pool) - len(setting.taken(np.concatenate([design.x, design.pending])))
    if left < n:
        raise Exhausted(
            f"{n} experiments were asked for and {left} are left of the {len(pool)} that the domain allows: "
            f"ask for fewer, or release pending ones ({len(situation.at('pending'))} are pending)"
        )
    suggestion, _ = choose(setting, design, n)
    whys = [
        Why("model", recipe.strategy, **explanation.as_dict(), notes=(*suggestion.notes, *notes))
        for explanation in suggestion.explain
    ]
    return suggestion.points, whys


def acquisition_design(
    recipe: Recipe, situation: Situation, also: Array, shield: bool = True
) -> tuple[Design, tuple[str, ...]]:
    """Measurements inside the domain, and every location that is spoken for."""
    use = np.flatnonzero(situation.measured & situation.inside)
    notes: tuple[str, ...] = ()
    if len(use) > MOST_MEASUREMENTS:
        notes = (f"{MOST_MEASUREMENTS} of {len(use)} measurements, spread out, were used to choose",)
        use = use[spread_out(recipe.domain, situation.x[use], MOST_MEASUREMENTS)]
    spoken = [situation.at("pending"), situation.at("abandoned"), also]
    if shield:
        spoken.append(situation.x[shielded(recipe, situation)])
    x, y = situation.x[use], situation.y[use]
    noise = full_noise(recipe, x, y, situation.noise[use])
    return Design(recipe.domain, x, y, noise, np.concatenate(spoken)), notes


def spread_out(domain: Domain, x: Array, n: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Rows of n points that cover all of ``(N, columns)``: the first one, then always the farthest.

    What is left out lies near what is kept. Ignores the values, and depends on the order of x only.
    """
    look = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_LOOKED_AT)).astype(np.intp))
    Z = domain.embed(x[look])
    chosen = np.zeros(min(n, len(look)), dtype=np.intp)
    nearest = np.sum((Z - Z[0]) ** 2, axis=1)
    for i in range(1, len(chosen)):
        chosen[i] = np.argmax(nearest)
        nearest = np.minimum(nearest, np.sum((Z - Z[chosen[i]]) ** 2, axis=1))
    return np.unique(look[chosen])


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
    return np.where(deviation > 0, np.minimum(noise, MOST_NOISE * deviation), noise)


def too_close(recipe: Recipe, chosen: Array, others: Sequence[Sequence[float]]) -> bool:
    """Whether a point that others were given meanwhile would have changed our choice."""
    if not others:
        return False
    ours, theirs = recipe.domain.embed(chosen), recipe.domain.embed(np.array(others, dtype=float))
    distance = np.linalg.norm(ours[:, None, :] - theirs[None, :, :], axis=2)
    return bool((distance < 0.5 * recipe.lengthscale).any())
