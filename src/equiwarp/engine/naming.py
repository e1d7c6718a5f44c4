"""What responses are called, in which units they are measured, and noise that has their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equiwarp._util.arguments import LARGEST, items_of
from equiwarp._util.frames import columns_of, labelled
from equiwarp._util.text import listed
from equiwarp.domains import Array
from equiwarp.engine.reading import named_columns, read_noise
from equiwarp.exceptions import InvalidInput


def name_responses(
    given: Sequence[str] | Mapping[str, str] | None, y: Any, k: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of k responses: as given, as the columns of y are called, or numbered.

    Where columns of y have the names that are given, they belong together in whatever order these come.
    """
    columns = named_columns(y)
    called = numbered(k) if columns is None else tuple(columns)
    if given is None:
        return called, ("",) * k
    names = tuple(_name(name) for name in items_of(given, "responses"))
    units = tuple(str(unit) for unit in given.values()) if isinstance(given, Mapping) else ("",) * len(names)
    if len(names) != k:
        raise InvalidInput(f"responses: {len(names)} names for {k} columns of y; give one for each")
    if len(set(names)) < k:
        raise InvalidInput(f"responses: {list(names)} has a name twice; give each response its own")
    if columns is None or not set(names) & set(called):  # nothing was called before, or it is renamed
        return names, units
    if set(names) != set(called):
        raise InvalidInput(
            f"responses: {listed(names)} are some of the columns of y, {listed(called)}, and some are not; "
            "give the names of all columns, or new ones for all"
        )
    unit_of = dict(zip(names, units, strict=True))
    return called, tuple(unit_of[name] for name in called)


def _name(given: Any) -> str:
    if not isinstance(given, str):
        raise InvalidInput(f"responses: {given!r} is not a name; give texts, or units by name in a dict")
    return given


def numbered(k: int) -> tuple[str, ...]:
    """Names for responses that were not given any."""
    return ("value",) if k == 1 else tuple(f"value{j + 1}" for j in range(k))


def read_named_noise(
    noise: Any, y: Array, names: tuple[str, ...], largest: float = LARGEST, unnamed: bool = False
) -> Array | None:
    """Deviations of many values, ``(n, k)``; columns that have names are matched by them.

    NaN throughout is a response of which None was said. ``unnamed`` says that the k ``names`` are none that
    anybody gave: then the columns of a dataframe may be called otherwise, and count as they come.
    """
    columns = named_columns(noise)
    if columns is not None and columns_of(noise) is None:
        by_label = labelled(noise)
        if by_label is None or set(by_label) != set(names):  # one column of a frame: a number per point
            return _of_one_column(columns, y, names, largest)
        columns = by_label
    if columns is None:
        return read_noise(noise, y, largest)
    if set(columns) != set(names):
        alone = len(columns) == len(names) == 1
        if isinstance(noise, Mapping) or not (unnamed or alone):
            raise InvalidInput(
                f"noise is given for {listed(columns)}; give it for the responses {listed(names)}"
            )
        names = tuple(columns)
        if len(names) != y.shape[1]:
            raise InvalidInput(
                f"noise has {len(names)} columns for {y.shape[1]} responses; give one for each"
            )
    parts = [read_noise(columns[name], y[:, j : j + 1], largest) for j, name in enumerate(names)]
    unknown = np.full((len(y), 1), np.nan)
    return np.concatenate([unknown if part is None else part for part in parts], axis=1)


def _of_one_column(columns: dict[str, Any], y: Array, names: tuple[str, ...], largest: float) -> Array | None:
    ((name, column),) = columns.items()
    if len(names) > 1 and name in names:
        raise InvalidInput(f"noise is given for {name!r}; give it for the responses {listed(names)}")
    return read_noise(np.asarray(column)[:, None] if len(column) == len(y) else column, y, largest)
