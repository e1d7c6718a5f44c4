"""Plates: the table of experiments that a scientist takes to the bench, fills in and brings back.

``id``, one column per parameter, one empty column per response, ``failed`` for a reason and one column per
block; headings carry the units. A plate comes back whole or not at all: every cell is checked before the
first value is told, and every mistake is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from equiwarp._util.text import short_number
from equiwarp.domains import Domain
from equiwarp.exceptions import TableError
from equiwarp.tables.beside import strangers, texts_of_row
from equiwarp.tables.cells import is_blank, read_reason
from equiwarp.tables.columns import CampaignColumns
from equiwarp.tables.grid import Table
from equiwarp.tables.mistakes import Mistakes
from equiwarp.tables.noise_columns import noise_columns, noise_of_row
from equiwarp.tables.settings import read_setting
from equiwarp.tables.sheets import Sheet

#: Settings of an experiment by parameter.
Point = Mapping[str, float | str]
#: How far a setting on a returned plate may be from what was handed out, as a share of the domain.
MOVED = 1e-3
NO_BLOCKS: Mapping[int, Mapping[str, str]] = {}
NO_POINTS: Mapping[int, Point] = {}


@dataclass(frozen=True)
class Filled:
    """What a returned plate says.

    Attributes
    ----------
    told : list of (id, values by response, noise by response or None)
    failed : list of (id, reason)
    open : list of id
        Rows without a value, which stay pending.
    moved : dict of id to settings
        Where settings other than those handed out were used, and the plate says so knowingly.
    beside : dict of id to texts by column
        The block and the sample of rows that have a value or failed.
    """

    told: list[tuple[int, dict[str, float | str], dict[str, float] | None]] = field(default_factory=list)
    failed: list[tuple[int, str]] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    moved: dict[int, dict[str, float | str]] = field(default_factory=dict)
    beside: dict[int, dict[str, str]] = field(default_factory=dict)


def plate_sheet(
    domain: Domain,
    columns: CampaignColumns,
    handed: Mapping[int, Point],
    blocks: Mapping[int, Mapping[str, str]] = NO_BLOCKS,
) -> Sheet:
    """A plate of the experiments handed out, by id, with empty cells for what is to be measured.

    ``blocks`` are what is known of the block of each.
    """
    names = ["id", *columns.parameters, *columns.responses, "failed", *columns.blocks]
    empty = [None] * (len(columns.responses) + 1)
    rows = [
        [id, *point.values(), *empty, *(blocks.get(id, {}).get(name) for name in columns.blocks)]
        for id, point in handed.items()
    ]
    view = domain.view()
    axes = () if view.charted else view.axes
    allowed = {columns.header(axis.name): axis.labels or axis.settings for axis in axes if axis.settings}
    measured = [columns.header(name) for name in columns.responses]
    return Sheet("plate", [columns.header(name) for name in names], rows, allowed, measured)


def read_plate(
    table: Table,
    domain: Domain,
    columns: CampaignColumns,
    handed: Mapping[int, Point],
    actual: bool = False,
    used: Mapping[int, Point] = NO_POINTS,
) -> Filled:
    """A returned plate, checked cell by cell against the experiments handed out, by id.

    Wrong cells raise one :class:`TableError` that names all of them. With ``actual``, settings that differ
    are those that were used. ``used`` has the settings that are on record where others were used than were
    handed out: a plate may show either. Of several responses, some cells may be empty; ``<0.5`` is a value
    below that detection limit, ``>90`` one above that end of a range.
    """
    table = columns.matched(table)
    table.require(("id", *columns.responses))
    _require_ours(table, domain, columns)
    mistakes, filled = Mistakes(table.source), Filled()
    no_noise: dict[str, str | None] = {}
    noise = mistakes.attempt(lambda: noise_columns(table, list(columns.responses)), no_noise)
    reader = _Reader(table, domain, columns, noise, actual, mistakes)
    for row, id in reader.ids(handed):
        with mistakes.noted():
            moved = reader.moved(row, id, [handed[id], *([used[id]] if id in used else [])])
            if moved:
                filled.moved[id] = moved
            if reader.read(row, id, filled):
                filled.beside[id] = texts_of_row(table, row, columns)
    mistakes.check()
    return filled


def _require_ours(table: Table, domain: Domain, columns: CampaignColumns) -> None:
    """Refuse a plate on which another column stands where a parameter belongs.

    It is of another campaign, or the column was renamed. Its settings could not be compared with those that
    were handed out, and its values would go to whatever has the same numbers here. A table that only ever had
    ids and values, as instruments write it, is none of our plates.
    """
    missing = [name for name in domain.names if name not in table.names]
    if not missing or ("failed" not in table.names and len(missing) == len(domain.names)):
        return
    for other in strangers(table, columns):
        name = next((name for name in missing if _reads_as(table, other, name, domain)), None)
        if name is not None:
            said = f"there is no column {name!r}, but one {other!r}, which the campaign does not know"
            remedy = (
                "if it is a plate of another campaign, tell it to that one; else name the column as it was"
            )
            raise TableError(table.source, said, "other_plate", f"{remedy}, or leave it out")


def _reads_as(table: Table, other: str, name: str, domain: Domain) -> bool:
    """Whether the cells of a column could be settings of a parameter."""
    alias = table.renamed({table.names.index(other): name})
    try:
        for row, cell in enumerate(table.column(other)):
            if not is_blank(cell):
                read_setting(alias, row, name, domain)
    except TableError:
        return False
    return True


def ids_in(table: Table, columns: CampaignColumns) -> list[int]:
    """Whole numbers in the column of ids; what is none is a mistake that :func:`read_plate` names."""
    table, found = columns.matched(table), dict[int, None]()
    for row in range(len(table.rows)) if "id" in table.names else ():
        with suppress(TableError, OverflowError):
            found[int(table.number(row, "id"))] = None
    return list(found)


@dataclass(frozen=True)
class _Reader:
    """Reads the rows of one plate and collects their mistakes."""

    table: Table
    domain: Domain
    columns: CampaignColumns
    noise: Mapping[str, str | None]
    actual: bool
    mistakes: Mistakes

    def ids(self, handed: Mapping[int, Point]) -> Iterator[tuple[int, int]]:
        """Each row and its experiment, which must exist and may stand there once."""
        places: dict[int, str] = {}
        for row in range(len(self.table.rows)):
            id = self.mistakes.attempt(lambda: self._id(row, handed), None)  # noqa: B023
            if id is None:
                continue
            here = self.table.at(row).rpartition(", ")[2]
            if id in places:
                said = f"experiment {id} is on {places[id]} already"
                self.mistakes.note(TableError(self.table.where(row, "id"), said, "repeated_id"))
                continue
            places[id] = here
            yield row, id

    def _id(self, row: int, handed: Mapping[int, Point]) -> int | None:
        # Spreadsheets turn 7 into 7.0.
        value = self.table.number(row, "id")
        if value != int(value) or int(value) not in handed:
            text = self.table.cells(row)["id"]
            said = f"there is no experiment {text} in this campaign"
            raise TableError(self.table.where(row, "id"), said, "unknown_id")
        return int(value)

    def moved(self, row: int, id: int, known: Sequence[Point]) -> dict[str, float | str]:
        """Settings that differ from those handed out; refused unless somebody says that they were used.

        ``known`` are those handed out, and those that are known to have been used instead.

        Settings that were changed, or sorted apart from their ids, would put values in wrong places.
        """
        found: dict[str, float | str] = {}
        for name in self.domain.names:
            if name in self.table.names:
                with self.mistakes.noted():
                    value = read_setting(self.table, row, name, self.domain)
                    if all(self._apart(name, value, point) for point in known):
                        self._require_actual(row, id, name, known[0])
                        found[name] = self.domain.show_value(name, value)
        return found

    def _apart(self, name: str, value: float, point: Point) -> bool:
        """Whether a setting is another one than that of a point."""
        before = self.domain.numbers(point)[None]
        after = before.copy()
        after[0, self.domain.names.index(name)] = value
        with np.errstate(all="ignore"):
            apart = np.linalg.norm(self.domain.embed(after) - self.domain.embed(before))
        return not apart <= MOVED

    def _require_actual(self, row: int, id: int, name: str, handed: Point) -> None:
        """Refuse a setting that was not handed out, unless somebody says that it was used."""
        if not self.actual:
            raise TableError(
                self.table.where(row, name),
                f"{self.table.cells(row)[name]} is not the setting of experiment {id}, "
                f"{short_number(handed[name])}",
                "moved",
                "correct it, or say that these are the settings that were used (--actual)",
            )

    def read(self, row: int, id: int, filled: Filled) -> bool:
        """Keep what the row says of its experiment, values or a failure; False if it says nothing yet."""
        cells = self.table.cells(row)
        given = [name for name in self.columns.responses if not is_blank(cells[name])]
        text = cells.get("failed", "")
        reason = read_reason(text, self.table.where(row, "failed")) if text else None
        if reason is not None:
            self._no_value_too(row, given)
            filled.failed.append((id, reason))
        elif not given:
            filled.open.append(id)
        else:
            values = {name: self._value(row, name) for name in given}
            noise = noise_of_row(self.table, row, {name: self.noise.get(name) for name in given})
            filled.told.append((id, values, noise))
        return reason is not None or bool(given)

    def _value(self, row: int, name: str) -> float | str:
        """A value, or the text of a limit."""
        nothing: float | str = np.nan
        return self.mistakes.attempt(lambda: self.table.measured_or_limit(row, name), nothing)

    def _no_value_too(self, row: int, given: list[str]) -> None:
        for name in given:
            said = f"{self.table.cells(row)[name]!r}, but the row is marked as failed"
            self.mistakes.note(
                TableError(self.table.where(row, name), said, "value_and_failure", "clear one")
            )
