"""A table to write: its columns, its rows, and what a person may type where."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from equiwarp.exceptions import MissingPart
from equiwarp.tables.cells import safe_cell


@dataclass(frozen=True)
class Sheet:
    """A table to write.

    Attributes
    ----------
    name : str
        What the sheet is called.
    columns : sequence of str
        The header.
    rows : sequence of sequence
        Cells in the order of the columns: numbers, texts, nested data, None.
    allowed : dict of str to sequence
        What a drop-down offers in a column.
    measured : sequence of str
        Columns that take numbers.
    """

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    allowed: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    measured: Sequence[str] = ()


def openpyxl() -> Any:
    """The package that knows Excel files, or an error that says what to install."""
    try:
        import openpyxl
    except ImportError:
        raise MissingPart(
            "Excel files need the package openpyxl: pip install 'equiwarp[excel]', or use a CSV file"
        ) from None
    return openpyxl


def write_csv(file: TextIO, sheet: Sheet) -> None:
    """Write a sheet as a CSV that a spreadsheet can open safely."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([safe_cell(name) for name in sheet.columns])
    for row in sheet.rows:
        writer.writerow([safe_cell(value) for value in row])
