"""The map: what is known of the function, how wrong it may be, and what more experiments would bring.

The prediction GP draws the map. Its error is the root mean square of the predictive deviation over
the domain, checked against leave-one-out residuals and enlarged when those say it is too confident.
The forecast rolls the acquisition forward with the hyperparameters as they are now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.domains import Array, Domain
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.reading import read_noise, read_points, read_values
from equiwarp.exceptions import InvalidInput
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52
from equiwarp.maps.stopping import StopAdvice, StopRule
from equiwarp.strategy import Strategy

if TYPE_CHECKING:
    from equiwarp.models.matern import PredictionGP

#: Points over which the error is averaged.
ERROR_POINTS = 2048
#: Points over which the forecast is averaged: it is an estimate of an estimate.
FORECAST_POINTS = 512
#: Fewer residuals than this say little about calibration.
ENOUGH_RESIDUALS = 5


@dataclass(frozen=True)
class Prediction:
    """Mean and deviation at some points, ``(n, k)`` each, in the units of the responses."""

    mean: Array
    deviation: Array


@dataclass(frozen=True)
class ErrorEstimate:
    """How wrong the map of one response is expected to be, root mean square over the domain.

    Attributes
    ----------
    value : float
        The error in the units of the response: ``model`` times ``correction``.
    model : float
        What the prediction GP itself says.
    correction : float
        At least 1; above it, leave-one-out residuals were larger than the model expected.
    leave_one_out : float
        Root mean square of those residuals, noise included.
    noise : float
        Deviation of the noise that the model uses; the map can be better than one measurement.
    """

    value: float
    model: float
    correction: float
    leave_one_out: float
    noise: float


@dataclass(frozen=True)
class Map:
    """Prediction GPs of all responses over a domain. Build with :func:`build_map`.

    >>> import equiwarp as ew
    >>> from equiwarp.maps.map import build_map
    >>> m = build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.01)
    >>> m.predict([[0.5]]).mean.shape
    (1, 1)
    """

    domain: Domain
    x: Array
    y: Array
    noise: Array | None
    pending: Array
    models: tuple[PredictionGP, ...]
    strategy: str | Strategy
    seed: int

    def predict(self, points: Any) -> Prediction:
        """The map at ``(n, columns)`` points of the domain, in any form that x may have."""
        Z = self.domain.embed(read_points(self.domain, points))
        pairs = [model.predict(Z, return_std=True) for model in self.models]
        factors = [error.correction for error in self.error()]
        return Prediction(
            np.column_stack([mean for mean, _ in pairs]),
            np.column_stack([factor * sd for factor, (_, sd) in zip(factors, pairs, strict=True)]),
        )

    def error(self) -> tuple[ErrorEstimate, ...]:
        """Expected error of the map now, one per response."""
        return self._errors

    @cached_property
    def _errors(self) -> tuple[ErrorEstimate, ...]:
        Z = self._everywhere(ERROR_POINTS)
        return tuple(_error_of(model, Z) for model in self.models)

    def forecast(self, n: int) -> Array:
        """Expected error after 0, 1, ..., n further experiments, ``(n + 1, k)``; fewer at a list's end.

        Values do not change in a forecast, so it cannot foresee surprises; the hyperparameters and
        the calibration are taken as they are now.
        """
        if n < 0:
            raise InvalidInput(f"n must be at least 0, got {n}")
        inside = self.domain.contains(self.x)
        noise = None if self.noise is None else self.noise[inside]
        measurements = Measurements(self.domain, self.x[inside], self.y[inside], noise, self.pending)
        configuration = prepare(self.domain, self.strategy, self.seed)
        left = len(configuration.pool) - len(
            configuration.taken(np.concatenate([measurements.x, measurements.pending]))
        )
        n = min(n, left)
        ahead = choose(configuration, measurements, n)[0].points if n else self.x[:0]
        # Pending experiments will be measured first: they belong to every entry of the forecast.
        coming, points = self.domain.embed(self.pending), self.domain.embed(ahead)
        columns = [
            error.correction * _rolled_forward(model, self._everywhere(FORECAST_POINTS), coming, points)
            for model, error in zip(self.models, self.error(), strict=True)
        ]
        return np.column_stack(columns)

    def stop(self, rule: StopRule, horizon: int = 5) -> StopAdvice:
        """Whether a rule says that mapping may stop, judged by the first response.

        Never from so few values that nothing could contradict the model: two equal ones look like a map
        without error.
        """
        if len(self.x) < ENOUGH_RESIDUALS:
            return StopAdvice(False, f"values so far: {len(self.x)}, too few to judge the map's error")
        now = self.error()[0].value
        if rule.error is not None and now <= rule.error:
            return StopAdvice(True, f"the map error {now:.3g} is below {rule.error:g}")
        if rule.gain_per_experiment is not None:
            forecast = self.forecast(horizon)[:, 0]
            gain = float(forecast[0] - forecast[-1]) / horizon
            if gain < rule.gain_per_experiment:
                return StopAdvice(
                    True,
                    f"the next {horizon} experiments are forecast to lower the error by {gain:.3g} each, "
                    f"less than {rule.gain_per_experiment:g}",
                )
        return StopAdvice(False, f"the map error is {now:.3g}; no stop rule holds yet")

    def _repr_html_(self) -> str:
        from equiwarp.plotting.pictures import map_html

        return map_html(self)

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
) -> Map:
    """Fit a prediction GP per response. Points outside the domain count as measurements all the same."""
    from equiwarp.models.matern import PredictionGP

    points = read_points(domain, x, "x", inside=False)
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
        PredictionGP(
            noise=None if deviations is None else deviations[:, j], ard=domain.symmetry != "homogeneous"
        ).fit(Z, values[:, j])
        for j in range(values.shape[1])
    )
    return Map(domain, points, values, deviations, waiting, models, strategy, seed)


def _error_of(model: PredictionGP, Z: Array) -> ErrorEstimate:
    deviation = model.predict(Z, return_std=True)[1]
    own = float(np.sqrt(np.mean(deviation**2)))
    residual, expected = model.leave_one_out()
    ratio = float(np.sqrt(np.mean((residual / expected) ** 2)))
    correction = max(1.0, ratio) if len(residual) >= ENOUGH_RESIDUALS else 1.0
    missed = float(np.sqrt(np.mean(residual**2)))
    return ErrorEstimate(own * correction, own, correction, missed, float(model.noise_))


def _rolled_forward(model: PredictionGP, everywhere: Array, coming: Array, ahead: Array) -> Array:
    """Root mean square deviation with the coming points and 0, 1, ... of those ahead, ``(n + 1,)``."""
    noise_var = np.asarray(model.regressor_.alpha, dtype=float) * model.scale_**2
    if model.noise is None:
        noise_var = noise_var + model.noise_**2
    field = Field.of(
        Matern52(1.0),
        everywhere / model.lengthscale_,
        model.regressor_.X_train_ / model.lengthscale_,
        np.broadcast_to(noise_var / model.signal_**2, (len(model.regressor_.X_train_),)).copy(),
    )
    each = max((model.noise_ / model.signal_) ** 2, 1e-10)
    for z in coming / model.lengthscale_:
        field = field.add(z, each)
    course: list[float] = [float(np.sqrt(np.mean(field.variance)))]
    for z in ahead / model.lengthscale_:
        field = field.add(z, each)
        course.append(float(np.sqrt(np.mean(field.variance))))
    return model.signal_ * np.array(course)


def as_columns(prediction: Prediction, names: Sequence[str]) -> dict[str, list[float]]:
    """A prediction as columns ``name`` and ``name_sd``, ready for a dataframe."""
    columns: dict[str, list[float]] = {}
    for j, name in enumerate(names):
        columns[name] = prediction.mean[:, j].tolist()
        columns[f"{name}_sd"] = prediction.deviation[:, j].tolist()
    return columns
