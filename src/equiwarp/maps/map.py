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
from equiwarp.gp.success import SuccessModel
from equiwarp.maps.error import ERROR_POINTS, ErrorEstimate, estimate_error
from equiwarp.maps.forecast import FORECAST_POINTS, points_ahead
from equiwarp.maps.prediction import Prediction
from equiwarp.maps.stopping import StopAdvice, StopRule, advise
from equiwarp.models import DEFAULT_MODEL, MapModel, find_model
from equiwarp.strategy import Strategy


@dataclass(frozen=True, repr=False)
class Map:
    """What is known of the function: predictions, their error, and what more experiments would bring.

    :func:`build_map` makes one from measurements, :meth:`Campaign.map` from a campaign.

    Attributes
    ----------
    domain : Domain
        Where one can measure.
    x : (n, columns) array
        The measured points, in the domain's units.
    y : (n, k) array
        The measured values of k responses, in their units.
    noise : (n, k) array or None
        Their standard deviations; None if they are unknown and estimated.
    pending : (p, columns) array
        Points that were handed out and are not measured yet.
    models : tuple of MapModel
        The fitted model of each response.
    strategy : str or Strategy
        The strategy that :meth:`forecast` assumes for the next experiments.
    seed : int
        For the points over which the error is averaged, and for the forecast.
    model : str
        The family that the models belong to.
    failed : (f, columns) array or None
        Points at which experiments did not work.

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
    failed: Array | None = None

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
        """Predict the responses at points of the domain.

        Parameters
        ----------
        points : (n, columns) array-like, dict of columns or dataframe
            In the domain's units.

        Returns
        -------
        Prediction
            Mean and standard deviation of each response, ``(n, k)`` each, in the units of the responses.

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

    def works(self, points: Any) -> Array:
        """The probability that an experiment works, learnt from those that did and those that failed.

        Parameters
        ----------
        points : (n, columns) array-like, dict of columns or dataframe
            In the domain's units.

        Returns
        -------
        (n,) array
            Numbers from 0 to 1; 1 everywhere if no experiment has failed.

        Raises
        ------
        InvalidInput
            If a point lies outside the domain; the message says which and why.

        Examples
        --------
        >>> import equiwarp as ew
        >>> oven = ew.Box({"temperature": (20, 90)})
        >>> m = ew.build_map(oven, [[20], [35], [50]], [1.0, 2.0, 2.5], 0.1, failed=[[75], [80], [90]])
        >>> bool(m.works([[30]])[0] > 0.75 and m.works([[85]])[0] < 0.25)
        True
        """
        return self._success(read_points(self.domain, points))

    @cached_property
    def _success(self) -> SuccessModel:
        inside = self.x[self.domain.contains(self.x)]
        lost = np.empty((0, self.domain.columns)) if self.failed is None else self.failed
        return SuccessModel.of(self.domain, inside, lost)

    def error(self) -> tuple[ErrorEstimate, ...]:
        """How wrong the map is expected to be now.

        Returns
        -------
        tuple of ErrorEstimate
            One per response, in its units.
        """
        return self._errors

    @cached_property
    def _errors(self) -> tuple[ErrorEstimate, ...]:
        Z = self._everywhere(ERROR_POINTS)
        return tuple(estimate_error(model, Z) for model in self.models)

    def forecast(self, n: int) -> Array:
        """How wrong the map is expected to be after further experiments.

        Every entry counts pending experiments as measured. The forecast assumes that the model stays as it
        is; it cannot foresee surprises.

        Parameters
        ----------
        n : int
            How many experiments to look ahead.

        Returns
        -------
        (n + 1, k) array
            The error of each response, in its units, after 0, 1, ..., n more experiments. There are fewer
            rows where a list of candidates ends.

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
        """Say whether mapping may stop under a rule, judged by the first response.

        Parameters
        ----------
        rule : StopRule
            What is good enough.
        horizon : int
            Number of future experiments over which the gain is averaged.

        Returns
        -------
        StopAdvice
            Yes or no, and why.
        """
        return advise(self, rule, horizon)

    def _repr_html_(self) -> str:
        return html_of(self)

    @cached_property
    def measurements(self) -> Measurements:
        """Those that lie in the domain, with the pending points: what a strategy goes on from."""
        inside = self.domain.contains(self.x)
        noise = None if self.noise is None else self.noise[inside]
        return Measurements(self.domain, self.x[inside], self.y[inside], noise, self.pending, self.failed)

    def _everywhere(self, n: int) -> Array:
        """Kernel coordinates spread over the domain, and where experiments fail as thinly as they work."""
        x = self.domain.sample(n, stream(self.seed, "error"))
        if self.failed is not None and len(self.failed):
            keep = stream(self.seed, "works").random(len(x)) < self._success(x)
            x = x[keep] if keep.sum() >= n // 8 else x
        return self.domain.embed(x)


def build_map(
    domain: Domain,
    x: Any,
    y: Any,
    noise: Any = None,
    *,
    pending: Any = None,
    failed: Any = None,
    strategy: str | Strategy = "equiwarp",
    seed: int = 0,
    model: str = DEFAULT_MODEL,
) -> Map:
    """Fit a map to measurements, without a campaign.

    Parameters
    ----------
    domain : Domain
        Where one can measure.
    x : (n, columns) array-like, dict of columns or dataframe
        The measured points in the domain's units. Points outside the domain are used, too.
    y : (n,) or (n, k) array-like, or dataframe
        The measured values of one response or of k, in their units.
    noise : float or array-like, optional
        Standard deviation of a measurement in the units of y: one number, or one per response, per point or
        per value. None estimates it.
    pending : like x, optional
        Points that were handed out and are not measured yet; the forecast counts them as measured.
    failed : like x, optional
        Points at which the experiment did not work; :meth:`Map.works` learns from them.
    strategy : str or Strategy
        The strategy that the forecast assumes for the next experiments.
    seed : int
        For the points over which the error is averaged, and for the forecast.
    model : str
        The family of models that predicts: "matern", or one that another package registers under the entry
        points ``equiwarp.models``.

    Returns
    -------
    Map
        With one fitted model per response.

    Raises
    ------
    InvalidInput
        If there is no measurement, a value is not a finite number, or a point cannot be placed on the
        domain's scale, such as a negative one on a log scale.
    MissingPart
        If another package offers the family of models and cannot be loaded.

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
    lost = None if failed is None else read_points(domain, failed, "failed")
    return Map(domain, points, values, deviations, waiting, models, strategy, seed, model, lost)
