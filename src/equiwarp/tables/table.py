"""Tables that people type: read whole or refused whole, naming row and column.

What a single cell may say is in :mod:`equiwarp.tables.cells`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from equiwarp.domains import Array, Candidates, Domain
from equiwarp.exceptions import InvalidInput, TableError
from equiwarp.tables.cells import read_number, safe_cell, without_guard

#: Longest file that is read; a longer one is not a table of experiments.
MOST_ROWS = 2_000_000


@dataclass(frozen=True)
class Table:
    """Cells as text, header apart.

    Attributes
    ----------
    source : str
        What messages call the table.
    names : tuple of str
        Header, stripped.
    rows : list of list of str
        Cells as they stand in the file; as many in each row as names.
    lines : list of int
        Line of the file that each row starts on, counted from 1.
    """

    source: str
    names: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]

    def column(self, name: str) -> list[str]:
        """The cells of one column, stripped."""
        i = self.names.index(name)
        return [row[i].strip() for row in self.rows]

    def cells(self, row: int) -> dict[str, str]:
        """The cells of one row by name, stripped."""
        return {name: cell.strip() for name, cell in zip(self.names, self.rows[row], strict=True)}

    def require(self, columns: Sequence[str]) -> None:
        """Refuse a table that lacks one of these columns."""
        for name in columns:
            if name not in self.names:
                remedy = f"it has {', '.join(self.names)}"
                raise TableError(self.source, f"no column {name!r}", "no_column", remedy)

    def where(self, row: int, name: str) -> str:
        """The place of a cell, for messages."""
        return f"{self.source}, line {self.lines[row]}, column {name!r}"


@dataclass(frozen=True)
class Numbers:
    """A table of finite numbers, ``(m, columns)``."""

    names: tuple[str, ...]
    rows: Array


def read_table(source: str | Path | TextIO, name: str | None = None) -> Table:
    """Read a CSV (comma, semicolon or tab) with a header; blank lines do not count."""
    if not isinstance(source, str | Path):
        return _parse(source, name or "input")
    path = Path(source)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _parse(file, name or str(path))
    except UnicodeDecodeError:
        raise TableError(str(path), "it is not UTF-8 text; export it as 'CSV UTF-8'", "encoding") from None
    except FileNotFoundError:
        raise TableError(str(path), "there is no such file", "no_file") from None
    except IsADirectoryError:
        raise TableError(str(path), "this is a folder, not a table", "no_file") from None


def _parse(file: Iterable[str], source: str) -> Table:
    lines = iter(file)
    header_line = next((line for line in lines if line.strip()), "")
    header_line = header_line.removeprefix("\ufeff")
    if not header_line:
        raise TableError(source, "it is empty; the first line must name the columns", "empty")
    delimiter = max(",;\t", key=lambda d: (header_line.count(d), d == ","))
    reader = csv.reader(_chain(header_line, lines), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    places: list[int] = []
    try:
        names = tuple(without_guard(cell.strip()) for cell in next(reader))
        _check_header(names, source)
        line = reader.line_num
        for cells in reader:
            start, line = line + 1, reader.line_num
            if len(cells) != len(names) or not cells[0]:
                if not any(cell.strip() for cell in cells):
                    continue
                cells = _fitted(cells, len(names), f"{source}, line {start}")
            rows.append(cells)
            places.append(start)
            if len(rows) > MOST_ROWS:
                raise TableError(source, f"more than {MOST_ROWS:,} rows; split it", "too_long")
    except csv.Error as error:
        raise TableError(f"{source}, line {reader.line_num}", str(error), "not_csv") from None
    return Table(source, names, rows, places)


def _fitted(cells: list[str], width: int, where: str) -> list[str]:
    """A row of the header's width. Spreadsheets pad with empty cells; more than that has no name."""
    if len(cells) < width or any(cell.strip() for cell in cells[width:]):
        remedy = "a decimal comma splits a cell in two: write 1.5, not 1,5"
        raise TableError(where, f"{len(cells)} cells, but the header has {width}", "width", remedy)
    return cells[:width]


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _check_header(names: tuple[str, ...], source: str) -> None:
    for i, name in enumerate(names):
        if not name:
            raise TableError(f"{source}, line 1", f"column {i + 1} has no name", "header")
        if name in names[:i]:
            raise TableError(f"{source}, line 1", f"the column {name!r} appears twice", "header")


def numbers(table: Table, columns: Sequence[str]) -> Array:
    """These columns as finite numbers, ``(m, columns)``; the first bad cell refuses the table."""
    table.require(columns)
    out = np.empty((len(table.rows), len(columns)))
    for j, name in enumerate(columns):
        cells = table.column(name)
        fast = _fast(cells)
        if fast is None:
            fast = np.array([read_number(cell, table.where(i, name)) for i, cell in enumerate(cells)])
        out[:, j] = fast
    return out


def points(table: Table, domain: Domain) -> Array:
    """The columns of a domain ``(m, columns)``; categories stand there by their names."""
    table.require(domain.names)
    out = np.empty((len(table.rows), domain.columns))
    for j, name in enumerate(domain.names):
        if name in domain.categories:
            cells = enumerate(table.column(name))
            out[:, j] = [read_setting(domain, name, cell, table.where(i, name)) for i, cell in cells]
        else:
            out[:, j] = numbers(table, [name])[:, 0]
    return out


def read_setting(domain: Domain, name: str, cell: str, place: str) -> float:
    """A cell of one column of a domain, as arrays hold it."""
    if name not in domain.categories:
        return read_number(cell, place)
    try:
        return domain.read_value(name, without_guard(cell), place)
    except InvalidInput as error:
        raise TableError(place, str(error).removeprefix(f"{place}: "), "unknown_category") from None


def _fast(cells: list[str]) -> Array | None:
    """The column at once where every cell is plain; None sends it through the careful path."""
    joined = "".join(cells)
    if "_" in joined or not joined.isascii():
        return None
    try:
        values = np.array(cells, dtype=object).astype(np.float64) if cells else np.empty(0)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def read_numbers(source: str | Path | TextIO, columns: Sequence[str] | None = None) -> Numbers:
    """A CSV of finite numbers; all columns by default."""
    table = read_table(source)
    chosen = table.names if columns is None else tuple(columns)
    return Numbers(chosen, numbers(table, chosen))


def write_table(file: Any, names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a CSV that a spreadsheet can open safely."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([safe_cell(name) for name in names])
    for row in rows:
        writer.writerow([safe_cell(row.get(name)) for name in names])


def read_candidates(source: str | Path | TextIO, columns: Sequence[str] | None = None) -> Candidates:
    """A list of allowed experiments from a CSV; all columns by default."""
    table = read_numbers(source, columns)
    return Candidates(table.rows, table.names)
