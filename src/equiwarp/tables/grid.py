"""``Table``: the cells of a file as text, header apart, each with the place where people find it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from equiwarp.exceptions import TableError
from equiwarp.tables.cells import LIMIT_SIGNS, read_measured, read_number, with_plain_sign
from equiwarp.tables.mistakes import Mistakes


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
        Line of the file, or row of the sheet, that each row starts on, counted from 1.
    decimal : "." or ","
        Whether a decimal comma is read as one, which :func:`equiwarp.tables.decimals.decided` finds out.
    sheet : bool
        Whether it is a sheet of a spreadsheet, where a cell has an address such as C4.
    separator : str
        What separates the cells of a text.
    faults : dict of (line, column) to TableError
        Cells of a sheet that do not hold what they show, by line and position: dates, percentages and
        formulas without a result. They matter only where they are read.
    alike : tuple of str
        Other sheets in sight that have the same columns.
    """

    source: str
    names: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]
    decimal: str = "."
    sheet: bool = False
    separator: str = ","
    faults: Mapping[tuple[int, int], TableError] = field(default_factory=dict)
    alike: tuple[str, ...] = ()

    def column(self, name: str) -> list[str]:
        """The cells of one column, stripped."""
        i = self.names.index(name)
        return [row[i].strip() for row in self.rows]

    def cells(self, row: int) -> dict[str, str]:
        """The cells of one row by name, stripped."""
        return {name: cell.strip() for name, cell in zip(self.names, self.rows[row], strict=True)}

    def number(self, row: int, name: str) -> float:
        """One cell as a finite number."""
        text = self.rows[row][self.names.index(name)].strip()
        try:
            return read_number(text, "", self.decimal)
        except TableError:  # the place takes longer to say than the number to read
            return read_number(text, self.where(row, name), self.decimal)

    def measured(self, row: int, name: str) -> float:
        """One cell as a measured value, whose square is a number, too."""
        return read_measured(self.cells(row)[name], self.where(row, name), self.decimal)

    def measured_or_limit(self, row: int, name: str) -> float | str:
        """One cell as a measured value, or as ``<0.5`` or ``>90`` if it is a limit."""
        text = with_plain_sign(self.cells(row)[name])
        if not text.startswith(LIMIT_SIGNS):
            return self.measured(row, name)
        limit = read_measured(text[1:].removeprefix("=").strip(), self.where(row, name), self.decimal)
        if limit <= 0:
            said = f"{text} is no limit, which is a number above 0"
            raise TableError(self.where(row, name), said, "no_limit", "write the number itself")
        return f"{text[0]}{repr(limit).removesuffix('.0')}"

    def require(self, columns: Sequence[str]) -> None:
        """Refuse a table that lacks some of these columns, and name all that it lacks."""
        missing = [name for name in columns if name not in self.names]
        if missing:
            what = "column" if len(missing) == 1 else "columns"
            remedy = f"it has {', '.join(self.names)}"
            said = f"no {what} {', '.join(map(repr, missing))}"
            raise TableError(self.source, said, "no_column", remedy)

    def require_rows(self) -> None:
        """Refuse a table that is a header only."""
        if not self.rows:
            raise TableError(self.source, "there is no row below the header", "empty")

    def require_sound(self, columns: Iterable[str], texts: Iterable[str] = ()) -> None:
        """Refuse cells of these columns that do not hold what they show; in ``texts`` a date is a text."""
        if not self.faults:
            return
        read, as_texts, mistakes = {*columns}, {*texts}, Mistakes(self.source)
        for line in self.lines:
            for i, name in enumerate(self.names):
                fault = self.faults.get((line, i)) if name in read else None
                if fault is not None and (name not in as_texts or fault.code == "formula"):
                    mistakes.note(fault)
        mistakes.check()

    def renamed(self, names: Mapping[int, str]) -> Table:
        """The table with some columns, by position, under other names."""
        return replace(self, names=tuple(names.get(i, name) for i, name in enumerate(self.names)))

    def at(self, row: int) -> str:
        """The place of a row, for messages."""
        return f"{self.source}, {'row' if self.sheet else 'line'} {self.lines[row]}"

    def where(self, row: int, name: str) -> str:
        """The place of a cell, for messages."""
        if self.sheet:
            cell = f"{letters(self.names.index(name))}{self.lines[row]}"
            return f"{self.source}, cell {cell}, column {name!r}"
        return f"{self.at(row)}, column {name!r}"


def letters(column: int) -> str:
    """How a spreadsheet calls a column, counted from 0: A, B, ..., Z, AA."""
    text, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
