"""The verbs that look at a campaign and change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from equiwarp._util.progress import Progress
from equiwarp.campaign.assessment import read_assessment
from equiwarp.campaign.block_values import BlockOffsets, has_offsets, without_offsets
from equiwarp.campaign.chooser import stated_noise
from equiwarp.campaign.context import CampaignContext
from equiwarp.campaign.experiment import LARGEST_ID, Experiment, Status, experiment_of, read_id
from equiwarp.campaign.sequence import is_open_loop
from equiwarp.domains import Array
from equiwarp.exceptions import UnknownExperiment
from equiwarp.spec import CampaignSpec
from equiwarp.store import CampaignRecord, CampaignTransaction, Event, ExperimentArrays, ExperimentState
from equiwarp.store.assessments import kept_assessment

if TYPE_CHECKING:
    from equiwarp.maps.map import Map
    from equiwarp.maps.noise import KnownNoise


def experiments(
    context: CampaignContext, state: ExperimentState | Sequence[ExperimentState] | None
) -> list[Experiment]:
    """All experiments, or those in some states, by id."""
    return table(context, state)[0]


def table(
    context: CampaignContext, state: ExperimentState | Sequence[ExperimentState] | None
) -> tuple[list[Experiment], tuple[str, ...]]:
    """The same, and the names of the responses at that moment."""
    states = [state] if isinstance(state, str) else state
    campaign, records = context.store.read(lambda t: (t.look(), t.experiments(states)))
    found = [experiment_of(record, context.domain, campaign.responses) for record in records]
    return found, campaign.responses


def experiments_with(context: CampaignContext, ids: Sequence[int]) -> list[Experiment]:
    """Those of these ids that there are."""
    known = [id for id in ids if 0 < id <= LARGEST_ID]
    campaign, records = context.store.read(lambda t: (t.look(), t.experiments_with(known)))
    return [experiment_of(record, context.domain, campaign.responses) for record in records]


def experiment(context: CampaignContext, id: int) -> Experiment:
    """One experiment as it is now."""
    which = read_id(id)
    campaign, record = context.store.read(lambda t: (t.look(), t.experiment(which)))
    if record is None:
        raise UnknownExperiment(f"campaign {campaign.name!r} has no experiment {id}")
    return experiment_of(record, context.domain, campaign.responses)


def events(context: CampaignContext, id: int | None, after: int) -> list[Event]:
    """What happened, to one experiment or in all, after an event."""
    which, since = None if id is None else read_id(id), max(0, min(after, LARGEST_ID))
    return context.store.read(lambda transaction: transaction.events(which, since))


def status(context: CampaignContext) -> Status:
    """The campaign at a glance."""

    def look(transaction: CampaignTransaction) -> Status:
        campaign, counts, kept = transaction.look(), transaction.counts(), kept_assessment(transaction)
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
            notes=_notes(counts.outside, context),
            measured=counts.measured,
            prior="" if context.spec.prior is None else context.spec.prior.name,
            assessment=None if kept is None else read_assessment(kept, campaign.learned),
        )

    return context.store.read(look)


def _notes(outside: int, context: CampaignContext) -> tuple[str, ...]:
    notes = []
    if outside:
        many = f"{outside} measurements lie outside the domain; they serve"
        one = "1 measurement lies outside the domain; it serves"
        notes.append(f"{one if outside == 1 else many} prediction only")
    if context.spec.prior is not None:
        aimed = context.spec.bound_aim() is not None
        way = "for the aim, without" if aimed else "for the difference from"
        notes.append(f"experiments are chosen {way} the prior {context.spec.prior.name}")
    return tuple(notes)


def offsets(context: CampaignContext) -> dict[str, BlockOffsets]:
    """The offsets of blocks by response, column and block; empty if no block is an offset."""
    if not has_offsets(context.spec):
        return {}

    def look(transaction: CampaignTransaction) -> tuple[tuple[str, ...], ExperimentArrays]:
        campaign = transaction.look()
        return campaign.responses, transaction.arrays(context.domain.columns, campaign.noise, campaign.ranges)

    names, known = context.store.read(look)
    return dict(zip(names, without_offsets(context.spec, known)[1], strict=True))


@dataclass(frozen=True)
class MapInputs:
    """What a map is made from: the description, the campaign at one moment, and its experiments then."""

    spec: CampaignSpec
    campaign: CampaignRecord
    known: ExperimentArrays


def map_of(context: CampaignContext) -> Map:
    """The map of all measurements; its fit starts from the campaign's last one in this process."""
    earlier = context.last_map[0] if context.last_map else None
    context.last_map[:] = [map_from(map_inputs(context), earlier)]
    return context.last_map[0]


def map_inputs(context: CampaignContext) -> MapInputs:
    """Read what the map is made from."""

    def look(transaction: CampaignTransaction) -> MapInputs:
        campaign = transaction.look()
        return MapInputs(
            context.spec,
            campaign,
            transaction.arrays(context.domain.columns, campaign.noise, campaign.ranges),
        )

    return context.store.read(look)


def measured(inputs: MapInputs) -> tuple[Array, Array, KnownNoise]:
    """Points, values and their noise that the map is made from, without the offsets of blocks."""
    from equiwarp.maps.noise import KnownNoise

    spec, known = inputs.spec, inputs.known
    if spec.blocks and has_offsets(spec):
        known, _ = without_offsets(spec, known)
    use = np.flatnonzero(known.measured)
    x, y = known.x[use], known.y[use]
    width = None if known.width is None or not known.width[use].any() else known.width[use]
    return x, y, KnownNoise(stated_noise(spec.domain, x, y, known.noise[use], width), width)


def map_from(inputs: MapInputs, earlier: Map | None = None, progress: Progress | None = None) -> Map:
    """Fit the map, starting from an earlier one. It depends on its arguments alone: any process may do it."""
    from equiwarp.maps.map import build_map

    spec, domain, known = inputs.spec, inputs.spec.domain, inputs.known
    use = np.flatnonzero(known.measured)
    fitted = build_map(
        domain,
        *measured(inputs),
        pending=known.waiting,
        failed=known.x[known.lost & known.inside],
        strategy=spec.strategy,
        seed=spec.seed,
        models=spec.models,
        earlier=earlier,
        responses={r["name"]: r.get("unit", "") for r in inputs.campaign.settings["responses"]},
        prior=spec.prior,
        aim=spec.aim,
        progress=progress,
    )
    return replace(fitted, ids=tuple(known.ids[use].tolist()))
