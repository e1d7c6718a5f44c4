"""Posterior variance, whose argmax is that of the expected information gain (eq:eig_gp)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.fast.bounded import BoundedField
from equiwarp.gp.fast.local import LocalField
from equiwarp.gp.fast.neighbours import Neighbours
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52
from equiwarp.gp.posterior import Posterior
from equiwarp.strategy.base import Criterion, CriterionState, FieldState, RoundInputs


@dataclass(frozen=True)
class VarianceState(FieldState):
    """The posterior at the pool, and the neighbours that bound it where the geometry changes each round."""

    field: Posterior
    noise_var: float
    near: Neighbours | None = None

    def score(self) -> Array:
        return self.field.variance

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[CriterionState, int]:
        field, best = self.field.best(weights, free)
        return VarianceState(field, self.noise_var, self.near), best

    def score_at(self, i: int) -> float:
        return self.field.variance_at(i)

    def variance_at(self, i: int) -> float:
        return self.field.variance_at(i)

    def add(self, z: Array) -> CriterionState:
        return VarianceState(self.field.add(z, self.noise_var), self.noise_var, self.near)

    @property
    def neighbours(self) -> Neighbours | None:
        return self.near

    @property
    def shortlist(self) -> NDArray[np.intp] | None:
        return self.field.shortlist if isinstance(self.field, BoundedField) else None


@dataclass(frozen=True)
class Variance(Criterion):
    """s^2(x). With fixed noise, EIG = log(1 + s^2 / noise^2) / 2 increases with it.

    Alone it favours the boundary; see the equalizer.
    """

    local: ClassVar[bool] = True

    def begin(self, inputs: RoundInputs) -> CriterionState:
        kernel, noise_var = inputs.kernel, inputs.typical_noise**2
        known, near = (inputs.P, inputs.Z, inputs.noise_var), inputs.neighbours
        if isinstance(kernel, Matern52) and inputs.local:
            return VarianceState(LocalField.of(kernel, *known), noise_var)
        if isinstance(kernel, Matern52) and near is not None:
            field = BoundedField.of(kernel, *known, near, inputs.shortlist)
            return VarianceState(field, noise_var, near)
        return VarianceState(Field.of(kernel, *known), noise_var)
