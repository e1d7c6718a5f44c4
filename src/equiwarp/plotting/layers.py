"""What drives the next choice, over a slice: variance, equalized variance, and the same through the warp.

These are the three acquisition layers of the paper's first figure, and what turns one into the next:
the equalizer g and the stretch of the warp. And, since a campaign may choose in another way, the score
of its own strategy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.aims import BoundAim
from equiwarp.domains import Array
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.engine.round import Round
from equiwarp.maps.map import Map
from equiwarp.plotting.slices import Slice
from equiwarp.strategy import OpenLoop, Strategy, find

#: Points of the whole domain beside the slice's, among which the equalizer finds the interior.
COMPANY = 1024
#: Most measurements that enter, those nearest to the slice: each takes memory at every point of it, and what
#: is farther away hardly changes what is drawn.
MOST_MEASURED = 2000


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


def layers_of(map: Map, slice: Slice) -> Layers:
    """All layers for what has been measured and is pending."""
    shown = slice.points[slice.inside]
    if len(shown) == 0:
        return Layers(*(slice.spread(np.empty(0)) for _ in range(6)))
    known = _near(map, shown)
    plain, full = (_round(map, known, shown, name) for name in ("eig", "equiwarp"))
    layers = (plain.criterion, full.g, full.g * plain.criterion, full.stretch, full.score)
    own = _own(map, known, shown, full)
    return Layers(*(slice.spread(layer[: len(shown)]) for layer in (*layers, own)))


def _near(map: Map, shown: Array) -> Measurements:
    """All measurements, or of very many those nearest to the points shown."""
    from scipy.spatial import cKDTree

    known = map.measurements
    if known.n <= MOST_MEASURED:
        return known
    away = cKDTree(map.domain.embed(shown)).query(map.domain.embed(known.x))[0]
    rows = np.sort(np.argsort(away, kind="stable")[:MOST_MEASURED])
    noise = None if known.noise is None else known.noise[rows]
    return replace(known, x=known.x[rows], y=known.y[rows], noise=noise)


def _own(map: Map, known: Measurements, shown: Array, full: Round) -> Array:
    """The score of the map's strategy at the points shown, over its largest; ``full`` is equiwarp's round."""
    strategy = find(map.strategy)
    if isinstance(strategy.criterion, OpenLoop) or map.measurements.n == 0:
        return np.full(len(shown), np.nan)
    if strategy.name == "equiwarp" and not map.aim:
        now = full
    else:
        now = _round(map, known, shown, strategy, map.bound_aim)
    score = now.score[: len(shown)]
    best = float(np.max(score))
    return score / best if 0 < best < np.inf else np.full(len(shown), np.nan)


def _round(
    map: Map, known: Measurements, shown: Array, strategy: str | Strategy, aim: BoundAim | None = None
) -> Round:
    """A round of this strategy whose pool begins with the points shown."""
    company = map.domain.sample(COMPANY, stream(map.seed, "layers"))
    pool = np.concatenate([shown, company])
    frame = prepare(map.domain, strategy, map.seed, pool=pool, engine="exact", aim=aim)
    return Round(frame, known)
