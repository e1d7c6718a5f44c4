"""What a campaign shows: experiments, proposals, and a summary of the whole.

All are frozen: a change goes through :class:`equiwarp.Campaign` and shows when one looks again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from equiwarp._util.text import short
from equiwarp.campaign.assessment import Assessment
from equiwarp.domains import Domain
from equiwarp.domains.parameter import number_text
from equiwarp.engine.explanation import Explanation, Origin
from equiwarp.exceptions import UnknownExperiment
from equiwarp.store import ExperimentRecord, ExperimentState
from equiwarp.store.records import is_accident

#: What a database keeps as a whole number.
LARGEST_ID = 2**63 - 1


@dataclass(frozen=True)
class Experiment:
    """One experiment of a campaign, as it was when somebody looked. :meth:`Campaign.ask` hands it out.

    Attributes
    ----------
    id : int
        Its number within the campaign, from 1; :meth:`Campaign.tell` and other verbs take it.
    point : dict of str to float or str
        Settings by parameter name, in the domain's units; categories by their names.
    state : "pending", "done", "failed", "abandoned", "released" or "withdrawn"
        What became of it. "pending" waits for the value of some response; where one was "released", another
        may be suggested; what is "withdrawn" is not part of the map.
    why : Explanation
        Why it was suggested.
    values : dict of str to float, or None
        Measured values by response, in their units, as far as they were told; None before the first.
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
    below : tuple of str
        Responses whose value is a detection limit: what was measured lies below it.
    above : tuple of str
        Responses whose value is the end of the instrument's range: what was measured lies above it.
    missing : tuple of str
        Responses that have no value yet, where others have one.
    asked : dict of str to float, or None
        The settings that were asked for, if others were used.
    repeats : int or None
        Id of the experiment that it repeats.
    block : dict of str to str
        The block that it belongs to, such as the day or the operator.
    sample : str
        Identifier of the sample.
    notes : tuple of str
        What people noted about it.
    lease : str or None
        When it is released by itself, if it was claimed: UTC, ISO 8601.

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
    point: dict[str, float | str]
    state: ExperimentState
    why: Explanation
    values: dict[str, float] | None = None
    noise: dict[str, float] | None = None
    reason: str | None = None
    inside: bool = True
    ask: int | None = None
    created: str = ""
    since: str = ""
    below: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    asked: dict[str, float | str] | None = None
    repeats: int | None = None
    block: dict[str, str] = field(default_factory=dict)
    sample: str = ""
    notes: tuple[str, ...] = ()
    lease: str | None = None
    above: tuple[str, ...] = ()

    @property
    def shown(self) -> dict[str, float | str]:
        """The values as tables show them: a limit as ``<0.5`` or ``>90``."""
        signs = {**dict.fromkeys(self.below, "<"), **dict.fromkeys(self.above, ">")}
        return {
            name: f"{signs[name]}{number_text(value)}" if name in signs else value
            for name, value in (self.values or {}).items()
        }

    @property
    def value(self) -> float | dict[str, float] | None:
        """The measured value: a number for one response, a dict by name for several, None before."""
        if self.values is not None and len(self.values) == 1 and not self.missing:
            return next(iter(self.values.values()))
        return self.values

    @property
    def accident(self) -> bool:
        """Whether it failed by an accident, which says nothing about its settings."""
        return self.state == "failed" and is_accident(self.reason)

    @property
    def origin(self) -> Origin:
        """Where the point came from: the fixed "sequence", the strategy's "model", "repeat" or "added"."""
        return self.why.source


@dataclass(frozen=True)
class Proposal:
    """An experiment that :meth:`Campaign.ask` would hand out now. :meth:`Campaign.preview` makes it.

    It has no id, and nothing waits for its value.

    Attributes
    ----------
    point : dict of str to float or str
        Settings by parameter name, in the domain's units; categories by their names.
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

    point: dict[str, float | str]
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
    measured : int
        How many experiments the map is made from: those with the value of some response.
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
    prior : str
        What the prior is called; empty if there is none.
    assessment : Assessment or None
        What the last map said that somebody assessed; None if nobody has. It may be of an earlier state.

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
    measured: int = 0
    prior: str = ""
    assessment: Assessment | None = None


def experiment_of(record: ExperimentRecord, domain: Domain, responses: Sequence[str]) -> Experiment:
    """A record of the store as people see it, with names."""
    return Experiment(
        id=record.id,
        point=domain.named(record.point),
        state=record.state,
        why=_as_called_now(record.why, responses),
        values=_by_name(responses, record.value),
        noise=_by_name(responses, record.noise),
        reason=record.reason,
        inside=record.inside,
        ask=record.ask,
        created=record.created,
        since=record.since,
        below=tuple(responses[j] for j in record.about.below),
        above=tuple(responses[j] for j in record.about.above),
        missing=tuple(n for n, v in zip(responses, record.value or (), strict=False) if v is None),
        asked=None if record.about.asked is None else domain.named(record.about.asked),
        repeats=record.about.repeats,
        block=record.about.block,
        sample=record.about.sample,
        notes=record.about.notes,
        lease=record.lease if record.state == "pending" else None,
    )


def _as_called_now(why: Explanation, responses: Sequence[str]) -> Explanation:
    """A reason that names a response, by the name that it has now: it may have been renamed since."""
    now = responses[max(0, why.response - 1)] if why.name else ""
    return why if why.name == now else replace(why, name=now)


def _by_name(names: Sequence[str], numbers: Sequence[float | None] | None) -> dict[str, float] | None:
    """Numbers by name, without those that are not there."""
    if numbers is None:
        return None
    return {name: number for name, number in zip(names, numbers, strict=True) if number is not None}


def read_id(id: Any) -> int:
    """An experiment's id, as somebody gave it."""
    if isinstance(id, Experiment):
        raise UnknownExperiment(
            f"an experiment's id is a whole number, got the experiment itself; pass its id, {id.id}"
        )
    if isinstance(id, Proposal):
        raise UnknownExperiment("a proposal has no id and waits for no value; ask for experiments first")
    if isinstance(id, bool) or not isinstance(id, int | np.integer):
        remedy = "; write it without quotes" if isinstance(id, str) and id.strip().isdecimal() else ""
        raise UnknownExperiment(f"an experiment's id is a whole number, got {short(id)}{remedy}")
    if not 0 < id <= LARGEST_ID:
        raise UnknownExperiment(f"there is no experiment {short(int(id))} in this campaign")
    return int(id)
