"""Handing out experiments to many at once, so that no two get the same one; and looking ahead.

Points of the fixed sequence are taken within one short transaction. A choice by the strategy takes
longer: the ask number is drawn in a first transaction, the choice is made outside any, and a second
transaction inserts it only if no point that was handed out meanwhile is equal or near; otherwise the
choice is made again, with that point counted as pending. A process that dies in between leaves a
number unused and nothing else.

:func:`choose_next` decides what comes next, for those who ask and for those who want a preview.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from equiwarp.campaign.batches import BatchRules, batch_order, choose_batch
from equiwarp.campaign.block_values import has_offsets, without_offsets
from equiwarp.campaign.chooser import Chooser, too_close
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.experiment import Experiment, Proposal, experiment_of
from equiwarp.campaign.sequence import SequencePoints, location_keys, next_in_sequence, no_points
from equiwarp.campaign.telling import release_ids
from equiwarp.domains import Array
from equiwarp.engine.explanation import Explanation
from equiwarp.exceptions import InvalidInput, StoreBusy, StoreOvertaken
from equiwarp.store import (
    CampaignRecord,
    CampaignTransaction,
    ExperimentArrays,
    ExperimentRecord,
    NewAsked,
    Particulars,
)
from equiwarp.store.steps import reached

#: After so many choices anew, one that is near someone else's point is kept, an equal one never.
PATIENT_ATTEMPTS, MOST_ATTEMPTS = 20, 100
NO_RULES = BatchRules()


@dataclass(frozen=True)
class Choice:
    """What comes next, and what that was based on.

    Attributes
    ----------
    points : (n, columns) array
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


def ask(context: CampaignContext, n: Any, rules: BatchRules | None = None) -> list[Experiment]:
    """n new pending experiments."""
    records = _hand_out(context, _count(n), rules)
    # What is pending has no values yet, so the names of the responses do not matter.
    return [experiment_of(record, context.domain.names, ()) for record in records]


def preview(context: CampaignContext, n: Any, rules: BatchRules | None = None) -> list[Proposal]:
    """What ``ask`` would hand out now. Nothing is written."""
    choice = choose_next(context, _count(n), rules=rules)
    names = context.domain.names
    return [
        Proposal(dict(zip(names, point, strict=True)), why)
        for point, why in zip(choice.points.tolist(), choice.whys, strict=True)
    ]


