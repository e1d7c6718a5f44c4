"""What stands beside the values in a table: the block, the sample, and columns that nobody reads."""

from __future__ import annotations

from collections.abc import Iterator

from equiwarp._util.text import listed
from equiwarp.tables.cells import is_blank, without_guard
from equiwarp.tables.columns import CampaignColumns
from equiwarp.tables.grid import Table

#: Columns of our exports that say nothing new when they come back.
OF_EXPORTS = frozenset(
    {"line", "row", "what", "state", "origin", "inside", "reason", "created", "since", "repeats", "notes"}
)


def texts_of_row(table: Table, row: int, columns: CampaignColumns) -> dict[str, str]:
    """The block and the sample of one row, without the cells that are empty."""
    cells = table.cells(row)
    texts = {name: without_guard(cells[name]) for name in columns.beside if name in cells}
    return {name: text for name, text in texts.items() if not is_blank(text)}


def unread(table: Table, columns: CampaignColumns) -> tuple[str, ...]:
    """What to say of sheets and columns with something in them that nobody reads."""
    table = columns.matched(table)
    return (*_sheets(table), *_columns(strangers(table, columns)))


def strangers(table: Table, columns: CampaignColumns) -> list[str]:
    """Columns with something in them that mean nothing to the campaign."""
    known = {*columns.units, *OF_EXPORTS, *(f"asked {name}" for name in columns.parameters)}
    return [
        name
        for name in table.names
        if name and name not in known and not all(is_blank(cell) for cell in table.column(name))
    ]


def _sheets(table: Table) -> Iterator[str]:
    if table.alike:
        one = len(table.alike) == 1
        which = f"the sheet {table.alike[0]!r} was" if one else f"the sheets {listed(table.alike)} were"
        yield f"{which} not read: only one sheet of a file is; give the others as files of their own"


def _columns(names: list[str]) -> Iterator[str]:
    if names:
        which = f"the column {names[0]!r} was" if len(names) == 1 else f"the columns {listed(names)} were"
        yield f"{which} not read: the campaign has no parameter, response or block of that name"
