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

from equiwarp.domains import Array
from equiwarp.engine.explanation import Explanation, Origin

ExperimentState = Literal["pending", "done", "failed", "abandoned", "released"]
Booleans = np.ndarray[tuple[int], np.dtype[np.bool_]]

#: States in which the fixed sequence does not return to a location.
SPENT: tuple[ExperimentState, ...] = ("pending", "done", "failed", "abandoned")
#: States in which a location may not be suggested at all.
TAKEN: tuple[ExperimentState, ...] = ("pending", "done", "abandoned")


@dataclass(frozen=True)
class Actor:
    """Who acts, in which campaign."""

    campaign: int
    who: str


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
    settings: dict[str, Any] = field(repr=False)
    domain_text: str = field(repr=False)
    responses: tuple[str, ...]
    noise: list[float | None]
    settled: bool

    @cached_property
    def domain(self) -> dict[str, Any]:
        """The domain as plain data. Decoded when somebody looks: a list of candidates is long."""
        decoded: dict[str, Any] = json.loads(self.domain_text)
        return decoded


@dataclass(frozen=True)
class ExperimentRecord:
    """An experiment as the store has it. Equal ``key`` means equal location."""

    id: int
    state: ExperimentState
    origin: Origin
    inside: bool
    point: tuple[float, ...]
    key: str
    ask: int | None
    value: tuple[float, ...] | None
    noise: tuple[float, ...] | None
    why: Explanation
    reason: str | None
    created: str
    since: str


@dataclass(frozen=True)
class Event:
    """Something that happened: who did what, when, and to which experiment. Never changed afterwards."""

    id: int
    at: str
    who: str
    what: str
    experiment: int | None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Counts:
    """How many experiments are in each state, how many were added, how many lie outside the domain."""

    states: dict[str, int]
    added: int
    outside: int


@dataclass(frozen=True)
class NewAsked:
    """Points to hand out under one ask number: ``(n, columns)``, a key and an explanation for each.

    ``sequence`` is how many points of the fixed sequence have been given out after these.
    """

    points: Array
    keys: Sequence[str]
    whys: Sequence[Explanation]
    ask: int
    sequence: int


@dataclass(frozen=True)
class NewMeasurements:
    """Measurements to add: points ``(n, columns)``, values and known noise ``(n, k)``."""

    points: Array
    keys: Sequence[str]
    inside: Booleans
    values: Array
    noise: Array | None


class Changes(TypedDict, total=False):
    """What may change of an experiment. ``claim=None`` gives its location free for others."""

    state: ExperimentState
    value: Sequence[float]
    noise: Sequence[float] | None
    reason: str | None
    claim: None
