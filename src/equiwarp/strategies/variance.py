"""Posterior variance, whose argmax is that of the expected information gain (eq:eig_gp)."""

from __future__ import annotations

from dataclasses import dataclass

from equiwarp.domains import Array
from equiwarp.gp.field import Field
from equiwarp.strategies.base import Criterion, Scene, State, same_model


@dataclass(frozen=True)
class VarianceState(State):
    """The posterior field at the pool."""

    field: Field
    noise_var: float

    def score(self) -> Array:
        return self.field.variance

    def add(self, z: Array) -> State:
        return VarianceState(self.field.add(z, self.noise_var), self.noise_var)

    def fits(self, scene: Scene) -> bool:
        return super().fits(scene) and same_model(self.field, self.noise_var, scene)

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

    def begin(self, scene: Scene) -> State:
        field = Field.of(scene.kernel, scene.P, scene.Z, scene.noise_var)
        return VarianceState(field, scene.typical_noise**2)
