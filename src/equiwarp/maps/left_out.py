"""Measured against predicted: each value beside what the map says there without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.posterior import RowNumbers

if TYPE_CHECKING:
    from equiwarp.maps.map import Map


@dataclass(frozen=True)
class LeftOut:
    """The measured values of one response, and what the map predicts for each from all the others.

    Values at the same place leave together. The correction of :class:`ErrorEstimate` is not applied: these
    are the numbers from which it is made.

    Attributes
    ----------
    response : str
    rows : (n,) array of int
        Which measurements of the map they are.
    measured, predicted : (n,) arrays
    deviation : (n,) array
        How far a measured value is expected to be from the predicted one, noise included.
    """

    response: str
    rows: RowNumbers
    measured: Array
    predicted: Array
    deviation: Array

    @property
    def z(self) -> Array:
        """How many deviations the values are away; beyond 3 something is odd."""
        return (self.measured - self.predicted) / self.deviation

    @property
    def within(self) -> float:
        """Share of the values within two deviations; about 0.95 if the map knows how uncertain it is."""
        return float(np.mean(np.abs(self.z) <= 2.0)) if len(self.rows) else float("nan")


def left_out_of(map: Map) -> tuple[LeftOut, ...]:
    """Measured against predicted, of every response."""
    found = []
    for j, response in enumerate(map.responses):
        rows = np.flatnonzero(~np.isnan(map.y[:, j]))
        residual, deviation = map.models[j].leave_one_out() if len(rows) else np.empty((2, 0))
        measured = map.y[rows, j]
        found.append(LeftOut(response, rows, measured, measured - residual, deviation))
    return tuple(found)
