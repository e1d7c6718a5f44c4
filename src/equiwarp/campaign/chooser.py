"""From what is known of a campaign to the strategy's next points: the pure part of ``Campaign.ask``.

The strategy chooses from a pool that belongs to (seed, ask number), so an answer depends on the
measurements and the number alone, not on which process gives it or on what it remembers.

A location is spoken for, and its surroundings with it, while an experiment there is pending, and for ever
once it was abandoned. One that failed is avoided for a while, and as long as that would likely repeat itself
(:func:`shielded`); what lies around it counts by its chance to work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.seeds import POOL, stream
from equiwarp.campaign.stored_description import spec_of
from equiwarp.domains import Array, Domain
from equiwarp.domains.base import distinct
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import POOL_SIZE, RunConfiguration, prepare
from equiwarp.engine.explanation import Explanation
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.missing import fill_missing
from equiwarp.engine.round import RoundCache
from equiwarp.exceptions import Exhausted
from equiwarp.gp.noise import DEFAULT_SHARE, estimate_noise
from equiwarp.gp.success import SuccessModel
from equiwarp.spec import CampaignSpec
from equiwarp.store import CampaignRecord, ExperimentArrays

#: A failed location waits for this many later successes, and as long as it is likelier to fail than this.
SHIELD, LIKELY_TO_FAIL = 10, 0.5
#: Off the cube, the equalizer is measured on the pool, which takes a second: so many asks share one.
POOL_LIFE = 64
#: Noise beyond this many deviations of the values says no more than that a value says nothing.
MOST_NOISE = 1e6

#: Points chosen at the same time keep this share of the design's spacing; random ones keep half of it.
NEAR = 0.3


#: What a chooser answers: points ``(n, columns)``, and the reason for each.
Chosen = tuple[Array, list[Explanation]]


class Chooser:
    """The strategy's choices for one campaign.

    Remembers the last pool and the equalizer's tables on it. That saves time and changes nothing: what
    it answers depends on its arguments alone.
    """

    def __init__(self, spec: CampaignSpec) -> None:
        self.spec = spec
        self._pool: tuple[int, RunConfiguration] | None = None
        self._cache = RoundCache()

    def described_by(self, spec: CampaignSpec) -> Chooser:
        """A chooser of the same kind for a changed description."""
        return Chooser(spec)

    def follow(self, campaign: CampaignRecord) -> None:
        """Know the responses, which the first value may have decided since the campaign was opened."""
        if campaign.responses != tuple(response.name for response in self.spec.responses):
            spec = self.spec
            self.spec = spec_of(campaign, spec.domain, spec.strategy, spec.prior)
            self._pool = None  # its aim is one at the responses

    def let(self, choose: Callable[..., Chosen], *arguments: Any) -> Chosen:
        """The answer of ``choose(self, *arguments)``. All choices come by here: another may make them."""
        return choose(self, *arguments)

    def configuration(self, ask: int) -> RunConfiguration:
        """The pool of this ask number. Where tables are measured on it, some numbers share one."""
        spec, known = self.spec, self._pool
        number = ask // POOL_LIFE if spec.domain.symmetry == "none" else ask
        if known is None or known[0] != number:
            pool = settable_pool(spec.domain, stream(spec.seed, POOL, number))
            known = number, prepare(spec.domain, spec.strategy, spec.seed, pool=pool, aim=spec.bound_aim())
            self._pool = known
        return known[1]  # not self._pool: another thread may have replaced it by now

    def suggest(self, known: ExperimentArrays, also: Array, ask: int, n: int, spare: int = 0) -> Chosen:
        """n points for this ask number, and up to ``spare`` next best; ``also`` are handed out with them."""
        domain, configuration = self.spec.domain, self.configuration(ask)
        known, notes = self.differences(known)
        measurements = acquisition_measurements(domain, known, also)
        if _left(configuration, measurements) < n:
            measurements = acquisition_measurements(domain, known, also, shield=False)
        left = _left(configuration, measurements)
        if left < n:
            raise Exhausted(
                f"{n} experiments were asked for and {left} are left of the {len(configuration.pool)} that "
                f"the domain allows: ask for fewer, or release pending ones "
                f"({len(known.at('pending'))} are pending)"
            )
        suggestion, cache = choose(configuration, measurements, min(n + spare, left), self._cache)
        self._cache = RoundCache(
            equalizer=cache.equalizer, learnt=cache.learnt, fitted=cache.fitted, beliefs=cache.beliefs
        )
        notes += suggestion.notes
        return suggestion.points, [kept_reason(why, notes, self.spec) for why in suggestion.explain]

    def differences(self, known: ExperimentArrays) -> tuple[ExperimentArrays, tuple[str, ...]]:
        """The experiments with what a prior says taken off their values, and a note of that.

        It is the difference that is to be learnt.
        """
        prior = self.spec.prior
        use = np.flatnonzero(known.measured & known.inside)
        if prior is None or not len(use):
            return known, ()
        if self.spec.bound_aim() is not None:  # it is about values and has no meaning for differences
            return known, (f"chosen for the aim, from the values alone: without the prior {prior.name}",)
        from equiwarp.maps.prior import differences

        bound = prior.bound_to(self.spec.domain, [response.name for response in self.spec.responses])
        y = known.y.copy()
        y[use], scales = differences(bound, self.spec.domain, known.x[use], known.y[use])
        shown = " and ".join(f"{scale:.3g}" for scale in scales)
        return replace(known, y=y), (f"chosen for the difference from {shown} times the prior {prior.name}",)


def kept_reason(why: Explanation, notes: tuple[str, ...], spec: CampaignSpec) -> Explanation:
    """An explanation as the store keeps it: what is not finite is not known, and responses have names."""
    numbers = ("variance", "equalizer", "stretch", "score")
    kept: dict[str, Any] = {name: math.nan for name in numbers if not math.isfinite(getattr(why, name))}
    if why.error_now is not None:
        response = spec.responses[max(0, why.response - 1)]
        kept |= {"name": response.name, "unit": response.unit}
    return replace(why, **kept, notes=(*why.notes, *notes))


def _left(configuration: RunConfiguration, measurements: Measurements) -> int:
    """How many points of the pool are free."""
    return len(configuration.pool) - len(set(configuration.taken(measurements.spoken_for).tolist()))


def settable_pool(domain: Domain, rng: np.random.Generator) -> Array:
    """The points among which a campaign chooses, with settings that people can type."""
    pool = domain.pool(POOL_SIZE, rng)
    rounded = domain.rounded(pool)
    return pool if rounded is pool else distinct(rounded)


def acquisition_measurements(
    domain: Domain, known: ExperimentArrays, also: Array, shield: bool = True
) -> Measurements:
    """Measurements inside the domain, and every location that is spoken for."""
    use = known.measured & known.inside
    lost = known.x[known.lost & known.inside]
    spoken = [known.waiting, known.at("abandoned"), also]
    avoided = known.x[shielded(domain, known)] if shield else None
    x, y = known.x[use], known.y[use]
    width = None if known.width is None else known.width[use]
    noise = full_noise(domain, x, y, known.noise[use], width)
    if np.isnan(y).any():
        y = fill_missing(domain, x, y, noise)
    return Measurements(domain, x, y, noise, np.concatenate(spoken), lost, avoided)


def full_noise(domain: Domain, x: Array, y: Array, noise: Array, width: Array | None = None) -> Array | None:
    """Known noise ``(n, k)``, completed by an estimate where it is NaN; None if none of it is known.

    ``width`` (n, k) is by how much more a value may be off that is a limit; it counts as known. Values may be
    NaN too, where a response was not measured; they do not count.
    """
    unstated = np.isnan(noise[np.isfinite(y)]).all()
    if unstated and (width is None or not width[np.isfinite(y)].any()):
        return None
    return _completed(domain, x, y, noise, width, range(y.shape[1]))


def stated_noise(
    domain: Domain, x: Array, y: Array, noise: Array, width: Array | None = None
) -> Array | None:
    """Noise ``(n, k)`` of the responses of which somebody stated some, completed; NaN in all of the others.

    None if nobody stated any. The width of limits, as in :func:`full_noise`, is no part of it.
    """
    stated = (np.isfinite(noise) & np.isfinite(y)).any(axis=0)
    if not stated.any():
        return None
    plain = y if width is None else np.where(width > 0, np.nan, y)
    full = _completed(domain, x, plain, noise, None, np.flatnonzero(stated))
    return np.where(stated, full, np.nan)


def noise_with_limits(
    domain: Domain, x: Array, y: Array, stated: Array | None, width: Array | None
) -> Array | None:
    """The same with the width of limits, where nobody stated any beside an estimate; NaN without limits."""
    if width is None:
        return stated
    noise = np.full_like(y, np.nan) if stated is None else stated
    known = np.isfinite(noise).any(axis=0) | width.any(axis=0)
    return np.where(known, _completed(domain, x, y, noise, width, np.flatnonzero(known)), np.nan)


def _completed(
    domain: Domain, x: Array, y: Array, noise: Array, width: Array | None, columns: Iterable[int]
) -> Array:
    """Noise ``(n, k)`` with every NaN in these columns replaced, and the width of limits added."""
    there = np.isfinite(y)
    plain = there if width is None else there & (width == 0)
    level = np.abs(y).max(axis=0, where=there, initial=0.0)
    level = np.where(level > 0, level, 1.0)
    count = np.maximum(there.sum(axis=0), 1)
    unit = np.where(there, y / level, 0.0)  # scaled first: squares of tiny values are 0
    mean = unit.sum(axis=0) / count
    deviation = np.sqrt(np.where(there, (unit - mean) ** 2, 0.0).sum(axis=0) / count) * level
    Z, lengthscale, noise = domain.embed(x), domain.spacing(), noise.copy()
    unknown = np.isnan(noise)
    for j in columns:
        if not unknown[:, j].any():
            continue
        rows, nothing = plain[:, j], 0.0 if there[:, j].any() else DEFAULT_SHARE
        noise[unknown[:, j], j] = estimate_noise(Z[rows], y[rows, j], lengthscale) if rows.any() else nothing
    if width is not None:
        noise = np.hypot(noise, width)
    # Variation at rounding level is none, and says nothing about the noise.
    return np.where(deviation > 1e-12 * level, np.minimum(noise, MOST_NOISE * deviation), noise)


def shielded(domain: Domain, known: ExperimentArrays) -> NDArray[np.bool_]:
    """Failed experiments whose location still waits, ``(N,)``; accidents do not.

    It waits until ``SHIELD`` experiments with higher ids have succeeded, and while it would more likely fail
    again than work: what is never measured would else look more worth a visit every time. Ids, not times,
    decide: the order of tells is irrelevant.
    """
    failed = np.flatnonzero(known.lost & known.inside)
    waits = np.zeros(len(known.ids), dtype=bool)
    if len(failed) == 0:
        return waits
    successes = known.ids[known.measured & ~known.added]
    later = len(successes) - np.searchsorted(successes, known.ids[failed], side="right")
    works = SuccessModel.of(domain, known.x[known.measured & known.inside], known.x[failed])
    waits[failed] = (later < SHIELD) | (works(known.x[failed]) < LIKELY_TO_FAIL)
    return waits


def relative_distance(domain: Domain, chosen: Array, others: Array, count: int) -> Array:
    """Distance to the nearest point that others were given meanwhile, over the least that is kept, ``(n,)``.

    Below 1, a point is too near. What is near depends on how far apart ``count`` points are that fill the
    domain evenly: in a design of many points, everything has neighbours.
    """
    if len(others) == 0:
        return np.full(len(chosen), np.inf)
    ours, theirs = domain.embed(chosen), domain.embed(others)
    distance = np.linalg.norm(ours[:, None, :] - theirs[None, :, :], axis=2).min(axis=1)
    return distance / (NEAR * domain.spacing(max(count, 1)))
