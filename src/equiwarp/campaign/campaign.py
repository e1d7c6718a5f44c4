"""``Campaign``: one mapping job with its state, the single stateful class.

Everything it knows is in the store; an object is a handle that can be lost and opened again, also by
other processes at the same time. Each verb is one transaction that writes the new state together with
the event that led to it. This file is the table of contents: what the verbs do is in ``opening``,
``asking``, ``telling``, ``adding`` and ``looking`` beside it; the verbs of a day in the laboratory are
added by ``laboratory_verbs``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from equiwarp.aims import Aim
from equiwarp.campaign import adding, asking, assessing, looking, opening, telling
from equiwarp.campaign.assessment import Assessment
from equiwarp.campaign.batches import BatchRules, RuleWords, read_rules
from equiwarp.campaign.chooser import Chooser
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.description import Description, as_responses
from equiwarp.campaign.experiment import Experiment, Proposal, Status
from equiwarp.campaign.laboratory_verbs import LaboratoryVerbs
from equiwarp.campaign.prior_source import campaign_as_prior
from equiwarp.campaign.stored_description import spec_of
from equiwarp.domains import Domain
from equiwarp.exceptions import CampaignChanged
from equiwarp.maps.stopping import Limit, StopAdvice, StopRule
from equiwarp.spec import CampaignSpec
from equiwarp.store import Actor, CampaignRecord, Event, ExperimentState, Store
from equiwarp.strategy import Strategy

if TYPE_CHECKING:
    from equiwarp.maps.map import Map


P = ParamSpec("P")
T = TypeVar("T")


class Campaign(LaboratoryVerbs):
    """One mapping job: it hands out experiments, takes their values and draws the map.

    If the store has a campaign of this name it is opened, otherwise it is begun. All that it knows is in
    the store, so a program may end at any time, and several may work on one campaign at once.

    Parameters
    ----------
    name : str
        Name of the campaign within the store.
    domain : Domain, optional
        Where one can measure. May be left out to open a campaign that exists.
    noise : float, sequence or dict, optional
        Standard deviation of one measurement in the units of the response: one number for all
        responses, or one for each in order or by name. None estimates it.
    store : path, URL or Store
        Where the campaign is kept: a file (SQLite) or ``postgresql://...``.
    seed : int, optional
        Everything that is suggested derives from it; 0 for a new campaign.
    strategy : str or Strategy, optional
        A name from :func:`equiwarp.strategies`, or one of your own; "map" for a new campaign. One
        of your own that is not registered has to be given again whenever the campaign is opened.
    n0 : int, optional
        Size of the space-filling start; for a new campaign ``domain.small_n0`` under `map`, four points a
        number, and ``domain.n0`` under others.
    responses : sequence of str or Response, or mapping, optional
        What is measured, or its units by name. If it is left out, the first value that is told decides how
        many there are.
    blocks : sequence of str or dict, optional
        Columns that are recorded with every experiment, such as the day or the operator. In a dict,
        "offset" says that the map estimates by how much the values of a block are higher or lower.
    change_cost : dict, optional
        What it costs to change a parameter over its whole range; batches then come in the cheapest order.
    prior : Campaign, Map, callable, str or dict, optional
        What is believed of the function: a campaign or its name ("name@store" for one of another store), a
        map, or a function of points ``(n, columns)``. Experiments are chosen for the difference, which the
        map learns with the prior's scale and offset. What a campaign or a map knew is kept in the store; a
        function has to be given again whenever the campaign is opened.
    aim : Aim or mapping, optional
        Where the map has to be good, such as ``ew.Aim(near={"yield": 60})``; everywhere by default.
    who : str, optional
        The person or program, recorded with every event; user@machine by default.

    Attributes
    ----------
    name : str
        Name of the campaign.
    domain : Domain
        Where one can measure.
    store : Store
        The open store.
    who : str
        Recorded with every event.

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
        blocks: Any = None,
        change_cost: Mapping[str, float] | None = None,
        prior: Any = None,
        aim: Aim | Mapping[str, Any] | None = None,
        who: str | None = None,
    ) -> None:
        said = Description(
            name, domain, noise, as_responses(responses), strategy, n0, seed, blocks, change_cost,
            campaign_as_prior(prior), aim,
        )  # fmt: skip
        self._open(said, store, who)

    @classmethod
    def from_spec(
        cls, spec: CampaignSpec, store: str | Path | Store = "equiwarp.db", who: str | None = None
    ) -> Campaign:
        """Open or begin the campaign that a description describes.

        Parameters
        ----------
        spec : CampaignSpec
            The description, as a campaign file holds it.
        store : path, URL or Store
            Where the campaign is kept: a file (SQLite) or ``postgresql://...``.
        who : str, optional
            The person or program, recorded with every event; user@machine by default.

        Returns
        -------
        Campaign

        Raises
        ------
        Mismatch
            If the stored campaign differs from the description; the message names each difference.
        StoreError
            If the store cannot be used; its subclasses say why.
        """
        campaign = cls.__new__(cls)
        campaign._open(spec, store, who)
        return campaign

    @staticmethod
    def names(store: str | Path | Store = "equiwarp.db") -> list[str]:
        """List the campaigns of a store, oldest first.

        Parameters
        ----------
        store : path, URL or Store
            A file (SQLite) or ``postgresql://...``.

        Returns
        -------
        list of str
            Their names.

        Raises
        ------
        StoreMissing
            If there is no such file.
        """
        place = store if isinstance(store, Store) else Store(store, create=False)
        return [entry.name for entry in place.read(lambda transaction: transaction.entries())]

    def _open(self, said: Description | CampaignSpec, store: str | Path | Store, who: str | None) -> None:
        new = said.domain is not None
        self.store = store if isinstance(store, Store) else Store(store, create=new)
        self.who = opening.this_person() if who is None else opening.read_who(who)
        self._use(*opening.open_campaign(self.store, said, self.who))

    def _use(self, campaign: CampaignRecord, spec: CampaignSpec, chooser: Chooser | None = None) -> None:
        self.name, self.domain = spec.name, spec.domain
        actor = Actor(campaign.id, self.who, campaign.edition)
        self._context = CampaignContext(self.store.of(actor), spec, chooser or Chooser(spec))

    def _do(
        self,
        verb: Callable[Concatenate[CampaignContext, P], T],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Run a verb; once more by the new description if somebody has changed that meanwhile."""
        while True:
            try:
                return verb(self._context, *arguments, **named)
            except CampaignChanged:
                known = self._context
                anyone = self.store.of(Actor(known.store.actor.campaign, self.who))
                campaign = anyone.read(lambda transaction: transaction.look())
                spec = spec_of(campaign, known.domain, known.spec.strategy, known.spec.prior)
                self._use(campaign, spec, known.chooser.described_by(spec))

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

    def ask(
        self,
        n: int = 1,
        key: str | None = None,
        *,
        fixed: Mapping[str, Any] | None = None,
        shared: Sequence[str] | None = None,
        order: str | None = None,
        block: Mapping[str, Any] | None = None,
        lease: timedelta | float | None = None,
    ) -> list[Experiment]:
        """Hand out the next n experiments. They are pending until their values are told.

        No two programs are given the same experiment.

        Parameters
        ----------
        n : int
            How many. Those chosen together keep their distance from each other.
        key : str, optional
            A name of your own for this request. If it is repeated, because nobody knows whether the first
            one got through, the same experiments are returned as they are now.
        fixed : dict, optional
            Settings that are given, by parameter; the strategy chooses the others.
        shared : sequence of str, optional
            Parameters that are the same in all n experiments; what they share is chosen jointly.
        order : "chosen", "cheapest" or "random", optional
            In which order they come: best first, so that changing the settings costs least, or by chance.
            "cheapest" is the rule for a campaign with ``change_cost``, "chosen" for any other.
        block : dict, optional
            The block that they belong to, by column, such as ``{"day": "Monday"}``.
        lease : timedelta or float, optional
            For how long they are held, as by :meth:`claim`; a number is in seconds. By default until told.

        Returns
        -------
        list of Experiment
            In the order in which to do them.

        Raises
        ------
        Conflict
            If the key was used to ask for another number of experiments.
        Exhausted
            If fewer than n are left.
        InvalidInput
            If a parameter is unknown or cannot be set so.
        StoreBusy
            If others were faster too many times; ask again.
        """
        return self._do(_ask, n, key, RuleWords(fixed, shared, order, block, lease))

    def claim(self, n: int = 1, lease: timedelta | float = 3600.0, **rules: Any) -> list[Experiment]:
        """Hand out n experiments for a limited time, to programs that may die.

        When the time is over, those whose values were not told are released by themselves, unless the lease
        was renewed. A value that comes later is still welcome.

        Parameters
        ----------
        n : int
            How many.
        lease : timedelta or float
            For how long; a number is in seconds.
        **rules
            As for :meth:`ask`.

        Returns
        -------
        list of Experiment
            Their ``lease`` says until when.

        Raises
        ------
        Exhausted
            If fewer than n are left.
        """
        return self.ask(n, lease=lease, **rules)

    def preview(
        self,
        n: int = 1,
        *,
        fixed: Mapping[str, Any] | None = None,
        shared: Sequence[str] | None = None,
        order: str | None = None,
    ) -> list[Proposal]:
        """Show what ``ask(n)`` would hand out now. Nothing is handed out or written.

        Parameters
        ----------
        n : int
            How many.
        fixed, shared, order
            As for :meth:`ask`.

        Returns
        -------
        list of Proposal
            Points with the reasons for them. They have no id.

        Raises
        ------
        Exhausted
            If fewer than n are left.
        """
        return self._do(_preview, n, RuleWords(fixed, shared, order))

    def tell(
        self,
        id: int,
        value: Any,
        noise: Any = None,
        *,
        at: Mapping[str, Any] | None = None,
        sure: bool = False,
        sample: str | None = None,
        block: Mapping[str, Any] | None = None,
    ) -> Experiment:
        """Tell the value of an experiment. Telling the same value again changes nothing.

        Parameters
        ----------
        id : int
            The experiment's id. It may have been released or have failed before.
        value : float, str, sequence or dict
            One number, or those of several responses in order or by name, in their units. A dict may leave
            responses out: the experiment is pending until all of them are told, and the map uses what it
            has. The text "<0.5" is a value below that detection limit, ">90" one above the
            instrument's range.
        noise : float, sequence or dict, optional
            Standard deviation of this measurement in the same units, if it differs from the campaign's.
        at : dict, optional
            The settings that were used instead of those asked for, by parameter. What was asked stays on
            record.
        sure : bool
            Whether to take a value outside the plausible range of its response.
        sample : str, optional
            Identifier of the sample.
        block : dict, optional
            The block that the experiment belongs to, by column.

        Returns
        -------
        Experiment
            The experiment as it is now.

        Raises
        ------
        Conflict
            If it has another value already, or was abandoned or withdrawn.
        Implausible
            If a value is outside the plausible range of its response, and you are not sure.
        InvalidInput
            If a value is not a finite number, or there are too many.
        UnknownExperiment
            If there is no such id.
        """
        told = telling.ToldValue(id, value, noise, at, sure, sample, block)
        return self._do(telling.tell, told)

    def tell_many(
        self,
        told: Sequence[tuple[int, Any, Any] | tuple[int, Any, Any, Mapping[str, Any] | None]],
        failed: Sequence[tuple[int, str]] = (),
        sure: bool = False,
        beside: Mapping[int, Mapping[str, Any]] | None = None,
    ) -> None:
        """Tell the values and failures of many experiments. If one is refused, none is kept.

        Parameters
        ----------
        told : sequence of (id, value, noise) or (id, value, noise, at)
            As for :meth:`tell`; noise and the actual settings may be None.
        failed : sequence of (id, reason)
            As for :meth:`tell_failed`.
        sure : bool
            Whether to take values outside the plausible ranges.
        beside : dict of int to dict, optional
            By id, the sample (``"sample"``) and the block of an experiment, a text for each column.

        Raises
        ------
        Conflict, Implausible, InvalidInput, UnknownExperiment
            As for :meth:`tell` and :meth:`tell_failed`.
        """
        self._do(telling.tell_many, told, failed, sure, beside or {})

    def tell_failed(self, id: int, reason: str = "", *, accident: bool = False) -> Experiment:
        """Tell that an experiment did not work.

        A failure is information: the campaign learns where experiments work, see :meth:`Map.works`, and goes
        elsewhere first.

        Parameters
        ----------
        id : int
            The experiment's id.
        reason : str
            What happened. A reason that begins with "accident:" means the same as ``accident=True``; so can
            the ``failed`` column of a plate.
        accident : bool
            It failed for a reason that has nothing to do with its settings, such as a power cut. Nothing is
            learnt from it, and the same settings may be suggested again.

        Returns
        -------
        Experiment
            The experiment as it is now.

        Raises
        ------
        Conflict
            If it has a value, or was abandoned.
        UnknownExperiment
            If there is no such id.
        """
        return self._do(telling.tell_failed, id, reason, accident)

    def abandon(self, id: int, reason: str = "") -> Experiment:
        """Give up an experiment. Nothing near it will be suggested again.

        Parameters
        ----------
        id : int
            The experiment's id.
        reason : str
            Why it will not be done.

        Returns
        -------
        Experiment
            The experiment as it is now.

        Raises
        ------
        Conflict
            If it has a value.
        UnknownExperiment
            If there is no such id.
        """
        return self._do(telling.abandon, id, reason)

    def amend(
        self,
        id: int,
        value: Any,
        noise: Any = None,
        reason: str = "",
        since: str | None = None,
        sure: bool = False,
    ) -> Experiment:
        """Correct the value of an experiment, or of one of its responses. The old one stays in the events.

        Parameters
        ----------
        id : int
            The experiment's id.
        value, noise : float, sequence or dict
            As for :meth:`tell`. The noise stays as it is unless it is given.
        reason : str
            Why it is corrected.
        since : str, optional
            The ``since`` of the experiment as you read it. If somebody changed the value after that, yours
            is refused instead of overwriting it.
        sure : bool
            Whether to take a value outside the plausible range of its response.

        Returns
        -------
        Experiment
            The experiment as it is now.

        Raises
        ------
        Conflict
            If it has no value yet, or was changed after ``since``.
        InvalidInput
            If a value is not a finite number, or there are too few or too many.
        UnknownExperiment
            If there is no such id.
        """
        return self._do(telling.amend, id, value, noise, reason, since, sure)

    def add(
        self,
        points: Any,
        values: Any,
        noise: Any = None,
        *,
        again: bool = False,
        sure: bool = False,
        key: str | None = None,
        block: Mapping[str, Any] | None = None,
        sample: Any = None,
    ) -> list[int]:
        """Add measurements that were made earlier or elsewhere. If one is refused, none is kept.

        Rows that are known already, with the same settings and values, are left out: the warning
        :class:`~equiwarp.exceptions.KnownMeasurements` counts them. Points outside the domain are kept and
        used to predict; the warning :class:`~equiwarp.exceptions.OutsideDomain` counts them.

        Parameters
        ----------
        points : (n, columns) array-like, dict of columns or dataframe
            Where was measured, in the domain's units.
        values : (n,) or (n, k) array-like, dict of columns or dataframe
            The measured values of one response or of k, in their units. Columns that have names are matched
            with the responses. NaN stands for a response that was not measured, if another one was. The text
            ``<0.5`` is a value below that detection limit, ``>90`` one above that end of a range; in a column
            with limits, numbers may be texts too, as dataframes have them.
        noise : float, array-like, dict or dataframe, optional
            Standard deviations of these measurements, in the same units.
        again : bool
            Whether rows with known settings and values were really measured again.
        sure : bool
            Whether to take values outside the plausible ranges.
        key : str, optional
            A name of your own for this request. If it is repeated, because nobody knows whether the first
            one got through, nothing is added again, and the same ids are returned.
        block : dict, optional
            The block that they belong to, such as ``{"day": "Monday"}``; or a text for each of them, such as
            ``{"day": ["Monday", "Tuesday"]}``.
        sample : str or sequence of str, optional
            Identifier of the sample, or one for each.

        Returns
        -------
        list of int
            The ids of the new experiments.

        Raises
        ------
        Conflict
            If the key was used to add another number of measurements.
        InvalidInput
            If something is not a finite number, or points and values differ in length; the message
            names the row.
        """
        rows = adding.AddedRows(points, values, noise, again, sure, key, block, sample)
        return self._do(adding.add, rows)

    def release(
        self, older_than: timedelta | float | None = None, ids: Sequence[int] | None = None
    ) -> list[Experiment]:
        """Give up waiting for pending experiments, so that their places may be suggested again.

        A value that arrives later can still be told.

        Parameters
        ----------
        older_than : timedelta or float, optional
            Release only what has been pending for longer than this; a number is in seconds.
        ids : sequence of int, optional
            Release only those of these experiments that are pending.

        Returns
        -------
        list of Experiment
            Those that were released.

        Raises
        ------
        InvalidInput
            If the age is negative, or longer than a calendar can hold.
        """
        return self._do(telling.release, older_than, ids)

    # Looking

    def experiments(
        self, state: ExperimentState | Sequence[ExperimentState] | None = None
    ) -> list[Experiment]:
        """List all experiments, or those in some states.

        Parameters
        ----------
        state : str or sequence of str, optional
            "pending", "done", "failed", "abandoned", "released" or "withdrawn"; all of them by default.

        Returns
        -------
        list of Experiment
            In the order of their ids.
        """
        return self._do(looking.experiments, state)

    def experiment(self, id: int) -> Experiment:
        """Look at one experiment as it is now.

        Parameters
        ----------
        id : int
            The experiment's id.

        Returns
        -------
        Experiment

        Raises
        ------
        UnknownExperiment
            If there is no such id.
        """
        return self._do(looking.experiment, id)

    def events(self, id: int | None = None, after: int = 0) -> list[Event]:
        """List who did what and when.

        Parameters
        ----------
        id : int, optional
            List only what happened to the experiment with this id.
        after : int
            List only what happened after the event with this id.

        Returns
        -------
        list of Event
            Oldest first.
        """
        return self._do(looking.events, id, after)

    @property
    def spec(self) -> CampaignSpec:
        """The description of the campaign as it is now."""
        campaign = self._record()
        known = self._context.spec
        return spec_of(campaign, self.domain, known.strategy, known.prior)

    @property
    def responses(self) -> tuple[str, ...]:
        """Names of what is measured."""
        return self._record().responses

    def status(self) -> Status:
        """Summarise the campaign: how many experiments are in which state, and what is left of the start.

        It fits no map and costs the same however much was measured; what the last map said that was assessed
        (:meth:`assess`) is in it.

        Returns
        -------
        Status
        """
        return self._do(looking.status)

    def assess(self) -> Assessment:
        """Fit the map and say how good it is, whether one may stop, and what is odd.

        The answer is kept in the store, so that :meth:`status` has it for everybody. The commands ``map`` and
        ``report`` and the page keep theirs likewise.

        Returns
        -------
        Assessment

        Raises
        ------
        InvalidInput
            If nothing has been measured yet.
        """
        return self._do(assessing.assess)[1]

    def map(self) -> Map:
        """Draw the map from all that has been measured so far.

        The fit starts from the last map of this handle. Where blocks are offsets, these are taken off the
        values first; :meth:`offsets` tells them.

        Returns
        -------
        Map
            Predictions, their error, and a forecast.

        Raises
        ------
        InvalidInput
            If nothing has been measured yet.
        """
        return self._do(looking.map_of)

    def offsets(self) -> dict[str, dict[str, dict[str, float]]]:
        """Say by how much the values of each block are higher or lower than those of the others.

        Returns
        -------
        dict
            By response, block column and block, in the units of the response. Only columns that are an
            "offset" are in it.
        """
        return self._do(looking.offsets)

    def stop_when(self, error: Limit | None = None, gain: Limit | None = None) -> StopAdvice:
        """Say whether mapping may stop. Nothing is stopped.

        Parameters
        ----------
        error : float or mapping, optional
            It may stop when the map error is at most this: one number for all responses, each in its own
            unit, or a number for each by its name.
        gain : float or mapping, optional
            It may stop when each of the next experiments is forecast to lower the map error by less than
            this, given alike. Without either, the rule of the campaign's description counts.

        Returns
        -------
        StopAdvice
            Yes or no, and why.

        Raises
        ------
        InvalidInput
            If nothing has been measured yet, a number is not positive, or a name is not that of a response.
        """
        asked = error is not None or gain is not None
        return self.map().stop(StopRule(error, gain) if asked else self.spec.stop)

    # Behind the verbs

    def _record(self) -> CampaignRecord:
        return self._do(_look)


def _look(context: CampaignContext) -> CampaignRecord:
    return context.store.read(lambda transaction: transaction.look())


def _ask(context: CampaignContext, n: int, key: str | None, said: RuleWords) -> list[Experiment]:
    return asking.ask(context, n, key, _rules(context, said))


def _preview(context: CampaignContext, n: int, said: RuleWords) -> list[Proposal]:
    return asking.preview(context, n, _rules(context, said))


def _rules(context: CampaignContext, said: RuleWords) -> BatchRules | None:
    """The rules of a batch; None for a plain one."""
    return None if said == RuleWords() and not context.spec.change_cost else read_rules(context, said)
