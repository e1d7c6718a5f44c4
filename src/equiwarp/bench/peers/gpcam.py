"""``gpcam-gradient``: the score |grad mu(x)| sigma(x) that gpCAM offers, on our own acquisition GP.

Only the formula is gpCAM's. Kernel, lengthscale, noise and pool are those of the other arms, so that
what is compared is the score and not the fit of a model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_solve

from equiwarp.domains import Array, Domain
from equiwarp.exceptions import InvalidInput
from equiwarp.geometry.density import gradient_norm
from equiwarp.gp.fast.slopes import Slopes
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52
from equiwarp.strategy import Criterion, CriterionState, RoundInputs, Strategy
from equiwarp.strategy.base import FieldState


@dataclass(frozen=True)
class SlopeState(FieldState):
    """The posterior field at the pool, and what the gradient of its mean is made of.

    Attributes
    ----------
    slopes : Slopes
        Between the points that have values and the pool.
    y : (n, k) array
        Standardised values; the mean ignores conditioning points beyond these.
    """

    domain: Domain
    field: Field
    slopes: Slopes
    y: Array
    noise_var: float

    def score(self) -> Array:
        n = len(self.y)
        alpha = cho_solve((self.field.L[:n, :n], True), self.y, check_finite=False)
        gradient = self.slopes.mean_gradient(alpha)
        along = [self.domain.tangent(self.field.P, gradient[:, :, j]) for j in range(alpha.shape[1])]
        return gradient_norm(np.stack(along, axis=2)) * np.sqrt(self.field.variance)

    def add(self, z: Array) -> CriterionState:
        return replace(self, field=self.field.add(z, self.noise_var))

    def refresh(self, inputs: RoundInputs) -> CriterionState:
        kernel = self.slopes.kernel
        known = inputs.Z[: len(inputs.y)]
        slopes = self.slopes.extend(kernel, known) or Slopes.of(kernel, self.field.P, known)
        return replace(self, y=inputs.y, slopes=slopes)


@dataclass(frozen=True)
class SlopeTimesDeviation(Criterion):
    """|grad mu| sigma. Zero wherever the mean is flat, so a feature not yet seen stays unseen."""

    uses_values: ClassVar[bool] = True

    def begin(self, inputs: RoundInputs) -> CriterionState:
        if not isinstance(inputs.kernel, Matern52):
            raise InvalidInput(
                f"|grad mu| sigma needs the Matern-5/2 kernel, not {type(inputs.kernel).__name__}"
            )
        field = Field.of(inputs.kernel, inputs.P, inputs.Z, inputs.noise_var)
        slopes = Slopes.of(inputs.kernel, inputs.P, inputs.Z[: len(inputs.y)])
        return SlopeState(inputs.domain, field, slopes, inputs.y, inputs.typical_noise**2)


GRADIENT = Strategy(
    "gpcam-gradient",
    SlopeTimesDeviation(),
    summary="posterior deviation times slope of the posterior mean, gpCAM's score on our GP",
)
