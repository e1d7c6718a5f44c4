"""Tables that people type: read whole or refused whole, naming row and column.

A table is a CSV in any dialect or a sheet of an Excel file; which one, its bytes tell and not its name.
What a single cell may say is in :mod:`equiwarp.tables.cells`.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from equiwarp._util.text import listed
from equiwarp.domains import Array, Candidates
from equiwarp.exceptions import TableError
from equiwarp.tables.cells import is_blank, safe_text
from equiwarp.tables.csv_text import read_csv
from equiwarp.tables.decimals import decided
from equiwarp.tables.grid import Table
from equiwarp.tables.mistakes import Mistakes
from equiwarp.tables.sheets import Sheet, write_csv

__all__ = [
    "Numbers",
    "Table",
    "numbers",
    "plain_numbers",
    "read_candidates",
    "read_numbers",
    "read_table",
    "write_table",
]

#: How files begin that are no text: Excel's present format (a zip), its old one, and OpenDocument's type.
ZIP, OLD_EXCEL, OPEN_DOCUMENT = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"application/vnd.oasis.opendocument"


@dataclass(frozen=True)
class Numbers:
    """A table of finite numbers, ``(m, columns)``."""

    names: tuple[str, ...]
    rows: Array


def read_table(source: str | Path | TextIO | bytes, name: str | None = None) -> Table:
    """Read a table with a header from a file, from its bytes or from text; blank lines do not count.

    CSV may be separated by commas, semicolons or tabs (between these with decimal commas, too), in UTF-8 or
    UTF-16. Of an Excel file, the sheet ``plate`` or else the first one is read.
    """
    if isinstance(source, bytes):
        return _from_bytes(source, name or "input")
    if not isinstance(source, str | Path):
        return read_csv(source, name or "input")
    path = Path(source)
    try:
        return _from_bytes(path.read_bytes(), name or str(path))
    except FileNotFoundError:
        raise TableError(str(path), "there is no such file", "no_file") from None
    except IsADirectoryError:
        raise TableError(str(path), "this is a folder, not a table", "no_file") from None


def _from_bytes(data: bytes, source: str) -> Table:
    if data.startswith(OLD_EXCEL):
        raise TableError(
            source, "this is an Excel file of the old format", "format", "save it as .xlsx or CSV"
        )
    if data.startswith(ZIP):
        if OPEN_DOCUMENT in data[:200]:
            raise TableError(source, "this is an OpenDocument file", "format", "save it as .xlsx or CSV")
        from equiwarp.tables.excel import read_excel

        return read_excel(data, source)
    return read_csv(io.StringIO(_decoded(data, source), newline=""), source)


def _decoded(data: bytes, source: str) -> str:
    """UTF-8, or UTF-16 as Excel's "Unicode text" has it."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        remedy = "export it as 'CSV UTF-8'"
        raise TableError(source, "it is not UTF-8 text", "encoding", remedy) from None


def numbers(table: Table, columns: Sequence[str], mistakes: Mistakes | None = None) -> Array:
    """These columns as finite numbers, ``(m, columns)``.

    A bad cell refuses the table; if ``mistakes`` are collected, it is noted there and NaN stands for it.
    """
    table.require(columns)
    found = Mistakes(table.source) if mistakes is None else mistakes
    out = np.empty((len(table.rows), len(columns)))
    for j, name in enumerate(columns):
        fast = plain_numbers(table, name)
        out[:, j] = _carefully(table, name, found) if fast is None else fast
    if mistakes is None:
        found.check()
    return out


def _carefully(table: Table, name: str, mistakes: Mistakes) -> Array:
    """A column cell by cell, every bad one noted."""
    rows = range(len(table.rows))
    return np.array([mistakes.attempt(lambda: table.number(i, name), np.nan) for i in rows])  # noqa: B023


def plain_numbers(table: Table, name: str) -> Array | None:
    """A column at once where every cell is plain; None sends it through the careful path."""
    cells = table.column(name)
    joined = "".join(cells)
    if "_" in joined or not joined.isascii() or table.decimal == ",":
        return None
    try:
        values = np.array(cells, dtype=object).astype(np.float64) if cells else np.empty(0)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def read_numbers(source: str | Path | TextIO, columns: Sequence[str] | None = None) -> Numbers:
    """A table of finite numbers; all columns by default."""
    table = read_table(source)
    if columns is None:
        _require_numbers(table)
    chosen = table.names if columns is None else tuple(columns)
    table.require_sound(chosen)
    return Numbers(chosen, numbers(decided(table, chosen), chosen))


def _require_numbers(table: Table) -> None:
    """Refuse columns of texts, such as names of samples: not cell by cell, and with the remedy."""
    texts = [name for name in table.names if _holds_texts(table.column(name))]
    others = [name for name in table.names if name not in texts]
    if texts and others:
        remedy = f"take texts out, or name the columns that count: columns = {safe_text(others)}"
        raise TableError(table.source, f"no number stands in {listed(texts)}", "not_a_number", remedy)


def _holds_texts(cells: Sequence[str]) -> bool:
    """Whether the cells that are filled all begin with a letter; a single one may be a slip."""
    filled = [cell.strip() for cell in cells if not is_blank(cell.strip())]
    return len(filled) > 1 and all(cell[:1].isalpha() for cell in filled)


def write_table(file: TextIO, names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a CSV that a spreadsheet can open safely."""
    write_csv(file, Sheet("", names, [[row.get(name) for name in names] for row in rows]))


def read_candidates(
    source: str | Path | TextIO, columns: Sequence[str] | None = None, total: float | None = None
) -> Candidates:
    """A list of allowed experiments from a table; all columns by default. ``total`` is that of mixtures."""
    table = read_numbers(source, columns)
    return Candidates(table.rows, table.names, total)
