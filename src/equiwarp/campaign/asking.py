"""Handing out experiments to many at once, so that no two get the same one; and looking ahead.

Points of the fixed sequence are taken within one short transaction. A choice by the strategy takes
longer: the ask number is drawn in a first transaction, the choice is made outside any, and a second
transaction inserts it only if no point that was handed out meanwhile is equal or too near; otherwise the
choice is made again, with that point counted as pending. All who ask at once would choose the same best
point again and again, so each further choice brings more of the next best along, and the first that are
still free are taken. A process that dies in between leaves a number unused and nothing else.

:func:`choose_next` decides what comes next, for those who ask and for those who want a preview.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from equiwarp._util.text import short
from equiwarp.campaign.batches import BatchRules, batch_order, choose_batch, rule_facts
from equiwarp.campaign.block_values import has_offsets, without_offsets
from equiwarp.campaign.chooser import Chooser, relative_distance
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.experiment import Experiment, Proposal, experiment_of
from equiwarp.campaign.keys import key_token
from equiwarp.campaign.sequence import SequencePoints, location_keys, next_in_sequence, no_points
from equiwarp.domains import Array
from equiwarp.engine.explanation import Explanation
from equiwarp.exceptions import Conflict, InvalidInput, StoreBusy, StoreOvertaken
from equiwarp.store import (
    CampaignRecord,
    CampaignTransaction,
    Event,
    ExperimentArrays,
    ExperimentRecord,
    NewAsked,
    Particulars,
)
from equiwarp.store.steps import reached

#: How many of the next best points come along with the first choice, the second, and so on. With the last
#: of these, what is farthest from others' points is taken even if it is near; an equal one never.
SPARES = (0, 4, 16, 64)
MOST_ATTEMPTS = 20

#: More than this at once is a slip of the keyboard.
MOST_AT_ONCE = 1_000_000
NO_RULES = BatchRules()


@dataclass(frozen=True)
class Choice:
    """What comes next, and what that was based on.

    Attributes
    ----------
    points : (n or more, columns) array
        In the order in which they should be taken.
    whys : list of Explanation
    sequence : SequencePoints
        Those of the points that the fixed sequence gave; they come first.
    basis : CampaignRecord
        The campaign at that time.
    rules : BatchRules or None
        What was asked for beside the number.
    """

    points: Array
    whys: list[Explanation]
    sequence: SequencePoints
    basis: CampaignRecord
    rules: BatchRules | None = None


@dataclass(frozen=True)
class Given:
    """What was handed out, the names of the responses, and the event if it was for an earlier request."""

    records: list[ExperimentRecord]
    responses: tuple[str, ...]
    served: Event | None = None


def ask(
    context: CampaignContext, n: Any, key: Any = None, rules: BatchRules | None = None
) -> list[Experiment]:
    """n new pending experiments; those of the earlier request if the key was used before."""
    count, token = _count(n), None if key is None else key_token(context, "ask", key)
    given = _hand_out(context, count, token, rules)
    if len(given.records) != count:
        raise Conflict(
            f"the key {key!r} was used to ask for {len(given.records)} experiments, and now for {count}; "
            "use another key for another request"
        )
    if key is not None and given.served is not None:
        _require_same_rules(context, given.served, f"the key {key!r}", rules or NO_RULES)
    return [experiment_of(record, context.domain, given.responses) for record in given.records]


def _require_same_rules(context: CampaignContext, served: Event, key: str, rules: BatchRules) -> None:
    """Refuse a key that was used for a batch with other rules: what it was given is not what is asked for."""
    now = rule_facts(context.domain, rules)
    for name in ("fixed", "shared", "block"):
        before = served.detail.get(name)
        if before != now.get(name):
            raise Conflict(
                f"{key} was used for a request with another {name} ({before or 'none'}, now "
                f"{now.get(name) or 'none'}); use another key for another request"
            )


def preview(context: CampaignContext, n: Any, rules: BatchRules | None = None) -> list[Proposal]:
    """What ``ask`` would hand out now. Nothing is written."""
    chosen = choose_next(context, _count(n), rules=rules)
    choice = context.store.read(lambda t: _in_order(t, context, chosen, chosen.basis.asks))
    pairs = zip(choice.points.tolist(), choice.whys, strict=True)
    return [Proposal(context.domain.named(point), why) for point, why in pairs]


def _count(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InvalidInput(f"n must be a whole number of at least 1, got {n!r}")
    if n > MOST_AT_ONCE:
        raise InvalidInput(f"n must be at most {MOST_AT_ONCE}, got {short(int(n))}; ask more than once")
    return int(n)


def choose_next(
    context: CampaignContext,
    n: int,
    ask: int | None = None,
    spare: int = 0,
    rules: BatchRules | None = None,
) -> Choice:
    """The next n points on what is known now, for this ask number or for the one that would be drawn.

    They are in the order in which they were chosen, those of the sequence first. If the strategy chooses,
    and the rules leave the points to it, up to ``spare`` next best ones follow.
    """

    def look(transaction: CampaignTransaction) -> tuple[Choice, ExperimentArrays | None]:
        campaign = transaction.look()
        if rules is not None and rules.chooses:
            sequence = no_points(context, campaign)
        else:
            sequence = next_in_sequence(transaction, context, campaign, n)
        start = _from_sequence(context, sequence, campaign, rules)
        if len(start.points) == n:
            return start, None
        return start, transaction.arrays(context.domain.columns, campaign.noise, campaign.ranges)

    start, known = context.store.read(look)
    if known is None:
        return start
    number = start.basis.asks if ask is None else ask
    context.chooser.follow(start.basis)
    if context.spec.blocks and has_offsets(context.spec):
        known, _ = without_offsets(context.spec, known)
    if rules is not None and rules.chooses:
        points, whys = context.chooser.let(choose_batch, known, start.basis.sequence, number, n, rules)
    else:
        more = n - len(start.points)
        points, whys = context.chooser.let(Chooser.suggest, known, start.points, number, more, spare)
    return replace(start, points=np.concatenate([start.points, points]), whys=start.whys + whys)


def _in_order(
    transaction: CampaignTransaction,
    context: CampaignContext,
    choice: Choice,
    ask: int,
) -> Choice:
    """The same points in the order in which they are handed out."""
    if choice.rules is None:
        return choice
    order = batch_order(transaction, context, choice.points, ask, choice.rules.order)
    return replace(choice, points=choice.points[order], whys=[choice.whys[i] for i in order])


def _from_sequence(
    context: CampaignContext, sequence: SequencePoints, basis: CampaignRecord, rules: BatchRules | None
) -> Choice:
    whys = [Explanation("sequence", context.strategy.name)] * len(sequence.points)
    return Choice(sequence.points, whys, sequence, basis, rules)


def _hand_out(context: CampaignContext, n: int, token: str | None, rules: BatchRules | None) -> Given:
    first = context.store.write(_Begin(context, n, token, rules))
    reached("ask:begun")
    if not isinstance(first, int):
        return first
    for attempt in range(MOST_ATTEMPTS):
        choice = choose_next(context, n, first, SPARES[min(attempt, len(SPARES) - 1)], rules)
        reached("ask:chosen")
        settle = _Settle(context, first, n, choice, attempt < len(SPARES) - 1, token)
        try:
            given = context.store.write(settle)
        except StoreOvertaken:
            continue
        if given is not None:
            reached("ask:settled")
            return given
    raise StoreBusy(
        f"{context.store.name}: {MOST_ATTEMPTS} times, someone else was given the chosen point first; "
        "ask again, or for a smaller batch"
    )


class _Begin:
    """The first transaction: all n points if the fixed sequence has them, else the number of this ask."""

    def __init__(
        self,
        context: CampaignContext,
        n: int,
        token: str | None = None,
        rules: BatchRules | None = None,
    ) -> None:
        self.context, self.n, self.rules = context, n, rules
        self.token, self.tried = token or uuid.uuid4().hex, token is not None

    def __call__(self, transaction: CampaignTransaction) -> Given | int:
        campaign = transaction.take()
        # The connection was lost last time, perhaps after the commit; or a client repeats its request.
        served = transaction.event_with(self.token) if self.tried else None
        self.tried = True
        if served is not None:
            return Given(transaction.of_ask(served.detail["ask"]), campaign.responses, served)
        if self.rules is not None and self.rules.chooses:
            sequence = no_points(self.context, campaign)
        else:
            sequence = next_in_sequence(transaction, self.context, campaign, self.n)
        if len(sequence.points) < self.n:
            transaction.set_asks(campaign.asks + 1)
            return campaign.asks
        choice = _from_sequence(self.context, sequence, campaign, self.rules)
        choice = _in_order(transaction, self.context, choice, campaign.asks)
        records = _insert(transaction, self.context, campaign, choice, campaign.asks, self.token)
        return Given(records, campaign.responses)


@dataclass(frozen=True)
class _Settle:
    """The second transaction: insert the choice, or give None if what has happened meanwhile forbids it."""

    context: CampaignContext
    ask: int
    n: int
    choice: Choice
    patient: bool
    token: str | None = None

    def __call__(self, transaction: CampaignTransaction) -> Given | None:
        campaign = transaction.take()
        event = None if self.token is None else transaction.event_with(self.token)
        served = transaction.of_ask(self.ask if event is None else event.detail["ask"])
        if served:
            return Given(served, campaign.responses, event)
        chosen: list[int] | None = list(range(self.n))
        if campaign.version != self.choice.basis.version:
            chosen = self._still_good(transaction, campaign)
        if chosen is None:
            return None
        whys = [self.choice.whys[i] for i in chosen]
        choice = replace(self.choice, points=self.choice.points[chosen], whys=whys)
        choice = _in_order(transaction, self.context, choice, self.ask)
        records = _insert(transaction, self.context, campaign, choice, self.ask, self.token)
        return Given(records, campaign.responses)

    def _still_good(self, transaction: CampaignTransaction, campaign: CampaignRecord) -> list[int] | None:
        """Which n of the points to take, in their order; None if there are too few."""
        choice, domain = self.choice, self.context.domain
        if len(choice.sequence.points) and campaign.sequence != choice.basis.sequence:
            return None
        keys = location_keys(domain, choice.points)
        taken = transaction.taken(keys)
        free = [i for i, key in enumerate(keys) if key not in taken]
        others = transaction.points_after(choice.basis.ids, domain.columns)
        far = relative_distance(domain, choice.points, others, campaign.ids + self.n)
        good = [i for i in free if far[i] >= 1]
        if len(good) < self.n and not self.patient:
            good = sorted(free, key=lambda i: -far[i])
        # Points of the sequence are taken together or not at all.
        fixed = list(range(len(choice.sequence.points)))
        if len(good) < self.n or not set(fixed) <= set(good):
            return None
        return sorted([*fixed, *(i for i in good if i not in fixed)][: self.n])


def _insert(
    transaction: CampaignTransaction,
    context: CampaignContext,
    campaign: CampaignRecord,
    choice: Choice,
    ask: int,
    token: str | None = None,
) -> list[ExperimentRecord]:
    """Experiments and events; ``campaign`` is locked."""
    keys, rules = location_keys(context.domain, choice.points), choice.rules or NO_RULES
    lease = (
        None if rules.lease is None else (datetime.now(UTC) + rules.lease).isoformat(timespec="microseconds")
    )
    about = Particulars(block=dict(rules.block))
    counter = max(campaign.sequence, choice.sequence.counter)
    new = NewAsked(choice.points, keys, choice.whys, ask, counter, about, lease)
    ids = transaction.insert_asked(campaign, new)
    said = {} if choice.rules is None else rule_facts(context.domain, rules)
    if lease is not None:
        said["lease"] = lease
    details = [{"ask": ask, "point": context.domain.named(point), **said} for point in choice.points.tolist()]
    transaction.log_many("asked", zip(ids, details, strict=True), token)
    reached("ask:written")
    return transaction.of_ask(ask)
