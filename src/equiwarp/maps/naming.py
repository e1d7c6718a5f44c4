"""What a map calls its responses and measurements: names, units and numbers for sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from equiwarp._util.arguments import items_of, whole
from equiwarp._util.frames import columns_of
from equiwarp.exceptions import InvalidInput
from equiwarp.gp.posterior import RowNumbers


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


def rows_without(ids: tuple[int, ...], n: int, experiments: Iterable[int]) -> RowNumbers:
    """The rows of n that are left without these experiments; ``ids`` are their numbers, or none: rows."""
    numbers = list(ids) if ids else list(range(n))
    out = {whole(number, "an experiment's number", 0) for number in items_of(experiments, "experiments")}
    unknown = sorted(out - set(numbers))
    if unknown:
        raise InvalidInput(f"the map has no measurement {unknown[0]}; it has {_span(numbers)}")
    return np.array([row for row, number in enumerate(numbers) if number not in out], dtype=int)


def _span(numbers: list[int]) -> str:
    if len(numbers) <= 8:
        return ", ".join(map(str, numbers))
    return f"{len(numbers)} of them from {min(numbers)} to {max(numbers)}"
