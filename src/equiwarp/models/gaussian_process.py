"""``GaussianProcess``: what our families of map models have in common; their covariances differ."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain
from equiwarp.models.base import FitResult, MapModel
from equiwarp.models.covariance import Covariance
from equiwarp.models.exact import ExactPosterior
from equiwarp.models.fitting import FitTask, fit
from equiwarp.models.inducing import InducingPosterior

#: Up to this many measurements the posterior is exact.
MOST_EXACT = 2000
#: Smaller differences have no room to be computed with: such values count as constant.
SMALLEST_SCALE = 1e-290
#: Points that are predicted at once: a map may have a million.
CHUNK = 4096


class GaussianProcess(MapModel):
    """A Gaussian process with the likeliest hyperparameters. A family gives its covariance.

    Values are centred by their mean and scaled by their deviation; equal values by their noise, or by their
    own size where no noise is stated.
    """

    center_: float
    scale_: float

    @classmethod
    @abstractmethod
    def covariance_on(cls, domain: Domain, Z: Array) -> Covariance:
        """The family's covariance on a domain; ``Z`` are the measured kernel coordinates."""

    @classmethod
    def fit_map(
        cls, domain: Domain, Z: Array, y: Array, noise: Array | None, earlier: FitResult | None = None
    ) -> GaussianProcess:
        """The likeliest model of the family, from several starts and from an earlier fit if there is one."""
        model = cls()
        model.center_ = float(y.mean())
        model.scale_ = _scale_of(y, noise)
        task = model._standardised(domain, Z, y, noise)
        t = fit(task, None if earlier is None else earlier.get("logarithms"))
        return model._condition(task, t)

    def conditioned_on(self, domain: Domain, Z: Array, y: Array, noise: Array | None) -> GaussianProcess:
        """The model of more values of the same function, with the hyperparameters of this one."""
        model = type(self)()
        model.center_, model.scale_ = self.center_, self.scale_
        task = model._standardised(domain, Z, y, noise)
        return model._condition(task, self.hyperparameters_["logarithms"])

    def _standardised(self, domain: Domain, Z: Array, y: Array, noise: Array | None) -> FitTask:
        """The values in the model's units."""
        noise_var = None if noise is None else (np.asarray(noise, dtype=float) / self.scale_) ** 2
        return FitTask(self.covariance_on(domain, Z), Z, (y - self.center_) / self.scale_, noise_var)

    def _condition(self, task: FitTask, t: Array) -> GaussianProcess:
        kind = ExactPosterior if len(task.y) <= MOST_EXACT else InducingPosterior
        noise_var = task.variances(t)
        self.posterior_ = kind(task.covariance, t, task.X, task.y, noise_var)
        self.noise_ = self.scale_ * math.sqrt(float(np.median(noise_var)))
        self.hyperparameters_ = {"logarithms": t}
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean ``(m,)`` of the function, and its deviation ``(m,)`` (without noise) if asked for."""
        parts = [X[i : i + CHUNK] for i in range(0, max(len(X), 1), CHUNK)]
        if not return_std:
            return self.center_ + self.scale_ * np.concatenate([self.posterior_.mean(part) for part in parts])
        pairs = [self.posterior_.moments(part) for part in parts]
        mean, variance = (np.concatenate(column) for column in zip(*pairs, strict=True))
        return self.center_ + self.scale_ * mean, self.scale_ * np.sqrt(variance)

    def covariance(self, A: Array, B: Array) -> Array:
        """Posterior covariance ``(a, b)``."""
        return self.scale_**2 * self.posterior_.covariance(A, B)

    def leave_one_out(self) -> tuple[Array, Array]:
        """Residuals ``(n,)`` of each value against the model without it, and their predicted deviations."""
        return self._left_out

    @cached_property
    def _left_out(self) -> tuple[Array, Array]:
        residual, deviation = self.posterior_.leave_one_out()
        return self.scale_ * residual, self.scale_ * deviation


def _scale_of(y: Array, noise: Array | None) -> float:
    """The unit in which values are fitted: whatever it is, it must follow the units of the data."""
    size, deviation = float(np.abs(y).max()), float(y.std())
    stated = 0.0 if noise is None else float(np.median(noise))
    for unit in (deviation if deviation > 1e-12 * size else 0.0, stated, size):
        if unit > SMALLEST_SCALE:
            return unit
    return 1.0


def lengthscale_groups(domain: Domain, coordinates: int) -> NDArray[np.intp]:
    """To which lengthscale each kernel coordinate belongs.

    One for each group of coordinates that belong to one parameter: a number alone, both of an angle, all of
    a category. One for all where no direction is special and the domain names no groups.
    """
    grouped = any(len(group) > 1 for group in domain.groups)
    if domain.symmetry == "homogeneous" and not grouped:
        return np.zeros(coordinates, dtype=np.intp)
    lengthscale = np.empty(coordinates, dtype=np.intp)
    for i, group in enumerate(domain.groups):
        lengthscale[list(group)] = i
    return lengthscale


def extent_of(domain: Domain, Z: Array) -> tuple[Array, Array]:
    """Middle and half width ``(e,)`` of the kernel coordinates of a domain and of what was measured."""
    points = np.vstack([Z, domain.embed(domain.sample(256, np.random.default_rng(0)))])
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2.0, np.maximum((high - low) / 2.0, 1e-9)
