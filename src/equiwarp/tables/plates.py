"""Plates: the table of experiments that a scientist takes to the bench, fills in and brings back.

``id``, one column per parameter, one empty column per response, and ``failed`` for a reason. A plate
comes back whole or not at all: every cell is checked before the first value is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

import numpy as np

from equiwarp.domains import Domain
from equiwarp.exceptions import TableError
from equiwarp.tables.cells import read_measured, read_number
from equiwarp.tables.noise_columns import noise_column, noise_of_row
from equiwarp.tables.table import Table, write_table

#: Settings of an experiment by parameter.
Point = Mapping[str, float]
#: How far a setting on a returned plate may be from what was handed out, as a share of the domain.
MOVED = 1e-3


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
    """

    told: list[tuple[int, dict[str, float | str], dict[str, float] | None]] = field(default_factory=list)
    failed: list[tuple[int, str]] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    moved: dict[int, dict[str, float]] = field(default_factory=dict)


def write_plate(
    file: TextIO, names: Sequence[str], responses: Sequence[str], handed: Mapping[int, Point]
) -> None:
    """A plate of the experiments handed out, by id, with empty cells for what is to be measured."""
    columns = ["id", *names, *responses, "failed"]
    write_table(file, columns, ({"id": id, **point} for id, point in handed.items()))


def read_plate(
    table: Table, domain: Domain, responses: Sequence[str], handed: Mapping[int, Point], actual: bool = False
) -> Filled:
    """A returned plate, checked cell by cell against the experiments handed out, by id.

    One wrong cell raises :class:`TableError`. With ``actual``, settings that differ are those that were used.
    Of several responses, some cells may be empty; ``<0.5`` is a value below that detection limit.
    """
    table.require(("id", *responses))
    filled = Filled()
    for row, id in _read_ids(table, handed):
        moved = _moved(row, domain, id, handed[id], actual)
        if moved:
            filled.moved[id] = moved
        values = {name: row.cells[name] for name in responses}
        if row.cells.get("failed"):
            _no_value_too(row, values)
            filled.failed.append((id, row.cells["failed"]))
        elif not any(values.values()):
            filled.open.append(id)
        else:
            measured = {name: _measured(text, row.where(name)) for name, text in values.items() if text}
            columns = {name: noise_column(table, name, responses) for name in measured}
            filled.told.append((id, measured, noise_of_row(table, row.index, columns)))
    return filled


@dataclass(frozen=True)
class _Row:
    """One row of a plate and its cells by name."""

    table: Table
    index: int
    cells: dict[str, str]

    def where(self, column: str) -> str:
        return self.table.where(self.index, column)


def _read_ids(table: Table, handed: Mapping[int, Point]) -> Iterator[tuple[_Row, int]]:
    """Each row and its experiment, which must exist and may stand there once."""
    lines: dict[int, int] = {}
    for i in range(len(table.rows)):
        row = _Row(table, i, table.cells(i))
        text, where = row.cells["id"], row.where("id")
        # Spreadsheets turn 7 into 7.0.
        value = read_number(text, where)
        if value != int(value) or int(value) not in handed:
            raise TableError(where, f"there is no experiment {text} in this campaign", "unknown_id")
        id = int(value)
        if id in lines:
            raise TableError(where, f"experiment {id} is on line {lines[id]} already", "repeated_id")
        lines[id] = table.lines[i]
        yield row, id


def _measured(text: str, place: str) -> float | str:
    """A value, or the text of a detection limit."""
    if not text.startswith("<"):
        return read_measured(text, place)
    read_measured(text[1:].strip(), place)
    return text


def _moved(row: _Row, domain: Domain, id: int, handed: Point, actual: bool) -> dict[str, float]:
    """Settings that differ from those handed out; refused unless somebody says that they were used.

    A plate whose settings were changed or sorted apart from their ids would put values in wrong places.
    """
    moved: dict[str, float] = {}
    typed = {
        name: read_number(row.cells[name], row.where(name)) for name in domain.names if name in row.cells
    }
    before = np.array([list(handed.values())])
    for name, value in typed.items():
        changed = np.array([list({**handed, name: value}.values())])
        with np.errstate(all="ignore"):
            apart = np.linalg.norm(domain.embed(changed) - domain.embed(before))
        if not apart <= MOVED:
            if actual:
                moved[name] = value
                continue
            raise TableError(
                row.where(name),
                f"{row.cells[name]} is not the setting of experiment {id}, {handed[name]:.6g}",
                "moved",
                "correct it, or say that these are the settings that were used (--actual)",
            )
    return moved


def _no_value_too(row: _Row, values: Mapping[str, str]) -> None:
    for name, text in values.items():
        if text:
            raise TableError(
                row.where(name),
                f"{text!r}, but the row is marked as failed",
                "value_and_failure",
                "clear one",
            )
