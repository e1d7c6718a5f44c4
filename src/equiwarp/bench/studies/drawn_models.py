"""A variant of `map` that was tried: while values are few, further members with lengthscales drawn anew.

One fit takes the likeliest parameters for the true ones. Members with others, drawn around them by Laplace's
approximation, let the choice know how uncertain they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equiwarp.domains import Array
from equiwarp.models.fitting import FitTask
from equiwarp.strategy.base import RoundInputs
from equiwarp.strategy.map_error import MapError
from equiwarp.strategy.map_models import DECIMALS, HEDGED_VALUES, FittedModel, FittedResponse

#: Step of the logarithms over which the curvature is taken, and their largest deviation.
STEP, LARGEST_DEVIATION = 0.05, 1.0


@dataclass(frozen=True)
class DrawnModelsError(MapError):
    """The first family shares its weight with members of other parameters.

    Attributes
    ----------
    draws : int
        How many there are, up to :data:`~equiwarp.strategy.map_models.HEDGED_VALUES` values.
    """

    draws: int = 3

    def learn(self, inputs: RoundInputs, earlier: Any) -> Any:
        plain = super().learn(inputs, None)
        return tuple(self._with_draws(inputs, response) for response in plain)

    def _with_draws(self, inputs: RoundInputs, fitted: FittedResponse) -> FittedResponse:
        n, first = len(fitted.y), fitted.models[0]
        if not fitted.informed or n > HEDGED_VALUES:
            return fitted
        Z = inputs.domain.embed(inputs.x[:n])
        task = FitTask(first.covariance, Z, fitted.y, fitted.noise_var)
        share = first.weight / (self.draws + 1)
        drawn = [
            FittedModel(first.covariance, t, share, float(first.covariance.diagonal(t, Z).mean()))
            for t in drawn_parameters(task, first.t, self.draws)
        ]
        return replace(fitted, models=(replace(first, weight=share), *fitted.models[1:], *drawn))


def drawn_parameters(task: FitTask, t: Array, draws: int) -> Array:
    """Parameters ``(draws, p)`` around the likeliest ones, by Laplace's approximation."""
    steps = STEP * np.eye(len(t))
    H = np.array([(task.loss(t + step)[1] - task.loss(t - step)[1]) / (2.0 * STEP) for step in steps])
    curvature, vectors = np.linalg.eigh((H + H.T) / 2.0)
    deviations = np.minimum(1.0 / np.sqrt(np.maximum(curvature, 1e-6)), LARGEST_DEVIATION)
    z = np.random.default_rng(len(task.y)).standard_normal((draws, len(t)))
    low, high = np.array(task.bounds()).T
    return np.asarray(np.round(np.clip(t + (z * deviations) @ vectors.T, low, high), DECIMALS))
