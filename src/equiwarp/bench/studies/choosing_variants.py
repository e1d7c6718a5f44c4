"""Variants of `map` that were tried, by name: what became the strategy, and what was rejected."""

from __future__ import annotations

from equiwarp.models.registry import DEFAULT_MODELS
from equiwarp.strategy import Strategy
from equiwarp.strategy.map_error import MapError

_TRIED: dict[str, MapError] = {
    "one model": MapError(families=("matern",)),
    "one model, weighted": MapError(families=("matern",), floor=0.3),
    "two models": MapError(families=("matern", "additive")),
    "two models, weighted": MapError(families=("matern", "additive"), floor=0.3),
    "map, weighted": MapError(floor=0.3),
    "six models": MapError(families=DEFAULT_MODELS),
    "six models, weighted": MapError(families=DEFAULT_MODELS, floor=0.3),
    "map, stacked weights": MapError(shrink=0.0),
}
#: Name -> strategy.
VARIANTS = {name: Strategy(name, criterion, summary="tried") for name, criterion in _TRIED.items()}
VARIANTS["map, equalized"] = Strategy("map, equalized", MapError(), equalizer=True, summary="tried")
