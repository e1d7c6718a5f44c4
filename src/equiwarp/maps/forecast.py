"""What more experiments would bring: the error of the map after each of the next ones.

The acquisition is rolled forward with the hyperparameters as they are now. Values do not change in a
forecast, so it cannot foresee surprises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from equiwarp.domains import Array
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare

if TYPE_CHECKING:
    from equiwarp.maps.map import Map

#: Points over which the forecast is averaged: it is an estimate of an estimate.
FORECAST_POINTS = 512


def points_ahead(map: Map, n: int) -> Array:
    """The points that the map's strategy would choose next, at most n: a list has an end."""
    configuration = prepare(map.domain, map.strategy, map.seed)
    n = min(n, len(configuration.pool) - len(configuration.taken(map.measurements.locations)))
    return choose(configuration, map.measurements, n)[0].points if n else map.x[:0]
