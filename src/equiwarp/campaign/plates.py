"""Tables in and out of a campaign: plates to the bench and back, and measurements made elsewhere.

Command line and page take tables here, so that both take the same and refuse the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from equiwarp.campaign.campaign import Campaign
from equiwarp.campaign.experiment import Experiment
from equiwarp.exceptions import TableError
from equiwarp.tables import plates
from equiwarp.tables.measurements import read_measurements
from equiwarp.tables.table import Table


@dataclass(frozen=True)
class TakenPlate:
    """Ids of the experiments that got a value, that failed, and whose rows were empty."""

    told: tuple[int, ...]
    failed: tuple[int, ...]
    open: tuple[int, ...]


@dataclass(frozen=True)
class TakenMeasurements:
    """Ids of the new experiments, how many lie outside the domain, and what was said about those."""

    added: tuple[int, ...]
    outside: int
    notes: tuple[str, ...]


def write_plate(file: TextIO, campaign: Campaign, experiments: Iterable[Experiment]) -> None:
    """A plate of these experiments, to be filled in."""
    handed = {e.id: e.point for e in experiments}
    plates.write_plate(file, campaign.domain.names, campaign.responses, handed)


def take_plate(campaign: Campaign, table: Table) -> TakenPlate:
    """Tell everything that a returned plate says: all of it or nothing."""
    handed = {e.id: e.point for e in campaign.experiments()}
    filled = plates.read_plate(table, campaign.domain, campaign.responses, handed)
    if not filled.told and not filled.failed:
        remedy = f"fill in {', '.join(campaign.responses)}"
        raise TableError(table.source, "no row has a value", "empty", remedy)
    campaign.tell_many(filled.told, filled.failed)
    told, failed = (tuple(id for id, *_ in rows) for rows in (filled.told, filled.failed))
    return TakenPlate(told, failed, tuple(filled.open))


def take_measurements(campaign: Campaign, table: Table) -> TakenMeasurements:
    """Add all rows of a table or none; those outside the domain are counted, not refused."""
    rows = read_measurements(table, campaign.domain, campaign.responses)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        added = campaign.add(rows.x, rows.y, rows.noise)
    outside = int(np.sum(~campaign.domain.contains(rows.x)))
    return TakenMeasurements(tuple(added), outside, tuple(str(w.message) for w in said))
