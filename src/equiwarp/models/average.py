"""Several models as one: each counts as much as its predictions of values that it did not see deserve.

The weights maximise the density that the average gives to the values of each place when they are left out
(stacking: Yao et al. 2018), held towards equal weights as if each model had predicted some further values
alone. What the average does not know includes what its models disagree about.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from equiwarp._util.progress import Progress
from equiwarp.domains import Array, Domain
from equiwarp.domains.base import place_of
from equiwarp.models.base import FitResult, MapModel
from equiwarp.models.fitting import some_rows

#: How many values each model is taken to have predicted alone, before any is looked at.
EQUAL_VALUES = 1.0
#: Of more values than this, a part decides how much each model counts, and only the best few are given all.
MANY_VALUES, MOST_MEMBERS = 2000, 2
#: A model that would count for less than this is left out.
LEAST_WEIGHT = 0.01


class Average(MapModel):
    """The weighted average of fitted models of one response.

    Attributes
    ----------
    weights_ : dict of str to float
        How much each family counts; their sum is 1.
    members : tuple of MapModel
        Those that count for something.
    weights, names : (m,) array and tuple of str
        Theirs.
    """

    def __init__(self, fitted: Mapping[str, MapModel], weights: Array) -> None:
        kept = np.flatnonzero(weights >= LEAST_WEIGHT)
        models, names = list(fitted.values()), list(fitted)
        self.members, self.weights = tuple(models[i] for i in kept), weights[kept] / weights[kept].sum()
        self.names = tuple(names[i] for i in kept)
        self.weights_ = dict.fromkeys(names, 0.0)
        self.weights_.update(zip((names[i] for i in kept), self.weights.tolist(), strict=True))
        self.noise_ = float(np.sqrt(self.weights @ np.array([m.noise_ for m in self.members]) ** 2))
        self.hyperparameters_ = {name: model.hyperparameters_ for name, model in fitted.items()}

    @classmethod
    def fit_map(
        cls, domain: Domain, Z: Array, y: Array, noise: Array | None, earlier: FitResult | None = None
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


def stacked(log_densities: Array, equal_values: float | Array = EQUAL_VALUES, rounds: int = 200) -> Array:
    """Weights ``(m,)`` from the log density ``(n, m)`` that each model gives to each value left out.

    ``equal_values`` is how many values each is taken to have predicted alone, one number or ``(m,)``.
    """
    from scipy.special import logsumexp  # here, since a command that fits nothing would wait for it

    n, m = log_densities.shape
    alone = np.broadcast_to(equal_values, (m,))
    weights = np.full(m, 1.0 / m)
    for _ in range(rounds):
        with np.errstate(divide="ignore"):  # the weight of a family with a handicap may have come to 0
            share = log_densities + np.log(weights)
        share = np.exp(share - logsumexp(share, axis=1, keepdims=True))
        before, weights = weights, (share.sum(axis=0) + alone) / (n + alone.sum())
        if np.abs(weights - before).max() < 1e-6:
            break
    return weights


def stacked_with(handicaps: Array, log_densities: Array, equal_values: float = EQUAL_VALUES) -> Array:
    """Weights of families with handicaps ``(m,)``; those that have one are not held to equal weights."""
    n, m = log_densities.shape
    alone = np.where(handicaps > 0, 0.0, equal_values)
    return np.ones(1) if m == 1 else stacked(log_densities - handicaps / n, alone)


def log_density(model: MapModel) -> Array:
    """Log density ``(n,)`` of each value under the model without it."""
    residual, deviation = model.leave_one_out()
    return np.asarray(-0.5 * (residual / deviation) ** 2 - np.log(deviation) - 0.5 * np.log(2.0 * np.pi))


def log_density_by_place(model: MapModel, Z: Array, noise: Array | None) -> Array:
    """The same ``(p,)`` for the mean of the values at each place; see :func:`density_by_place`.

    ``Z`` ``(n, e)`` is where they were measured, ``noise`` ``(n,)`` their deviations; None takes the model's.
    """
    return density_by_place(Z, *model.leave_one_out(), model.noise_ if noise is None else noise)


def density_by_place(Z: Array, residual: Array, deviation: Array, noise: Array | float) -> Array:
    """Log density ``(p,)`` of the mean of the values at each place, from their leave-one-out residuals.

    The values of one place leave together and miss together. Were each counted, repeats alone would make up
    for any handicap.
    """
    place = place_of(Z)
    count = np.bincount(place)
    missed, variance = residual, deviation**2
    if len(count) < len(Z):
        of_noise = np.minimum(noise, deviation) ** 2
        missed, whole, part = (
            np.bincount(place, values) / count for values in (residual, variance, of_noise)
        )
        variance = whole - part * (1.0 - 1.0 / count)  # a mean has a share of the noise
    return np.asarray(-0.5 * (missed**2 / variance + np.log(2.0 * np.pi * variance)))


def fit_average(
    families: Mapping[str, type[MapModel]],
    domain: Domain,
    Z: Array,
    y: Array,
    noise: Array | None,
    earlier: FitResult,
    equal_values: float = EQUAL_VALUES,
    progress: Progress | None = None,
) -> Average:
    """Fit each family, from where an earlier average left it, and average them.

    ``equal_values`` is how many values each is taken to have predicted alone. ``progress`` is told after each
    family how many are fitted.
    """
    if len(y) > MANY_VALUES and len(families) > 1:
        return _average_of_many(families, domain, Z, y, noise, earlier, progress)
    members: dict[str, MapModel] = {}
    for name, family in families.items():
        members[name] = family.fit_map(domain, Z, y, noise, earlier.get(name))
        if progress is not None:
            progress(len(members), len(families))
    handicaps = np.array([family.handicap(Z.shape[1]) for family in families.values()])
    densities = np.column_stack([log_density_by_place(member, Z, noise) for member in members.values()])
    return Average(members, stacked_with(handicaps, densities, equal_values))


def _average_of_many(
    families: Mapping[str, type[MapModel]],
    domain: Domain,
    Z: Array,
    y: Array,
    noise: Array | None,
    earlier: FitResult,
    progress: Progress | None,
) -> Average:
    """Fit and weigh the families on a part of very many values; the best few are given all of them."""
    rows = some_rows(len(y), MANY_VALUES)
    some_noise = None if noise is None else noise[rows]
    part = fit_average(families, domain, Z[rows], y[rows], some_noise, earlier, progress=progress)
    best = sorted(zip(part.weights, part.names, part.members, strict=True), reverse=True, key=lambda m: m[0])
    members = {name: model.conditioned_on(domain, Z, y, noise) for _, name, model in best[:MOST_MEMBERS]}
    average = Average(members, np.array([weight for weight, *_ in best[:MOST_MEMBERS]]))
    average.hyperparameters_ = part.hyperparameters_
    return average
