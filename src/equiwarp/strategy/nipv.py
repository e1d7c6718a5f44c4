"""Negative integrated posterior variance: how much a point lowers the variance over the whole domain.

``NIPV(x) = sum_u w_u cov(u, x)^2 / (s^2(x) + noise^2)`` over low-discrepancy targets u. Let
``S(x) = sum_u w_u cov(u, x)^2``. Conditioning on one more point with whitened covariances r turns
cov(u, x) into cov(u, x) - r_u r_x, hence

    S(x) -> S(x) - 2 r_x sum_u w_u r_u cov(u, x) + r_x^2 sum_u w_u r_u^2,

which costs one product with the prior cross-covariance instead of a new integral.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.field import Field
from equiwarp.strategy.base import Criterion, CriterionState, FieldState, RoundInputs


@dataclass(frozen=True)
class IntegratedState(FieldState):
    """A field over pool and targets, and the weighted squared covariance S at the pool.

    Attributes
    ----------
    field : Field
        At the pool (first m points) and the targets (the rest).
    prior : (t, m) array
        Prior covariance between targets and pool.
    weights : (t,) array
    square : (m,) array
        S above.
    """

    field: Field
    prior: Array
    weights: Array
    square: Array
    noise_var: float

    @classmethod
    def of(cls, inputs: RoundInputs, weights: Array) -> IntegratedState:
        """Condition on the round inputs, with weights ``(t,)`` for its targets."""
        m = len(inputs.P)
        field = Field.of(inputs.kernel, np.concatenate([inputs.P, inputs.U]), inputs.Z, inputs.noise_var)
        prior = inputs.kernel(inputs.U, inputs.P)
        V = field.V.rows
        covariance = prior - V[:, m:].T @ V[:, :m]
        square = weights @ (covariance * covariance)
        return cls(field, prior, weights, square, inputs.typical_noise**2)

    def score(self) -> Array:
        return self.square / np.maximum(self.variance + self.noise_var, 1e-12)

    def add(self, z: Array) -> CriterionState:
        m = self.prior.shape[1]
        field = self.field.add(z, self.noise_var)
        V, row = self.field.V.rows, field.last_row
        r_pool, r_target = row[:m], row[m:]
        weighted = self.weights * r_target
        covariance = weighted @ self.prior - (V[:, m:] @ weighted) @ V[:, :m]
        square = self.square - 2.0 * r_pool * covariance + r_pool**2 * float(weighted @ r_target)
        return IntegratedState(field, self.prior, self.weights, np.maximum(square, 0.0), self.noise_var)

    @property
    def pool_size(self) -> int:
        return self.prior.shape[1]


@dataclass(frozen=True)
class IntegratedVariance(Criterion):
    """NIPV with uniform weights over the targets (Seo et al. 2000; the paper's appendix A.1)."""

    def begin(self, inputs: RoundInputs) -> CriterionState:
        return IntegratedState.of(inputs, np.full(len(inputs.U), 1.0 / len(inputs.U)))
