"""A family of map models on one small domain, with few enough values that a check is quick."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist

from equiwarp.domains import Array, Domain
from equiwarp.models.base import FitResult, MapModel
from equiwarp.testing.drawing import generator

#: Places that are measured, and how often the first of them.
PLACES, REPEATS = 20, 3
#: Deviation of the noise; that of the function is about 1.
NOISE = 0.1


@dataclass(frozen=True)
class ModelTrial:
    """One family of models on one domain."""

    family: type[MapModel]
    domain: Domain

    @cached_property
    def Z(self) -> Array:
        """Kernel coordinates ``(n, e)`` of the measurements.

        The first place, the farthest from all others, comes again at the end.
        """
        Z = self.domain.embed(self.domain.sample(PLACES, generator(1)))
        apart = cdist(Z, Z) + np.diag(np.full(PLACES, np.inf))
        Z = np.roll(Z, -int(apart.min(axis=1).argmax()), axis=0)
        return locked(np.concatenate([Z, np.repeat(Z[:1], REPEATS - 1, axis=0)]))

    @cached_property
    def y(self) -> Array:
        """Values ``(n,)`` of a smooth function, with noise."""
        Z = self.Z
        smooth = 2 * np.sin(3 * Z[:, 0]) + 1.5 * (Z[:, -1] - 0.4) ** 2
        return locked(smooth + NOISE * generator(2).standard_normal(len(Z)))

    @cached_property
    def places(self) -> Array:
        """Kernel coordinates ``(m, e)`` where nothing was measured."""
        return locked(self.domain.embed(self.domain.sample(30, generator(3))))

    @property
    def scale(self) -> float:
        """The deviation of the values: what differences are compared with."""
        return float(self.y.std())

    @cached_property
    def model(self) -> MapModel:
        """The model of all values, fitted once."""
        return self.fit(self.Z, self.y)

    @cached_property
    def others(self) -> list[MapModel]:
        """For each value, the model that was fitted without its place."""
        kept = [np.linalg.norm(self.Z - z, axis=1) > 1e-9 for z in self.Z[:PLACES]]
        fitted = [self.fit(self.Z[rows], self.y[rows], earlier=self.model.hyperparameters_) for rows in kept]
        return fitted + [fitted[0]] * (REPEATS - 1)

    def fit(
        self, Z: Array, y: Array, noise: float | Array | None = NOISE, earlier: FitResult | None = None
    ) -> MapModel:
        """Fit the family to values that nobody can change; ``noise`` of all, or ``(n,)`` of each."""
        deviations = None if noise is None else locked(np.broadcast_to(noise, len(y)))
        return self.family.fit_map(self.domain, locked(Z), locked(y), deviations, earlier)


def locked(array: Array) -> Array:
    """A copy that nobody can change."""
    copy = np.array(array, dtype=float)
    copy.setflags(write=False)
    return copy


def model_trials(family: type[MapModel], domains: Iterable[Domain]) -> list[ModelTrial]:
    """A trial for each domain that the family is made for."""
    return [ModelTrial(family, domain) for domain in domains if family.applies(domain)]
