"""``Campaign``: one mapping job with its state, the single stateful class.

Everything it knows is in the store; an object is a handle that can be lost and opened again, also by
other processes at the same time. Each verb is one transaction that writes the new state together with
the event that led to it. How experiments are handed out is in :mod:`equiwarp.campaign.asking`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, Row

from equiwarp.campaign import opening, telling
from equiwarp.campaign.asking import CampaignContext, hand_out
from equiwarp.campaign.chooser import Chooser, Recipe, full_noise
from equiwarp.campaign.experiment import Event, Experiment, ExperimentState, Status
from equiwarp.campaign.ledger import event_of, experiment_of, noise_of, situation_of
from equiwarp.domains import Domain
from equiwarp.engine.large_data import MOST_EXACT, spread_out
from equiwarp.exceptions import InvalidInput, ThinnedData, UnknownExperiment
from equiwarp.maps.stopping import StopAdvice, StopRule
from equiwarp.spec import CampaignSpec
from equiwarp.store import Store, records
from equiwarp.store.records import Actor

if TYPE_CHECKING:
    from equiwarp.maps.map import Map


class Campaign:
    """A campaign in a store: opened if it is there, begun if it is not.

    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    >>> c = ew.Campaign("furnace", box, noise=0.05, store="furnace.db")  # doctest: +SKIP
    >>> c.tell(c.ask()[0].id, 3.1)  # doctest: +SKIP

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
    strategy : str, optional
        A name from :func:`equiwarp.strategy`; "lookahead-gp" for a new campaign.
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
    """

    def __init__(
        self,
        name: str,
        domain: Domain | None = None,
        *,
        noise: Any = None,
        store: str | Path | Store = "equiwarp.db",
        seed: int | None = None,
        strategy: str | None = None,
        n0: int | None = None,
        responses: Any = None,
        who: str | None = None,
    ) -> None:
        said = opening.Description(name, domain, noise, opening.as_responses(responses), strategy, n0, seed)
        self._open(said, store, who)

    @classmethod
    def from_spec(
        cls, spec: CampaignSpec, store: str | Path | Store = "equiwarp.db", who: str | None = None
    ) -> Campaign:
        """Open or begin the campaign of a campaign file."""
        campaign = cls.__new__(cls)
        campaign._open(spec, store, who)
        return campaign

    @staticmethod
    def names(store: str | Path | Store = "equiwarp.db") -> list[str]:
        """Names of the campaigns in a store, oldest first."""
        place = store if isinstance(store, Store) else Store(store, create=False)
        return place.read(records.names)

    def _open(
        self, said: opening.Description | CampaignSpec, store: str | Path | Store, who: str | None
    ) -> None:
        new = said.domain is not None
        self.store = store if isinstance(store, Store) else Store(store, create=new)
        self.who = who or opening.this_person()
        row, spec = opening.open_campaign(self.store, said, self.who)
        self.name, self.domain = spec.name, spec.domain
        assert spec.n0 is not None
        recipe = Recipe(self.domain, spec.strategy, spec.seed, spec.n0)
        self._context = CampaignContext(self.store, recipe, Actor(row.id, self.who), Chooser(recipe))

    def __repr__(self) -> str:
        return f"Campaign({self.name!r}, store={self.store.name!r})"

    def _repr_html_(self) -> str:
        from equiwarp.plotting.pictures import campaign_html

        return campaign_html(self)

    def close(self) -> None:
        """Let go of the store. The campaign can be opened again at any time."""
        self.store.close()

    def __enter__(self) -> Campaign:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Asking and telling

    def ask(self, n: int = 1) -> list[Experiment]:
        """The next n experiments, which are pending from now on."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise InvalidInput(f"n must be a whole number of at least 1, got {n!r}")
        rows = hand_out(self._context, int(n))
        # What is pending has no values yet, so the names of the responses do not matter.
        return [experiment_of(row, self.domain.names, ()) for row in rows]

    def tell(self, id: int, value: Any, noise: Any = None) -> Experiment:
        """The value (or values, as a dict or in order) of an experiment, with its own noise if known.

        The same value again changes nothing; another one raises :class:`Conflict`.
        """
        return self._after(telling.tell, id, value, noise)

    def tell_many(self, told: Sequence[tuple[int, Any, Any]], failed: Sequence[tuple[int, str]] = ()) -> None:
        """Values ``(id, value, noise)`` and failures ``(id, reason)``: all of them are kept or none."""
        telling.tell_many(self._context, told, failed)

    def tell_failed(self, id: int, reason: str = "") -> Experiment:
        """It did not work. It may be suggested again, but not soon; see :mod:`equiwarp.campaign.chooser`."""
        return self._after(telling.tell_failed, id, reason)

    def abandon(self, id: int, reason: str = "") -> Experiment:
        """It will not be done, and nothing near it will be suggested again."""
        return self._after(telling.abandon, id, reason)

    def amend(
        self, id: int, value: Any, noise: Any = None, reason: str = "", since: str | None = None
    ) -> Experiment:
        """Correct a value. The old one stays in the events.

        With ``since``, the ``since`` of the experiment as it was read, a correction that somebody else
        made meanwhile is not overwritten: :class:`Conflict`.
        """
        return self._after(telling.amend, id, value, noise, reason, since)

    def add(self, points: Any, values: Any, noise: Any = None) -> list[int]:
        """Measurements made earlier or elsewhere, all of them or none; returns their ids.

        Points outside the domain are kept and used to predict, with a warning.
        """
        return telling.add(self._context, points, values, noise)

    def release(self, older_than: timedelta | float | None = None) -> list[Experiment]:
        """Make pending experiments available again: all, or those older than this (seconds).

        If the value of a released experiment arrives late, it is welcome all the same.
        """
        numbers = telling.release(self._context, older_than)
        return [self.experiment(number) for number in numbers]

    # Looking

    def experiments(
        self, state: ExperimentState | Sequence[ExperimentState] | None = None
    ) -> list[Experiment]:
        """All experiments, or those in some states, by number."""
        states = [state] if isinstance(state, str) else state
        rows = self.store.read(lambda c: records.all_experiments(c, self._context.actor.campaign, states))
        names = self.responses
        return [experiment_of(row, self.domain.names, names) for row in rows]

    def experiment(self, id: int) -> Experiment:
        """One experiment as it is now."""
        number, campaign = telling.read_id(id), self._context.actor.campaign
        row, found = self.store.read(lambda c: (self._look(c), records.one(c, campaign, number)))
        if found is None:
            raise UnknownExperiment(f"campaign {self.name!r} has no experiment {id}")
        return experiment_of(found, self.domain.names, telling.response_names(row))

    def events(self, id: int | None = None, after: int = 0) -> list[Event]:
        """Who did what when: of one experiment, or of the whole campaign, oldest first."""
        rows = self.store.read(lambda c: records.all_events(c, self._context.actor.campaign, id, after))
        return [event_of(row) for row in rows]

    @property
    def spec(self) -> CampaignSpec:
        """The description that the campaign was begun with."""
        return opening.spec_of(self._row(), self.domain)

    @property
    def responses(self) -> tuple[str, ...]:
        """Names of what is measured."""
        return telling.response_names(self._row())

    def status(self) -> Status:
        """The campaign at a glance."""
        return self.store.read(self._status)

    def map(self) -> Map:
        """The map so far: predictions, their error, and a forecast."""
        from equiwarp.maps.map import build_map

        campaign, recipe = self._context.actor.campaign, self._context.recipe
        row, rows = self.store.read(lambda c: (self._look(c), records.known(c, campaign)))
        known = situation_of(rows, recipe, noise_of(row))
        use = np.flatnonzero(known.measured)
        if len(use) > MOST_EXACT:
            said = f"the map uses {MOST_EXACT} of {len(use)} measurements, spread over the domain"
            warnings.warn(said, ThinnedData, stacklevel=2)
            use = use[spread_out(self.domain.to_cube(known.x[use]), MOST_EXACT)]
        x, y = known.x[use], known.y[use]
        return build_map(
            self.domain,
            x,
            y,
            full_noise(recipe, x, y, known.noise[use]),
            pending=known.at("pending"),
            strategy=recipe.strategy,
            seed=recipe.seed,
        )

    def stop_when(self, error: float | None = None, gain: float | None = None) -> StopAdvice:
        """Whether mapping may stop, and the sentence that says why. Reported, never enforced.

        Parameters
        ----------
        error : float, optional
            May stop when the map error is below this, in the units of the first response.
        gain : float, optional
            May stop when each of the next experiments is forecast to lower the error by less than this.
            Without either, the rule of the campaign's description holds.
        """
        asked = error is not None or gain is not None
        return self.map().stop(StopRule(error, gain) if asked else self.spec.stop)

    # Behind the verbs

    def _after(self, verb: Any, id: int, *arguments: Any) -> Experiment:
        verb(self._context, id, *arguments)
        return self.experiment(id)

    def _look(self, connection: Connection) -> Row[Any]:
        return records.look(connection, self._context.actor.campaign)

    def _row(self) -> Row[Any]:
        return self.store.read(self._look)

    def _status(self, connection: Connection) -> Status:
        row = self._look(connection)
        campaign, recipe = row.id, self._context.recipe
        counts = {
            state: records.count(connection, campaign, state=state) for state in (*records.SPENT, "released")
        }
        added = records.count(connection, campaign, origin="added")
        outside = records.count(connection, campaign, inside=False)
        left = 0 if recipe.open_loop else max(0, recipe.start - (added - outside) - row.sequence)
        notes = (
            [f"{outside} measurements lie outside the domain; they serve prediction only"] if outside else []
        )
        return Status(
            name=self.name,
            store=self.store.name,
            strategy=recipe.strategy,
            seed=recipe.seed,
            responses=telling.response_names(row),
            counts=counts,
            added=added,
            outside=outside,
            asks=row.asks,
            start=recipe.start,
            start_left=left,
            oldest_pending=records.oldest_pending(connection, campaign),
            notes=tuple(notes),
        )
