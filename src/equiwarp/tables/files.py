"""The file that a name asks for: CSV, or Excel where the name ends with .xlsx."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import PurePath

from equiwarp.exceptions import InvalidInput
from equiwarp.tables.excel import write_excel
from equiwarp.tables.sheets import Sheet, openpyxl, write_csv

#: Ends of names that mean Excel, and those that mean a spreadsheet which we do not write.
EXCEL = (".xlsx", ".xlsm")
FOREIGN = (".xls", ".xlsb", ".ods", ".numbers", ".gsheet")


def is_excel(name: str | PurePath) -> bool:
    """Whether a file of this name has to be an Excel file; refused if it can be neither that nor a CSV."""
    end = PurePath(name).suffix.lower()
    if end in FOREIGN:
        raise InvalidInput(
            f"{name}: {end} files cannot be written; choose a name that ends with .xlsx or .csv"
        )
    return end in EXCEL


def require_writer(name: str | PurePath) -> None:
    """Refuse a name whose kind of file cannot be written here, before anything else is done."""
    if is_excel(name):
        openpyxl()


def file_of(name: str | PurePath, sheets: Sequence[Sheet]) -> bytes:
    """The bytes of a file of this name: all sheets in an Excel file, the first one in a CSV."""
    if is_excel(name):
        stream = io.BytesIO()
        write_excel(stream, sheets)
        return stream.getvalue()
    text = io.StringIO()
    write_csv(text, sheets[0])
    return text.getvalue().encode("utf-8")
