"""Tables in and out of a campaign: plates to the bench and back, and measurements made elsewhere.

Command line and page take tables here, so that both take the same, show the same before and refuse the
same.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np

from equiwarp._util.text import assigned
from equiwarp.campaign.campaign import Campaign
from equiwarp.campaign.experiment import Experiment
from equiwarp.exceptions import OutsideDomain, TableError
from equiwarp.tables import plates
from equiwarp.tables.columns import CampaignColumns
from equiwarp.tables.measurements import MeasuredRows, read_measurements
from equiwarp.tables.sheets import Sheet, write_csv
from equiwarp.tables.table import Table


@dataclass(frozen=True)
class TakenPlate:
    """Ids of the experiments that got a value, that failed, and whose rows were empty."""

    told: tuple[int, ...]
    failed: tuple[int, ...]
    open: tuple[int, ...]

    @property
    def counts(self) -> dict[str, int]:
        return {"told": len(self.told), "failed": len(self.failed), "open": len(self.open)}


@dataclass(frozen=True)
class TakenMeasurements:
    """Ids of the new experiments, how many lie outside the domain, and what was said about those."""

    added: tuple[int, ...]
    outside: int
    notes: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        return {"added": len(self.added), "outside": self.outside}


def columns_of_campaign(campaign: Campaign) -> CampaignColumns:
    """The columns of the campaign's tables, with their units."""
    units = {response.name: response.unit for response in campaign.spec.responses}
    return CampaignColumns.of(campaign.domain, campaign.responses, units)


def plate_of(campaign: Campaign, experiments: Iterable[Experiment]) -> Sheet:
    """A plate of these experiments, to be filled in."""
    handed = {e.id: e.point for e in experiments}
    return plates.plate_sheet(campaign.domain, columns_of_campaign(campaign), handed)


def write_plate(file: TextIO, campaign: Campaign, experiments: Iterable[Experiment]) -> None:
    """A plate of these experiments as a CSV."""
    write_csv(file, plate_of(campaign, experiments))


@dataclass(frozen=True)
class FilledPlate:
    """A returned plate that was read, before any of it is told.

    Attributes
    ----------
    filled : Filled
        What it says.
    rows : list of dict
        The same for people to check, one row per experiment: ``id``, settings, values, noise and ``what``
        would become of it.
    """

    campaign: Campaign
    filled: plates.Filled
    rows: list[dict[str, Any]]

    def take(self) -> TakenPlate:
        """Tell everything that it says: all of it or nothing."""
        self.campaign.tell_many(self.filled.told, self.filled.failed)
        told, failed = (tuple(id for id, *_ in rows) for rows in (self.filled.told, self.filled.failed))
        return TakenPlate(told, failed, tuple(self.filled.open))


def read_plate(campaign: Campaign, table: Table) -> FilledPlate:
    """Read a returned plate and take nothing yet; refused if a cell is wrong or no row has a value."""
    known = {e.id: e for e in campaign.experiments()}
    columns = columns_of_campaign(campaign)
    handed = {id: e.point for id, e in known.items()}
    filled = plates.read_plate(table, campaign.domain, columns, handed)
    if not filled.told and not filled.failed:
        remedy = f"fill in {', '.join(columns.responses)}"
        raise TableError(table.source, "no row has a value", "empty", remedy)
    return FilledPlate(campaign, filled, [*_plate_rows(known, filled)])


def take_plate(campaign: Campaign, table: Table) -> TakenPlate:
    """Tell everything that a returned plate says: all of it or nothing."""
    return read_plate(campaign, table).take()


def _plate_rows(known: dict[int, Experiment], filled: plates.Filled) -> Iterable[dict[str, Any]]:
    for id, values, noise in filled.told:
        deviations = {f"noise {name}": value for name, value in (noise or {}).items()}
        yield {"id": id, **known[id].point, **values, **deviations, "what": _becomes(known[id], values)}
    for id, reason in filled.failed:
        said = f"failed: {reason}" if reason else "failed"
        yield {
            "id": id,
            **known[id].point,
            "what": said if known[id].state != "done" else _refused(known[id]),
        }
    for id in filled.open:
        yield {"id": id, **known[id].point, "what": "stays as it is"}


def _becomes(e: Experiment, values: dict[str, float]) -> str:
    """What telling these values would do to an experiment, in a word or two."""
    if e.state == "abandoned":
        return "REFUSED: it was abandoned"
    if e.state != "done":
        return "new"
    return "known" if e.values == values else _refused(e)


def _refused(e: Experiment) -> str:
    return f"REFUSED: it has {assigned(e.values or {})}"


@dataclass(frozen=True)
class MeasuredTable:
    """Measurements that were read, before any of them is added.

    Attributes
    ----------
    table : Table
    measured : MeasuredRows
    rows : list of dict
        The same for people to check: the line, settings, values, noise and ``what`` would become of it.
    """

    campaign: Campaign
    table: Table
    measured: MeasuredRows
    rows: list[dict[str, Any]]

    def take(self) -> TakenMeasurements:
        """Add all rows or none; those outside the domain are counted, not refused."""
        x = self.measured.x
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            added = self.campaign.add(x, self.measured.y, self.measured.noise)
        # Those outside are named here by their lines in the file, not by their rows in an array.
        notes = [str(w.message) for w in said if not issubclass(w.category, OutsideDomain)]
        outside = np.flatnonzero(~self.campaign.domain.contains(x))
        if len(outside):
            place = self.table.at(int(outside[0])).rpartition(", ")[2]
            problem = self.campaign.domain.problem(x[outside[0]])
            notes.append(
                f"{len(outside)} of {len(x)} points lie outside the domain (first: {place}, {problem}); "
                "they are kept, serve prediction and are never suggested"
            )
        return TakenMeasurements(tuple(added), len(outside), tuple(notes))


def read_measured(campaign: Campaign, table: Table) -> MeasuredTable:
    """Read measurements and add nothing yet; refused if a cell is wrong."""
    columns = columns_of_campaign(campaign)
    measured = read_measurements(table, columns)
    inside = campaign.domain.contains(measured.x)
    names = [*columns.parameters, *columns.responses]
    blocks = [measured.x, measured.y]
    if measured.noise is not None:
        names += [f"noise {name}" for name in columns.responses]
        blocks.append(measured.noise)
    word = "row" if table.sheet else "line"
    rows = [
        {
            word: line,
            **dict(zip(names, row, strict=True)),
            "what": "new" if within else "new, outside the domain",
        }
        for line, row, within in zip(table.lines, np.hstack(blocks).tolist(), inside, strict=True)
    ]
    return MeasuredTable(campaign, table, measured, rows)


def take_measurements(campaign: Campaign, table: Table) -> TakenMeasurements:
    """Add all rows of a table or none; those outside the domain are counted, not refused."""
    return read_measured(campaign, table).take()
