"""Whether the commas of a table are decimal ones: what separates its cells and what its numbers say tell.

``1,234`` is one number in Paris and a thousand times as much in London, and ``1.234`` the other way round.
Between commas a point is a decimal one. Between semicolons or tabs the other numbers decide: ``12,5`` is
written by those who have decimal commas, ``12.5`` by those who have points. If some write one and some the
other, as where a plate of ours was filled in by a spreadsheet with decimal commas, every number must be clear
by itself. If nothing decides, ``1.234`` is refused between semicolons, which go with decimal commas, and
``1,234`` between tabs, which go with both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from equiwarp.exceptions import TableError
from equiwarp.tables.cells import has_decimal, may_be_thousands, without_limit
from equiwarp.tables.grid import Table


@dataclass(frozen=True)
class _Marked:
    """A number with a decimal point or comma, or what may be one, and where it stands."""

    row: int
    name: str
    text: str

    @property
    def is_sure(self) -> bool:
        """Whether the mark cannot separate thousands."""
        return not may_be_thousands(self.text)


def decided(table: Table, columns: Sequence[str], compared: Sequence[str] = ()) -> Table:
    """The table, knowing what its commas are; ``columns`` are those whose cells are read as numbers.

    Refused if a number may as well have a separator of thousands, and others do not tell or tell that it has.
    Of columns that are ``compared`` with what is known already, only numbers that are clear count.
    """
    if table.separator == "," or table.sheet:
        return table
    columns = [name for name in table.names if name in columns]
    found = {
        mark: [one for one in _marked(table, columns, mark) if one.is_sure or one.name not in compared]
        for mark in ",."
    }
    comma, point = (_telling(found[mark]) for mark in ",.")
    if comma is None:
        if point is not None and not point.is_sure and table.separator == ";":
            raise _undecided(table, point)
        return table
    if point is None and not comma.is_sure:
        # Nothing that is read decides; a column that is not read may still tell how its writer writes.
        others = [name for name in table.names if name not in columns]
        point = next((one for one in _marked(table, others, ".") if one.is_sure), None)
    unclear = next((one for one in found[","] if not one.is_sure), None)
    if point is not None and unclear is not None:  # an unclear point is refused where it is read
        raise _mixed(table, unclear, point)
    return replace(table, decimal=",") if comma.is_sure or table.separator == ";" else table


def _marked(table: Table, columns: Iterable[str], mark: str) -> Iterator[_Marked]:
    """The numbers with this decimal mark, or what may be such."""
    for name in columns:
        cells = table.column(name)
        for row, cell in enumerate(cells) if mark in "".join(cells) else ():
            if mark in cell and has_decimal(without_limit(cell), mark):
                yield _Marked(row, name, without_limit(cell))


def _telling(found: Sequence[_Marked]) -> _Marked | None:
    """The first number whose mark is surely a decimal one, else the first of all."""
    return next((one for one in found if one.is_sure), found[0] if found else None)


def _mixed(table: Table, comma: _Marked, point: _Marked) -> TableError:
    there = table.where(point.row, point.name).removeprefix(f"{table.source}, ")
    said = f"{comma.text!r} has a comma, but {point.text!r} ({there}) has a decimal point"
    remedy = (
        "write all numbers of the table with decimal points or all with decimal commas, and none with "
        "thousands separators"
    )
    return TableError(table.where(comma.row, comma.name), said, "decimal_comma", remedy)


def _undecided(table: Table, point: _Marked) -> TableError:
    said = (
        f"{point.text!r} is ambiguous: where semicolons separate, a point may separate thousands, and no "
        "other number of the table tells"
    )
    remedy = f"write {point.text.replace('.', '')} without a point, or {point.text}0 with one more zero"
    return TableError(table.where(point.row, point.name), said, "decimal_comma", remedy)
