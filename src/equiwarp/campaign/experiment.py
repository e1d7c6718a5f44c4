"""What a campaign shows: experiments, proposals, and a summary of the whole.

All are frozen: a change goes through :class:`equiwarp.Campaign` and shows when one looks again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equiwarp._util.text import short
from equiwarp.engine.explanation import Explanation, Origin
from equiwarp.exceptions import UnknownExperiment
from equiwarp.store import ExperimentRecord, ExperimentState

#: What a database keeps as a whole number.
LARGEST_ID = 2**63 - 1


@dataclass(frozen=True)
class Experiment:
    """One experiment of a campaign, as it was when somebody looked. :meth:`Campaign.ask` hands it out.

    Attributes
    ----------
    id : int
        Its number within the campaign, from 1; :meth:`Campaign.tell` and other verbs take it.
    point : dict of str to float
        Settings by parameter name, in the domain's units.
    state : "pending", "done", "failed", "abandoned" or "released"
        What became of it. "pending" waits for its value; where one was "released", another may be suggested.
    why : Explanation
        Why it was suggested.
    values : dict of str to float, or None
        Measured values by response, in their units; None before they are told.
    noise : dict of str to float, or None
        Their standard deviations, where they were told with the values.
    reason : str or None
        Why it failed or was abandoned.
    inside : bool
        Whether the point lies in the domain. Only an experiment that was added may lie outside.
    ask : int or None
        Which call of ``ask`` it came from, counted from 0; None if it was added.
    created, since : str
        When it was handed out or added, and when it last changed: UTC, ISO 8601.

    Examples
    --------
    >>> import tempfile
    >>> import equiwarp as ew
    >>> folder = tempfile.TemporaryDirectory()
    >>> with ew.Campaign("oven", ew.Box({"temperature": (20, 90)}), store=f"{folder.name}/oven.db") as c:
    ...     (experiment,) = c.ask()
    ...     done = c.tell(experiment.id, 3.1)
    >>> experiment.id, experiment.state, experiment.origin
    (1, 'pending', 'sequence')
    >>> list(experiment.point)
    ['temperature']
    >>> done.state, done.value
    ('done', 3.1)
    >>> folder.cleanup()
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
        """The measured value: a number for one response, a dict by name for several, None before."""
        if self.values is not None and len(self.values) == 1:
            return next(iter(self.values.values()))
        return self.values

    @property
    def origin(self) -> Origin:
        """Where the point came from: the fixed "sequence", the strategy's "model", or "added"."""
        return self.why.source


@dataclass(frozen=True)
class Proposal:
    """An experiment that :meth:`Campaign.ask` would hand out now. :meth:`Campaign.preview` makes it.

    It has no id, and nothing waits for its value.

    Attributes
    ----------
    point : dict of str to float
        Settings by parameter name, in the domain's units.
    why : Explanation
        Why it would be suggested.

    Examples
    --------
    >>> import tempfile
    >>> import equiwarp as ew
    >>> folder = tempfile.TemporaryDirectory()
    >>> with ew.Campaign("oven", ew.Box({"temperature": (20, 90)}), store=f"{folder.name}/oven.db") as c:
    ...     (proposal,) = c.preview()
    ...     (experiment,) = c.ask()
    >>> proposal.point == experiment.point
    True
    >>> folder.cleanup()
    """

    point: dict[str, float]
    why: Explanation

    @property
    def origin(self) -> Origin:
        """Where the point came from: the fixed "sequence", or the strategy's "model"."""
        return self.why.source


@dataclass(frozen=True)
class Status:
    """A campaign at a glance. :meth:`Campaign.status` makes it.

    Attributes
    ----------
    name, store, strategy : str
        Names of the campaign, of the place where it is kept, and of its strategy.
    seed : int
        What everything suggested derives from.
    responses : tuple of str
        Names of what is measured.
    counts : dict of str to int
        How many experiments are in each state. Added ones are "done" and counted again in ``added``.
    added, outside : int
        How many measurements were made elsewhere, and how many of them lie outside the domain.
    asks : int
        How many calls of ``ask`` were begun.
    n0 : int
        Size of the space-filling start.
    start_left : int
        How many points of the space-filling start are still to be handed out.
    oldest_pending : str or None
        When the oldest pending experiment was handed out, UTC, ISO 8601; None if none is pending.
    notes : tuple of str
        What people should know about the measurements, as sentences.

    Examples
    --------
    >>> import tempfile
    >>> import equiwarp as ew
    >>> folder = tempfile.TemporaryDirectory()
    >>> with ew.Campaign("oven", ew.Box({"temperature": (20, 90)}), store=f"{folder.name}/oven.db") as c:
    ...     experiments = c.ask(4)
    ...     status = c.status()
    >>> status.counts["pending"], status.n0, status.start_left
    (4, 10, 6)
    >>> folder.cleanup()
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
    if not -LARGEST_ID <= id <= LARGEST_ID:
        raise UnknownExperiment(f"no experiment has such an id: {short(int(id))}")
    return int(id)
