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

if TYPE_CHECKING:
    from equiwarp.maps.map import Map

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
