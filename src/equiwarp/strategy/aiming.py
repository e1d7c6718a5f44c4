"""What is believed of the responses at places, for strategies that have no models of their own.

An aim at a level asks where the truth may lie near it. The acquisition GP cannot say: its scale is that of
the design. So one of the map's families is fitted, in the way `map` does it, and the score of each place is
multiplied by what the place counts for the aim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.cholesky import safe_cholesky, solve, whiten
from equiwarp.models.fitting import SMALLEST_NOISE_VAR, some_rows
from equiwarp.strategy.base import RoundInputs
from equiwarp.strategy.map_models import FittedResponse, Hedge, fit_responses, own_scale

#: The family that is fitted.
FAMILY = ("matern",)
#: Values that the belief rests on at most, and places that are looked at together.
MOST_BELIEVED, AT_ONCE = 1000, 8192


@dataclass(frozen=True)
class Beliefs:
    """The fitted model of each response."""

    fitted: tuple[FittedResponse, ...]

    @classmethod
    def of(cls, inputs: RoundInputs, earlier: Beliefs | None) -> Beliefs:
        """Fitted to the round's values, unless that would repeat what an earlier round has done."""
        return cls(fit_responses(inputs, FAMILY, Hedge(0.0), earlier.fitted if earlier else ()))

    def at(self, inputs: RoundInputs, x: Array) -> tuple[Array, Array]:
        """Mean and variance ``(m, k)`` at points ``(m, columns)``, standardised, given what was measured."""
        pairs = [self._response(inputs, x, j) for j in range(len(self.fitted))]
        return np.column_stack([p[0] for p in pairs]), np.column_stack([p[1] for p in pairs])

    def _response(self, inputs: RoundInputs, x: Array, j: int) -> tuple[Array, Array]:
        fitted, y = self.fitted[j], inputs.y[:, j]
        center, scale = own_scale(y[: len(fitted.y)])
        rows = some_rows(len(y), MOST_BELIEVED)
        (model,) = fitted.models
        unit = scale * float(np.sqrt(model.height))
        Z = inputs.domain.embed(inputs.x[: len(y)][rows])
        noise_var = np.maximum(inputs.each_noise_var[rows, j] / unit**2, SMALLEST_NOISE_VAR)
        L, _ = safe_cholesky(model.prior(Z, Z), noise_var)
        alpha = solve(L, ((y[rows] - center) / unit)[:, None])[:, 0]
        mean, variance = np.empty(len(x)), np.empty(len(x))
        for part in _parts(len(x)):
            A = inputs.domain.embed(x[part])
            k = model.prior(Z, A)
            mean[part] = center + unit * (alpha @ k)
            v = whiten(L, k)
            variance[part] = unit**2 * np.maximum(model.prior_variance(A) - np.einsum("ij,ij->j", v, v), 0.0)
        return mean, variance


def _parts(m: int) -> Sequence[slice]:
    return [slice(start, start + AT_ONCE) for start in range(0, m, AT_ONCE)]
