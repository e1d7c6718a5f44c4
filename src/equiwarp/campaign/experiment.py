"""What a campaign shows: experiments, proposals, and a summary of the whole.

All are frozen: a change goes through :class:`equiwarp.Campaign` and shows when one looks again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equiwarp.engine.explanation import Explanation, Origin
from equiwarp.exceptions import UnknownExperiment
from equiwarp.store import ExperimentRecord, ExperimentState


@dataclass(frozen=True)
class Experiment:
    """One experiment of a campaign.

    Attributes
    ----------
    id : int
        Its number within the campaign, from 1.
    point : dict
        Settings by parameter name, in the domain's units.
    state : str
        "pending", "done", "failed", "abandoned" or "released".
    why : Explanation
        Why it was suggested.
    values : dict or None
        Measured values by response.
    noise : dict or None
        Their standard deviations, where they were given with the values.
    reason : str or None
        Why it failed or was abandoned.
    inside : bool
        Whether the point lies in the domain; only added ones may not.
    ask : int or None
        The ask it came from.
    created, since : str
        When it was handed out or added, and since when it is as it is: UTC, ISO 8601.
    """

    id: int
    point: dict[str, float]
    state: ExperimentState
    why: Explanation
    values: dict[str, float] | None = None
    noise: dict[str, float] | None = None
    reason: str | None = None
    inside: bool = True
    ask: int | None = None
    created: str = ""
    since: str = ""

    @property
    def value(self) -> float | dict[str, float] | None:
        """The value of a single response as a number, several ones by name."""
        if self.values is not None and len(self.values) == 1:
            return next(iter(self.values.values()))
        return self.values

    @property
    def origin(self) -> Origin:
        """Where the point came from: the fixed "sequence", the strategy's "model", or "added"."""
        return self.why.source


@dataclass(frozen=True)
class Proposal:
    """An experiment that would be handed out if somebody asked now. It has no id and nobody waits for it.

    Attributes
    ----------
    point : dict
        Settings by parameter name, in the domain's units.
    why : Explanation
        Why it would be suggested.
    """

    point: dict[str, float]
    why: Explanation

    @property
    def origin(self) -> Origin:
        """Where the point came from: the fixed "sequence", or the strategy's "model"."""
        return self.why.source


@dataclass(frozen=True)
class Status:
    """A campaign at a glance.

    Attributes
    ----------
    name, store, strategy : str
    seed : int
    responses : tuple of str
        Names of what is measured.
    counts : dict
        Experiments by state; added ones are counted under "done" and again in ``added``.
    added, outside : int
        Measurements made elsewhere, and how many of them lie outside the domain.
    asks : int
        Ask numbers given out.
    n0 : int
        Size of the space-filling start.
    start_left : int
        Points of the space-filling start that are still to be handed out.
    oldest_pending : str or None
        When the oldest pending experiment was handed out, UTC.
    notes : tuple of str
    """

    name: str
    store: str
    strategy: str
    seed: int
    responses: tuple[str, ...]
    counts: dict[str, int]
    added: int
    outside: int
    asks: int
    n0: int
    start_left: int
    oldest_pending: str | None
    notes: tuple[str, ...] = ()


def experiment_of(
    record: ExperimentRecord, parameters: Sequence[str], responses: Sequence[str]
) -> Experiment:
    """A record of the store as people see it, with names."""
    return Experiment(
        id=record.id,
        point=dict(zip(parameters, record.point, strict=True)),
        state=record.state,
        why=record.why,
        values=None if record.value is None else dict(zip(responses, record.value, strict=True)),
        noise=None if record.noise is None else dict(zip(responses, record.noise, strict=True)),
        reason=record.reason,
        inside=record.inside,
        ask=record.ask,
        created=record.created,
        since=record.since,
    )


def read_id(id: Any) -> int:
    """An experiment's id, as somebody gave it."""
    if isinstance(id, bool) or not isinstance(id, int | np.integer):
        raise UnknownExperiment(f"an experiment's id is a whole number, got {id!r}")
    return int(id)
