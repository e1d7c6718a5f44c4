"""Farthest-point sampling: the pool point farthest from everything measured or pending."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.kernels import SQRT5, scaled_distance
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
        to_z = np.linalg.norm(self.P - z, axis=1)
        return DistanceState(self.P, np.vstack([self.points, z]), np.minimum(self.nearest, to_z))

    @property
    def Z(self) -> Array:
        return self.points


@dataclass(frozen=True)
class Distance(Criterion):
    """FPS, the paper's baseline. Chordal on spheres. Depends on locations only."""

    local: ClassVar[bool] = True

    def begin(self, inputs: RoundInputs) -> DistanceState:
        if len(inputs.Z) == 0:
            return DistanceState(inputs.P, inputs.Z, np.full(len(inputs.P), np.inf))
        if inputs.local:
            from scipy.spatial import cKDTree

            return DistanceState(inputs.P, inputs.Z, cKDTree(inputs.Z).query(inputs.P)[0])
        nearest = scaled_distance(inputs.P, inputs.Z, SQRT5).min(axis=1)
        return DistanceState(inputs.P, inputs.Z, nearest)
