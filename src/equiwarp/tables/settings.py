"""Settings in tables: numbers, and categories by their names."""

from __future__ import annotations

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.exceptions import InvalidInput, TableError
from equiwarp.tables.cells import without_guard
from equiwarp.tables.grid import Table
from equiwarp.tables.mistakes import Mistakes
from equiwarp.tables.table import numbers


def read_setting(table: Table, row: int, name: str, domain: Domain) -> float:
    """One cell of a column of the domain, as arrays hold it."""
    if name not in domain.categories:
        return table.number(row, name)
    cell, place = table.cells(row)[name], table.where(row, name)
    try:
        return domain.read_value(name, without_guard(cell), place)
    except InvalidInput as error:
        raise TableError(place, str(error).removeprefix(f"{place}: "), "unknown_category") from None


def read_settings(table: Table, domain: Domain, mistakes: Mistakes) -> Array:
    """The columns of the domain ``(m, columns)``; a bad cell is noted, and NaN stands for it."""
    table.require(domain.names)
    out = np.empty((len(table.rows), domain.columns))
    for j, name in enumerate(domain.names):
        if name not in domain.categories:
            out[:, j] = numbers(table, [name], mistakes)[:, 0]
            continue
        for i in range(len(out)):
            out[i, j] = np.nan
            with mistakes.noted():
                out[i, j] = read_setting(table, i, name, domain)
    return out
