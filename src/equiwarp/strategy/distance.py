"""Farthest-point sampling: the pool point farthest from everything measured or pending."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equiwarp.domains import Array
from equiwarp.strategy.base import Criterion, CriterionState, RoundInputs


@dataclass(frozen=True)
class DistanceState(CriterionState):
    """Distance of each pool point to its nearest conditioning point, ``(m,)``."""

    P: Array
    points: Array
    nearest: Array

    def score(self) -> Array:
        return self.nearest

    def add(self, z: Array) -> DistanceState:
        nearest = np.minimum(self.nearest, _to_nearest(self.P, z[None]))
        return DistanceState(self.P, np.vstack([self.points, z]), nearest)

    @property
    def Z(self) -> Array:
        return self.points


@dataclass(frozen=True)
class Distance(Criterion):
    """FPS, the paper's baseline. Chordal on spheres. Depends on locations only."""

    local: ClassVar[bool] = True

    def begin(self, inputs: RoundInputs) -> DistanceState:
        if inputs.local:
            from scipy.spatial import cKDTree

            return DistanceState(inputs.P, inputs.Z, cKDTree(inputs.Z).query(inputs.P)[0])
        return DistanceState(inputs.P, inputs.Z, _to_nearest(inputs.P, inputs.Z))


def _to_nearest(P: Array, Z: Array) -> Array:
    """Distance of each point ``(m, e)`` to the nearest of ``(N, e)``; infinite if there is none.

    Each distance comes out the same however many are asked for at once. On a grid many points are
    equally far, and rounding must not make a resumed round choose another one than a fresh round.
    Coordinate by coordinate this is as fast as SciPy's ``cdist`` up to three of them, and its loading
    would take longer than all other work of a first suggestion.
    """
    nearest, coordinates = np.full(len(P), np.inf), np.ascontiguousarray(P.T)
    for z in Z:
        square = np.zeros(len(P))
        for coordinate, place in zip(coordinates, z, strict=True):
            apart = coordinate - place
            apart *= apart
            square += apart
        np.minimum(nearest, square, out=nearest)
    return np.sqrt(nearest)
