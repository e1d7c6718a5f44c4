"""The noise of single values in a table: a column ``noise`` (one response) or ``noise RESPONSE``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiwarp.exceptions import TableError
from equiwarp.tables.cells import read_number
from equiwarp.tables.table import Table


def noise_name(response: str) -> str:
    """What the column is called in everything that we write."""
    return f"noise {response}"


def noise_column(table: Table, response: str, responses: Sequence[str]) -> str | None:
    """The column that holds the noise of a response; None if there is none."""
    if noise_name(response) in table.names:
        return noise_name(response)
    return "noise" if len(responses) == 1 and "noise" in table.names else None


def noise_of_row(table: Table, row: int, columns: Mapping[str, str | None]) -> dict[str, float] | None:
    """Noise of one row by response, from the column of each; None where it is not given."""
    cells, found = table.cells(row), dict[str, float]()
    for response, column in columns.items():
        if column is None or not cells[column]:
            continue
        found[response] = read_number(cells[column], table.where(row, column))
        if found[response] < 0:
            raise TableError(table.where(row, column), f"{cells[column]} is negative", "negative_noise")
    if found and len(found) < len(columns):
        missing = next(response for response in columns if response not in found)
        place = f"{table.source}, line {table.lines[row]}"
        raise TableError(place, f"noise for {missing!r} is missing", "no_noise")
    return found or None
