"""The map: what is known of the function, how wrong it may be, and what more experiments would bring.

The models of :mod:`equiwarp.models` draw it; `error`, `forecast` and `stopping` beside this file say
the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from equiwarp._util.arguments import whole
from equiwarp._util.display import html_of
from equiwarp._util.seeds import stream
from equiwarp._util.text import several
from equiwarp.domains import Array, Domain
from equiwarp.domains.base import require_domain
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.reading import read_noise, read_points, read_values
from equiwarp.exceptions import InvalidInput
from equiwarp.maps.error import ERROR_POINTS, ErrorEstimate, estimate_error
from equiwarp.maps.forecast import FORECAST_POINTS, points_ahead
from equiwarp.maps.prediction import Prediction
from equiwarp.maps.stopping import StopAdvice, StopRule, advise
from equiwarp.models import DEFAULT_MODEL, MapModel, find_model
from equiwarp.strategy import Strategy


@dataclass(frozen=True, repr=False)
class Map:
    """Fitted models of all responses over a domain. Build with :func:`build_map`.

    Attributes
    ----------
    domain : Domain
    x : (n, columns) array
        Where was measured, in the domain's units.
    y : (n, k) array
        Values of k responses.
    noise : (n, k) array or None
        Their standard deviations; None where they are unknown.
    pending : (p, columns) array
        What has been handed out and not measured yet.
    models : tuple of MapModel
        One per response.
    strategy : str or Strategy
        With which the forecast goes on.
    seed : int
    model : str
        The family that the models belong to.

    Examples
    --------
    >>> import equiwarp as ew
    >>> m = ew.build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.01)
    >>> m
    Map(1 response, 3 measurements, Box({'x1': (0, 1)}))
    >>> m.predict([[0.5]]).mean.shape
    (1, 1)
    >>> m.forecast(2).shape
    (3, 1)
    """

    domain: Domain
    x: Array
    y: Array
    noise: Array | None
    pending: Array
    models: tuple[MapModel, ...]
    strategy: str | Strategy
    seed: int
    model: str = DEFAULT_MODEL

    def __repr__(self) -> str:
        return f"Map({several(len(self.models), 'response')}, {self._measured()}, {self.domain!r})"

    def __str__(self) -> str:
        """A summary: how much was measured, where, and how wrong the map of each response may be."""
        errors = (
            f"  response {j}: error {e.value:.4g}, leave-one-out {e.leave_one_out:.4g}, noise {e.noise:.4g}"
            for j, e in enumerate(self.error(), start=1)
        )
        return "\n".join([f"Map from {self._measured()} over {self.domain!r}", *errors])

    def _measured(self) -> str:
        waiting = f" ({len(self.pending)} pending)" if len(self.pending) else ""
        return several(len(self.x), "measurement") + waiting

    def predict(self, points: Any) -> Prediction:
        """The map at points of the domain.

        Parameters
        ----------
        points : (n, columns) array-like, dict of columns or dataframe
            In the domain's units.

        Returns
        -------
        Prediction
            Mean and deviation of each response, ``(n, k)`` each.

        Raises
        ------
        InvalidInput
            If a point lies outside the domain; the message says which and why.
        """
        Z = self.domain.embed(read_points(self.domain, points))
        pairs = [model.predict(Z, return_std=True) for model in self.models]
        factors = [error.correction for error in self.error()]
        return Prediction(
            np.column_stack([mean for mean, _ in pairs]),
            np.column_stack([factor * sd for factor, (_, sd) in zip(factors, pairs, strict=True)]),
        )

    def error(self) -> tuple[ErrorEstimate, ...]:
        """How wrong the map is expected to be now.

        Returns
        -------
        tuple of ErrorEstimate
            One per response.
        """
        return self._errors

    @cached_property
    def _errors(self) -> tuple[ErrorEstimate, ...]:
        Z = self._everywhere(ERROR_POINTS)
        return tuple(estimate_error(model, Z) for model in self.models)

    def forecast(self, n: int) -> Array:
        """How wrong the map is expected to be after further experiments.

        Pending experiments will be measured first: they belong to every entry. The hyperparameters and
        the calibration are taken as they are now.

        Parameters
        ----------
        n : int
            How many experiments to look ahead.

        Returns
        -------
        (n + 1, k) array
            The error after 0, 1, ..., n more; fewer rows where a list of candidates ends.

        Raises
        ------
        InvalidInput
            If n is negative.
        """
        n = whole(n, "n", 0)
        coming, ahead = self.domain.embed(self.pending), self.domain.embed(points_ahead(self, n))
        everywhere = self._everywhere(FORECAST_POINTS)
        columns = [
            error.correction * model.rolled_forward(everywhere, coming, ahead)
            for model, error in zip(self.models, self.error(), strict=True)
        ]
        return np.column_stack(columns)

    def stop(self, rule: StopRule, horizon: int = 5) -> StopAdvice:
        """Whether a rule says that mapping may stop, judged by the first response.

        Parameters
        ----------
        rule : StopRule
        horizon : int
            Experiments over which the forecast gain is averaged.

        Returns
        -------
        StopAdvice
        """
        return advise(self, rule, horizon)

    def _repr_html_(self) -> str:
        return html_of(self)

    @cached_property
    def measurements(self) -> Measurements:
        """Those that lie in the domain, with the pending points: what a strategy goes on from."""
        inside = self.domain.contains(self.x)
        noise = None if self.noise is None else self.noise[inside]
        return Measurements(self.domain, self.x[inside], self.y[inside], noise, self.pending)

    def _everywhere(self, n: int) -> Array:
        return self.domain.embed(self.domain.sample(n, stream(self.seed, "error")))


def build_map(
    domain: Domain,
    x: Any,
    y: Any,
    noise: Any = None,
    *,
    pending: Any = None,
    strategy: str | Strategy = "equiwarp",
    seed: int = 0,
    model: str = DEFAULT_MODEL,
) -> Map:
    """Fit the map of measurements, without a campaign.

    Parameters
    ----------
    domain : Domain
    x : (n, columns) array-like, dict of columns or dataframe
        Where was measured. Points outside the domain count as measurements all the same.
    y : (n,) or (n, k) array-like, or dataframe
        Values of one response or of k.
    noise : float or array-like, optional
        Standard deviation of a measurement in the units of y: one number, one per response, per point or
        per value. None estimates it.
    pending : like x, optional
        What has been handed out and not measured yet; the forecast counts it as done.
    strategy : str or Strategy
        With which the forecast goes on.
    seed : int
    model : str
        The family of models that predicts: "matern", or one that another package registers under the entry
        points ``equiwarp.models``.

    Returns
    -------
    Map

    Raises
    ------
    InvalidInput
        If there is no measurement, or a value is not a finite number.

    Examples
    --------
    >>> import equiwarp as ew
    >>> m = ew.build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.01)
    >>> len(m.error())
    1
    """
    family = find_model(model)
    points = read_points(require_domain(domain), x, "x", inside=False)
    values = read_values(y, len(points))
    if len(points) == 0:
        raise InvalidInput("there is no map without a measurement: tell at least one value first")
    deviations = read_noise(noise, values)
    waiting = np.empty((0, domain.columns)) if pending is None else read_points(domain, pending, "pending")
    Z = domain.embed(points)
    if not np.isfinite(Z).all():
        row = int(np.flatnonzero(~np.isfinite(Z).all(axis=1))[0])
        raise InvalidInput(f"x, row {row}: {points[row].tolist()} cannot be placed on the domain's scale")
    models = tuple(
        family.fit_map(domain, Z, values[:, j], None if deviations is None else deviations[:, j])
        for j in range(values.shape[1])
    )
    return Map(domain, points, values, deviations, waiting, models, strategy, seed, model)
