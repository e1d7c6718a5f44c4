"""Measurements made earlier or elsewhere, from a table with a column per parameter and response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain
from equiwarp.exceptions import TableError
from equiwarp.tables.beside import texts_of_row
from equiwarp.tables.cells import LARGEST, is_blank
from equiwarp.tables.columns import CampaignColumns
from equiwarp.tables.grid import Table
from equiwarp.tables.mistakes import Mistakes
from equiwarp.tables.noise_columns import noise_columns
from equiwarp.tables.settings import read_settings
from equiwarp.tables.table import numbers, plain_numbers


@dataclass(frozen=True)
class MeasuredRows:
    """Points ``(m, parameters)``, values ``(m, responses)`` and their noise, or None.

    Values are floats, NaN where a response was not measured; if there are limits, the entries of ``y`` are
    objects, and texts such as ``<0.5`` among them. ``beside`` are the block and the sample of each row.
    """

    x: Array
    y: NDArray[Any]
    noise: Array | None
    beside: Sequence[Mapping[str, str]] = ()


def read_measurements(table: Table, domain: Domain, columns: CampaignColumns) -> MeasuredRows:
    """All rows of the table; wrong cells raise one :class:`TableError` that names all of them."""
    table = columns.matched(table)
    responses = list(columns.responses)
    table.require((*domain.names, *responses))
    table.require_rows()
    mistakes = Mistakes(table.source)
    x, y = read_settings(table, domain, mistakes), _values(table, responses, mistakes)
    noise = mistakes.attempt(lambda: _noise(table, responses, mistakes), None)
    mistakes.check()
    texts = any(name in table.names for name in columns.beside)
    beside = [texts_of_row(table, row, columns) for row in range(len(table.rows))] if texts else []
    return MeasuredRows(x, y, noise, beside)


def _values(table: Table, responses: Sequence[str], mistakes: Mistakes) -> NDArray[Any]:
    """The columns of the responses ``(m, k)``: all at once, or with limits and empty cells."""
    plain = [plain_numbers(table, name) for name in responses]
    if all(column is not None and (np.abs(column) <= LARGEST).all() for column in plain):
        return np.column_stack([column for column in plain if column is not None])
    cells = np.full((len(table.rows), len(responses)), np.nan, dtype=object)
    for row in range(len(table.rows)):
        given = [name for name in responses if not is_blank(table.cells(row)[name])]
        for name in given or responses:  # an empty row is refused, cell by cell
            with mistakes.noted():
                cells[row, responses.index(name)] = table.measured_or_limit(row, name)
    return cells if any(isinstance(cell, str) for cell in cells.flat) else cells.astype(float)


def _noise(table: Table, responses: Sequence[str], mistakes: Mistakes) -> Array | None:
    """The noise columns, ``(m, responses)``: of all responses or of none; NaN where none is known."""
    found = noise_columns(table, responses)
    columns = [column for column in found.values() if column is not None]
    if not columns:
        return None
    for response, column in found.items():
        if column is None:
            remedy = "add one, or leave all of them out"
            raise TableError(table.source, f"no noise column for {response!r}", "no_noise", remedy)
    noise = _some_numbers(table, columns, mistakes)
    given = ~np.isnan(noise)
    for row in np.flatnonzero(given.any(axis=1) & ~given.all(axis=1)):
        _require_with_value(table, int(row), found, mistakes)
    for row, column in np.argwhere(noise < 0):
        place = table.where(row, columns[column])
        mistakes.note(TableError(place, f"{noise[row, column]:g} is negative", "negative_noise"))
    return noise


def _some_numbers(table: Table, columns: Sequence[str], mistakes: Mistakes) -> Array:
    """Columns of numbers, NaN where a cell is empty: the noise of that row is not known."""
    if not any(is_blank(table.cells(row)[name]) for row in range(len(table.rows)) for name in columns):
        return numbers(table, columns, mistakes)
    found = np.full((len(table.rows), len(columns)), np.nan)
    for row in range(len(table.rows)):
        for j, name in enumerate(columns):
            if not is_blank(table.cells(row)[name]):
                with mistakes.noted():
                    found[row, j] = table.number(row, name)
    return found


def _require_with_value(
    table: Table, row: int, columns: Mapping[str, str | None], mistakes: Mistakes
) -> None:
    """Of a row with some noise, every response that has a value needs it: a cell was forgotten."""
    cells = table.cells(row)
    for response, column in columns.items():
        if column is not None and is_blank(cells[column]) and not is_blank(cells[response]):
            mistakes.note(TableError(table.at(row), f"noise for {response!r} is missing", "no_noise"))


def read_locations(table: Table, domain: Domain) -> Array:
    """Points of the domain ``(m, parameters)``, one per row; every one that lies outside is named."""
    table = CampaignColumns.of(domain, ()).matched(table)
    mistakes = Mistakes(table.source)
    x = domain.wrapped(read_settings(table, domain, mistakes))
    read = np.isfinite(x).all(axis=1)
    for row in np.flatnonzero(read)[~domain.contains(x[read])]:
        said = str(domain.problem(x[row]))
        mistakes.note(TableError(table.at(row), said, "outside", "correct the value, or leave the row out"))
    mistakes.check()
    return x
