"""``Campaign``: one mapping job with its state, the single stateful class.

Everything it knows is in the store; an object is a handle that can be lost and opened again, also by
other processes at the same time. Each verb is one transaction that writes the new state together with
the event that led to it. This file is the table of contents: what the verbs do is in ``opening``,
``asking``, ``telling``, ``adding`` and ``looking`` beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equiwarp.campaign import adding, asking, looking, opening, telling
from equiwarp.campaign.chooser import Chooser
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.description import Description, as_responses
from equiwarp.campaign.experiment import Experiment, Proposal, Status
from equiwarp.domains import Domain
from equiwarp.maps.stopping import StopAdvice, StopRule
from equiwarp.spec import CampaignSpec
from equiwarp.store import Actor, CampaignRecord, Event, ExperimentState, Store
from equiwarp.strategy import Strategy

if TYPE_CHECKING:
    from equiwarp.maps.map import Map


class Campaign:
    """A campaign in a store: opened if it is there, begun if it is not.

    Parameters
    ----------
    name : str
    domain : Domain, optional
        May be left out to open an existing campaign.
    noise : float, sequence or dict, optional
        Standard deviation of one measurement, for all responses or for each; None estimates it.
    store : path or URL
        A file (SQLite) or ``postgresql://...``.
    seed : int, optional
        Everything that is suggested derives from it; 0 for a new campaign.
    strategy : str or Strategy, optional
        A name from :func:`equiwarp.strategies`, or one of your own, which has to be given again whenever
        the campaign is opened where its name is not registered; "lookahead-gp" for a new campaign.
    n0 : int, optional
        Size of the space-filling start; the domain's typical one for a new campaign.
    responses : sequence, optional
        Names (or :class:`equiwarp.spec.Response`) of what is measured; otherwise the first value decides.
    who : str, optional
        Recorded with every event; user@machine by default.

    Raises
    ------
    Mismatch
        If the stored campaign differs from what is given here; the message names each difference.
    MissingPart
        If the stored campaign's strategy is not registered here and was not given.
    SpecError
        If a new campaign cannot be described so; it lists every mistake.
    StoreError
        If the store cannot be used; its subclasses say why.

    Examples
    --------
    >>> import tempfile
    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    >>> folder = tempfile.TemporaryDirectory()
    >>> with ew.Campaign("furnace", box, noise=0.05, store=f"{folder.name}/furnace.db") as c:
    ...     first, second = c.ask(2)
    ...     done = c.tell(first.id, 3.1)
    ...     failed = c.tell_failed(second.id, "the furnace tripped")
    >>> done.value, failed.state
    (3.1, 'failed')
    >>> folder.cleanup()
    """

    def __init__(
        self,
        name: str,
        domain: Domain | None = None,
        *,
        noise: Any = None,
        store: str | Path | Store = "equiwarp.db",
        seed: int | None = None,
        strategy: str | Strategy | None = None,
        n0: int | None = None,
        responses: Any = None,
        who: str | None = None,
    ) -> None:
        said = Description(name, domain, noise, as_responses(responses), strategy, n0, seed)
        self._open(said, store, who)

    @classmethod
    def from_spec(
        cls, spec: CampaignSpec, store: str | Path | Store = "equiwarp.db", who: str | None = None
    ) -> Campaign:
        """Open or begin the campaign of a campaign file.

        Parameters
        ----------
        spec : CampaignSpec
        store : path or URL
        who : str, optional
            Recorded with every event; user@machine by default.

        Returns
        -------
        Campaign
        """
        campaign = cls.__new__(cls)
        campaign._open(spec, store, who)
        return campaign

    @staticmethod
    def names(store: str | Path | Store = "equiwarp.db") -> list[str]:
        """Names of the campaigns in a store, oldest first.

        Parameters
        ----------
        store : path or URL

        Returns
        -------
        list of str
        """
        place = store if isinstance(store, Store) else Store(store, create=False)
        return [entry.name for entry in place.read(lambda transaction: transaction.entries())]

    def _open(self, said: Description | CampaignSpec, store: str | Path | Store, who: str | None) -> None:
        new = said.domain is not None
        self.store = store if isinstance(store, Store) else Store(store, create=new)
        self.who = who or opening.this_person()
        campaign, spec = opening.open_campaign(self.store, said, self.who)
        self.name, self.domain = spec.name, spec.domain
        self._context = CampaignContext(self.store.of(Actor(campaign.id, self.who)), spec, Chooser(spec))

    def __repr__(self) -> str:
        return f"Campaign({self.name!r}, store={self.store.name!r})"

    def _repr_html_(self) -> str:
        from equiwarp._util.display import html_of

        return html_of(self)

    def close(self) -> None:
        """Let go of the store. The campaign can be opened again at any time."""
        self.store.close()

    def __enter__(self) -> Campaign:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Asking and telling

    def ask(self, n: int = 1) -> list[Experiment]:
        """The next n experiments, which are pending from now on.

        Parameters
        ----------
        n : int
            How many; those chosen together keep their distance.

        Returns
        -------
        list of Experiment

        Raises
        ------
        Exhausted
            If fewer than n are left.
        """
        return asking.ask(self._context, n)

    def preview(self, n: int = 1) -> list[Proposal]:
        """What ``ask(n)`` would hand out if it came now, found in the same way; nothing is handed out.

        Parameters
        ----------
        n : int

        Returns
        -------
        list of Proposal
            Points with the reasons for them. They have no id, and nobody waits for their values.

        Raises
        ------
        Exhausted
            If fewer than n are left, as ``ask`` would.
        """
        return asking.preview(self._context, n)

    def tell(self, id: int, value: Any, noise: Any = None) -> Experiment:
        """The value of an experiment. The same value again changes nothing.

        Parameters
        ----------
        id : int
        value : float, sequence or dict
            One number, or those of several responses in order or by name.
        noise : float, sequence or dict, optional
            Standard deviation of this measurement, where it is known better than the campaign's.

        Returns
        -------
        Experiment

        Raises
        ------
        Conflict
            If it has another value already, or was abandoned.
        UnknownExperiment
            If there is no such id.
        """
        return telling.tell(self._context, id, value, noise)

    def tell_many(self, told: Sequence[tuple[int, Any, Any]], failed: Sequence[tuple[int, str]] = ()) -> None:
        """Values and failures of many experiments: all of them are kept or none.

        Parameters
        ----------
        told : sequence of (id, value, noise)
            As for :meth:`tell`; noise may be None.
        failed : sequence of (id, reason)
            As for :meth:`tell_failed`.

        Raises
        ------
        Conflict, UnknownExperiment
            As there.
        """
        telling.tell_many(self._context, told, failed)

    def tell_failed(self, id: int, reason: str = "") -> Experiment:
        """The experiment did not work. Its place may be suggested again, but not soon.

        Parameters
        ----------
        id : int
        reason : str

        Returns
        -------
        Experiment

        Raises
        ------
        Conflict
            If it has a value, or was abandoned.
        UnknownExperiment
            If there is no such id.
        """
        return telling.tell_failed(self._context, id, reason)

    def abandon(self, id: int, reason: str = "") -> Experiment:
        """The experiment will not be done, and nothing near it will be suggested again.

        Parameters
        ----------
        id : int
        reason : str

        Returns
        -------
        Experiment

        Raises
        ------
        Conflict
            If it has a value.
        UnknownExperiment
            If there is no such id.
        """
        return telling.abandon(self._context, id, reason)

    def amend(
        self, id: int, value: Any, noise: Any = None, reason: str = "", since: str | None = None
    ) -> Experiment:
        """Correct a value. The old one stays in the events.

        Parameters
        ----------
        id : int
        value, noise : float, sequence or dict
            As for :meth:`tell`; the noise stays as it is unless it is given.
        reason : str
        since : str, optional
            The ``since`` of the experiment as it was read, so that a correction that somebody else made
            meanwhile is not overwritten.

        Returns
        -------
        Experiment

        Raises
        ------
        Conflict
            If it has no value yet, or another one than was read.
        UnknownExperiment
            If there is no such id.
        """
        return telling.amend(self._context, id, value, noise, reason, since)

    def add(self, points: Any, values: Any, noise: Any = None) -> list[int]:
        """Measurements made earlier or elsewhere: all of them are kept or none.

        Points outside the domain are kept and used to predict, with a warning.

        Parameters
        ----------
        points : array, list, dict of columns or dataframe, (n, columns)
        values : array-like, (n,) or (n, k), or dict of columns
        noise : float, array-like or dict, optional
            Standard deviations of these measurements.

        Returns
        -------
        list of int
            Their ids.
        """
        return adding.add(self._context, points, values, noise)

    def release(self, older_than: timedelta | float | None = None) -> list[Experiment]:
        """Make pending experiments available again. A value that arrives late is welcome all the same.

        Parameters
        ----------
        older_than : timedelta or float, optional
            Only those that have been pending for longer, in seconds if it is a number.

        Returns
        -------
        list of Experiment
            Those that were released.
        """
        ids = telling.release(self._context, older_than)
        return [self.experiment(id) for id in ids]

    # Looking

    def experiments(
        self, state: ExperimentState | Sequence[ExperimentState] | None = None
    ) -> list[Experiment]:
        """All experiments, or those in some states, by id.

        Parameters
        ----------
        state : str or sequence of str, optional
            "pending", "done", "failed", "abandoned" or "released".

        Returns
        -------
        list of Experiment
        """
        return looking.experiments(self._context, state)

    def experiment(self, id: int) -> Experiment:
        """One experiment as it is now.

        Parameters
        ----------
        id : int

        Returns
        -------
        Experiment

        Raises
        ------
        UnknownExperiment
            If there is no such id.
        """
        return looking.experiment(self._context, id)

    def events(self, id: int | None = None, after: int = 0) -> list[Event]:
        """Who did what when, oldest first.

        Parameters
        ----------
        id : int, optional
            Only what happened to this experiment.
        after : int
            Only what happened after the event of this id.

        Returns
        -------
        list of Event
        """
        return self._context.store.read(lambda transaction: transaction.events(id, after))

    @property
    def spec(self) -> CampaignSpec:
        """The description that the campaign was begun with."""
        return opening.spec_of(self._record(), self.domain, self._context.spec.strategy)

    @property
    def responses(self) -> tuple[str, ...]:
        """Names of what is measured."""
        return self._record().responses

    def status(self) -> Status:
        """The campaign at a glance.

        Returns
        -------
        Status
        """
        return looking.status(self._context)

    def map(self) -> Map:
        """The map so far: predictions, their error, and a forecast.

        Returns
        -------
        Map

        Raises
        ------
        InvalidInput
            If nothing has been measured yet.
        """
        return looking.map_of(self._context)

    def stop_when(self, error: float | None = None, gain: float | None = None) -> StopAdvice:
        """Whether mapping may stop, and the sentence that says why. Reported, never enforced.

        Parameters
        ----------
        error : float, optional
            May stop when the map error is below this, in the units of the first response.
        gain : float, optional
            May stop when each of the next experiments is forecast to lower the error by less than this.
            Without either, the rule of the campaign's description holds.

        Returns
        -------
        StopAdvice
        """
        asked = error is not None or gain is not None
        return self.map().stop(StopRule(error, gain) if asked else self.spec.stop)

    # Behind the verbs

    def _record(self) -> CampaignRecord:
        return self._context.store.read(lambda transaction: transaction.look())
