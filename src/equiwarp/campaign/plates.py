"""Tables in and out of a campaign: plates to the bench and back, and measurements made elsewhere.

Command line and page take tables here, so that both take the same, show the same before and refuse the
same.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.text import assigned
from equiwarp.campaign import looking
from equiwarp.campaign.adding import known_rows
from equiwarp.campaign.campaign import Campaign
from equiwarp.campaign.experiment import Experiment
from equiwarp.campaign.responses import implausible
from equiwarp.campaign.value_tables import NoiseOfSome
from equiwarp.exceptions import Implausible, KnownMeasurements, OutsideDomain, TableError
from equiwarp.tables import plates
from equiwarp.tables.beside import unread
from equiwarp.tables.columns import CampaignColumns
from equiwarp.tables.measurements import MeasuredRows, read_measurements
from equiwarp.tables.sheets import Sheet, write_csv
from equiwarp.tables.table import Table


@dataclass(frozen=True)
class Assured:
    """What whoever brings a table says knowingly.

    Attributes
    ----------
    actual : bool
        Settings on a plate that differ from those handed out are those that were used.
    again : bool
        Rows that are known already were measured again.
    sure : bool
        Values outside the plausible ranges are right.
    key : str or None
        A name of their own for this request, so that measurements are not added twice if it is repeated.
    """

    actual: bool = False
    again: bool = False
    sure: bool = False
    key: str | None = None


NOTHING_ASSURED = Assured()
#: Plausible ranges by response; an end is None where there is none.
Ranges = Mapping[str, tuple[float | None, float | None]]


@dataclass(frozen=True)
class TakenPlate:
    """What became of a plate.

    Attributes
    ----------
    told, failed, open : tuple of int
        Ids of the experiments whose rows had a value, were marked as failed, and were empty.
    values, failures : int
        How many values and failures were new.
    known : int
        How many were known already, and changed nothing.
    lacking : dict of int to tuple of str
        The responses that experiments among those told still have no value of, by id.
    """

    told: tuple[int, ...]
    failed: tuple[int, ...]
    open: tuple[int, ...]
    values: int
    failures: int
    known: int
    lacking: Mapping[int, tuple[str, ...]]

    @property
    def counts(self) -> dict[str, int]:
        """How many values and failures were new, how many known, and rows without all or some values."""
        new = {"told": self.values, "failed": self.failures, "known": self.known}
        return {**new, "open": len(self.open), "incomplete": len(self.lacking)}


@dataclass(frozen=True)
class TakenMeasurements:
    """Ids of the new experiments, how many lie outside the domain, what was said, how many were known."""

    added: tuple[int, ...]
    outside: int
    notes: tuple[str, ...]
    known: int = 0

    @property
    def counts(self) -> dict[str, int]:
        return {"added": len(self.added), "outside": self.outside, "known": self.known}


def columns_of_campaign(campaign: Campaign) -> CampaignColumns:
    """The columns of the campaign's tables, with their units."""
    spec = campaign.spec
    units = {response.name: response.unit for response in spec.responses}
    return CampaignColumns.of(campaign.domain, campaign.responses, units, tuple(spec.blocks))


