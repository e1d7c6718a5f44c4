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
    """Ids of the new experiments, how many lie outside the domain, what was said, how many were known."""

    added: tuple[int, ...]
    outside: int
    notes: tuple[str, ...]
    known: int = 0


def write_plate(file: TextIO, campaign: Campaign, experiments: Iterable[Experiment]) -> None:
    """A plate of these experiments, to be filled in."""
    handed = {e.id: e.point for e in experiments}
    plates.write_plate(file, campaign.domain.names, campaign.responses, handed)


def take_plate(campaign: Campaign, table: Table, actual: bool = False, sure: bool = False) -> TakenPlate:
    """Tell everything that a returned plate says: all of it or nothing.

    ``actual`` takes settings that differ as those that were used, ``sure`` takes implausible values.
    """
    handed = {e.id: e.asked or e.point for e in campaign.experiments()}
    filled = plates.read_plate(table, campaign.domain, campaign.responses, handed, actual)
    if not filled.told and not filled.failed:
        remedy = f"fill in {', '.join(campaign.responses)}"
        raise TableError(table.source, "no row has a value", "empty", remedy)
    told = [(*one, filled.moved.get(one[0])) for one in filled.told]
    campaign.tell_many(told, filled.failed, sure)
    ids, failed = (tuple(id for id, *_ in rows) for rows in (filled.told, filled.failed))
    return TakenPlate(ids, failed, tuple(filled.open))


def take_measurements(
    campaign: Campaign, table: Table, again: bool = False, sure: bool = False
) -> TakenMeasurements:
    """Add all rows of a table or none; those outside the domain are counted, not refused.

    Rows that are known are left out, unless they were measured ``again``; ``sure`` takes implausible values.
    """
    rows = read_measurements(table, campaign.domain.names, campaign.responses)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        added = campaign.add(rows.x, rows.y, rows.noise, again=again, sure=sure)
    outside = sum(not campaign.experiment(id).inside for id in added) if len(added) < len(rows.x) else None
    if outside is None:
        outside = int(np.sum(~campaign.domain.contains(rows.x)))
    known = len(rows.x) - len(added)
    return TakenMeasurements(tuple(added), outside, tuple(str(w.message) for w in said), known)
