"""Layer 5: the registry of strategies, by the names that papers and users know them under."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from equiwarp.exceptions import InvalidInput
from equiwarp.strategy.base import Criterion, CriterionState, OpenLoop, RoundInputs, Strategy
from equiwarp.strategy.distance import Distance
from equiwarp.strategy.epig import PredictiveGain
from equiwarp.strategy.lookahead_gp import EmptyBall
from equiwarp.strategy.lookahead_nn import NearestLookahead
from equiwarp.strategy.nipv import IntegratedVariance
from equiwarp.strategy.openloop import SobolDesign, UniformRandom
from equiwarp.strategy.variance import Variance

__all__ = [
    "Criterion",
    "CriterionState",
    "OpenLoop",
    "RoundInputs",
    "Strategy",
    "find",
    "full_name",
    "strategies",
]

_REGISTRY = {
    strategy.name: strategy
    for strategy in (
        Strategy("fps", Distance(), summary="farthest point from everything measured"),
        Strategy("sobol", SobolDesign(), summary="scrambled Sobol sequence, fixed in advance"),
        Strategy("random", UniformRandom(), summary="uniform random points"),
        Strategy("eig", Variance(), summary="largest posterior variance, the common recipe"),
        Strategy(
            "equalized", Variance(), equalizer=True, summary="variance with the boundary bias divided out"
        ),
        Strategy(
            "equiwarp",
            Variance(),
            equalizer=True,
            warp="reconstruction",
            summary="equalizer and reconstruction warp: the paper's full method",
        ),
        Strategy(
            "warp", Variance(), warp="reconstruction", summary="reconstruction warp without the equalizer"
        ),
        Strategy(
            "kumaraswamy",
            Variance(),
            equalizer=True,
            warp="kumaraswamy",
            summary="equalizer and a trained Kumaraswamy warp",
        ),
        Strategy("nipv", IntegratedVariance(), summary="largest drop of the integrated posterior variance"),
        Strategy("epig", PredictiveGain(), summary="information about predictions at joint targets"),
        Strategy(
            "refit",
            Variance(),
            lengthscale="refit",
            summary="variance with the lengthscale refitted each round",
        ),
        Strategy(
            "lookahead-nn",
            NearestLookahead(),
            summary="largest expected drop of the nearest-neighbour map's error",
        ),
        Strategy(
            "lookahead-gp",
            EmptyBall(),
            lengthscale="fitted",
            summary="largest expected error of the Gaussian-process map, removed",
        ),
        Strategy(
            "neumann", Variance(), kernel="neumann", summary="variance of a kernel reflected at the faces"
        ),
    )
}

#: Other names of registered strategies.
_ALIASES = {"lookahead": "lookahead-gp"}


def strategies() -> Mapping[str, Strategy]:
    """The registry: name -> Strategy, read-only."""
    return MappingProxyType(_REGISTRY)


def full_name(name: str) -> str:
    """The registered name for another name of a strategy; any other text as it is."""
    return _ALIASES.get(name, name)


def find(strategy: str | Strategy) -> Strategy:
    """A strategy by name, or one of your own as it is."""
    if isinstance(strategy, Strategy):
        return strategy
    name = full_name(strategy)
    if name not in _REGISTRY:
        raise InvalidInput(f"unknown strategy {strategy!r}; choose one of {', '.join(_REGISTRY)}")
    return _REGISTRY[name]
