"""Expected predictive information gain about noisy predictions at joint targets (eq:epig_gp).

The paper's ratio is a difference of conditional entropies of y at x: given the data, and given the
data and noisy values at all targets. So two fields suffice, one conditioned on the targets as well:

    EPIG(x) = log[(s^2(x | D) + noise^2) / (s^2(x | D, targets) + noise^2)] / 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.field import Field
from equiwarp.strategy.base import Criterion, CriterionState, RoundInputs, same_model

#: Floor of the noise variance: without noise, a point among the targets would be known exactly.
SMALLEST_TARGET_NOISE_VAR = 1e-8
#: Joint targets; ours. 1,024 leave y at x with nothing of its own to tell, and EPIG becomes EIG: on the
#: smooth boxes 2D / 3D, 45 % / 62 % of its points lie within 0.05 of a face, with 128 it is 31 % / 34 %.
JOINT_TARGETS = 128


@dataclass(frozen=True)
class JointState(CriterionState):
    """The pool given the data, and given the data and the targets."""

    given_data: Field
    given_targets: Field
    noise_var: float

    def score(self) -> Array:
        floor = max(self.noise_var, SMALLEST_TARGET_NOISE_VAR)
        ratio = (self.given_data.variance + floor) / (self.given_targets.variance + floor)
        return 0.5 * np.log(ratio)

    def add(self, z: Array) -> CriterionState:
        to_P = self.given_data.kernel.of_point(z, self.given_data.P)
        given_data, given_targets = (
            field.add(z, self.noise_var, to_P) for field in (self.given_data, self.given_targets)
        )
        return JointState(given_data, given_targets, self.noise_var)

    def fits(self, inputs: RoundInputs) -> bool:
        return super().fits(inputs) and same_model(self.given_data, self.noise_var, inputs)

    @property
    def Z(self) -> Array:
        return self.given_data.Z

    @property
    def variance(self) -> Array:
        return self.given_data.variance

    @property
    def jitter(self) -> float:
        return max(self.given_data.jitter, self.given_targets.jitter)


@dataclass(frozen=True)
class JointPredictiveGain(Criterion):
    """EPIG as the paper prints it. The denser the targets, the closer it comes to plain EIG."""

    targets: int = JOINT_TARGETS

    def begin(self, inputs: RoundInputs) -> CriterionState:
        noise_var = inputs.typical_noise**2
        U = inputs.U[: self.targets]
        given_data = Field.of(inputs.kernel, inputs.P, inputs.Z, inputs.noise_var)
        at_targets = np.full(len(U), max(noise_var, SMALLEST_TARGET_NOISE_VAR))
        given_targets = Field.of(
            inputs.kernel,
            inputs.P,
            np.concatenate([U, inputs.Z]),
            np.concatenate([at_targets, inputs.noise_var]),
        )
        return JointState(given_data, given_targets, noise_var)
