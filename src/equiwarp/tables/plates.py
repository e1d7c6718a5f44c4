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
from equiwarp.tables.table import Table, read_setting, write_table

#: Settings of an experiment by parameter.
Point = Mapping[str, float | str]
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
    """

    told: list[tuple[int, dict[str, float], dict[str, float] | None]] = field(default_factory=list)
    failed: list[tuple[int, str]] = field(default_factory=list)
    open: list[int] = field(default_factory=list)


def write_plate(
    file: TextIO, names: Sequence[str], responses: Sequence[str], handed: Mapping[int, Point]
) -> None:
    """A plate of the experiments handed out, by id, with empty cells for what is to be measured."""
    columns = ["id", *names, *responses, "failed"]
    write_table(file, columns, ({"id": id, **point} for id, point in handed.items()))


def read_plate(table: Table, domain: Domain, responses: Sequence[str], handed: Mapping[int, Point]) -> Filled:
    """A returned plate, checked cell by cell against the experiments handed out, by id.

    One wrong cell raises :class:`TableError`.
    """
    table.require(("id", *responses))
    filled = Filled()
    for row, id in _read_ids(table, handed):
        _same_settings(row, domain, id, handed[id])
        values = {name: row.cells[name] for name in responses}
        if row.cells.get("failed"):
            _no_value_too(row, values)
            filled.failed.append((id, row.cells["failed"]))
        elif not any(values.values()):
            filled.open.append(id)
        else:
            measured = {name: read_measured(text, row.where(name)) for name, text in values.items()}
            columns = {name: noise_column(table, name, responses) for name in responses}
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


def _same_settings(row: _Row, domain: Domain, id: int, handed: Point) -> None:
    """A plate whose settings were changed or sorted apart from their ids would put values in wrong places."""
    before = domain.numbers(handed)[None]
    for column, name in enumerate(domain.names):
        if name not in row.cells:
            continue
        changed = before.copy()
        changed[0, column] = read_setting(domain, name, row.cells[name], row.where(name))
        with np.errstate(all="ignore"):
            apart = np.linalg.norm(domain.embed(changed) - domain.embed(before))
        if not apart <= MOVED:
            raise TableError(
                row.where(name),
                f"{row.cells[name]} is not the setting of experiment {id}, {short_number(handed[name])}",
                "moved",
                "correct it, or add the measurement as a new one",
            )


def short_number(value: float | str) -> str:
    """A setting as a message shows it."""
    return value if isinstance(value, str) else f"{value:.6g}"


def _no_value_too(row: _Row, values: Mapping[str, str]) -> None:
    for name, text in values.items():
        if text:
            raise TableError(
                row.where(name),
                f"{text!r}, but the row is marked as failed",
                "value_and_failure",
                "clear one",
            )
