"""Excel files: sheets in, as text with the cells' addresses; sheets out, with types and drop-downs.

A sheet says more than a CSV: which cells are numbers, which are dates, which are shown in percent. What
the person saw and what the cell holds can then differ, and such a cell is refused rather than guessed.
The package openpyxl does the rest; it comes with the extra ``excel``.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, BinaryIO

from equiwarp._util.text import short
from equiwarp.exceptions import TableError
from equiwarp.tables.assembly import MOST_TITLES, Line, assembled
from equiwarp.tables.cells import LARGEST, safe_text
from equiwarp.tables.grid import Table, letters
from equiwarp.tables.sheets import Sheet, openpyxl

if TYPE_CHECKING:
    from openpyxl import Workbook

#: The name of the sheet that is read first of all.
PLATE = "plate"
#: A file that would unpack to more bytes than this is not a table of experiments.
MOST_UNPACKED = 500_000_000
#: The sheet, out of sight, that holds what the drop-downs offer.
LISTS = "allowed values"
#: Widest column in characters; longer texts are cut by what stands beside them.
WIDEST = 40


def read_excel(data: bytes, source: str) -> Table:
    """The sheet ``plate`` of an Excel file, or its first one that is not empty, as a table."""
    package = openpyxl()
    try:
        unpacked = sum(part.file_size for part in zipfile.ZipFile(io.BytesIO(data)).infolist())
    except zipfile.BadZipFile as error:
        raise _unreadable(source, error) from None
    if unpacked > MOST_UNPACKED:
        raise TableError(source, f"it unpacks to {unpacked:,} bytes", "too_long", "split it")
    try:
        shown = package.load_workbook(io.BytesIO(data), data_only=True)
        typed = package.load_workbook(io.BytesIO(data), data_only=False)
    except Exception as error:  # whatever a damaged file makes of another package
        raise _unreadable(source, error) from None
    name = _chosen(shown, source)
    faults: dict[tuple[int, int], TableError] = {}
    lines = list(_lines(shown[name], typed[name], source, faults))
    table = assembled(source, lines, sheet=True)
    return replace(table, faults=faults, alike=tuple(_alike(shown, name, table.names)))


def _unreadable(source: str, error: Exception) -> TableError:
    said = f"it cannot be read as an Excel file ({type(error).__name__}: {short(str(error))})"
    return TableError(source, said, "format", "save it as .xlsx or CSV")


def _chosen(book: Workbook, source: str) -> str:
    """The sheet to read: our own, or the first one in sight that holds anything."""
    sheets = [s for s in book.worksheets if s.sheet_state == "visible"]
    ours = [s for s in sheets if s.title.casefold() == PLATE]
    filled = [s for s in (*ours, *sheets) if any(v is not None for row in s.values for v in row)]
    if not filled:
        raise TableError(source, "no sheet holds anything", "empty")
    return filled[0].title


def _alike(book: Workbook, name: str, names: Sequence[str]) -> Iterator[str]:
    """Other sheets in sight with the same header and something below it, such as a copy of the plate."""
    for page in book.worksheets:
        if page.sheet_state != "visible" or page.title == name:
            continue
        filled = [row for row in page.values if any(v is not None for v in row)]
        headers = ({str(v).strip() for v in row if v is not None} for row in filled[: MOST_TITLES + 1])
        if len(filled) > 1 and any(header >= {*names} - {""} for header in headers):
            yield page.title


def _lines(shown: Any, typed: Any, source: str, faults: dict[tuple[int, int], TableError]) -> Iterator[Line]:
    """Rows of a sheet as text; ``shown`` has the results of formulas, ``typed`` the formulas.

    What a cell holds and does not show goes to ``faults``: whether it matters, only its column tells.
    """
    for row, (results, cells) in enumerate(zip(shown.iter_rows(), typed.iter_rows(), strict=True), start=1):
        texts = []
        for column, (result, cell) in enumerate(zip(results, cells, strict=True)):
            text, fault = _text(result, cell, f"{source}, cell {letters(column)}{row}")
            texts.append(text)
            if fault is not None:
                faults[row, column] = fault
        yield row, texts


def _text(result: Any, typed: Any, place: str) -> tuple[str, TableError | None]:
    """What a cell shows, as text, and what is wrong where it does not hold that."""
    value = result.value
    if value is None:
        if typed.data_type == "f":
            remedy = "open the file in a spreadsheet and save it, or type the value"
            said = f"the formula {typed.value} has no result yet"
            return str(typed.value), TableError(place, said, "formula", remedy)
        return "", None
    if isinstance(value, bool):
        return str(value).lower(), None
    if isinstance(value, datetime | date | time):
        remedy = "format the cell as a number and type it again; spreadsheets turn 1.5 or 3/4 into dates"
        fault = TableError(place, f"{value} is a date, not a number or a text", "date", remedy)
        return str(value).removesuffix(" 00:00:00"), fault
    if isinstance(value, int | float):
        if "%" in str(result.number_format):
            said = f"the cell shows {100 * value:g} % and holds {value:g}"
            return f"{100 * value:g} %", TableError(place, said, "percent", "format the cell as a number")
        whole = float(value).is_integer() and abs(value) < 1e15
        return repr(int(value)) if whole else repr(float(value)), None
    return str(value), None


def write_excel(file: BinaryIO, sheets: Sequence[Sheet]) -> None:
    """An Excel file with these sheets: bold headers that stay in sight, numbers as numbers."""
    book = openpyxl().Workbook()
    book.remove(book.active)
    for sheet in sheets:
        _write_sheet(book, sheet)
    book.save(file)


def _write_sheet(book: Workbook, sheet: Sheet) -> None:
    from openpyxl.styles import Font

    page = book.create_sheet(sheet.name)
    for r, row in enumerate((sheet.columns, *sheet.rows), start=1):
        for c, value in enumerate(row, start=1):
            _put(page.cell(r, c), value)
    for c, name in enumerate(sheet.columns):
        page.cell(1, c + 1).font = Font(bold=True)
        texts = [safe_text(row[c]) for row in sheet.rows[:200]]
        page.column_dimensions[letters(c)].width = min(max(map(len, (name, *texts))) + 2, WIDEST)
    page.freeze_panes = "B2"
    for name, values in sheet.allowed.items():
        _offer(book, page, sheet, name, values)
    for name in sheet.measured:
        _expect_number(page, sheet, name)


def _put(cell: Any, value: Any) -> None:
    """A value in its type; a text is a text, even if it begins like a formula."""
    if isinstance(value, bool) or value is None or not isinstance(value, int | float):
        text = safe_text(value)
        if text:
            cell.value, cell.data_type = text, "s"
            if text[0] in "=+-@":
                cell.quotePrefix = 1  # as if typed behind an apostrophe
    else:
        cell.value = value


def _offer(book: Workbook, page: Any, sheet: Sheet, name: str, values: Sequence[Any]) -> None:
    """A drop-down of the values that a column allows; they stand in a sheet out of sight."""
    from openpyxl.worksheet.datavalidation import DataValidation

    lists = book[LISTS] if LISTS in book.sheetnames else book.create_sheet(LISTS)
    lists.sheet_state = "hidden"
    column = 1 if lists.max_column == 1 and lists.cell(1, 1).value is None else lists.max_column + 1
    for r, value in enumerate((name, *values), start=1):
        _put(lists.cell(r, column), value)
    letter = letters(column - 1)
    rule = DataValidation(
        "list", formula1=f"'{LISTS}'!${letter}$2:${letter}${len(values) + 1}", allow_blank=True
    )
    rule.errorTitle, rule.error = name, f"{name} can be set to the values of the list only."
    _apply(page, sheet, name, rule)


def _expect_number(page: Any, sheet: Sheet, name: str) -> None:
    """Ask about a text in a column of numbers, and let it pass: n/a is one."""
    from openpyxl.worksheet.datavalidation import DataValidation

    rule = DataValidation(
        "decimal", operator="between", formula1=f"{-LARGEST:.0E}", formula2=f"{LARGEST:.0E}", allow_blank=True
    )
    rule.errorStyle, rule.errorTitle, rule.error = "warning", name, "This is not a number. Keep it?"
    _apply(page, sheet, name, rule)


def _apply(page: Any, sheet: Sheet, name: str, rule: Any) -> None:
    letter = letters(list(sheet.columns).index(name))
    rule.add(f"{letter}2:{letter}{max(len(sheet.rows) + 1, 2)}")
    page.add_data_validation(rule)
