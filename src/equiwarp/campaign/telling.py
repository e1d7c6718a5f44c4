"""The verbs that change what is known of an experiment, each one transaction.

A verb states from which states it may start; the store changes the row only if it is in one of them,
so of two who tell at once exactly one wins, and the other learns what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import numpy as np

from equiwarp.campaign import particulars
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.experiment import Experiment, experiment_of, read_id
from equiwarp.campaign.responses import ReadValue, fix_names, read_told
from equiwarp.exceptions import Conflict, InvalidInput, UnknownExperiment
from equiwarp.store import CampaignRecord, CampaignTransaction, ExperimentRecord, ExperimentState, Particulars
from equiwarp.store.records import Changes, accident_reason
from equiwarp.store.steps import reached

#: From which states each verb may start.
TELL_FROM: tuple[ExperimentState, ...] = ("pending", "released", "failed")
CLOSE_FROM: dict[str, tuple[ExperimentState, ...]] = {
    "failed": ("pending", "released"),
    "abandoned": ("pending", "released", "failed"),
}


def changed(
    context: CampaignContext, id: int, change: Callable[[CampaignTransaction, int], None]
) -> Experiment:
    """The experiment after a change, read in the transaction that made it."""
    which = read_id(id)

    def work(transaction: CampaignTransaction) -> tuple[ExperimentRecord, tuple[str, ...]]:
        if not transaction.served():
            change(transaction, which)
        return transaction.with_names(which)

    record, responses = context.store.write(work)
    reached("tell:done")
    return experiment_of(record, context.domain, responses)


@dataclass(frozen=True)
class ToldValue:
    """What somebody tells of one experiment; see :meth:`equiwarp.Campaign.tell`."""

    id: int
    value: Any
    noise: Any = None
    at: Mapping[str, Any] | None = None
    sure: bool = False
    sample: str | None = None
    block: Mapping[str, Any] | None = None


NOTHING_BESIDE: Mapping[int, Mapping[str, Any]] = {}


def tell(context: CampaignContext, told: ToldValue) -> Experiment:
    """pending, released or failed -> done; the state stays while other responses have no value yet."""
    return changed(context, told.id, lambda t, which: _tell(context, t, which, told))


def tell_many(
    context: CampaignContext,
    told: Sequence[tuple[Any, ...]],
    failed: Sequence[tuple[int, str]] = (),
    sure: bool = False,
    beside: Mapping[int, Mapping[str, Any]] = NOTHING_BESIDE,
) -> None:
    """Values and failures ``(id, reason)`` in one transaction: all of them or none."""
    values = [(read_id(entry[0]), _told_in(entry, sure, beside)) for entry in told]
    failures = [(read_id(id), str(reason)) for id, reason in failed]

    def work(transaction: CampaignTransaction) -> None:
        if transaction.served():
            return
        for id, one in values:
            _tell(context, transaction, id, one)
        for id, reason in failures:
            _close(transaction, id, "failed", reason)
            if beside.get(id):
                _note_beside(context, transaction, find(transaction, id), _told_in((id, None), sure, beside))

    context.store.write(work)
    reached("tell:done")


def _told_in(entry: Sequence[Any], sure: bool, beside: Mapping[int, Mapping[str, Any]]) -> ToldValue:
    """One ``(id, value, noise, at)`` of many, the last two of which may be left out."""
    id, value, noise, at = (*entry, None, None)[:4]
    texts = dict(beside.get(id, {}))
    sample = texts.pop("sample", None)
    return ToldValue(id, value, noise, at, sure, sample, texts or None)


def _tell(context: CampaignContext, transaction: CampaignTransaction, id: int, told: ToldValue) -> None:
    campaign, record = transaction.take_with(id)
    found = _there(record, id)
    new = read_told(campaign, id, told.value, told.noise, told.sure)
    if not _news(found, new):
        _require_same_beside(context, found, new, told)
        _note_beside(context, transaction, found, told)
        return
    _require_same_noise(found, new)
    if found.state == "done":
        _require_same_place(context, found, told)
    values = [a if b is None else b for a, b in zip(_values(found, new), new.values, strict=True)]
    complete = None not in values
    noise = _merged(found.noise, new.noise)
    changes: Changes = {"value": values, "noise": noise}
    if complete:
        changes = {**changes, "state": "done", "reason": None, "lease": None}
    detail: dict[str, Any] = {
        "value": {n: v for n, v in zip(new.names, new.values, strict=True) if v is not None},
        "noise": None if new.noise is None else list(new.noise),
    }
    if new.below or new.above:
        changes["about"] = _with_limits(found.about, found.about, new)
        detail |= _limits(new.names, new.below, new.above)
    if told.at is not None or told.sample is not None or told.block is not None:
        changes, detail = particulars.with_particulars(context, found, told, changes, detail)
    transaction.move(id, (*TELL_FROM, found.state), **changes)
    if not campaign.settled:
        fix_names(transaction, new.names)
    transaction.log("told" if complete else "told in part", id, detail)
    reached("tell:written")


def _news(found: ExperimentRecord, new: ReadValue) -> bool:
    """Whether there is something new in what was told; refused if it contradicts what is known.

    A measurement that was added without one of the responses is done, and the rest of it is news.
    """
    if found.state in ("abandoned", "withdrawn"):
        remedy = {
            "abandoned": "if it was measured after all, add the measurement instead",
            "withdrawn": "undo that if the value is right, or repeat the experiment",
        }[found.state]
        raise Conflict(f"experiment {found.id} was {found.state} on {when(found)}; {remedy}")
    if found.value is None:
        return True
    before, now = ReadValue(new.names, found.value, found.about.below, found.about.above).shown, new.shown
    for name in now:
        if name in before and before[name] != now[name]:
            raise Conflict(
                f"experiment {found.id} has the value {_shown(before, new.names)} since {when(found)}, and "
                f"now {_shown(now, new.names)} was told; if the new one is right, amend it"
            )
    return any(name not in before for name in now)


def _require_same_beside(
    context: CampaignContext, found: ExperimentRecord, new: ReadValue, told: ToldValue
) -> None:
    """A value that is known, told again with another noise or at other settings, is a conflict."""
    noise = _merged(found.noise, new.noise)
    if noise != (None if found.noise is None else list(found.noise)):
        before = "no noise of its own" if found.noise is None else f"the noise {_numbers(found.noise)}"
        raise Conflict(
            f"experiment {found.id} has this value and {before} since {when(found)}, and now the noise "
            f"{_numbers(new.noise or ())} was told; if the new one is right, amend it"
        )
    _require_same_place(context, found, told)


def _require_same_noise(found: ExperimentRecord, new: ReadValue) -> None:
    """Where the rest of the values comes with those that are known, the noise of these stays what it is."""
    for name, before, now in zip(new.names, found.noise or (), new.noise or (), strict=False):
        if before is not None and now is not None and before != now:
            raise Conflict(
                f"experiment {found.id} has the noise {before:g} of {name} since {when(found)}, and now "
                f"{now:g} was told; if the new one is right, amend it"
            )


def _require_same_place(context: CampaignContext, found: ExperimentRecord, told: ToldValue) -> None:
    """Values that are known stay where they were measured."""
    if told.at and not np.array_equal(particulars.actual_point(context, found, told.at)[0], found.point):
        where = context.domain.text_of(np.array(found.point))
        raise Conflict(
            f"experiment {found.id} has this value since {when(found)}, at {where}; if it was measured "
            "elsewhere, withdraw it and add the measurement"
        )


def _numbers(values: Sequence[float | None]) -> str:
    return ", ".join("unknown" if value is None else f"{value:g}" for value in values)


def _note_beside(
    context: CampaignContext, transaction: CampaignTransaction, found: ExperimentRecord, told: ToldValue
) -> None:
    """The sample and the block of an experiment that is told nothing else."""
    beside = replace(told, at=None)
    changes, said = particulars.with_particulars(context, found, beside, {}, {})
    if said and changes["about"] != found.about:
        transaction.move(found.id, (found.state,), **changes)
        transaction.log("noted", found.id, said)


def _with_limits(about: Particulars, kept: Particulars, new: ReadValue) -> Particulars:
    """Which values are limits: those that were ``kept``, and the new ones."""
    below, above = {*kept.below, *new.below}, {*kept.above, *new.above}
    return replace(about, below=tuple(sorted(below)), above=tuple(sorted(above)))


def _limits(names: Sequence[str], below: Sequence[int], above: Sequence[int]) -> dict[str, list[str]]:
    """What an event says of values that are limits."""
    said = {"below": [names[j] for j in below], "above": [names[j] for j in above]}
    return {side: which for side, which in said.items() if which}


def _values(found: ExperimentRecord, new: ReadValue) -> list[float | None]:
    return list(found.value or (None,) * len(new.names))


def _merged(
    old: Sequence[float | None] | None, new: Sequence[float | None] | None
) -> list[float | None] | None:
    """Known deviations, the newer ones where both are."""
    if old is None or new is None:
        return list(new) if old is None and new is not None else None if old is None else list(old)
    return [a if b is None else b for a, b in zip(old, new, strict=True)]


def when(record: ExperimentRecord) -> str:
    return f"{record.since[:19]}Z"


def _shown(values: Mapping[str, str], responses: Sequence[str]) -> str:
    if len(responses) == 1:
        return next(iter(values.values()))
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def tell_failed(context: CampaignContext, id: int, reason: str = "", accident: bool = False) -> Experiment:
    """pending or released -> failed; another reason for a failure is recorded too."""
    said = accident_reason(str(reason)) if accident else str(reason)
    return changed(context, id, lambda t, which: _close(t, which, "failed", said))


def abandon(context: CampaignContext, id: int, reason: str = "") -> Experiment:
    """pending, released or failed -> abandoned."""
    return changed(
        context, id, lambda transaction, which: _close(transaction, which, "abandoned", str(reason))
    )


def _close(
    transaction: CampaignTransaction, id: int, state: Literal["failed", "abandoned"], reason: str
) -> None:
    transaction.take()
    if not transaction.move(
        id, CLOSE_FROM[state], state=state, claim=None, lease=None, reason=reason or None
    ):
        found = find(transaction, id)
        if found.state == state and (found.reason or "") == reason:
            return
        if found.state != state:
            raise Conflict(_closed(found, state))
        transaction.move(id, (state,), reason=reason or None)
    transaction.log(state, id, {"reason": reason})


def _closed(found: ExperimentRecord, state: str) -> str:
    if found.state == "done":
        return (
            f"experiment {found.id} has the value {list(found.value or ())} since {when(found)} and cannot "
            f"be marked as {state}; amend the value if it is wrong, or withdraw it"
        )
    return f"experiment {found.id} is {found.state} since {when(found)} and cannot be {state}"


def amend(
    context: CampaignContext,
    id: int,
    value: Any,
    noise: Any = None,
    reason: str = "",
    since: str | None = None,
    sure: bool = False,
) -> Experiment:
    """done -> done with another value; noise stays unless given. ``since`` is when the old one was read."""

    def change(transaction: CampaignTransaction, which: int) -> None:
        campaign = transaction.take()
        found = find(transaction, which)
        if found.value is not None and found.state in ("withdrawn", "abandoned"):
            raise Conflict(f"experiment {which} is {found.state}; undo that first, then amend its value")
        if found.value is None:
            remedy = "tell it one" if found.state in TELL_FROM else "undo that if it was measured after all"
            raise Conflict(f"experiment {which} is {found.state} and has no value to amend; {remedy}")
        _amend(transaction, campaign, found, AmendedValue(value, noise, reason, sure, since))

    return changed(context, id, change)


@dataclass(frozen=True)
class AmendedValue:
    """A correction; see :meth:`equiwarp.Campaign.amend`."""

    value: Any
    noise: Any
    reason: str
    sure: bool
    since: str | None


def _amend(
    transaction: CampaignTransaction, campaign: CampaignRecord, found: ExperimentRecord, given: AmendedValue
) -> None:
    new = read_told(campaign, found.id, given.value, given.noise, given.sure)
    stored = _values(found, new)
    for name, old, value in zip(new.names, stored, new.values, strict=True):
        if old is None and value is not None:
            raise Conflict(f"experiment {found.id} has no value of {name} to amend; tell it one")
    values = [a if b is None else b for a, b in zip(stored, new.values, strict=True)]
    sides = (
        tuple(j for j in side if new.values[j] is None) for side in (found.about.below, found.about.above)
    )
    about = _with_limits(found.about, Particulars(below=next(sides), above=next(sides)), new)
    before = _record(stored, found.noise, new.names, found.about)
    after = _record(values, _merged(found.noise, new.noise), new.names, about)
    if before == after:  # also one's own change of a moment ago, whose answer got lost
        return
    if given.since not in (None, found.since):
        raise Conflict(
            f"experiment {found.id} was changed on {when(found)}, after it was shown to you; "
            "look at its present value first"
        )
    transaction.move(found.id, (found.state,), value=values, noise=after["noise"], about=about)
    transaction.log("amended", found.id, {"before": before, "after": after, "reason": given.reason})


def _record(
    values: Sequence[float | None],
    noise: Sequence[float | None] | None,
    names: Sequence[str],
    about: Particulars,
) -> dict[str, Any]:
    """What the event of a correction says of before and after."""
    said: dict[str, Any] = {"value": list(values), "noise": None if noise is None else list(noise)}
    return {**said, **_limits(names, about.below, about.above)}


def release(
    context: CampaignContext, older_than: timedelta | float | None = None, ids: Sequence[int] | None = None
) -> list[Experiment]:
    """pending -> released, for those handed out before now - older_than, of these ids if they are given."""
    # All of them means all of them, whatever the clock was set to meanwhile.
    limit = None if older_than is None or older_than in (0, timedelta(0)) else _moment_before_now(older_than)
    which = None if ids is None else {read_id(id) for id in ids}
    released: list[int] = []

    def work(transaction: CampaignTransaction) -> tuple[list[ExperimentRecord], tuple[str, ...]]:
        responses = transaction.take().responses
        if not transaction.served():
            waiting = transaction.pending_since(limit)
            released[:] = [id for id in waiting if which is None or id in which]
            release_ids(transaction, released, {})
        return [find(transaction, id) for id in released], responses

    records, responses = context.store.write(work)
    return [experiment_of(record, context.domain, responses) for record in records]


def _moment_before_now(age: timedelta | float) -> datetime:
    """When something that old began."""
    try:
        span = age if isinstance(age, timedelta) else timedelta(seconds=float(age))
        if span < timedelta(0):
            raise InvalidInput(f"older_than: {age!r} is negative; give the least age in seconds")
        return datetime.now(UTC) - span
    except (OverflowError, ValueError, TypeError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(
            f"older_than: {age!r} is no age that a calendar can hold; give seconds or a timedelta"
        ) from None


def release_ids(transaction: CampaignTransaction, ids: Sequence[int], detail: Mapping[str, Any]) -> None:
    """pending -> released, for these."""
    for id in ids:
        transaction.move(id, ("pending",), state="released", claim=None, lease=None)
    transaction.log_many("released", ((id, detail) for id in ids))


def find(transaction: CampaignTransaction, id: int) -> ExperimentRecord:
    """An experiment of the campaign."""
    return _there(transaction.experiment(id), id)


def _there(found: ExperimentRecord | None, id: int) -> ExperimentRecord:
    if found is None:
        raise UnknownExperiment(f"there is no experiment {id} in this campaign")
    return found
