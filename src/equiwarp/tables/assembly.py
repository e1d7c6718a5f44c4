"""From the lines of a file to a table: what stands above the header is left out, every row fits it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

from equiwarp._util.text import several
from equiwarp.exceptions import TableError
from equiwarp.tables.cells import is_blank, without_guard
from equiwarp.tables.grid import Table
from equiwarp.tables.mistakes import Mistakes

#: A line of a file: where it starts, counted from 1, and its cells.
Line = tuple[int, list[str]]
#: Longest file that is read; a longer one is not a table of experiments.
MOST_ROWS = 2_000_000
#: So many lines above the header may say what the table is.
MOST_TITLES = 5


def assembled(source: str, lines: Iterable[Line], sheet: bool = False) -> Table:
    """The table of these lines; blank ones do not count, and a title may stand above the header."""
    filled = (line for line in lines if _is_filled(line[1]))
    first = list(islice(filled, MOST_TITLES + 1))
    if not first:
        raise TableError(source, "it is empty; the first line must name the columns", "empty")
    titles = _titles(first)
    place, header = first[titles]
    word = "row" if sheet else "line"
    names = _header(header, f"{source}, {word} {place}")
    rows: list[list[str]] = []
    places: list[int] = []
    mistakes = Mistakes(source)
    for place, cells in chain(first[titles + 1 :], filled):
        if len(cells) != len(names):
            where = f"{source}, {word} {place}"
            cells = mistakes.attempt(lambda: _fitted(cells, names, len(header), where), [])  # noqa: B023
        rows.append(cells)
        places.append(place)
        if len(rows) > MOST_ROWS:
            raise TableError(source, f"more than {MOST_ROWS:,} rows; split it", "too_long")
    mistakes.check()
    return Table(source, names, rows, places, sheet=sheet)


def _is_filled(cells: list[str]) -> bool:
    return any(cell and not cell.isspace() for cell in cells)


def _titles(first: list[Line]) -> int:
    """How many of the first lines are titles: single texts above a line of several texts, the header."""
    filled = [[cell for cell in cells if cell.strip()] for _, cells in first]
    header = next((i for i, cells in enumerate(filled) if len(cells) > 1), 0)
    return header if header <= MOST_TITLES and not any(map(_is_number, filled[header])) else 0


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return is_blank(cell.strip())
    return True


def _header(cells: list[str], where: str) -> tuple[str, ...]:
    """Names of the columns: all different, none empty but those that pad a row of a spreadsheet."""
    names = [without_guard(cell.strip()) for cell in cells]
    while len(names) > 1 and not names[-1]:
        names.pop()
    mistakes = Mistakes(where)
    for i, name in enumerate(names):
        if not name:
            remedy = "each column needs a name, in one line; take a heading above the names out"
            mistakes.note(TableError(where, f"column {i + 1} has no name", "header", remedy))
        elif name in names[:i]:
            mistakes.note(TableError(where, f"the column {name!r} appears twice", "header"))
    mistakes.check()
    return tuple(names)


def _fitted(cells: list[str], names: tuple[str, ...], padded: int, where: str) -> list[str]:
    """A row of the header's width. Spreadsheets pad with empty cells; more than that has no name.

    ``padded`` is the width of the header with the empty cells behind its last name. Where a row is longer
    and its last named cell is empty, a decimal comma may have split a cell and moved those behind it.
    """
    width = len(names)
    beyond = [i for i, cell in enumerate(cells) if i >= width and cell.strip()]
    if beyond and beyond[-1] < padded:
        raise TableError(where, f"column {beyond[0] + 1} has no name", "header", "give it one, or clear it")
    moved = len(cells) > max(width, padded) and not cells[width - 1].strip()
    if beyond or moved or len(cells) < width:
        remedy = "a decimal comma splits a cell in two: write 1.5, not 1,5"
        if len(cells) < width:
            remedy = "give it a cell for each column, empty where there is nothing"
        if len(cells) == 1 and not _is_number(cells[0].strip()):
            remedy = "a remark has no place between the rows: take the line out"
        said = f"{several(len(cells), 'cell')}, but the header has {width}"
        raise TableError(where, said, "width", remedy)
    return cells[:width]
