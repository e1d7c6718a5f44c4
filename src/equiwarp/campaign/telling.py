"""The verbs that change what is known of an experiment, each one transaction.

A verb states from which states it may start; the store changes the row only if it is in one of them,
so of two who tell at once exactly one wins, and the other learns what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.experiment import Experiment, experiment_of, read_id
from equiwarp.campaign.responses import fix_names, open_names, read_deviations, read_value
from equiwarp.exceptions import Conflict, InvalidInput, UnknownExperiment
from equiwarp.store import CampaignTransaction, ExperimentRecord, ExperimentState
from equiwarp.store.steps import reached

#: From which states each verb may start.
TELL_FROM: tuple[ExperimentState, ...] = ("pending", "released", "failed")
CLOSE_FROM: dict[str, tuple[ExperimentState, ...]] = {
    "failed": ("pending", "released"),
    "abandoned": ("pending", "released", "failed"),
}


def _changed(
    context: CampaignContext, id: int, change: Callable[[CampaignTransaction, int], None]
) -> Experiment:
    """The experiment after a change, read in the transaction that made it."""
    which = read_id(id)

    def work(transaction: CampaignTransaction) -> tuple[ExperimentRecord, tuple[str, ...]]:
        if not transaction.served():
            change(transaction, which)
        return _find(transaction, which), transaction.look().responses

    record, responses = context.store.write(work)
    reached("tell:done")
    return experiment_of(record, context.domain.names, responses)


def tell(context: CampaignContext, id: int, value: Any, noise: Any = None) -> Experiment:
    """pending, released or failed -> done."""
    return _changed(context, id, lambda t, which: _tell(t, which, value, noise))


def tell_many(
    context: CampaignContext, told: Sequence[tuple[int, Any, Any]], failed: Sequence[tuple[int, str]] = ()
) -> None:
    """Values ``(id, value, noise)`` and failures ``(id, reason)`` in one transaction: all of them or none."""
    values = [(read_id(id), value, noise) for id, value, noise in told]
    failures = [(read_id(id), str(reason)) for id, reason in failed]

    def work(transaction: CampaignTransaction) -> None:
        if transaction.served():
            return
        for id, value, noise in values:
            _tell(transaction, id, value, noise)
        for id, reason in failures:
            _close(transaction, id, "failed", reason)

    context.store.write(work)
    reached("tell:done")


def _tell(transaction: CampaignTransaction, id: int, value: Any, noise: Any) -> None:
    known = open_names(transaction.take())
    names, values = read_value(value, known, f"value of experiment {id}")
    deviations = read_deviations(noise, names, f"noise of experiment {id}")
    if transaction.move(id, TELL_FROM, state="done", reason=None, value=values, noise=deviations):
        if not known:
            fix_names(transaction, names)
        transaction.log("told", id, {"value": dict(zip(names, values, strict=True)), "noise": deviations})
        reached("tell:written")
        return
    _same_or_conflict(_find(transaction, id), names, values)


def _same_or_conflict(found: ExperimentRecord, names: tuple[str, ...], values: list[float]) -> None:
    if found.state == "abandoned":
        raise Conflict(
            f"experiment {found.id} was abandoned on {_when(found)}; if it was measured after all, "
            "add the measurement instead"
        )
    stored = list(found.value or ())
    if stored != values:
        raise Conflict(
            f"experiment {found.id} has the value {_shown(names, stored)} since {_when(found)}, and now "
            f"{_shown(names, values)} was told; if the new one is right, amend it"
        )


def _when(record: ExperimentRecord) -> str:
    return f"{record.since[:19]}Z"


def _shown(names: tuple[str, ...], values: list[float]) -> str:
    if len(values) == 1:
        return repr(values[0])
    return ", ".join(f"{name} = {value!r}" for name, value in zip(names, values, strict=True))


def tell_failed(context: CampaignContext, id: int, reason: str = "") -> Experiment:
    """pending or released -> failed; another reason for a failure is recorded too."""
    return _changed(context, id, lambda t, which: _close(t, which, "failed", str(reason)))


def abandon(context: CampaignContext, id: int, reason: str = "") -> Experiment:
    """pending, released or failed -> abandoned."""
    return _changed(
        context, id, lambda transaction, which: _close(transaction, which, "abandoned", str(reason))
    )


def _close(
    transaction: CampaignTransaction, id: int, state: Literal["failed", "abandoned"], reason: str
) -> None:
    transaction.take()
    if not transaction.move(id, CLOSE_FROM[state], state=state, claim=None, reason=reason or None):
        found = _find(transaction, id)
        if found.state == state and (found.reason or "") == reason:
            return
        if found.state != state:
            raise Conflict(_closed(found, state))
        transaction.move(id, (state,), reason=reason or None)
    transaction.log(state, id, {"reason": reason})


def _closed(found: ExperimentRecord, state: str) -> str:
    if found.state == "done":
        return (
            f"experiment {found.id} has the value {list(found.value or ())} since {_when(found)} and cannot "
            f"be marked as {state}; amend the value if it is wrong"
        )
    return f"experiment {found.id} is {found.state} since {_when(found)} and cannot be {state}"


def amend(
    context: CampaignContext,
    id: int,
    value: Any,
    noise: Any = None,
    reason: str = "",
    since: str | None = None,
) -> Experiment:
    """done -> done with another value; noise stays unless given. ``since`` is when the old one was read."""

    def change(transaction: CampaignTransaction, which: int) -> None:
        names = open_names(transaction.take())
        found = _find(transaction, which)
        if found.state != "done":
            raise Conflict(f"experiment {which} is {found.state} and has no value to amend; tell it one")
        names, values = read_value(value, names, f"value of experiment {which}")
        deviations = read_deviations(noise, names, f"noise of experiment {which}")
        old = None if found.noise is None else list(found.noise)
        before = {"value": list(found.value or ()), "noise": old}
        after = {"value": values, "noise": old if deviations is None else deviations}
        if before == after:  # also one's own change of a moment ago, whose answer got lost
            return
        if since is not None and since != found.since:
            raise Conflict(
                f"experiment {which} was changed on {_when(found)}, after it was shown to you; "
                "look at its present value first"
            )
        transaction.move(which, ("done",), value=values, noise=after["noise"])
        transaction.log("amended", which, {"before": before, "after": after, "reason": reason})

    return _changed(context, id, change)


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
            for id in released:
                transaction.move(id, ("pending",), state="released", claim=None)
            transaction.log_many("released", ((id, {}) for id in released))
        return [_find(transaction, id) for id in released], responses

    records, responses = context.store.write(work)
    return [experiment_of(record, context.domain.names, responses) for record in records]


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


def _find(transaction: CampaignTransaction, id: int) -> ExperimentRecord:
    found = transaction.experiment(id)
    if found is None:
        raise UnknownExperiment(f"there is no experiment {id} in this campaign")
    return found
