"""What more experiments would bring: the error of the map after each of the next ones.

The acquisition is rolled forward with the hyperparameters as they are now. Values do not change in a
forecast, so it cannot foresee surprises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equiwarp.domains import Array
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.gp.field import Field
from equiwarp.gp.kernels import Matern52

if TYPE_CHECKING:
    from equiwarp.maps.map import Map
    from equiwarp.models.matern import PredictionGP

#: Points over which the forecast is averaged: it is an estimate of an estimate.
FORECAST_POINTS = 512


def points_ahead(map: Map, n: int) -> Array:
    """The points that the map's strategy would choose next, at most n: a list has an end."""
    inside = map.domain.contains(map.x)
    noise = None if map.noise is None else map.noise[inside]
    measurements = Measurements(map.domain, map.x[inside], map.y[inside], noise, map.pending)
    configuration = prepare(map.domain, map.strategy, map.seed)
    used = configuration.taken(np.concatenate([measurements.x, measurements.pending]))
    n = min(n, len(configuration.pool) - len(used))
    return choose(configuration, measurements, n)[0].points if n else map.x[:0]


def rolled_forward(model: PredictionGP, everywhere: Array, coming: Array, ahead: Array) -> Array:
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
