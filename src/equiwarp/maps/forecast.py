"""What further experiments will bring: the model rolled forward, and the campaign's own course so far.

The model, rolled forward along the points that would be measured next, knows where they would fall, but not that
it will learn better hyperparameters from them. The errors of the campaign's earlier maps know how
fast this function gave way so far, but not that the next points may be worth more or less. The forecast is
a mean of the two; its constants were chosen on random functions (``equiwarp bench study map``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp.domains import Array
from equiwarp.engine.algorithm import choose
from equiwarp.engine.configuration import prepare
from equiwarp.maps.error import INTERVAL_SPREADS, log_spread

if TYPE_CHECKING:
    from equiwarp.maps.map import Map

#: Points over which the model is rolled forward: a forecast is an estimate of an estimate.
FORECAST_POINTS = 512
#: Earlier maps rest on these shares of the measurements, and on at least so many.
PAST_SHARES, FEWEST_PAST = (0.5, 0.75), 8
#: Measurements beyond which earlier maps would take too long for what they tell.
MOST_PAST = 500
#: The rate at which errors fall with the number of measurements (as a power) before anything is known of the
#: campaign, and how much that counts beside its own course.
USUAL_RATE, USUAL_WEIGHT = 0.5, 1.0
#: How much the rolled-forward model counts beside the rate.
MODEL_SHARE = 0.5
#: Spread of the logarithm of the forecast fall for each unit of that logarithm.
FALL_SPREAD = 0.6


@dataclass(frozen=True, eq=False)
class Forecast:
    """The error expected after 0, 1, ..., n more experiments. :meth:`equiwarp.Map.forecast` makes it.

    It serves as the array of expected errors: ``forecast[5, 0]``, ``len(forecast)``, ``np.asarray(forecast)``.

    Attributes
    ----------
    error : (n + 1, k) array
        The expected error of each response, in its units. Row 0 is the present one.
    low, high : (n + 1, k) arrays
        The true error will lie between them in about four cases of five.

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
    ahead = map.domain.embed(np.concatenate([map.pending, points_ahead(map, n - len(map.pending))])[:n])
    rates = learning_rates(map)
    columns = []
    for j, (model, now) in enumerate(zip(map.models, map.error(), strict=True)):
        rolled = model.rolled_forward(map.everywhere[:FORECAST_POINTS], ahead)
        fall = log_falls(rolled, len(map.x), rates[j])
        spread = np.sqrt(log_spread(len(map.x)) ** 2 + (FALL_SPREAD * fall) ** 2)
        error, width = now.value * np.exp(-fall), np.exp(INTERVAL_SPREADS * spread)
        columns.append((error, error / width, error * width))
    return Forecast(*(np.column_stack(part) for part in zip(*columns, strict=True)))


def log_falls(rolled: Array, n: int, rate: float) -> Array:
    """By how much the logarithm of the error falls with each of the next experiments, ``(a + 1,)``.

    Parameters
    ----------
    rolled : (a + 1,) array
        The model's deviation, rolled forward.
    n : int
        How many values there are.
    rate : float
        The power of n with which the error falls.
    """
    by_model = -np.log(np.maximum(rolled, 1e-12 * max(rolled[0], 1e-300)) / max(rolled[0], 1e-300))
    by_course = rate * np.log1p(np.arange(len(rolled)) / n)
    return MODEL_SHARE * by_model + (1.0 - MODEL_SHARE) * by_course


def learning_rates(map: Map) -> list[float]:
    """The power of the number of measurements with which the error of each response fell so far."""
    n = len(map.x)
    counts = [c for c in (math.floor(share * n) for share in PAST_SHARES) if c >= FEWEST_PAST]
    if n > MOST_PAST or not counts:
        return [USUAL_RATE] * len(map.models)
    now = np.array([e.value for e in map.error()])
    past = [np.array([e.value for e in map.refitted(np.arange(c), map.noise).error()]) for c in counts]
    return [learning_rate([*counts, n], [*(p[j] for p in past), now[j]]) for j in range(len(now))]


def learning_rate(counts: Sequence[int], errors: Sequence[float]) -> float:
    """The slope of the logarithms of error against number, held towards the usual rate; not negative."""
    x, y = np.log(counts), np.log(np.maximum(errors, 1e-300))
    x, y = x - x[-1], y - y[-1]
    scale = float(x @ x) / math.log(2.0) ** 2
    slope = -float(x @ y) / float(x @ x)
    return max(0.0, (scale * slope + USUAL_WEIGHT * USUAL_RATE) / (scale + USUAL_WEIGHT))


def points_ahead(map: Map, n: int) -> Array:
    """The points that the map's strategy would choose next, at most n: a list has an end."""
    configuration = prepare(map.domain, map.strategy, map.seed)
    n = min(n, len(configuration.pool) - len(configuration.taken(map.measurements.locations)))
    return choose(configuration, map.measurements, n)[0].points if n > 0 else map.x[:0]
