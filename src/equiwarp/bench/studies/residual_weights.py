"""A variant of `map` that was tried: targets count by how far the map misses values that are left out.

Value i, left out, misses the average by r_i, where the variance f_i^2 + noise^2 was expected. Near u it is
off by

    c(u) = (k_0 + sum_i k(u, x_i) a_i e_i) / (k_0 + sum_i k(u, x_i) a_i),
    e_i = (r_i^2 - noise^2) / f_i^2,    a_i = (f_i^2 / (f_i^2 + noise^2))^2,

one step from c = 1 towards the likeliest factor of f^2 around u: a_i is the information that a residual has
of it, and k_0 is how many values are taken to have been as expected. Distances are those of the fitted model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.distance import cdist

from equiwarp.domains import Array
from equiwarp.models.covariance import Stationary
from equiwarp.models.exact import ExactPosterior
from equiwarp.models.fitting import SMALLEST_NOISE_VAR
from equiwarp.strategy.base import CriterionState, RoundInputs
from equiwarp.strategy.map_error import MapError
from equiwarp.strategy.map_models import FittedResponse, TargetChoice
from equiwarp.strategy.map_state import MapErrorState, ResponseState

#: How many values are taken to have missed by as much as expected, before any is looked at.
AS_EXPECTED = 4.0
#: The neighbour whose typical distance is the width of the average.
NEIGHBOUR = 3
#: Least factor of the variance.
SMALLEST_FACTOR = 0.1
#: Of the share of the weight that follows the change of the map: values tried, and how much each is doubted.
SHARES = np.linspace(0.0, 1.0, 6)
DOUBT = 3.0
MOST_CHANGE = 5.0


@dataclass(frozen=True)
class ResidualsThere:
    """What the average says of each value without it.

    Attributes
    ----------
    Z : (n, e) array
        Places, divided by the model's lengthscales.
    scale : (e,) array
        Those.
    residual, expected, noise : (n,) arrays
        How far the value misses, and the variances of the function and of the noise there.
    change : (n,) array
        Square of what the map without the value changes from the nearest other one, over its mean.
    """

    Z: Array
    scale: Array
    residual: Array
    expected: Array
    noise: Array
    change: Array

    def factor(self, A: Array) -> Array:
        """By how much the variance is off at places ``(m, e)``."""
        known = self.expected + self.noise
        information = (self.expected / known) ** 2
        excess = self.expected * (self.residual**2 - self.noise) / known**2
        own = cdist(self.Z, self.Z, "sqeuclidean")
        width = float(np.median(np.partition(own, NEIGHBOUR, axis=1)[:, NEIGHBOUR]))
        near = np.exp(-0.5 * cdist(A / self.scale, self.Z, "sqeuclidean") / max(width, 1e-12))
        found = (AS_EXPECTED + near @ excess) / (AS_EXPECTED + near @ information)
        return np.maximum(found, SMALLEST_FACTOR)

    def share_of_change(self) -> float:
        """How much of the weight the change of the map deserves: its mean given the residuals."""
        logs = []
        for share in SHARES:
            variance = self.expected * (1.0 - share + share * self.change) + self.noise
            logs.append(-0.5 * np.sum(self.residual**2 / variance + np.log(variance)) - DOUBT * share)
        odds = np.exp(np.array(logs) - max(logs))
        return float(odds @ SHARES / odds.sum())


def left_out(fitted: FittedResponse, Z: Array) -> ResidualsThere:
    """Of the average of models that were fitted to values at ``Z``."""
    pairs = [
        ExactPosterior(
            m.covariance, m.t, Z, fitted.y, np.maximum(fitted.noise_var, SMALLEST_NOISE_VAR)
        ).leave_one_out()
        for m in fitted.models
    ]
    weights = np.array([model.weight for model in fitted.models])
    residuals, deviations = (np.array(column) for column in zip(*pairs, strict=True))
    residual = weights @ residuals
    variance = weights @ (deviations**2 + (residuals - residual) ** 2)
    own = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(own, np.inf)
    change = (fitted.y - residual - fitted.y[own.argmin(axis=1)]) ** 2
    change = np.minimum(change / max(float(change.mean()), 1e-16), MOST_CHANGE)
    scale = _lengthscales(fitted, Z.shape[1])
    expected = np.maximum(variance - fitted.noise_var, 1e-6 * variance)
    return ResidualsThere(Z / scale, scale, residual, expected, fitted.noise_var, change)


def _lengthscales(fitted: FittedResponse, coordinates: int) -> Array:
    """Of the first model, one for each coordinate."""
    term = fitted.models[0].covariance.terms[0]
    if type(term) is not Stationary:
        return np.ones(coordinates)
    return np.asarray(np.exp(fitted.models[0].t[1:])[term.groups])


@dataclass(frozen=True)
class WeightedState(MapErrorState):
    """Targets count by what the values that were left out say: by ``factor``, by the change, or by both."""

    @classmethod
    def of(
        cls,
        inputs: RoundInputs,
        targets: TargetChoice,
        floor: float | None,
        look_ahead: bool,
        known: tuple[ResponseState, ...] = (),
    ) -> MapErrorState:
        state = super().of(inputs, targets, floor, look_ahead, known)
        U = inputs.U[targets.rows(len(inputs.y), len(inputs.U))]
        responses = [replace(r, weights=cls.weights(inputs, r, U)) for r in state.responses]
        return replace(state, responses=tuple(responses))

    @classmethod
    def weights(cls, inputs: RoundInputs, response: ResponseState, U: Array) -> Array:
        """Of the targets ``(t,)``."""
        if not response.fitted.informed:
            return np.ones(len(U))
        left = left_out(response.fitted, inputs.Z[: len(response.fitted.y)])
        return cls.of_left_out(left, response, U)

    @staticmethod
    def of_left_out(left: ResidualsThere, response: ResponseState, U: Array) -> Array:
        return left.factor(U)


class ChangingState(WeightedState):
    """Where the map changes, as far as residuals are larger where it does."""

    @staticmethod
    def of_left_out(left: ResidualsThere, response: ResponseState, U: Array) -> Array:
        share = left.share_of_change()
        return 1.0 - share + share * np.minimum(response.weights, MOST_CHANGE)


@dataclass(frozen=True)
class ResidualWeightedError(MapError):
    """The expected drop of the squared error where it is as large as residuals say.

    Attributes
    ----------
    by_change : bool
        Follow the change of the map instead, as far as residuals are larger where it is.
    """

    by_change: bool = False

    def begin(self, inputs: RoundInputs) -> CriterionState:
        if inputs.learnt is None:
            inputs = replace(inputs, learnt=self.learn(inputs, None))
        targets = TargetChoice(self.targets, self.renewed)
        if self.by_change:
            return ChangingState.of(inputs, targets, 0.0, self.look_ahead)
        return WeightedState.of(inputs, targets, None, self.look_ahead)
