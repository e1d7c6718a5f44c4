"""Variants of `map` that were tried, by name: what became the strategy, and what was rejected."""

from __future__ import annotations

from equiwarp.bench.studies.drawn_models import DrawnModelsError
from equiwarp.bench.studies.inward import InwardError
from equiwarp.bench.studies.residual_weights import ResidualWeightedError
from equiwarp.models.registry import DEFAULT_MODELS
from equiwarp.strategy import Strategy
from equiwarp.strategy.map_error import CHOOSING_MODELS, MapError

WITH_ENVELOPE = (*CHOOSING_MODELS, "envelope")

_TRIED: dict[str, MapError] = {
    "one model": MapError(families=("matern",)),
    "one model, weighted": MapError(families=("matern",), floor=0.3),
    "two models": MapError(families=("matern", "additive")),
    "two models, weighted": MapError(families=("matern", "additive"), floor=0.3),
    "map, weighted": MapError(floor=0.3),
    "all models": MapError(families=DEFAULT_MODELS),
    "all models, weighted": MapError(families=DEFAULT_MODELS, floor=0.3),
    "map, stacked weights": MapError(shrink=0.0),
    "residuals": ResidualWeightedError(),
    "evidence": ResidualWeightedError(by_change=True),
    "envelope": MapError(families=WITH_ENVELOPE, hedged=CHOOSING_MODELS),
    "envelope, residuals": ResidualWeightedError(families=WITH_ENVELOPE, hedged=CHOOSING_MODELS),
    "draws": DrawnModelsError(),
    "inward": InwardError(),
    "single-index, envelope": MapError(
        families=(*CHOOSING_MODELS, "single-index", "envelope"), hedged=CHOOSING_MODELS
    ),
    "single-index": MapError(families=(*CHOOSING_MODELS, "single-index"), hedged=CHOOSING_MODELS),
    "pairs": MapError(families=(*CHOOSING_MODELS, "pairs")),
    "1024 targets": MapError(targets=1024),
    "the same targets": MapError(renewed=False),
    "map, none spread": MapError(spread=0.0),
    "map, a quarter spread": MapError(spread=0.25),
    "map, three quarters spread": MapError(spread=0.75),
}
#: Name -> strategy.
VARIANTS = {name: Strategy(name, criterion, summary="tried") for name, criterion in _TRIED.items()}
VARIANTS["map, equalized"] = Strategy("map, equalized", MapError(), equalizer=True, summary="tried")
