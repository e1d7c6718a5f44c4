"""scikit-learn: a map as an estimator, for everything there that takes a fitted regressor.

:class:`MapRegressor` takes and gives the units of the domain, with the map's calibrated uncertainty.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from equiwarp.domains import Array, Box, Domain
from equiwarp.exceptions import InvalidInput
from equiwarp.maps.map import Map, build_map


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
    noise : float or (n,) array, optional
        Standard deviation of the values' noise; None estimates it.

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
        noise = None if map.noise is None else map.noise[:, response]
        made = cls(map.domain, noise)
        made.map_, made.response_ = map, range(len(map.models))[response]
        made.n_features_in_ = map.domain.columns
        made.feature_names_in_ = np.array(map.domain.names, dtype=object)
        return made

    def fit(self, X: Any, y: Any) -> MapRegressor:
        """Map values ``(n,)`` measured at ``(n, columns)``."""
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        domain = _spanned(X) if self.domain is None else self.domain
        if X.shape[1] != domain.columns:
            raise InvalidInput(f"X has {X.shape[1]} features, but {domain!r} has {domain.columns} columns")
        self.map_, self.response_ = build_map(domain, X, y, self.noise), 0
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean ``(n,)``, and its deviation ``(n,)`` if asked for, calibrated as the map's."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        model = self.map_.models[self.response_]
        Z = self.map_.coordinates(X, self.response_)
        if not return_std:
            return model.predict(Z)
        mean, deviation = model.predict(Z, return_std=True)
        return mean, deviation * self.map_.error()[self.response_].correction


def _spanned(X: Array) -> Box:
    """The box of the points; a constant column gets a width of one."""
    low, high = X.min(axis=0), X.max(axis=0)
    high = np.where(high > low, high, low + np.maximum(1.0, np.abs(low)))
    return Box((f"x{i + 1}", bounds) for i, bounds in enumerate(zip(low, high, strict=True)))
