"""Values whose squares are too small for double precision: they are mapped in a unit of their own.

A response may be given in whatever unit, and everything a map says of it should follow that unit. Models
standardise their values, but variances and covariances are squares, and the square of 1e-200 is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.models.average import Average
from equiwarp.models.base import FitResult, MapModel


class Rescaled(MapModel):
    """A model of the values in another unit.

    Its covariances are squares of the values' size, and may be 0 where that has no room; deviations are not.

    Parameters
    ----------
    inner : Average
        Of the values over ``unit``.
    unit : float
    informed : bool
        Whether the last coordinate is a prior's value, which has the values' unit.
    """

    def __init__(self, inner: Average, unit: float, informed: bool) -> None:
        self.inner, self.unit, self.informed = inner, unit, informed
        self.noise_, self.hyperparameters_ = unit * inner.noise_, inner.hyperparameters_
        self.members, self.weights, self.weights_ = inner.members, inner.weights, inner.weights_
        self.names = inner.names

    @classmethod
    def fit_map(
        cls, domain: Domain, Z: Array, y: Array, noise: Array | None, earlier: FitResult | None = None
    ) -> MapModel:
        raise NotImplementedError("it is made of a fitted model of the same values in another unit")

    def predict(self, X: Any, return_std: bool = False) -> Any:
        found = self.inner.predict(self._in_unit(X), return_std)
        return (self.unit * found[0], self.unit * found[1]) if return_std else self.unit * found

    def covariance(self, A: Array, B: Array) -> Array:
        return self.unit**2 * self.inner.covariance(self._in_unit(A), self._in_unit(B))

    def leave_one_out(self) -> tuple[Array, Array]:
        residual, deviation = self.inner.leave_one_out()
        return self.unit * residual, self.unit * deviation

    def draw(self, X: Array, count: int, seed: int = 0) -> Array:
        return self.unit * self.inner.draw(self._in_unit(X), count, seed)

    def rolled_forward(self, everywhere: Array, ahead: Array) -> Array:
        return self.unit * self.inner.rolled_forward(self._in_unit(everywhere), self._in_unit(ahead))

    def _in_unit(self, X: Array) -> Array:
        return np.column_stack([X[:, :-1], X[:, -1] / self.unit]) if self.informed else X
