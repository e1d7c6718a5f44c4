"""What further experiments will bring: the model rolled forward along the points that would be measured next.

The rolled-forward model knows where the next points would fall, but not that it will learn better
hyperparameters from them: errors fall faster than it says, and the more so the fewer values there are. The
rate of that was chosen on random functions (``equiwarp bench study error``). The errors of the
campaign's own earlier maps were tried as a third source: how fast they fell says nothing of how fast the
error goes on falling that the model does not know (correlation 0.04 against 0.79), so they are shown and not
used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp.domains import Array
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.maps.error import INTERVAL_SPREADS, count_places, log_spread
from equiwarp.maps.prior_worth import saved_by_prior

if TYPE_CHECKING:
    from equiwarp.maps.map import Map

#: Points over which the model is rolled forward: a forecast is an estimate of an estimate.
FORECAST_POINTS = 512
#: The power of the number of measurements with which errors fall beyond what the rolled-forward model says.
LEARNING_RATE = 0.4
#: Spread of the logarithm of the forecast fall for each unit of that logarithm.
FALL_SPREAD = 0.6


@dataclass(frozen=True, eq=False)
class Forecast:
    """The error expected after 0, 1, ..., n more experiments. :meth:`equiwarp.Map.forecast` makes it.

    It serves as the array of expected errors: ``forecast[5, 0]``, ``len(forecast)``,
    ``np.asarray(forecast)``.

    Attributes
    ----------
    error : (n + 1, k) array
        The expected error of each response, in its units. Row 0 is the present one.
    low, high : (n + 1, k) arrays
        The true error will lie between them in about four cases of five.
    map : Map or None
        The map that it was made from.

    Examples
    --------
    >>> import equiwarp as ew
    >>> m = ew.build_map(ew.Box.unit(1), [[0.1], [0.5], [0.9]], [0.0, 1.0, 0.2], noise=0.01)
    >>> forecast = m.forecast(2)
    >>> forecast.shape
    (3, 1)
    >>> bool(forecast[0, 0] == m.error()[0].value)
    True
    """

    error: Array
    low: Array
    high: Array
    map: Map | None = field(default=None, repr=False)

    @cached_property
    def saved(self) -> tuple[int | None, ...]:
        """How many experiments the prior saved, by response: so many more a map without it would need now.

        None: more than 60, or there is no prior. It fits and rolls forward the map without the prior.
        """
        if self.map is None or self.map.prior is None:
            return (None,) * self.error.shape[1]
        return saved_by_prior(self.map)

    @property
    def shape(self) -> tuple[int, ...]:
        """``(n + 1, k)``."""
        return self.error.shape

    def __len__(self) -> int:
        return len(self.error)

    def __getitem__(self, item: Any) -> Any:
        return self.error[item]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.error, dtype=dtype)


def forecast_of(map: Map, n: int) -> Forecast:
    """The forecast of a map; pending experiments are the first of the n."""
    coming = np.concatenate([map.pending, points_ahead(map, n - len(map.pending))])[:n]
    columns = []
    for j, (model, now, values) in enumerate(zip(map.models, map.error(), map.y.T, strict=True)):
        # What lacks the value of a response is still to come, for that response.
        missing = np.isnan(values)
        count = max(1, count_places(map.domain.embed(map.x[~missing])))
        next_ones = np.concatenate([map.x[missing], coming])[: len(coming)]
        rolled = model.rolled_forward(
            map.coordinates(map.judged_points[:FORECAST_POINTS], j), map.coordinates(next_ones, j)
        )
        fall = log_falls(rolled, count)
        spread = np.sqrt(log_spread(count) ** 2 + (FALL_SPREAD * fall) ** 2)
        error, width = now.value * np.exp(-fall), np.exp(INTERVAL_SPREADS * spread)
        columns.append((error, error / width, error * width))
    error, low, high = (np.column_stack(part) for part in zip(*columns, strict=True))
    return Forecast(error, low, high, map)


def log_falls(rolled: Array, n: int) -> Array:
    """By how much the logarithm of the error falls with each of the next experiments, ``(a + 1,)``.

    ``rolled`` ``(a + 1,)`` is the model's deviation, rolled forward from values at n places.
    """
    if not rolled[0] > 0:
        return np.zeros(len(rolled))
    by_model = -np.log(np.maximum(rolled / rolled[0], 1e-12))
    return np.asarray(by_model + LEARNING_RATE * np.log1p(np.arange(len(rolled)) / n))


def points_ahead(map: Map, n: int) -> Array:
    """The points that the map's strategy would choose next, at most n: a list has an end."""
    configuration = prepare(map.domain, map.strategy, map.seed, aim=map.bound_aim)
    n = min(n, len(configuration.pool) - len(configuration.taken(map.measurements.locations)))
    return choose(configuration, map.measurements, n)[0].points if n > 0 else map.x[:0]
