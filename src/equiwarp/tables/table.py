"""Tables that people type: read whole or refused whole, naming row and column.

Spreadsheets of half the world write 1,5 for one and a half, others separate thousands that way, so
such a cell is never guessed: it is refused with its place. The same goes for text, NaN, infinities and
formulas. What we write is safe to open in a spreadsheet: a text cell that would be run as a formula is
preceded by an apostrophe.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from equiwarp.domains import Array, Candidates
from equiwarp.exceptions import TableError

#: Longest file that is read; a longer one is not a table of experiments.
MOST_ROWS = 2_000_000
#: Characters that make a spreadsheet run a cell.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n")


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
        raise TableError(f"{path}: it is not UTF-8 text; export it as 'CSV UTF-8'") from None
    except FileNotFoundError:
        raise TableError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise TableError(f"{path}: this is a folder, not a table") from None


def _parse(file: Iterable[str], source: str) -> Table:
    lines = iter(file)
    header_line = next((line for line in lines if line.strip()), "")
    header_line = header_line.removeprefix("\ufeff")
    if not header_line:
        raise TableError(f"{source}: it is empty; the first line must name the columns")
    delimiter = max(",;\t", key=lambda d: (header_line.count(d), d == ","))
    reader = csv.reader(_chain(header_line, lines), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    places: list[int] = []
    try:
        names = tuple(_unquoted(cell.strip()) for cell in next(reader))
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
                raise TableError(f"{source}: more than {MOST_ROWS:,} rows; split it")
    except csv.Error as error:
        raise TableError(f"{source}, line {reader.line_num}: {error}") from None
    return Table(source, names, rows, places)


def _fitted(cells: list[str], width: int, where: str) -> list[str]:
    """A row of the header's width. Spreadsheets pad with empty cells; more than that has no name."""
    if len(cells) < width or any(cell.strip() for cell in cells[width:]):
        raise TableError(
            f"{where}: {len(cells)} cells, but the header has {width}; "
            "a decimal comma splits a cell in two: write 1.5, not 1,5"
        )
    return cells[:width]


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _unquoted(name: str) -> str:
    """A header cell without the apostrophe of :func:`safe_cell`."""
    return name[1:] if name[:1] == "'" and name[1:].startswith(FORMULA_STARTS) else name


def _check_header(names: tuple[str, ...], source: str) -> None:
    for i, name in enumerate(names):
        if not name:
            raise TableError(f"{source}, line 1: column {i + 1} has no name")
        if name in names[:i]:
            raise TableError(f"{source}, line 1: the column {name!r} appears twice")


def number(text: str, where: str) -> float:
    """A finite number, or a :class:`TableError` that says what to write instead."""
    try:
        value = float(text)
    except ValueError:
        raise TableError(f"{where}: {_what_is_wrong(text)}") from None
    # float() accepts underscores and foreign digits, which no instrument writes on purpose.
    if "_" in text or not text.isascii():
        raise TableError(f"{where}: {text!r} is not a number")
    if not math.isfinite(value):
        reason = "too large" if "e" in text.lower() and "inf" not in text.lower() else "not a finite number"
        raise TableError(
            f"{where}: {text!r} is {reason}; leave the cell empty or mark the experiment as failed"
        )
    return value


def _what_is_wrong(text: str) -> str:
    if not text:
        return "the cell is empty"
    if text[0] in "=@" or (text[0] in "+-" and len(text) > 1 and not text[1:2].isdigit()):
        return f"{text!r} is a formula, not a number; export values, not formulas"
    if text.count(",") == 1 and text.replace(",", "").replace("-", "").isdigit():
        return f"{text!r} is ambiguous; write {text.replace(',', '.')} with a decimal point"
    return f"{text!r} is not a number"


def numbers(table: Table, columns: Sequence[str]) -> Array:
    """These columns as finite numbers, ``(m, columns)``; the first bad cell refuses the table."""
    for name in columns:
        if name not in table.names:
            raise TableError(f"{table.source}: no column {name!r}; it has {', '.join(table.names)}")
    out = np.empty((len(table.rows), len(columns)))
    for j, name in enumerate(columns):
        cells = table.column(name)
        fast = _fast(cells)
        if fast is None:
            fast = np.array([number(cell, table.where(i, name)) for i, cell in enumerate(cells)])
        out[:, j] = fast
    return out


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


def safe_cell(value: Any) -> str:
    """A cell as text; numbers in full precision, text so that no spreadsheet runs it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float | np.floating):
        return repr(float(value))
    # A lone carriage return ends a line for some readers and not for others.
    text = str(value).replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if isinstance(value, str) and text.startswith(FORMULA_STARTS) else text


def read_candidates(source: str | Path | TextIO, columns: Sequence[str] | None = None) -> Candidates:
    """A list of allowed experiments from a CSV; all columns by default."""
    table = read_numbers(source, columns)
    return Candidates(table.rows, table.names)
