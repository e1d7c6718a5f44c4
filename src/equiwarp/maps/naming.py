"""Which measurements of a map are meant by their numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from equiwarp._util.arguments import items_of, whole
from equiwarp.exceptions import InvalidInput
from equiwarp.gp.posterior import RowNumbers


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
