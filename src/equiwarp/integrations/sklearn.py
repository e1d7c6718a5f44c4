"""scikit-learn: a map as an estimator, for everything there that takes a fitted regressor.

:class:`MapRegressor` takes and gives the units of the domain, with the map's calibrated uncertainty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from equiwarp.domains import Array, Box, Domain
from equiwarp.exceptions import InvalidInput
from equiwarp.maps.map import Map, build_map


@dataclass(frozen=True, eq=False)
class NoiseAtPoints:
    """Noise that differs from point to point, found again by the point: so folds and samples keep theirs.

    Repeats at one point share the root mean square of theirs; a point that is not known has the median.
    """

    x: Array
    noise: Array

    def __call__(self, X: Array) -> Array:
        """Deviations ``(m,)`` at points ``(m, columns)``."""
        known: dict[bytes, list[float]] = {}
        for point, deviation in zip(self.x, self.noise, strict=True):
            known.setdefault(point.tobytes(), []).append(float(deviation) ** 2)
        typical = [float(np.median(self.noise)) ** 2]
        return np.sqrt([np.mean(known.get(point.tobytes(), typical)) for point in np.ascontiguousarray(X)])


class MapRegressor(RegressorMixin, BaseEstimator):
    """The map of one response.

    >>> import equiwarp as ew
    >>> import pandas as pd
    >>> m = ew.build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.01)
    >>> MapRegressor.of(m).predict(pd.DataFrame({"x1": [0.5]})).shape
    (1,)

    Parameters
    ----------
    domain : Domain, optional
        By default the box that the training points span.
    noise : float, (n,) array or function, optional
        Standard deviation of the values' noise; None estimates it. An array belongs to the rows that `fit`
        gets; a function is given the points ``(n, columns)`` and returns ``(n,)``, so that folds get theirs.

    Attributes
    ----------
    map_ : Map
    response_ : int
        Which of the map's responses is predicted.

    Notes
    -----
    Outside the domain it extrapolates, as regressors do; :meth:`equiwarp.Map.predict` refuses.
    """

    def __init__(self, domain: Domain | None = None, noise: Any = None) -> None:
        self.domain = domain
        self.noise = noise

    @classmethod
    def of(cls, map: Map, response: int = 0) -> MapRegressor:
        """The estimator of an existing map, already fitted."""
        made = cls(map.domain, _noise_of(map, response))
        made.map_, made.response_ = map, range(len(map.models))[response]
        made.n_features_in_ = map.domain.columns
        made.feature_names_in_ = np.array(map.domain.names, dtype=object)
        made._named_by_map = True  # nobody has promised to name the columns again
        return made

    def fit(self, X: Any, y: Any) -> MapRegressor:
        """Map values ``(n,)`` measured at ``(n, columns)``."""
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        domain = _spanned(X) if self.domain is None else self.domain
        if X.shape[1] != domain.columns:
            raise InvalidInput(f"X has {X.shape[1]} features, but {domain!r} has {domain.columns} columns")
        noise = self.noise(X) if callable(self.noise) else self.noise
        self.map_, self.response_, self._named_by_map = build_map(domain, X, y, noise), 0, False
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean ``(n,)``, and its deviation ``(n,)`` if asked for, calibrated as the map's."""
        check_is_fitted(self)
        X = self._points(X)
        model = self.map_.models[self.response_]
        Z = self.map_.coordinates(X, self.response_)
        if not return_std:
            return model.predict(Z)
        mean, deviation = model.predict(Z, return_std=True)
        return mean, deviation * self.map_.error()[self.response_].correction

    def _points(self, X: Any) -> Array:
        """Columns with names are checked against ours; lists and arrays are taken in the map's order."""
        if self._named_by_map and not hasattr(X, "columns"):
            X = check_array(X, dtype=np.float64)
            if X.shape[1] != self.n_features_in_:
                raise InvalidInput(f"X has {X.shape[1]} features, but the map has {self.n_features_in_}")
            return X
        return validate_data(self, X, reset=False, dtype=np.float64)


def _noise_of(map: Map, response: int) -> float | NoiseAtPoints | None:
    """What is known of a map's noise, apart from its rows: one number, or one for each point."""
    noise = map.assumed_noise(response)
    if noise is None:
        return None
    return float(noise[0]) if np.ptp(noise) == 0 else NoiseAtPoints(map.x, noise)


def _spanned(X: Array) -> Box:
    """The box of the points; a constant column gets a width of one."""
    low, high = X.min(axis=0), X.max(axis=0)
    high = np.where(high > low, high, low + np.maximum(1.0, np.abs(low)))
    return Box((f"x{i + 1}", bounds) for i, bounds in enumerate(zip(low, high, strict=True)))
