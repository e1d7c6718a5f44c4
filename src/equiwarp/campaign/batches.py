"""Batches with rules: settings that are given, settings that all experiments share, and their order.

With settings given or shared, the strategy chooses all of the batch, also before the space-filling start
is done, whose points stay for later. What a batch shares is chosen jointly: for a number of settings
spread over the domain, the strategy makes its best batch, and the batch with the largest total score wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp._util.text import assigned, listed
from equiwarp.campaign.chooser import Chooser, Chosen, acquisition_measurements, kept_reason
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.ordering import change_costs, cheapest_order
from equiwarp.campaign.particulars import read_block
from equiwarp.domains import Array, Domain
from equiwarp.domains.base import distinct
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import PoolIndex, prepare
from equiwarp.engine.explanation import Explanation
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.reading import read_points
from equiwarp.exceptions import Exhausted, InvalidInput
from equiwarp.store import CampaignTransaction, ExperimentArrays
from equiwarp.strategy import OpenLoop, find

#: So many settings are tried for what a batch shares, each on a pool of so many points.
SHARED_TRIED, SHARED_POOL = 24, 1024
ORDERS = ("chosen", "cheapest", "random")


@dataclass(frozen=True)
class BatchRules:
    """What was asked for beside the number of experiments; see :meth:`equiwarp.Campaign.ask`."""

    fixed: Mapping[int, float] = field(default_factory=dict)
    shared: tuple[int, ...] = ()
    order: str = "chosen"
    block: Mapping[str, str] = field(default_factory=dict)
    lease: timedelta | None = None

    @property
    def chooses(self) -> bool:
        """Whether the points themselves differ from those of a plain batch."""
        return bool(self.fixed or self.shared)


@dataclass(frozen=True)
class RuleWords:
    """The rules of a batch as the caller gave them."""

    fixed: Mapping[str, Any] | None = None
    shared: Sequence[str] | str | None = None
    order: str | None = None
    block: Mapping[str, Any] | None = None
    lease: timedelta | float | None = None


def read_rules(context: CampaignContext, said: RuleWords) -> BatchRules:
    """The rules of a batch, checked."""
    domain, costs, fixed = context.domain, context.spec.change_cost, said.fixed or {}
    names = [said.shared] if isinstance(said.shared, str) else list(said.shared or ())
    if not isinstance(fixed, Mapping):
        raise InvalidInput(f"fixed: give settings by parameter, got {fixed!r}")
    for name in [*fixed, *names]:
        if name not in domain.names:
            raise InvalidInput(f"unknown parameter {name!r}; there are {listed(domain.names)}")
    for name in names:
        if name in fixed:
            raise InvalidInput(f"{name!r} is both fixed and shared; what is fixed is shared anyway")
    order = said.order or ("cheapest" if costs else "chosen")
    if order not in ORDERS:
        raise InvalidInput(f"order must be one of {', '.join(ORDERS)}, got {order!r}")
    if order == "cheapest" and not costs:
        raise InvalidInput(
            "order: the campaign knows no costs of changes; describe them with change_cost, or order by "
            "'chosen' or 'random'"
        )
    return BatchRules(
        _fixed(domain, fixed),
        tuple(domain.names.index(name) for name in names),
        order,
        {} if said.block is None else read_block(context, said.block),
        None if said.lease is None else read_lease(said.lease),
    )


def rule_facts(domain: Domain, rules: BatchRules) -> dict[str, Any]:
    """The rules that make a request another one, as its event keeps them; empty for a plain batch."""
    said = {
        "fixed": {domain.names[column]: value for column, value in rules.fixed.items()},
        "shared": [domain.names[column] for column in rules.shared],
        "block": dict(rules.block),
    }
    return {name: value for name, value in said.items() if value}


def read_lease(lease: timedelta | float) -> timedelta:
    """How long an experiment is held; a number is in seconds."""
    if not isinstance(lease, timedelta):
        try:
            lease = timedelta(seconds=float(lease))
        except (TypeError, ValueError, OverflowError):
            raise InvalidInput(f"lease: {lease!r} is no time; give seconds or a timedelta") from None
    if not timedelta(0) < lease <= timedelta(days=3650):
        raise InvalidInput(f"lease: {lease} is not between a moment and ten years")
    return lease


def _fixed(domain: Domain, fixed: Mapping[str, Any]) -> dict[int, float]:
    """Given settings by column, each one that the instrument can be set to."""
    if not fixed:
        return {}
    example = domain.sample(1, np.random.default_rng(0))[0]
    point = read_points(domain, {**domain.named(example), **fixed}, "fixed", inside=False)
    held = {domain.names.index(name): float(point[0, domain.names.index(name)]) for name in fixed}
    nearest = domain.snap(point)[0]
    for column, value in held.items():
        if abs(nearest[column] - value) > 1e-9 * max(abs(value), 1.0):
            raise InvalidInput(
                f"fixed: {domain.names[column]} cannot be set to {value:g}; the nearest setting is "
                f"{nearest[column]:g}"
            )
    some = domain.pool(256, np.random.default_rng(0)) if domain.listed is None else domain.listed
    if len(held_points(domain, some, held)) == 0:
        given = _in_words(domain, held)
        why = domain.problem(domain.holding(some[:1], held)[0])
        raise InvalidInput(f"fixed: no experiment of the domain has {given}{f' ({why})' if why else ''}")
    return held


def _in_words(domain: Domain, held: Mapping[int, float]) -> str:
    return assigned({domain.names[c]: domain.show_value(domain.names[c], v) for c, v in held.items()})


def held_points(domain: Domain, x: Array, held: Mapping[int, float]) -> Array:
    """Points of the domain that have these settings: distinct, and made from those given."""
    if domain.listed is not None:
        columns, values = list(held), np.array(list(held.values()))
        return x[np.isclose(x[:, columns], values, rtol=1e-9, atol=1e-12).all(axis=1)]
    moved = domain.holding(x, held)
    moved = moved[domain.contains(moved)]
    rounded = domain.rounded(moved)
    if rounded is not moved:
        rounded[:, list(held)] = moved[:, list(held)]  # what is given stays as it is
        rounded = np.where(domain.contains(rounded)[:, None], rounded, moved)
    return distinct(rounded)


def choose_batch(
    chooser: Chooser, known: ExperimentArrays, sequence: int, ask: int, n: int, rules: BatchRules
) -> Chosen:
    """n points under the rules, and the reasons for them; ``sequence`` is where the fixed sequence stands."""
    spec, domain, strategy = chooser.spec, chooser.spec.domain, find(chooser.spec.strategy)
    known, notes = chooser.differences(known)
    measurements = acquisition_measurements(domain, known, known.x[:0])
    if isinstance(strategy.criterion, OpenLoop):
        pool = domain.rounded(strategy.criterion.points(domain, sequence, SHARED_POOL, spec.seed))
        shared = {column: float(pool[0, column]) for column in rules.shared}
        free = _free(domain, held_points(domain, pool, {**rules.fixed, **shared}), measurements)
        _require(n, free, rules, domain)
        return free[:n], [Explanation("sequence", strategy.name)] * n
    pool = chooser.configuration(ask).pool
    held = dict(rules.fixed)
    if rules.shared:
        held |= _shared(chooser, pool, measurements, n, rules)
    points, whys = _choose(chooser, held_points(domain, pool, held), measurements, n, rules)
    return points, [replace(why, notes=notes + why.notes) for why in whys] if notes else whys


def _free(domain: Domain, pool: Array, measurements: Measurements) -> Array:
    taken = np.zeros(len(pool), dtype=bool)
    if len(pool):
        taken[PoolIndex.of(domain, pool).rows(measurements.spoken_for)] = True
    return pool[~taken]


def _require(n: int, free: Array, rules: BatchRules, domain: Domain) -> None:
    if len(free) < n:
        given = _in_words(domain, rules.fixed) or "what they share"
        raise Exhausted(
            f"{n} experiments were asked for and {len(free)} are free with {given}: ask for fewer, or for "
            "other settings"
        )


def _choose(chooser: Chooser, pool: Array, measurements: Measurements, n: int, rules: BatchRules) -> Chosen:
    """The strategy's own choice from a pool."""
    spec = chooser.spec
    _require(n, _free(spec.domain, pool, measurements), rules, spec.domain)
    configuration = prepare(spec.domain, spec.strategy, spec.seed, pool=pool, aim=spec.bound_aim())
    suggestion, _ = choose(configuration, measurements, n)
    return suggestion.points, [kept_reason(why, suggestion.notes, spec) for why in suggestion.explain]