def plate_of(campaign: Campaign, experiments: Iterable[Experiment]) -> Sheet:
    """A plate of these experiments, to be filled in."""
    listed = list(experiments)
    points, blocks = {e.id: e.point for e in listed}, {e.id: e.block for e in listed}
    return plates.plate_sheet(campaign.domain, columns_of_campaign(campaign), points, blocks)


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
    known : dict of int to Experiment
        Its experiments as they were when it was read.
    notes : tuple of str
        What is to be said of it.
    """

    campaign: Campaign
    filled: plates.Filled
    known: Mapping[int, Experiment]
    rows: list[dict[str, Any]]
    sure: bool = False
    notes: tuple[str, ...] = ()

    def take(self) -> TakenPlate:
        """Tell everything that it says: all of it or nothing."""
        settled = [(*one, self.filled.moved.get(one[0])) for one in self.filled.told]
        self.campaign.tell_many(settled, self.filled.failed, self.sure, self.filled.beside)
        told, failed = (tuple(id for id, *_ in rows) for rows in (self.filled.told, self.filled.failed))
        given = sum(len(values) for _, values, _ in self.filled.told)
        again = sum(len(_known_values(self.known[id], values)) for id, values, _ in self.filled.told)
        failed_again = sum(_known_failure(self.known[id], reason) for id, reason in self.filled.failed)
        return TakenPlate(
            told,
            failed,
            tuple(self.filled.open),
            values=given - again,
            failures=len(failed) - failed_again,
            known=again + failed_again,
            lacking=self._lacking(),
        )

    def _lacking(self) -> dict[int, tuple[str, ...]]:
        """The responses without a value, neither on the plate nor before, of experiments that have others."""
        names = self.campaign.responses
        there = {id: {**self.known[id].shown, **values} for id, values, _ in self.filled.told}
        lacking = {id: tuple(name for name in names if name not in has) for id, has in there.items()}
        return {id: missing for id, missing in lacking.items() if missing}


def read_plate(campaign: Campaign, table: Table, assured: Assured = NOTHING_ASSURED) -> FilledPlate:
    """Read a returned plate and take nothing yet; refused if a cell is wrong or no row has a value."""
    columns = columns_of_campaign(campaign)
    known = {e.id: e for e in campaign._do(looking.experiments_with, plates.ids_in(table, columns))}
    handed = {id: e.asked or e.point for id, e in known.items()}
    used = {id: e.point for id, e in known.items() if e.asked}
    filled = plates.read_plate(table, campaign.domain, columns, handed, assured.actual, used)
    if not filled.told and not filled.failed:
        remedy = f"fill in {', '.join(columns.responses)}"
        raise TableError(table.source, "no row has a value", "empty", remedy)
    rows = [*_plate_rows(known, filled, _ranges(campaign, assured))]
    return FilledPlate(campaign, filled, known, rows, assured.sure, unread(table, columns))


def _ranges(campaign: Campaign, assured: Assured) -> Ranges:
    """What is plausible; nothing is said of it to whoever is sure."""
    return {} if assured.sure else {r.name: (r.low, r.high) for r in campaign.spec.responses}


def take_plate(campaign: Campaign, table: Table, assured: Assured = NOTHING_ASSURED) -> TakenPlate:
    """Tell everything that a returned plate says: all of it or nothing."""
    return read_plate(campaign, table, assured).take()


def _plate_rows(
    known: dict[int, Experiment], filled: plates.Filled, ranges: Ranges
) -> Iterable[dict[str, Any]]:
    for id, values, noise in filled.told:
        deviations = {f"noise {name}": value for name, value in (noise or {}).items()}
        point = {**known[id].point, **filled.moved.get(id, {})}
        what = _becomes(known[id], values, id in filled.moved, ranges)
        yield {"id": id, **point, **values, **deviations, **filled.beside.get(id, {}), "what": what}
    for id, reason in filled.failed:
        said = f"failed: {reason}" if reason else "failed"
        said = "known" if _known_failure(known[id], reason) else said
        yield {
            "id": id,
            **known[id].point,
            **filled.beside.get(id, {}),
            "what": said if known[id].state != "done" else _refused(known[id]),
        }
    for id in filled.open:
        yield {"id": id, **known[id].point, "what": "stays as it is"}


def _becomes(e: Experiment, values: Mapping[str, float | str], moved: bool, ranges: Ranges) -> str:
    """What telling these values would do to an experiment, in a word or two."""
    if e.state in ("abandoned", "withdrawn"):
        return f"REFUSED: it was {e.state}"
    for name in _not_plausible(values, ranges):
        return f"REFUSED: {name} is not plausible"
    shown = e.shown
    again = _known_values(e, values)
    if any(name in shown and name not in again for name in values):
        return _refused(e)
    if len(again) == len(values):
        return "known"
    said = "new, it had failed" if e.state == "failed" else "new"
    return f"{said}, at other settings" if moved else said


def _known_values(e: Experiment, values: Mapping[str, float | str]) -> list[str]:
    """The responses of which an experiment has this very value already."""
    shown = e.shown
    return [name for name, value in values.items() if name in shown and _same_value(value, shown[name])]


def _known_failure(e: Experiment, reason: str) -> bool:
    """Whether an experiment is known to have failed for this reason."""
    return e.state == "failed" and (e.reason or "") == reason


def _not_plausible(values: Mapping[str, float | str | None], ranges: Ranges) -> list[str]:
    """Responses whose value lies outside of what is plausible; a limit is a text such as ``<0.5``."""
    found = []
    for name, value in values.items():
        sign = value[0] if isinstance(value, str) else ""
        number = float(value[1:]) if isinstance(value, str) else value
        if number is not None and implausible(number, sign, *ranges.get(name, (None, None))):
            found.append(name)
    return found


def _same_value(one: float | str, other: float | str) -> bool:
    """Whether two cells say the same; a limit is a text such as ``<0.5``."""
    if isinstance(one, str) and isinstance(other, str):
        return (one[0], float(one[1:])) == (other[0], float(other[1:]))
    return one == other


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
    known: NDArray[np.bool_]
    rows: list[dict[str, Any]]
    assured: Assured = NOTHING_ASSURED
    turned: tuple[int, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of it before it is taken."""
        return unread(self.table, columns_of_campaign(self.campaign))

    def take(self) -> TakenMeasurements:
        """Add all rows but those that are known, or none; those outside are counted, not refused."""
        x, assured = self.measured.x, self.assured
        for i, row in enumerate(self.rows):
            if row["what"].startswith("REFUSED"):
                raise Implausible(f"{self.table.at(i)}: {self._implausible(row)}")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            added = self.campaign.add(
                x,
                self.measured.y,
                None if self.measured.noise is None else NoiseOfSome(self.measured.noise),
                again=assured.again,
                sure=assured.sure,
                key=assured.key,
                **self._beside(),
            )
        # Rows are named here by their lines in the file, not by their places in an array.
        ours = (OutsideDomain, KnownMeasurements)
        notes = [str(w.message) for w in said if not issubclass(w.category, ours)]
        notes += self.notes
        if self.turned:
            notes.append(
                f"{len(self.turned)} of {len(x)} rows have an angle outside its period (first: "
                f"{self._line(self.turned[0])}), which was read as the same angle within it"
            )
        outside = np.flatnonzero(~self.campaign.domain.contains(x) & ~self.known)
        if self.known.any() and len(added) < len(x):
            notes.append(
                f"{int(self.known.sum())} of {len(x)} rows are known already (first: "
                f"{self._line(np.flatnonzero(self.known)[0])}), with the same settings and values, and were "
                "left out; if they were measured again, say so (--again)"
            )
        if len(outside):
            problem = self.campaign.domain.problem(x[outside[0]])
            notes.append(
                f"{len(outside)} of {len(x)} points lie outside the domain (first: {self._line(outside[0])}, "
                f"{problem}); they are kept, serve prediction and are never suggested"
            )
        return TakenMeasurements(tuple(added), len(outside), tuple(notes), len(x) - len(added))

    def _beside(self) -> dict[str, Any]:
        """The block and the sample of each row, by column, as :meth:`Campaign.add` takes them."""
        beside = self.measured.beside
        texts = {name: [row.get(name, "") for row in beside] for row in beside for name in row}
        sample = texts.pop("sample", None)
        return {"block": texts or None, "sample": sample}

    def _implausible(self, row: Mapping[str, Any]) -> str:
        """What lies outside of what is plausible, and the way out."""
        ranges = _ranges(self.campaign, self.assured)
        name = _not_plausible({name: row.get(name) for name in ranges}, ranges)[0]
        low, high = (None if end is None else f"{end:g}" for end in ranges[name])
        between = f"from {low} to {high}" if low and high else f"from {low} on" if low else f"up to {high}"
        return (
            f"{name} = {row[name]} is not plausible, which is {between}; correct it, or say that you are "
            "sure of it (--sure)"
        )

    def _line(self, row: Any) -> str:
        return self.table.at(int(row)).rpartition(", ")[2]


