"""What drives the next choice, over a slice: variance, equalized variance, and the same through the warp.

These are the three acquisition layers of the paper's first figure, and what turns one into the next:
the equalizer g and the stretch of the warp. And, since a campaign may choose in another way, the score
of its own strategy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiwarp.design import Design
from equiwarp.domains import Array
from equiwarp.mapping import Map
from equiwarp.report.slices import Slice
from equiwarp.rounds import Memory, equalizer_of, fit_lengthscale, kernel_of, scene_of, warp_of
from equiwarp.seeds import POOL, stream
from equiwarp.setting import POOL_SIZE, prepare, standardise
from equiwarp.strategies import Criterion, OpenLoop, find
from equiwarp.suggest import choose
from equiwarp.suggestion import Suggestion

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


def design_of(map: Map) -> Design:
    """The measurements of a map that lie in the domain, and its pending points."""
    inside = map.domain.contains(map.x)
    noise = None if map.noise is None else map.noise[inside]
    return Design(map.domain, map.x[inside], map.y[inside], noise, map.pending)


def layers_of(map: Map, slice: Slice) -> Layers:
    """All layers for what has been measured and is pending."""
    design = design_of(map)
    shown = slice.points[slice.inside]
    variance, _, _ = _score(map, design, shown, "eig")
    warped, g, stretch = _score(map, design, shown, "equiwarp")
    score = _own(map, design, shown, g * warped)
    return Layers(*(slice.spread(layer) for layer in (variance, g, g * variance, stretch, g * warped, score)))


def _own(map: Map, design: Design, shown: Array, full: Array) -> Array:
    """The score of the map's strategy at the points shown, over its largest; ``full`` is equiwarp's."""
    strategy = find(map.strategy)
    if isinstance(strategy.criterion, OpenLoop) or design.n == 0:
        return np.full(len(shown), np.nan)
    if strategy.name != "equiwarp":
        score, g, _ = _score(map, design, shown, strategy.name)
        full = g * score
    best = float(np.max(full, initial=0.0))
    return full / best if 0 < best < np.inf else np.full(len(shown), np.nan)


def _score(map: Map, design: Design, shown: Array, name: str) -> tuple[Array, Array, Array]:
    """The criterion, g and stretch at the points shown, as this strategy sees them."""
    domain, strategy = map.domain, find(name)
    if len(shown) == 0:
        return np.empty(0), np.empty(0), np.empty(0)
    company = domain.sample(COMPANY, stream(map.seed, "layers"))
    setting = prepare(domain, strategy, map.seed, pool=np.concatenate([shown, company]))
    values = standardise(setting, design)
    kernel = kernel_of(setting, fit_lengthscale(setting, design, values, Memory()))
    warp, _ = warp_of(setting, design, values, kernel, Memory())
    scene = scene_of(setting, design, values, kernel, warp, Memory())
    assert isinstance(strategy.criterion, Criterion)
    state = strategy.criterion.begin(scene)
    equalizer = equalizer_of(setting, kernel, values, Memory())
    g = np.ones(len(setting.pool)) if equalizer is None else equalizer(len(state.Z))
    return state.score()[: len(shown)], g[: len(shown)], warp.stretch(shown)


def preview(map: Map, ask: int, n: int) -> Suggestion | None:
    """What ask number ``ask`` would suggest if it came now; None where the sequence is fixed in advance."""
    if isinstance(find(map.strategy).criterion, OpenLoop):
        return None
    pool = map.domain.pool(POOL_SIZE, stream(map.seed, POOL, ask))
    setting, design = prepare(map.domain, map.strategy, map.seed, pool=pool), design_of(map)
    free = len(pool) - len(setting.taken(np.concatenate([design.x, design.pending])))
    return choose(setting, design, min(n, free))[0] if free else None
