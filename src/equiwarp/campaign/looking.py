"""The verbs that look at a campaign and change nothing."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.campaign.chooser import full_noise
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.experiment import Experiment, Status, experiment_of, read_id
from equiwarp.campaign.sequence import is_open_loop
from equiwarp.domains import Array
from equiwarp.engine.large_data import MOST_EXACT, spread_out
from equiwarp.exceptions import ThinnedData, UnknownExperiment
from equiwarp.spec import CampaignSpec
from equiwarp.store import CampaignRecord, CampaignTransaction, ExperimentArrays, ExperimentState

if TYPE_CHECKING:
    from equiwarp.maps.map import Map


def experiments(
    context: CampaignContext, state: ExperimentState | Sequence[ExperimentState] | None
) -> list[Experiment]:
    """All experiments, or those in some states, by id."""
    states = [state] if isinstance(state, str) else state
    campaign, records = context.store.read(lambda t: (t.look(), t.experiments(states)))
    return [experiment_of(record, context.domain.names, campaign.responses) for record in records]


def experiment(context: CampaignContext, id: int) -> Experiment:
    """One experiment as it is now."""
    which = read_id(id)
    campaign, record = context.store.read(lambda t: (t.look(), t.experiment(which)))
    if record is None:
        raise UnknownExperiment(f"campaign {campaign.name!r} has no experiment {id}")
    return experiment_of(record, context.domain.names, campaign.responses)


def status(context: CampaignContext) -> Status:
    """The campaign at a glance."""

    def look(transaction: CampaignTransaction) -> Status:
        campaign, counts = transaction.look(), transaction.counts()
        inside = counts.added - counts.outside
        left = 0 if is_open_loop(context) else max(0, context.n0 - inside - campaign.sequence)
        return Status(
            name=campaign.name,
            store=context.store.name,
            strategy=context.strategy.name,
            seed=context.spec.seed,
            responses=campaign.responses,
            counts=counts.states,
            added=counts.added,
            outside=counts.outside,
            asks=campaign.asks,
            n0=context.n0,
            start_left=left,
            oldest_pending=transaction.oldest_pending(),
            notes=_notes(counts.outside),
        )

    return context.store.read(look)


def _notes(outside: int) -> tuple[str, ...]:
    if not outside:
        return ()
    return (f"{outside} measurements lie outside the domain; they serve prediction only",)


@dataclass(frozen=True)
class MapInputs:
    """What a map is made from: the description, the campaign at one moment, and its experiments then."""

    spec: CampaignSpec
    campaign: CampaignRecord
    known: ExperimentArrays

    @property
    def pending(self) -> Array:
        """Where something is to be measured, ``(p, columns)``."""
        return self.known.at("pending")


def map_of(context: CampaignContext) -> Map:
    """The map of all measurements, or of a spread-out part where they are too many."""
    return map_from(map_inputs(context))


def map_inputs(context: CampaignContext) -> MapInputs:
    """Read what the map is made from."""

    def look(transaction: CampaignTransaction) -> MapInputs:
        campaign = transaction.look()
        return MapInputs(context.spec, campaign, transaction.arrays(context.domain.columns, campaign.noise))

    return context.store.read(look)


def map_from(inputs: MapInputs) -> Map:
    """Fit the map. It depends on its inputs alone, so that any process may do it."""
    from equiwarp.maps.map import build_map

    spec, domain, known = inputs.spec, inputs.spec.domain, inputs.known
    use, pending = np.flatnonzero(known.measured), known.at("pending")
    if len(use) > MOST_EXACT:
        said = f"the map uses {MOST_EXACT} of {len(use)} measurements, spread over the domain"
        warnings.warn(said, ThinnedData, stacklevel=4)
        use = use[spread_out(domain.to_cube(known.x[use]), MOST_EXACT)]
    x, y = known.x[use], known.y[use]
    return build_map(
        domain,
        x,
        y,
        full_noise(domain, x, y, known.noise[use]),
        pending=pending,
        strategy=spec.strategy,
        seed=spec.seed,
        model=spec.model,
    )
