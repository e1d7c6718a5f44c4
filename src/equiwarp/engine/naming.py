"""What responses are called, and in which units they are measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equiwarp._util.arguments import items_of
from equiwarp._util.frames import columns_of
from equiwarp.exceptions import InvalidInput


def name_responses(
    given: Sequence[str] | Mapping[str, str] | None, y: Any, k: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of k responses: as given, as the columns of y are called, or numbered."""
    if given is None:
        columns = columns_of(y, series=True)
        names = tuple(columns) if columns is not None else numbered(k)
        return names, ("",) * k
    names = tuple(str(name) for name in items_of(given, "responses"))
    units = tuple(str(unit) for unit in given.values()) if isinstance(given, Mapping) else ("",) * len(names)
    if len(names) != k:
        raise InvalidInput(f"responses: {len(names)} names for {k} columns of y; give one for each")
    if len(set(names)) < k:
        raise InvalidInput(f"responses: {list(names)} has a name twice; give each response its own")
    return names, units


def numbered(k: int) -> tuple[str, ...]:
    """Names for responses that were not given any."""
    return ("value",) if k == 1 else tuple(f"value{j + 1}" for j in range(k))
