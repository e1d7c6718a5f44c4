"""How points are chosen: criteria, strategies, and a registry of names."""

from equiwarp.strategy.base import Criterion, CriterionState, OpenLoop, RoundInputs, Strategy
from equiwarp.strategy.registry import DEFAULT_STRATEGY, find, full_name, package_of, strategies, usual_start

__all__ = [
    "DEFAULT_STRATEGY",
    "Criterion",
    "CriterionState",
    "OpenLoop",
    "RoundInputs",
    "Strategy",
    "find",
    "full_name",
    "package_of",
    "strategies",
    "usual_start",
]
