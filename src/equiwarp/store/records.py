"""What comes out of a store and what goes in: frozen records with decoded fields. No SQL here.

An experiment's ``id`` is the column ``number``, and its ``since`` the column ``changed``: the tables keep
the names that they were made with, everything outside the store uses these.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.engine.explanation import Explanation, Origin

ExperimentState = Literal["pending", "done", "failed", "abandoned", "released", "withdrawn"]
Booleans = np.ndarray[tuple[int], np.dtype[np.bool_]]

#: A failure whose reason begins with this word and a colon, or is this word, says nothing about its location.
ACCIDENT = "accident"

#: States in which the fixed sequence does not return to a location.
SPENT: tuple[ExperimentState, ...] = ("pending", "done", "failed", "abandoned")
#: States in which a location may not be suggested at all.
TAKEN: tuple[ExperimentState, ...] = ("pending", "done", "abandoned")


def is_accident(reason: str | None) -> bool:
    """Whether the reason of a failure says that it was an accident."""
    word, _, _ = (reason or "").partition(":")
    return word.strip().casefold() == ACCIDENT


def accident_reason(reason: str) -> str:
    """A reason that says so, in the words of whoever gave it."""
    if is_accident(reason):
        return reason
    return f"{ACCIDENT}: {reason}" if reason else ACCIDENT


@dataclass(frozen=True)
class Actor:
    """Who acts, in which campaign, and by which edition of its description; None is any."""

    campaign: int
    who: str
    edition: int | None = None


@dataclass(frozen=True)
class CampaignEntry:
    """A campaign in the list of those that a store has. ``version`` grows with every change."""

    id: int
    name: str
    created: str
    version: int


@dataclass(frozen=True)
class CampaignRecord:
    """A campaign as the store has it at one moment.

    Attributes
    ----------
    asks, ids, sequence : int
        How many ask numbers, experiment ids and points of the fixed sequence have been given out.
    version : int
        Grows with every change.
    edition : int
        Grows when the description is changed.
    learned : int
        The version that last changed what a map is made from.
    settings : dict
        What was decided when the campaign began, beside the domain.
    responses : tuple of str
        Names of what is measured.
    noise : list of float or None
        Known noise of each response, for values that come without their own.
    settled : bool
        Whether the responses are fixed; otherwise the first value fixes them.
    """

    id: int
    name: str
    created: str
    asks: int
    ids: int
    sequence: int
    version: int
    edition: int
    learned: int
    settings: dict[str, Any] = field(repr=False)
    domain_text: str = field(repr=False)
    responses: tuple[str, ...]
    noise: list[float | None]
    settled: bool

    @property
    def ranges(self) -> list[tuple[float | None, float | None]]:
        """What is plausible of each response: low and high; None where a side is open."""
        return [(r.get("low"), r.get("high")) for r in self.settings["responses"]]

    @cached_property
    def domain(self) -> dict[str, Any]:
        """The domain as plain data. Decoded when somebody looks: a list of candidates is long."""
        decoded: dict[str, Any] = json.loads(self.domain_text)
        return decoded


@dataclass(frozen=True)
class Particulars:
    """What is known of an experiment beside its values.

    Attributes
    ----------
    asked : tuple of float or None
        The settings that were asked for, if others were used.
    repeats : int or None
        Id of the experiment that this one repeats.
    block : dict of str to str
        The block that it belongs to: day, operator, batch of material.
    sample : str
        Identifier of the sample.
    notes : tuple of str
    below : tuple of int
        Responses, counted from 0, whose value is a detection limit: what was measured lies below it.
    above : tuple of int
        Responses whose value is the end of the instrument's range: what was measured lies above it.
    """

    asked: tuple[float, ...] | None = None
    repeats: int | None = None
    block: dict[str, str] = field(default_factory=dict)
    sample: str = ""
    notes: tuple[str, ...] = ()
    below: tuple[int, ...] = ()
    above: tuple[int, ...] = ()


@dataclass(frozen=True)
class ExperimentRecord:
    """An experiment as the store has it. Equal ``key`` means equal location; a value may be None."""

    id: int
    state: ExperimentState
    origin: Origin
    inside: bool
    point: tuple[float, ...]
    key: str
    ask: int | None
    value: tuple[float | None, ...] | None
    noise: tuple[float | None, ...] | None
    why: Explanation
    reason: str | None
    created: str
    since: str
    about: Particulars = Particulars()
    lease: str | None = None


@dataclass(frozen=True)
class Event:
    """Something that happened in a campaign. It is never changed. :meth:`Campaign.events` lists them.

    Attributes
    ----------
    id : int
        Grows with time; unique within the store.
    at : str
        When it happened: UTC, ISO 8601.
    who : str
        The person or program that did it.
    what : str
        "created", "asked", "told", "told in part", "failed", "abandoned", "withdrawn", "amended", "added",
        "released", "reopened", "restored", "noted", "renewed", "renamed", "widened" or "changed".
    experiment : int or None
        Id of the experiment it happened to; None if it concerns the campaign or many measurements.
    detail : dict
        The values, reasons and settings that belong to it.

    Examples
    --------
    >>> import tempfile
    >>> import equiwarp as ew
    >>> folder = tempfile.TemporaryDirectory()
    >>> box = ew.Box({"temperature": (20, 90)})
    >>> with ew.Campaign("oven", box, store=f"{folder.name}/oven.db", who="Ada") as c:
    ...     (experiment,) = c.ask()
    ...     failed = c.tell_failed(experiment.id, "the oven tripped")
    ...     events = c.events()
    >>> [(event.who, event.what, event.experiment) for event in events]
    [('Ada', 'created', None), ('Ada', 'asked', 1), ('Ada', 'failed', 1)]
    >>> events[-1].detail
    {'reason': 'the oven tripped'}
    >>> folder.cleanup()
    """

    id: int
    at: str
    who: str
    what: str
    experiment: int | None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Counts:
    """How many experiments are in each state, were added, lie outside the domain, serve the map."""

    states: dict[str, int]
    added: int
    outside: int
    measured: int


@dataclass(frozen=True)
class NewAsked:
    """Points to hand out under one ask number: ``(n, columns)``, a key and an explanation for each.

    ``sequence`` is how many points of the fixed sequence have been given out after these. ``about`` holds
    for all of them, and so does the ``lease``. ``ask`` is None for repeats, which claim no location.
    """

    points: Array
    keys: Sequence[str]
    whys: Sequence[Explanation]
    ask: int | None
    sequence: int
    about: Particulars = Particulars()
    lease: str | None = None


@dataclass(frozen=True)
class NewMeasurements:
    """Measurements to add: points ``(n, columns)``, values and known noise ``(n, k)``.

    ``signs`` is ``<`` or ``>`` where a value is a limit, else empty. ``about`` is what else is known of each.
    """

    points: Array
    keys: Sequence[str]
    inside: Booleans
    values: Array
    noise: Array | None
    signs: NDArray[np.str_]
    about: Sequence[Particulars] = ()


class Changes(TypedDict, total=False):
    """What may change of an experiment. ``claim=None`` gives its location free for others."""

    point: Sequence[float]
    key: str
    inside: bool
    about: Particulars
    lease: str | None

    state: ExperimentState
    value: Sequence[float | None]
    noise: Sequence[float | None] | None
    reason: str | None
    claim: str | None
