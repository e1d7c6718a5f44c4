"""Several models as one: each counts as much as its predictions of values that it did not see deserve.

The weights maximise the density that the average gives to each value when it is left out (stacking: Yao et al.
2018), held towards equal weights as if each model had predicted some further values alone. What
the average does not know includes what its models disagree about.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logsumexp

from equiwarp.domains import Array, Domain
from equiwarp.models.base import Hyperparameters, MapModel

#: How many values each model is taken to have predicted alone, before any is looked at.
EQUAL_VALUES = 1.0
#: A model that would count for less than this is left out.
LEAST_WEIGHT = 0.01


class Average(MapModel):
    """The weighted average of fitted models of one response.

    Attributes
    ----------
    members : tuple of MapModel
    weights : (m,) array
        Positive, with sum 1.
    """

    def __init__(self, members: Sequence[MapModel], weights: Array) -> None:
        self.members, self.weights = tuple(members), np.asarray(weights, dtype=float)
        self.noise_ = float(np.sqrt(self.weights @ np.array([m.noise_ for m in self.members]) ** 2))

    @classmethod
    def of(cls, members: Sequence[MapModel], weights: Array) -> MapModel:
        """The average without those that hardly count; a single model stays as it is."""
        kept = np.flatnonzero(weights >= LEAST_WEIGHT * float(np.max(weights)))
        if len(kept) == 1:
            return members[int(kept[0])]
        return cls([members[i] for i in kept], weights[kept] / weights[kept].sum())

    @classmethod
    def fit_map(
        cls, domain: Domain, Z: Array, y: Array, noise: Array | None, earlier: Hyperparameters | None = None
    ) -> MapModel:
        raise NotImplementedError("an average is made of fitted models")

    def predict(self, X: Any, return_std: bool = False) -> Any:
        if not return_std:
            return self.weights @ np.array([m.predict(X) for m in self.members])
        pairs = [m.predict(X, return_std=True) for m in self.members]
        means, deviations = (np.array(column) for column in zip(*pairs, strict=True))
        return self._mixed(means, deviations)

    def covariance(self, A: Array, B: Array) -> Array:
        within = sum(w * m.covariance(A, B) for w, m in zip(self.weights, self.members, strict=True))
        apart = [self._disagreement(points) for points in (A, B)]
        return np.asarray(within + (self.weights * apart[0].T) @ apart[1])

    def leave_one_out(self) -> tuple[Array, Array]:
        return self._left_out

    @cached_property
    def _left_out(self) -> tuple[Array, Array]:
        pairs = [m.leave_one_out() for m in self.members]
        residuals, deviations = (np.array(column) for column in zip(*pairs, strict=True))
        return self._mixed(residuals, deviations)

    def draw(self, X: Array, count: int, seed: int = 0) -> Array:
        """Each function is one of a model, which is drawn by its weight."""
        rng = np.random.default_rng(seed)
        which = rng.choice(len(self.members), count, p=self.weights)
        drawn = np.empty((count, len(X)))
        for i, model in enumerate(self.members):
            rows = np.flatnonzero(which == i)
            if len(rows):
                drawn[rows] = model.draw(X, len(rows), int(rng.integers(2**31)))
        return drawn

    def _disagreement(self, X: Array) -> Array:
        means = np.array([m.predict(X) for m in self.members])
        return np.asarray(means - self.weights @ means)

    def _mixed(self, means: Array, deviations: Array) -> tuple[Array, Array]:
        """Mean and deviation of a mixture of distributions."""
        mean = self.weights @ means
        return mean, np.sqrt(self.weights @ (deviations**2 + (means - mean) ** 2))


def stacked(log_densities: Array, equal_values: float = EQUAL_VALUES, rounds: int = 200) -> Array:
    """Weights ``(m,)`` from the log density ``(n, m)`` that each model gives to each value left out."""
    n, m = log_densities.shape
    weights = np.full(m, 1.0 / m)
    for _ in range(rounds):
        share = log_densities + np.log(weights)
        share = np.exp(share - logsumexp(share, axis=1, keepdims=True))
        before, weights = weights, (share.sum(axis=0) + equal_values) / (n + m * equal_values)
        if np.abs(weights - before).max() < 1e-6:
            break
    return weights


def log_density(model: MapModel) -> Array:
    """Log density ``(n,)`` of each value under the model without it."""
    residual, deviation = model.leave_one_out()
    return np.asarray(-0.5 * (residual / deviation) ** 2 - np.log(deviation) - 0.5 * np.log(2.0 * np.pi))
