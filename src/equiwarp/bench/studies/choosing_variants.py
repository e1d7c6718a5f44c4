"""Variants of `map` that were tried, by name: what became the strategy, and what was rejected."""

from __future__ import annotations

from equiwarp.strategy import Strategy
from equiwarp.strategy.map_error import MapError

_THREE, _FOUR = ("matern", "additive", "warped"), ("matern", "additive", "trend", "warped")
_TRIED: dict[str, MapError] = {
    "one model": MapError(families=("matern",)),
    "three models": MapError(families=_THREE),
    "three models, w = 1": MapError(families=_THREE, floor=None),
    "four models": MapError(families=_FOUR),
    "map, floor 1": MapError(floor=1.0),
    "map, w = 1": MapError(floor=None),
    "map, stacked weights": MapError(shrink=0.0),
}
#: Name -> strategy.
VARIANTS = {name: Strategy(name, criterion, summary="tried") for name, criterion in _TRIED.items()}
VARIANTS["map, equalized"] = Strategy("map, equalized", MapError(), equalizer=True, summary="tried")
