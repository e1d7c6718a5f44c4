"""``vigf`` and ``guess``: criteria that look at how the function differs from its nearest measurement.

With mean mu and variance s^2 of a fitted GP, x* the nearest measurement of x and y* its value,

    VIGF(x)  = s^2 (4 (mu - y*)^2 + 2 s^2),

the variance of the squared difference between the function and y* (Mohammadi and Challenor 2022), and

    GUESS(x) = s (|mu - (y* + grad mu(x*)' (x - x*))| + 1),

deviation times what a tangent at x* misses (Laemmle, Bogoclu, Cremanns and Roos 2023); its 1 is one unit of
the standardised values.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from equiwarp.bench.peers.pool_scores import FittedStepper, PoolArm
from equiwarp.domains import Array
from equiwarp.models.gaussian_process import GaussianProcess

#: Step of the central differences, in kernel coordinates, which span about one unit.
STEP = 1e-5


def vigf(mean: Array, variance: Array, nearest: Array) -> Array:
    """From mean, variance and the value of the nearest measurement, ``(m,)`` each."""
    return variance * (4.0 * (mean - nearest) ** 2 + 2.0 * variance)


def guess(mean: Array, deviation: Array, tangent: Array) -> Array:
    """From mean, deviation and the tangent of the nearest measurement, ``(m,)`` each, in standard units."""
    return deviation * (np.abs(mean - tangent) + 1.0)


class VigfStepper(FittedStepper):
    """Variance of improvement for global fit."""

    def scores(self, x: Array, y: Array, measured: int) -> tuple[Array, Array]:
        mean, deviation = self.model(x, y, measured).predict(self.P, return_std=True)
        near = cdist(self.P, self.domain.embed(x), "sqeuclidean").argmin(axis=1)
        return vigf(mean, deviation**2, y[near]), mean


class GuessStepper(FittedStepper):
    """Gradient and uncertainty enhanced sequential sampling."""

    def scores(self, x: Array, y: Array, measured: int) -> tuple[Array, Array]:
        model, Z = self.model(x, y, measured), self.domain.embed(x)
        mean, deviation = model.predict(self.P, return_std=True)
        near = cdist(self.P, Z, "sqeuclidean").argmin(axis=1)
        tangent = y[near] + np.einsum("ij,ij->i", mean_gradient(model, Z)[near], self.P - Z[near])
        unit = model.scale_
        return guess(mean / unit, deviation / unit, tangent / unit), mean


def mean_gradient(model: GaussianProcess, Z: Array) -> Array:
    """Gradient ``(n, e)`` of the model's mean at points, by central differences."""
    columns = []
    for step in STEP * np.eye(Z.shape[1]):
        columns.append((model.predict(Z + step) - model.predict(Z - step)) / (2.0 * STEP))
    return np.column_stack(columns)


VIGF = PoolArm("vigf", VigfStepper)
GUESS = PoolArm("guess", GuessStepper)
