"""From the end of a call to what the campaign is told: a value, a failure with its traceback, or a retry."""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equiwarp._util.text import listed, storable
from equiwarp.campaign import Campaign, Experiment
from equiwarp.exceptions import Conflict, StoreError, WorkerLost
from equiwarp.runner.function import Evaluated, TellingFailure

#: Longest reason that is kept, in characters: the beginning and the end of it.
LONGEST_REASON = 8000


@dataclass(frozen=True)
class Assignment:
    """An experiment on its way to a worker. ``begun`` is a moment of the monotonic clock."""

    experiment: Experiment
    attempt: int = 0
    begun: float = 0.0

    def again(self) -> Assignment:
        """The same, to be begun once more."""
        return replace(self, attempt=self.attempt + 1)


@dataclass(frozen=True)
class Told:
    """What to tell of an experiment: a value, or (if it failed) the reason."""

    id: int
    value: Any = None
    failed: str = ""


def error_of(future: Future[Evaluated]) -> BaseException | None:
    """Why a call failed; None if it did not."""
    try:
        return future.exception()
    except CancelledError as error:
        return error


def worker_was_lost(error: BaseException) -> bool:
    """Whether the worker ended rather than the function failed. Dask's KilledWorker is known by its name."""
    lost = isinstance(error, WorkerLost | BrokenExecutor | CancelledError)
    return lost or type(error).__name__ in ("KilledWorker", "FutureCancelledError")


def deserves_retry(error: BaseException) -> bool:
    """Whether the same call may well succeed: lost workers, files and networks; not a wrong calculation."""
    return worker_was_lost(error) or isinstance(error, OSError)


def reason_of(error: BaseException, attempts: int) -> str:
    """What went wrong: one line first, then the traceback."""
    said = text_of(error)
    if isinstance(error, TellingFailure):
        return storable(said)[:LONGEST_REASON]
    times = f" (after {attempts} attempts)" if attempts > 1 else ""
    line = f"{type(error).__name__}: {(said.splitlines() or [''])[0]}".removesuffix(": ")
    text = storable(f"{line}{times}\n\n{''.join(traceback.format_exception(error))}".rstrip())
    if len(text) <= LONGEST_REASON:
        return text
    half = LONGEST_REASON // 2
    return f"{text[:half]}\n...\n{text[-half:]}"


def text_of(error: BaseException) -> str:
    """What an exception says of itself; some cannot."""
    try:
        return str(error)
    except Exception as fault:
        return f"its text cannot be read ({type(fault).__name__})"


def first_line(reason: str) -> str:
    """What went wrong, without the traceback."""
    return reason.split("\n", 1)[0]


def tell_all(campaign: Campaign, outcomes: list[Told]) -> tuple[list[Told], list[str]]:
    """Tell outcomes in one transaction; what was told in the end, and what others had decided meanwhile.

    A value that the campaign refuses, such as NaN, is a failure of that experiment alone; so is one that
    lacks a response or has NaN for it, of which the others are kept. Values by a name that a response had
    before it was renamed are its values. An error of the store is passed on: what was not told then is told
    again.
    """
    told, notes = _tell(campaign, _under_present_names(campaign, outcomes))
    return _with_gaps(campaign, told, notes), notes


def _under_present_names(campaign: Campaign, outcomes: list[Told]) -> list[Told]:
    """The same, with the names of today for responses that were renamed while the function was computing."""
    said = {name for t in outcomes if isinstance(t.value, Mapping) for name in t.value}
    known = campaign.responses if said else ()
    if said.issubset(known):
        return outcomes
    renamed = [
        (event.detail["before"], event.detail["after"])
        for event in campaign.events()
        if event.what == "renamed" and event.detail.get("of") == "response"
    ]

    def today(name: Any) -> Any:
        found = name
        for before, after in renamed if name not in known else ():
            found = after if found == before else found
        return found

    def translated(told: Told) -> Told:
        if not isinstance(told.value, Mapping):
            return told
        value = {today(name): entry for name, entry in told.value.items()}
        return replace(told, value=value) if len(value) == len(told.value) else told  # two would be one

    return [translated(told) for told in outcomes]


def _tell(campaign: Campaign, outcomes: list[Told]) -> tuple[list[Told], list[str]]:
    try:
        campaign.tell_many(
            [(t.id, t.value, None) for t in outcomes if not t.failed],
            [(t.id, t.failed) for t in outcomes if t.failed],
        )
        return outcomes, []
    except StoreError:
        raise
    except Exception:  # a value may be any object, and fail in any way while it is read
        told, notes = [], []
        for outcome in outcomes:
            try:
                told.append(_tell_one(campaign, outcome))
            except Conflict as conflict:
                notes.append(str(conflict))
        return told, notes


def _tell_one(campaign: Campaign, outcome: Told) -> Told:
    if not outcome.failed:
        try:
            outcome = replace(outcome, value=_finite(outcome.value, campaign.responses))
            campaign.tell(outcome.id, outcome.value)
            return outcome
        except (Conflict, StoreError):
            raise
        except Exception as error:
            outcome = Told(outcome.id, failed=f"the function returned what is no value: {text_of(error)}")
    campaign.tell_failed(outcome.id, storable(outcome.failed))
    return outcome


def _finite(value: Any, responses: Sequence[str]) -> Any:
    """Of several responses those that are finite, None for the others; any other value as it is."""
    if len(responses) > 1 and isinstance(value, Mapping):
        return {name: None if _not_finite(entry) else entry for name, entry in value.items()}
    if len(responses) > 1 and isinstance(value, list | tuple | np.ndarray):
        return [None if _not_finite(entry) else entry for entry in value]
    return value


def _not_finite(entry: Any) -> bool:
    return isinstance(entry, float | np.floating) and not math.isfinite(entry)


def _with_gaps(campaign: Campaign, told: list[Told], notes: list[str]) -> list[Told]:
    """The same, after experiments that lack a response were told as failed: nobody would tell it later."""
    if not any(isinstance(t.value, Mapping | Sequence | np.ndarray) for t in told):
        return told
    names = campaign.responses
    return [_gap(campaign, t, lacking, notes) if (lacking := _lacking(t, names)) else t for t in told]


def _lacking(told: Told, names: Sequence[str]) -> list[str]:
    """Which responses a value does not have."""
    value = told.value
    if told.failed:
        return []
    if isinstance(value, Mapping):
        given = {str(key) for key, entry in value.items() if entry is not None}
        return [name for name in names if name not in given]
    if len(names) == 1 or not isinstance(value, Sequence | np.ndarray):
        return []
    return [name for name, entry in zip(names, value, strict=True) if entry is None]


def _gap(campaign: Campaign, told: Told, lacking: list[str], notes: list[str]) -> Told:
    failed = storable(f"the function returned no value of {listed(lacking)}")
    try:
        campaign.tell_failed(told.id, failed)
    except Conflict as conflict:  # somebody else told the rest
        notes.append(str(conflict))
        return told
    return Told(told.id, failed=failed)