def _count(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InvalidInput(f"n must be a whole number of at least 1, got {n!r}")
    return int(n)


def choose_next(
    context: CampaignContext, n: int, ask: int | None = None, rules: BatchRules | None = None
) -> Choice:
    """The next n points on what is known now, for this ask number or for the one that would be drawn."""
    choice = _chosen(context, n, ask, rules)
    if rules is None:
        return choice
    return context.store.read(lambda transaction: _in_order(transaction, context, choice, ask, rules))


def _chosen(context: CampaignContext, n: int, ask: int | None, rules: BatchRules | None) -> Choice:
    """The points as they were chosen, those of the sequence first."""

    def look(transaction: CampaignTransaction) -> tuple[Choice, ExperimentArrays | None]:
        campaign = transaction.look()
        if rules is not None and rules.chooses:
            start = _from_sequence(context, no_points(context, campaign), campaign)
        else:
            start = _from_sequence(context, next_in_sequence(transaction, context, campaign, n), campaign)
        if len(start.points) == n:
            return start, None
        return start, transaction.arrays(context.domain.columns, campaign.noise)

    start, known = context.store.read(look)
    if known is None:
        return start
    number = start.basis.asks if ask is None else ask
    if context.spec.blocks and has_offsets(context.spec):
        known, _ = without_offsets(context.spec, known)
    if rules is not None and rules.chooses:
        points, whys = context.chooser.let(choose_batch, known, start.basis.sequence, number, n, rules)
    else:
        more = n - len(start.points)
        points, whys = context.chooser.let(Chooser.suggest, known, start.points, number, more)
    return replace(start, points=np.concatenate([start.points, points]), whys=start.whys + whys)


def _in_order(
    transaction: CampaignTransaction,
    context: CampaignContext,
    choice: Choice,
    ask: int | None,
    rules: BatchRules,
) -> Choice:
    """The same points in the order in which they are handed out."""
    number = choice.basis.asks if ask is None else ask
    order = batch_order(transaction, context, choice.points, number, rules.order)
    return replace(choice, points=choice.points[order], whys=[choice.whys[i] for i in order])


def _from_sequence(context: CampaignContext, sequence: SequencePoints, basis: CampaignRecord) -> Choice:
    whys = [Explanation("sequence", context.strategy.name)] * len(sequence.points)
    return Choice(sequence.points, whys, sequence, basis)


def _hand_out(context: CampaignContext, n: int, rules: BatchRules | None) -> list[ExperimentRecord]:
    first = context.store.write(_Begin(context, n, rules))
    reached("ask:begun")
    if not isinstance(first, int):
        return first
    for attempt in range(MOST_ATTEMPTS):
        choice = replace(choose_next(context, n, first, rules), rules=rules)
        reached("ask:chosen")
        patient = attempt < PATIENT_ATTEMPTS
        try:
            records = context.store.write(lambda t: _settle(t, context, first, choice, patient))  # noqa: B023
        except StoreOvertaken:
            continue
        if records is not None:
            reached("ask:settled")
            return records
    raise StoreBusy(
        f"{context.store.name}: {MOST_ATTEMPTS} times, someone else was given the chosen point first; "
        "ask again, or for a smaller batch"
    )


class _Begin:
    """The first transaction: all n points if the fixed sequence has them, else the number of this ask."""

    def __init__(self, context: CampaignContext, n: int, rules: BatchRules | None) -> None:
        self.context, self.n, self.rules = context, n, rules
        self.token, self.tried = uuid.uuid4().hex, False

    def __call__(self, transaction: CampaignTransaction) -> list[ExperimentRecord] | int:
        campaign = transaction.take()
        # The connection was lost last time, perhaps after the commit.
        served = transaction.event_with(self.token) if self.tried else None
        self.tried = True
        if served is not None:
            return transaction.of_ask(served.detail["ask"])
        ended = transaction.lease_ended()
        if ended:
            release_ids(transaction, ended, {"lease": "ended"})
        if self.rules is not None and self.rules.chooses:
            sequence = no_points(self.context, campaign)
        else:
            sequence = next_in_sequence(transaction, self.context, campaign, self.n)
        if len(sequence.points) < self.n:
            transaction.set_asks(campaign.asks + 1)
            return campaign.asks
        choice = _from_sequence(self.context, sequence, campaign)
        if self.rules is not None:
            choice = _in_order(transaction, self.context, choice, campaign.asks, self.rules)
            choice = replace(choice, rules=self.rules)
        return _insert(transaction, self.context, campaign, choice, campaign.asks, self.token)


def _settle(
    transaction: CampaignTransaction, context: CampaignContext, ask: int, choice: Choice, patient: bool
) -> list[ExperimentRecord] | None:
    """Insert the choice; None if what has happened meanwhile speaks against it."""
    campaign = transaction.take()
    served = transaction.of_ask(ask)
    if served:
        return served
    if campaign.version != choice.basis.version:
        if transaction.taken(location_keys(context.domain, choice.points)):
            return None
        if len(choice.sequence.points) and campaign.sequence != choice.basis.sequence:
            return None
        others = transaction.points_after(choice.basis.ids, context.domain.columns)
        if patient and too_close(context.domain, choice.points, others):
            return None
    return _insert(transaction, context, campaign, choice, ask)


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
    names = context.domain.names
    details: list[dict[str, Any]] = [
        {"ask": ask, "point": dict(zip(names, point, strict=True))} for point in choice.points.tolist()
    ]
    said = {"block": about.block, "lease": lease}
    details = [{**detail, **{k: v for k, v in said.items() if v}} for detail in details]
    transaction.log_many("asked", zip(ids, details, strict=True), token)
    reached("ask:written")
    return transaction.of_ask(ask)
