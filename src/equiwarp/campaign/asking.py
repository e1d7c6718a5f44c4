"""Handing out experiments to many at once, so that no two get the same one.

Points of the fixed sequence are taken within one short transaction. A choice by the strategy takes
longer: the ask number is drawn in a first transaction, the choice is made outside any, and a second
transaction inserts it only if no point that was handed out meanwhile is equal or near; otherwise the
choice is made again, with that point counted as pending. A process that dies in between leaves a
number unused and nothing else.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row
from sqlalchemy.exc import IntegrityError

from equiwarp.campaign.chooser import Chooser, Recipe, too_close
from equiwarp.campaign.ledger import new_rows, noise_of, situation_of
from equiwarp.domains import Array
from equiwarp.engine.explanation import Explanation
from equiwarp.exceptions import Exhausted, StoreBusy
from equiwarp.store import Store, records
from equiwarp.store.records import SPENT, TAKEN, Actor
from equiwarp.store.steps import reached

#: After so many choices anew, one that is near someone else's point is kept, an equal one never.
PATIENT_ATTEMPTS, MOST_ATTEMPTS = 20, 100
#: How far an open-loop sequence is searched for a location that is still free.
SEARCH = 4096

Rows = Sequence[Row[Any]]


@dataclass(frozen=True)
class CampaignContext:
    """Where experiments are handed out: a campaign in a store, and who asks."""

    store: Store
    recipe: Recipe
    actor: Actor
    chooser: Chooser


@dataclass(frozen=True)
class Fixed:
    """Points of the fixed sequence that are next, and the counter after them."""

    points: Array
    counter: int


@dataclass(frozen=True)
class Choice:
    """What is to be inserted, and what it was based on."""

    points: Array
    whys: list[Explanation]
    fixed: Fixed
    seen: Row[Any]  # the campaign's row at that time


def hand_out(context: CampaignContext, n: int) -> Rows:
    """n new pending experiments, as rows."""
    first = context.store.write(_Begin(context, n))
    reached("ask:begun")
    if not isinstance(first, int):
        return first
    for attempt in range(MOST_ATTEMPTS):
        choice = _choose(context, first, n)
        reached("ask:chosen")
        patient = attempt < PATIENT_ATTEMPTS
        try:
            rows = context.store.write(lambda c: _settle(c, context, first, choice, patient))  # noqa: B023
        except IntegrityError:
            continue
        if rows is not None:
            reached("ask:settled")
            return rows
    raise StoreBusy(
        f"{context.store.name}: {MOST_ATTEMPTS} times, someone else was given the chosen point first; "
        "ask again, or for a smaller batch"
    )


class _Begin:
    """The first transaction: all n points if the fixed sequence has them, else the number of this ask."""

    def __init__(self, context: CampaignContext, n: int) -> None:
        self.context, self.n = context, n
        self.token, self.tried = uuid.uuid4().hex, False

    def __call__(self, connection: Connection) -> Rows | int:
        context, campaign = self.context, self.context.actor.campaign
        row = records.take(connection, campaign)
        # The connection was lost last time, perhaps after the commit.
        served = records.known_token(connection, self.token) if self.tried else None
        self.tried = True
        if served is not None:
            return records.of_ask(connection, campaign, json.loads(served.detail)["ask"])
        fixed = next_fixed(connection, context.recipe, row, self.n)
        if len(fixed.points) < self.n:
            records.set_campaign(connection, campaign, asks=row.asks + 1)
            return int(row.asks)
        whys = [Explanation("sequence", context.recipe.strategy)] * self.n
        choice = Choice(fixed.points, whys, fixed, row)
        return _insert(connection, context, row, choice, row.asks, self.token)


def next_fixed(connection: Connection, recipe: Recipe, row: Row[Any], n: int) -> Fixed:
    """Up to n points: released ones first, then the sequence from where it stands."""
    points: list[Any] = []
    seen: set[str] = set()
    for old in records.released_sequence(connection, row.id):
        if old.key not in seen and len(points) < n:
            points.append(json.loads(old.point))
            seen.add(old.key)
    index, end = row.sequence, row.sequence + SEARCH + 64 * n
    if not recipe.open_loop:
        # Earlier measurements serve as a start as well.
        end = recipe.start - records.count(connection, row.id, origin="added", inside=True)
    block = n
    while len(points) < n and index < end:
        size = min(block, end - index)
        block = min(2 * block, SEARCH)
        x = recipe.sequence_points(index, size)
        if len(x) < size:  # the sequence of a finite list ends
            end = index + len(x)
        keys = recipe.keys(x)
        spent = records.keys_in(connection, row.id, keys, SPENT) | seen
        for point, key in zip(x.tolist(), keys, strict=True):
            if len(points) == n:
                break
            index += 1
            if key not in spent:
                points.append(point)
                spent.add(key)
                seen.add(key)
    if recipe.open_loop and len(points) < n:
        raise Exhausted(
            f"the {recipe.strategy} sequence has no free location left for {n} experiments; "
            "release pending ones, or use a strategy that chooses"
        )
    return Fixed(np.array(points, dtype=float).reshape(-1, recipe.domain.columns), index)


def _choose(context: CampaignContext, ask: int, n: int) -> Choice:
    """The strategy's choice on what is known now."""
    campaign = context.actor.campaign

    def look(connection: Connection) -> tuple[Row[Any], Fixed, Rows]:
        row = records.look(connection, campaign)
        fixed = next_fixed(connection, context.recipe, row, n)
        return row, fixed, records.known(connection, campaign)

    row, fixed, rows = context.store.read(look)
    situation = situation_of(rows, context.recipe, noise_of(row))
    k = len(fixed.points)
    whys = [Explanation("sequence", context.recipe.strategy)] * k
    if k == n:  # what was taken a moment ago has been released since
        return Choice(fixed.points, whys, fixed, row)
    points, reasons = context.chooser.suggest(situation, fixed.points, ask, n - k)
    return Choice(np.concatenate([fixed.points, points]), whys + reasons, fixed, row)


def _settle(
    connection: Connection, context: CampaignContext, ask: int, choice: Choice, patient: bool
) -> Rows | None:
    """Insert the choice; None if what has happened meanwhile speaks against it."""
    campaign, recipe = context.actor.campaign, context.recipe
    row = records.take(connection, campaign)
    served = records.of_ask(connection, campaign, ask)
    if served:
        return served
    if row.version != choice.seen.version:
        if records.keys_in(connection, campaign, recipe.keys(choice.points), TAKEN):
            return None
        if len(choice.fixed.points) and row.sequence != choice.seen.sequence:
            return None
        others = records.newer(connection, campaign, choice.seen.numbers)
        if patient and too_close(recipe, choice.points, [json.loads(o.point) for o in others]):
            return None
    return _insert(connection, context, row, choice, ask)


def _insert(
    connection: Connection,
    context: CampaignContext,
    row: Row[Any],
    choice: Choice,
    ask: int,
    token: str | None = None,
) -> Rows:
    """Experiments and events; ``row`` is the campaign's, locked."""
    rows = new_rows(context.recipe, choice.points, choice.whys, ask)
    counters = {"sequence": choice.fixed.counter, "asks": max(row.asks, ask + 1)}
    numbers = records.insert_experiments(connection, row, rows, **counters)
    names = context.recipe.domain.names
    details = [
        {"ask": ask, "point": dict(zip(names, point, strict=True))} for point in choice.points.tolist()
    ]
    records.log_many(connection, context.actor, "asked", zip(numbers, details, strict=True), token)
    reached("ask:written")
    return records.of_ask(connection, row.id, ask)