def read_measured(campaign: Campaign, table: Table, assured: Assured = NOTHING_ASSURED) -> MeasuredTable:
    """Read measurements and add nothing yet; refused if a cell is wrong."""
    columns = columns_of_campaign(campaign)
    domain = campaign.domain
    measured = read_measurements(table, domain, columns)
    turned = np.flatnonzero((domain.wrapped(measured.x) != measured.x).any(axis=1))
    measured = replace(measured, x=domain.wrapped(measured.x))
    inside = domain.contains(measured.x)
    known = np.zeros(len(inside), dtype=bool)
    if not assured.again:
        known = campaign._do(known_rows, measured.x, measured.y)
    names, blocks = [*columns.responses], [measured.y]
    if measured.noise is not None:
        names += [f"noise {name}" for name in columns.responses]
        blocks.append(measured.noise)
    word, ranges = "row" if table.sheet else "line", _ranges(campaign, assured)
    texts = measured.beside or [{}] * len(inside)
    shown = [[None if v != v else v for v in row] for row in np.hstack(blocks).tolist()]
    rows = [
        {
            word: line,
            **domain.named(point),
            **dict(zip(names, row, strict=True)),
            **beside,
            "what": _word(dict(zip(columns.responses, row, strict=False)), ranges, within, there),
        }
        for line, point, row, beside, within, there in zip(
            table.lines, measured.x.tolist(), shown, texts, inside, known, strict=True
        )
    ]
    return MeasuredTable(campaign, table, measured, known, rows, assured, tuple(turned.tolist()))


def _word(values: Mapping[str, float | str | None], ranges: Ranges, inside: bool, known: bool) -> str:
    """What adding these values would do, in a word or two."""
    for name in _not_plausible(values, ranges):
        return f"REFUSED: {name} is not plausible"
    return "known, left out" if known else "new" if inside else "new, outside the domain"


def take_measurements(
    campaign: Campaign, table: Table, assured: Assured = NOTHING_ASSURED
) -> TakenMeasurements:
    """Add all rows of a table or none; those outside the domain are counted, not refused."""
    return read_measured(campaign, table, assured).take()
