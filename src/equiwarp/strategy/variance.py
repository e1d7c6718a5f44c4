"""Posterior variance, whose argmax is that of the expected information gain (eq:eig_gp)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.fast.bounded import BoundedField
from equiwarp.gp.fast.local import LocalField
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52
from equiwarp.strategy.base import Criterion, CriterionState, FieldState, RoundInputs


@dataclass(frozen=True)
class VarianceState(FieldState):
    """The posterior field at the pool."""

    field: Field
    noise_var: float

    def score(self) -> Array:
        return self.field.variance

    def add(self, z: Array) -> CriterionState:
        return VarianceState(self.field.add(z, self.noise_var), self.noise_var)


@dataclass(frozen=True)
class BoundedState(CriterionState):
    """The same for a geometry that lasts one round: exact where it matters, bounded elsewhere.

    With very many conditioning points, a local field stands in for the exact one.
    """

    field: BoundedField | LocalField
    noise_var: float

    def score(self) -> Array:
        return self.field.variance

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[CriterionState, int]:
        field, best = self.field.best(weights, free)
        return BoundedState(field, self.noise_var), best

    def score_at(self, i: int) -> float:
        field = self.field if self.field.exact[i] else self.field.evaluate(np.array([i]))
        return float(field.upper[i])

    def variance_at(self, i: int) -> float:
        return self.score_at(i)

    def add(self, z: Array) -> CriterionState:
        return BoundedState(self.field.add(z, self.noise_var), self.noise_var)

    @property
    def shortlist(self) -> NDArray[np.intp] | None:
        return self.field.shortlist if isinstance(self.field, BoundedField) else None

    @property
    def Z(self) -> Array:
        return self.field.Z

    @property
    def variance(self) -> Array:
        return self.field.variance

    @property
    def jitter(self) -> float:
        return self.field.jitter


@dataclass(frozen=True)
class Variance(Criterion):
    """s^2(x). With fixed noise, EIG = log(1 + s^2 / noise^2) / 2 increases with it.

    Alone it favours the boundary; see the equalizer.
    """

    local: ClassVar[bool] = True

    def begin(self, inputs: RoundInputs) -> CriterionState:
        noise_var = inputs.typical_noise**2
        if inputs.local and isinstance(inputs.kernel, Matern52):
            return BoundedState(LocalField.of(inputs.kernel, inputs.P, inputs.Z, inputs.noise_var), noise_var)
        near = inputs.neighbours
        if near is None or not isinstance(inputs.kernel, Matern52):
            return VarianceState(Field.of(inputs.kernel, inputs.P, inputs.Z, inputs.noise_var), noise_var)
        field = BoundedField.of(inputs.kernel, inputs.P, inputs.Z, inputs.noise_var, near, inputs.shortlist)
        return BoundedState(field, noise_var)
