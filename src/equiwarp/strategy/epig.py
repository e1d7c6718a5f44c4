"""Expected predictive information gain, the mean over single targets (Smith et al. 2023).

What y at x tells about a noisy value at a target u is a function of their posterior correlation:

    EPIG(x) = mean_u I(y_x; y_u),  I = -log(1 - rho_u(x)^2) / 2,
    rho_u(x)^2 = cov(u, x)^2 / [(s^2(x) + noise^2) (s^2(u) + noise^2)].

The paper prints the information about all targets *jointly* (:mod:`equiwarp.strategy.epig_joint`), which is
plain EIG for many targets. Its claims about EPIG, that it keeps away from the faces and stays above farthest
points, hold for this form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.field import Field
from equiwarp.strategy.base import Criterion, CriterionState, FieldState, RoundInputs

#: Floor of the noise variance: without noise, a target would tell everything about itself.
SMALLEST_TARGET_NOISE_VAR = 1e-8
#: Targets, of those that the round has; ours. Time and memory grow with them.
TARGETS = 512
#: Factors multiplied before one logarithm is taken of them: at least 1e-9 each, so the product is a number.
FACTORS, SMALLEST_FACTOR = 32, 1e-9


@dataclass(frozen=True)
class EpigState(FieldState):
    """A field over pool and targets, and the posterior covariance between the two.

    Attributes
    ----------
    field : Field
        At the pool (first m points) and the targets (the rest).
    covariance : (t, m) array
        Between targets and pool, given the data.
    """

    field: Field
    covariance: Array
    noise_var: float

    def score(self) -> Array:
        m = self.pool_size
        total = self.field.variance + max(self.noise_var, SMALLEST_TARGET_NOISE_VAR)
        return mean_information(self.covariance, total[m:], total[:m])

    def add(self, z: Array) -> CriterionState:
        m = self.pool_size
        field = self.field.add(z, self.noise_var)
        to_pool, to_targets = field.last_row[:m], field.last_row[m:]
        covariance = np.empty_like(self.covariance)
        for rows in blocks(len(covariance)):  # a block at a time stays in the cache
            np.multiply(to_targets[rows, None], to_pool, out=covariance[rows])
            np.subtract(self.covariance[rows], covariance[rows], out=covariance[rows])
        return EpigState(field, covariance, self.noise_var)

    @property
    def pool_size(self) -> int:
        return self.covariance.shape[1]


@dataclass(frozen=True)
class PredictiveGain(Criterion):
    """EPIG over single targets. Like NIPV it prefers points that tell about much of the domain."""

    targets: int = TARGETS

    def begin(self, inputs: RoundInputs) -> CriterionState:
        m, U = len(inputs.P), inputs.U[: self.targets]
        field = Field.of(inputs.kernel, np.concatenate([inputs.P, U]), inputs.Z, inputs.noise_var)
        V = field.V.rows
        covariance = inputs.kernel(U, inputs.P) - V[:, m:].T @ V[:, :m]
        return EpigState(field, covariance, inputs.typical_noise**2)


def mean_information(covariance: Array, of_target: Array, of_pool: Array) -> Array:
    """Mean over targets of -log(1 - rho^2) / 2, ``(m,)``, from covariances ``(t, m)`` and total variances."""
    information, over_pool = np.zeros(len(of_pool)), 1.0 / of_pool
    for rows in blocks(len(of_target)):
        left = np.square(covariance[rows])
        left *= -1.0 / of_target[rows, None]
        left *= over_pool
        left += 1.0
        information -= np.log(np.prod(np.maximum(left, SMALLEST_FACTOR, out=left), axis=0))
    return information / (2 * len(of_target))


def blocks(count: int) -> Iterator[slice]:
    """Rows 0 to ``count`` in blocks of :data:`FACTORS`."""
    return (slice(start, start + FACTORS) for start in range(0, count, FACTORS))