def _shared(
    chooser: Chooser, pool: Array, measurements: Measurements, n: int, rules: BatchRules
) -> dict[int, float]:
    """The settings to share: those under which the strategy's batch has the largest total score."""
    domain, columns = chooser.spec.domain, list(rules.shared)
    tried = distinct(held_points(domain, pool, rules.fixed)[:, columns])[:SHARED_TRIED]
    best, found = -np.inf, None
    for values in tried:
        shared = dict(zip(columns, values.tolist(), strict=True))
        part = held_points(domain, pool, {**rules.fixed, **shared})[:SHARED_POOL]
        if len(_free(domain, part, measurements)) < n:
            continue
        _, whys = _choose(chooser, part, measurements, n, rules)
        total = float(np.nansum([why.score for why in whys]))
        if total > best:
            best, found = total, shared
    if found is None:
        raise Exhausted(f"no setting leaves {n} experiments that share it: ask for fewer")
    return found


def batch_order(
    transaction: CampaignTransaction, context: CampaignContext, points: Array, ask: int, order: str
) -> list[int]:
    """In which order the points of a batch are handed out."""
    if order == "random":
        return stream(context.spec.seed, "order", ask).permutation(len(points)).tolist()
    if order == "chosen" or len(points) < 2:
        return list(range(len(points)))
    last = transaction.experiment(transaction.look().ids)
    here = None if last is None or last.origin == "added" else np.array([last.point])
    x = points if here is None else np.concatenate([here, points])
    path = cheapest_order(change_costs(context.domain, x, context.spec.change_cost), here is not None)
    return path if here is None else [place - 1 for place in path[1:]]
