"""What drives the next choice, over a slice: variance, equalized variance, and the same through the warp.

These are the three acquisition layers of the paper's first figure, and what turns one into the next:
the equalizer g and the stretch of the warp. And, since a campaign may choose in another way, the score
of its own strategy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.domains import Array
from equiwarp.engine.configuration import prepare, standardise
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import RoundCache, equalizer_of, fit_lengthscale, inputs_of, kernel_of, warp_of
from equiwarp.maps.map import Map
from equiwarp.plotting.slices import Slice
from equiwarp.strategy import Criterion, OpenLoop, Strategy, find

#: Points of the whole domain beside the slice's, among which the equalizer finds the interior.
COMPANY = 1024


@dataclass(frozen=True)
class Layers:
    """Over all points of a slice, ``(m,)`` each, NaN outside the domain.

    Attributes
    ----------
    variance : s^2(x), as a share of the prior's
    equalizer : g(x)
    equalized : g(x) s^2(x)
    stretch : how much the warp stretches lengths at x
    warped : g(x) s_T^2(x), what the full method maximises
    score : what the campaign's own strategy maximises, over its largest value in the slice; NaN where
        it does not look at a pool
    """

    variance: Array
    equalizer: Array
    equalized: Array
    stretch: Array
    warped: Array
    score: Array


def measurements_of(map: Map) -> Measurements:
    """The measurements of a map that lie in the domain, and its pending points."""
    inside = map.domain.contains(map.x)
    noise = None if map.noise is None else map.noise[inside]
    return Measurements(map.domain, map.x[inside], map.y[inside], noise, map.pending)


def layers_of(map: Map, slice: Slice) -> Layers:
    """All layers for what has been measured and is pending."""
    measurements = measurements_of(map)
    shown = slice.points[slice.inside]
    variance, _, _ = _score(map, measurements, shown, "eig")
    warped, g, stretch = _score(map, measurements, shown, "equiwarp")
    score = _own(map, measurements, shown, g * warped)
    return Layers(*(slice.spread(layer) for layer in (variance, g, g * variance, stretch, g * warped, score)))


def _own(map: Map, measurements: Measurements, shown: Array, full: Array) -> Array:
    """The score of the map's strategy at the points shown, over its largest; ``full`` is equiwarp's."""
    strategy = find(map.strategy)
    if isinstance(strategy.criterion, OpenLoop) or measurements.n == 0:
        return np.full(len(shown), np.nan)
    if strategy.name != "equiwarp":
        score, g, _ = _score(map, measurements, shown, strategy)
        full = g * score
    best = float(np.max(full, initial=0.0))
    return full / best if 0 < best < np.inf else np.full(len(shown), np.nan)


def _score(
    map: Map, measurements: Measurements, shown: Array, chosen: str | Strategy
) -> tuple[Array, Array, Array]:
    """The criterion, g and stretch at the points shown, as this strategy sees them."""
    domain, strategy = map.domain, find(chosen)
    if len(shown) == 0:
        return np.empty(0), np.empty(0), np.empty(0)
    company = domain.sample(COMPANY, stream(map.seed, "layers"))
    configuration = prepare(domain, strategy, map.seed, pool=np.concatenate([shown, company]))
    values = standardise(configuration, measurements)
    kernel = kernel_of(configuration, fit_lengthscale(configuration, measurements, values, RoundCache()))
    warp, _ = warp_of(configuration, measurements, values, kernel, RoundCache())
    inputs = inputs_of(configuration, measurements, values, kernel, warp, RoundCache())
    assert isinstance(strategy.criterion, Criterion)
    state = strategy.criterion.begin(inputs)
    equalizer = equalizer_of(configuration, kernel, values, RoundCache())
    g = np.ones(len(configuration.pool)) if equalizer is None else equalizer(len(state.Z))
    return state.score()[: len(shown)], g[: len(shown)], warp.stretch(shown)
