"""Measurements made earlier or elsewhere, from a table with a column per parameter and response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.exceptions import TableError
from equiwarp.tables.cells import LARGEST, usable
from equiwarp.tables.noise_columns import noise_column
from equiwarp.tables.table import Table, numbers, points


@dataclass(frozen=True)
class MeasuredRows:
    """Points ``(m, parameters)``, values ``(m, responses)`` and their noise, or None."""

    x: Array
    y: Array
    noise: Array | None


def read_measurements(table: Table, domain: Domain, responses: Sequence[str]) -> MeasuredRows:
    """All rows of the table; one wrong cell raises :class:`TableError`."""
    table.require((*domain.names, *responses))
    if not table.rows:
        raise TableError(table.source, "there is no row below the header", "empty")
    x, y = points(table, domain), numbers(table, responses)
    for row, column in np.argwhere(np.abs(y) > LARGEST)[:1]:
        usable(y[row, column], table.where(row, responses[column]))
    return MeasuredRows(x, y, _noise(table, responses))


def _noise(table: Table, responses: Sequence[str]) -> Array | None:
    """The noise columns, ``(m, responses)``: of all responses or of none."""
    found = {response: noise_column(table, response, responses) for response in responses}
    columns = [column for column in found.values() if column is not None]
    if not columns:
        return None
    for response, column in found.items():
        if column is None:
            remedy = "add one, or leave all of them out"
            raise TableError(table.source, f"no noise column for {response!r}", "no_noise", remedy)
    noise = numbers(table, columns)
    for row, column in np.argwhere(noise < 0)[:1]:
        place = table.where(row, columns[column])
        raise TableError(place, f"{noise[row, column]:g} is negative", "negative_noise")
    return noise
