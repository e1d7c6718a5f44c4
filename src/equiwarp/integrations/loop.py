"""``Loop``: the books of an outside loop that exchanges points as dictionaries.

gest-api generators and bluesky-adaptive optimizers speak the same language: ``suggest`` hands out
points with an ``_id``, ``ingest`` takes them back with values. This keeps who has what.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.engine.reading import read_points
from equiwarp.exceptions import InvalidInput
from equiwarp.integrations.guide import Guide

if TYPE_CHECKING:
    from equiwarp.maps.map import Map

ID = "_id"


@dataclass
class Loop:
    """Measured, pending and failed points of one domain.

    Attributes
    ----------
    domain : Domain
    responses : tuple of str
        Keys of the measured values in what is ingested.
    guide : Guide
    x, y : lists of points and of values
    pending : dict
        Points handed out and not yet ingested, by id.
    failed : list of points
        Not suggested again; their surroundings count as spoken for.
    """

    domain: Domain
    responses: tuple[str, ...]
    guide: Guide
    x: list[list[float]] = field(default_factory=list)
    y: list[list[float]] = field(default_factory=list)
    pending: dict[int, list[float]] = field(default_factory=dict)
    failed: list[list[float]] = field(default_factory=list)
    handed_out: list[list[float]] = field(default_factory=list)

    def suggest(self, n: int) -> list[dict[str, Any]]:
        """The next n points, each with an ``_id`` of its own."""
        waiting = [*self.pending.values(), *self.failed]
        found = self.guide.points(self.domain, self.x, self.values, n, waiting or None)
        rows = []
        for number, point in enumerate(found.tolist(), start=len(self.handed_out)):
            self.pending[number] = point
            self.handed_out.append(point)
            rows.append({**self.domain.named(point), ID: number})
        return rows

    @property
    def values(self) -> Array:
        """Measured values, ``(n, k)``."""
        return np.array(self.y, dtype=float).reshape(len(self.y), len(self.responses))

    def ingest(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Results, all of them or (if one is wrong) none.

        A missing or non-finite value is a failure. A result with an ``_id`` need not repeat its point.
        """
        read = [self._read(row, f"result {i}") for i, row in enumerate(rows)]
        for number, point, values in read:
            if number is not None:
                self.pending.pop(number, None)
            if np.isfinite(values).all():
                self.x.append(point)
                self.y.append(values)
            else:
                self.failed.append(point)

    def fail(self, ids: Iterable[int]) -> None:
        """These points will not be measured."""
        for number in ids:
            if number in self.pending:
                self.failed.append(self.pending.pop(number))

    def map(self) -> Map:
        """What is known so far."""
        from equiwarp.maps.map import build_map

        return build_map(
            self.domain,
            self.x,
            self.values,
            self.guide.noise,
            pending=list(self.pending.values()) or None,
            strategy=self.guide.strategy,
            seed=self.guide.seed,
            responses=self.responses,
        )

    def _read(self, row: Mapping[str, Any], what: str) -> tuple[int | None, list[float], list[float]]:
        number = row.get(ID)
        if number is None or number != number:  # dataframes turn a missing id into NaN
            number = None
        elif int(number) != number or not 0 <= number < len(self.handed_out):
            raise InvalidInput(f"{what}: {ID} = {number!r} was never handed out; foreign points have none")
        known = {} if number is None else self.domain.named(self.handed_out[int(number)])
        place = {name: row.get(name, known.get(name)) for name in self.domain.names}
        missing = [name for name, value in place.items() if value is None]
        if missing:
            raise InvalidInput(f"{what} has no {missing[0]!r}; its keys are {list(row)}")
        point = read_points(self.domain, [list(place.values())], what)[0].tolist()
        values = [row.get(name) for name in self.responses]
        if all(value is None for value in values) and number is None:
            raise InvalidInput(f"{what} has none of {list(self.responses)}; its keys are {list(row)}")
        return (
            None if number is None else int(number),
            point,
            [np.nan if value is None else float(value) for value in values],
        )
