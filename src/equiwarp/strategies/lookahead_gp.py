"""Look one experiment ahead at the Gaussian-process map, under the model that will draw it.

Measuring at x lowers the predictive variance at a target u by cov(u, x)^2 / (s^2(x) + noise^2). Three
things make the sum of these a guide to the *error* of the map, not only to the model's opinion of it:

- the lengthscale is fitted, because the map's will be;
- targets count by 1 + (|grad mu| / c)^2: a stationary model is wrong where the function varies most;
- the drop is multiplied by s^2(x). The average drop alone never looks at corners and faces, where a
  model that extrapolates can be wrong by far more than it expects; the variance alone looks nowhere
  else. Their product asks for both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_solve

from equiwarp.domains import Array
from equiwarp.gp.field import Field
from equiwarp.strategies.base import Criterion, FieldState, Scene, State

#: Uniform part of the targets' weights, against a mean square gradient of one.
FLOOR = 1.0


@dataclass(frozen=True)
class IntegratedErrorState(FieldState):
    """The posterior at pool and targets, their covariance, and the targets' weights.

    Attributes
    ----------
    field : Field
        At the pool (first m points) and the targets (the rest).
    covariance : (t, m) array
        Posterior covariance between targets and pool.
    weights : (t,) array
    """

    field: Field
    covariance: Array
    weights: Array
    noise_var: float

    def score(self) -> Array:
        drop = self.weights @ (self.covariance * self.covariance)
        return drop * self.variance / np.maximum(self.variance + self.noise_var, 1e-12)

    def add(self, z: Array) -> State:
        m = self.covariance.shape[1]
        field = self.field.add(z, self.noise_var)
        row = field.last_row
        return replace(self, field=field, covariance=self.covariance - np.outer(row[m:], row[:m]))

    def refresh(self, scene: Scene) -> State:
        """Weigh the targets by the gradient of the posterior mean of the values known by now."""
        n, k = scene.y.shape
        Z, U = self.field.Z[:n], self.field.P[self.covariance.shape[1] :]
        alpha = cho_solve((self.field.L[:n, :n], True), scene.y, check_finite=False)
        square = np.zeros(len(U))
        for j in range(k):
            gradient = scene.domain.tangent(U, scene.kernel.weighted_gradient(U, Z, alpha[:, j]))
            square += np.sum(gradient**2, axis=1)
        mean_square = float(square.mean())
        weights = FLOOR + (square / mean_square if mean_square > 1e-16 else 0.0 * square)
        return replace(self, weights=weights / len(U))

    @property
    def pool_size(self) -> int:
        return self.covariance.shape[1]


@dataclass(frozen=True)
class IntegratedError(Criterion):
    """Weighted integrated variance times variance, under the fitted lengthscale.

    For the map that equiwarp draws. Use `lookahead-nn` where the table of measurements itself is the
    map, and `equiwarp` where nothing is known of the map's use.
    """

    uses_values: ClassVar[bool] = True
    targets: int = 384

    def begin(self, scene: Scene) -> State:
        if len(scene.y) == 0:
            raise ValueError("looking ahead needs at least one measured value; start with `sobol`")
        U = scene.U[: self.targets]
        m = len(scene.P)
        field = Field.of(scene.kernel, np.concatenate([scene.P, U]), scene.Z, scene.noise_var)
        V = field.V.rows
        covariance = scene.kernel(U, scene.P) - V[:, m:].T @ V[:, :m]
        state = IntegratedErrorState(field, covariance, np.ones(len(U)), scene.typical_noise**2)
        return state.refresh(scene)
