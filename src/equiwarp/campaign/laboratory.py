"""The verbs of the bench: take a value back, undo a slip, write a note, repeat, hold for a while."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from equiwarp._util.arguments import whole
from equiwarp._util.text import short
from equiwarp.campaign.batches import read_lease
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.experiment import Experiment, experiment_of, read_id
from equiwarp.campaign.particulars import read_block, read_text
from equiwarp.campaign.telling import changed, find, when
from equiwarp.engine.explanation import Explanation
from equiwarp.exceptions import Conflict, InvalidInput
from equiwarp.store import CampaignTransaction, ExperimentRecord, ExperimentState, NewAsked, Particulars
from equiwarp.store.health import LEAVES

#: What can be undone.
UNDONE = ("failed", "abandoned", "released", "withdrawn")
#: What an undo is called in the events; other states keep their own word.
BACK_TO = {"pending": "reopened", "done": "restored"}
MOST_REPEATS = 1000
LONGEST_NOTE = 2000


def withdraw(context: CampaignContext, id: int, reason: str) -> Experiment:
    """Any state with a value -> withdrawn."""

    def change(transaction: CampaignTransaction, which: int) -> None:
        transaction.take()
        found = find(transaction, which)
        if found.state == "withdrawn" and (found.reason or "") == reason:
            return
        if found.value is None:
            raise Conflict(f"experiment {which} is {found.state} and has no value to withdraw")
        transaction.move(
            which, (found.state,), state="withdrawn", claim=None, lease=None, reason=reason or None
        )
        transaction.log("withdrawn", which, {"reason": reason})

    return changed(context, id, change)


def undo(context: CampaignContext, id: int) -> Experiment:
    """failed, abandoned, released or withdrawn -> what it was before."""

    def change(transaction: CampaignTransaction, which: int) -> None:
        transaction.take()
        found = find(transaction, which)
        if found.state not in UNDONE:
            raise Conflict(
                f"experiment {which} is {found.state}; only a failure, an abandonment, a release or a "
                "withdrawal can be undone"
            )
        before, reason = _before(transaction, found)
        claim = _claim(transaction, found) if before == "pending" else None
        transaction.move(which, (found.state,), state=before, claim=claim, reason=reason)
        transaction.log(BACK_TO.get(before, before), which, {"undone": found.state, "reason": reason or ""})

    return changed(context, id, change)


def _before(transaction: CampaignTransaction, found: ExperimentRecord) -> tuple[ExperimentState, str | None]:
    """The state that an experiment had before its present one, and the reason for that."""
    history: list[tuple[str, str | None]] = [("done", None)] if found.origin == "added" else []
    for event in transaction.events(found.id):
        undone = event.detail.get("undone")
        while undone and history[-1][0] == undone:
            history.pop()
        if event.what in LEAVES and not undone:
            history.append((LEAVES[event.what], event.detail.get("reason") or None))
    while history[-1][0] == found.state:
        history.pop()
    return history[-1]  # type: ignore[return-value]


def _claim(transaction: CampaignTransaction, found: ExperimentRecord) -> str | None:
    """The location that an experiment holds while it is pending; refused if another one holds it now."""
    if found.ask is None or found.about.asked is not None:
        return None
    holder = transaction.holder(found.key)
    if holder is not None:
        raise Conflict(
            f"the location of experiment {found.id} was handed out again as experiment {holder}; tell its "
            "value there, or tell this one as well"
        )
    return found.key


def note(
    context: CampaignContext,
    id: int,
    text: str = "",
    sample: str | None = None,
    block: Mapping[str, Any] | None = None,
) -> Experiment:
    """A note, the sample or the block; the state stays."""
    text = str(text).strip()
    if len(text) > LONGEST_NOTE:
        raise InvalidInput(f"a note has at most {LONGEST_NOTE} characters, this one {len(text)}")
    if not text and sample is None and block is None:
        raise InvalidInput("there is nothing to note; give a text, a sample or a block")

    def change(transaction: CampaignTransaction, which: int) -> None:
        transaction.take()
        found = find(transaction, which)
        about, said = found.about, dict[str, Any]()
        if text:
            about, said = replace(about, notes=(*about.notes, text)), {"note": text}
        if sample is not None:
            about = replace(about, sample=read_text(sample, "sample"))
            said["sample"] = about.sample
        if block is not None:
            about = replace(about, block={**about.block, **read_block(context, block)})
            said["block"] = about.block
        transaction.move(which, (found.state,), about=about)
        transaction.log("noted", which, said)

    return changed(context, id, change)


def repeat(context: CampaignContext, id: int, n: int) -> list[Experiment]:
    """n pending experiments at the settings of another one, which they point to."""
    which, count, token = read_id(id), whole(n, "n", 1), uuid.uuid4().hex
    if count > MOST_REPEATS:
        raise InvalidInput(f"n must be at most {MOST_REPEATS}, got {short(count)}; repeat more than once")

    def work(transaction: CampaignTransaction) -> list[ExperimentRecord]:
        campaign = transaction.take()
        served = transaction.event_with(token)
        if served is not None and served.experiment is not None:
            ids = list(range(served.experiment, served.experiment + count))
        else:
            found = find(transaction, which)
            if not found.inside:
                raise InvalidInput(f"experiment {which} lies outside the domain; it cannot be handed out")
            first = found.about.repeats or found.id
            new = NewAsked(
                np.tile(np.array(found.point), (count, 1)),
                [found.key] * count,
                [Explanation("repeat", context.strategy.name)] * count,
                None,
                campaign.sequence,
                Particulars(repeats=first),
            )
            ids = transaction.insert_asked(campaign, new)
            detail = {"repeats": first, "point": context.domain.named(found.point)}
            transaction.log_many("asked", ((new_id, detail) for new_id in ids), token)
        return [find(transaction, new_id) for new_id in ids]

    records = context.store.write(work)
    return [experiment_of(record, context.domain, ()) for record in records]


def renew(context: CampaignContext, id: int, lease: timedelta | float) -> Experiment:
    """Hold a claimed experiment for longer."""
    until = (datetime.now(UTC) + read_lease(lease)).isoformat(timespec="microseconds")

    def change(transaction: CampaignTransaction, which: int) -> None:
        transaction.take()
        found = find(transaction, which)
        if found.state != "pending" or found.lease is None:
            raise Conflict(
                f"experiment {which} is {found.state} since {when(found)} and not held any more; claim "
                "another one"
            )
        transaction.move(which, ("pending",), lease=until)
        transaction.log("renewed", which, {"lease": until})

    return changed(context, id, change)
