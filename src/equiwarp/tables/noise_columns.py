"""The noise of single values in a table: a column ``noise`` (one response) or ``noise RESPONSE``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiwarp.exceptions import TableError
from equiwarp.tables.cells import is_blank
from equiwarp.tables.columns import noise_name
from equiwarp.tables.grid import Table

__all__ = ["noise_columns", "noise_name", "noise_of_row"]


def noise_columns(table: Table, responses: Sequence[str]) -> dict[str, str | None]:
    """The column that holds the noise of each response; None where there is none.

    A bare ``noise`` is that of the only response; where there are several it is refused, because nobody
    can tell whose it is.
    """
    named = {response: noise_name(response) for response in responses}
    if "noise" not in table.names:
        return {response: name if name in table.names else None for response, name in named.items()}
    if len(responses) > 1:
        said = f"whose noise is it? there are {len(responses)} responses"
        remedy = f"name the columns {', '.join(map(repr, named.values()))}"
        raise TableError(f"{table.source}, column 'noise'", said, "whose_noise", remedy)
    return {response: name if name in table.names else "noise" for response, name in named.items()}


def noise_of_row(table: Table, row: int, columns: Mapping[str, str | None]) -> dict[str, float] | None:
    """Noise of one row by response, from the column of each; None where it is not given.

    ``columns`` are those of the responses that have a value in this row: all of them or none need noise.
    """
    cells, found = table.cells(row), dict[str, float]()
    for response, column in columns.items():
        if column is None or is_blank(cells[column]):
            continue
        found[response] = table.number(row, column)
        if found[response] < 0:
            raise TableError(table.where(row, column), f"{cells[column]} is negative", "negative_noise")
    if found and len(found) < len(columns):
        missing = next(response for response in columns if response not in found)
        raise TableError(table.at(row), f"noise for {missing!r} is missing", "no_noise")
    return found or None
