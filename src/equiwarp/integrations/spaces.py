"""What the hosts' search spaces have in common: linear constraints between parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equiwarp.domains import Box, Constrained, Domain, Simplex
from equiwarp.exceptions import InvalidInput


@dataclass(frozen=True)
class Halfspace:
    """``sum_i weight_i x_i <= bound``, as a columnwise constraint of :class:`equiwarp.Constrained`.

    A dataclass rather than a function, so that the same space read twice is equal to itself.
    """

    weights: tuple[tuple[str, float], ...]
    bound: float

    def __call__(self, columns: Mapping[str, Any]) -> Any:
        total = sum(weight * np.asarray(columns[name], dtype=float) for name, weight in self.weights)
        scale = max(abs(self.bound), *(abs(weight) for _, weight in self.weights))
        return total <= self.bound + 1e-9 * scale


def constrained(box: Box, below: Sequence[Halfspace], equal: Sequence[Halfspace] = ()) -> Domain:
    """A box under linear constraints: ``below`` hold with <=, ``equal`` with =.

    Of equalities, only a mixture has a chart: all parameters, with equal weights, add up to a constant.
    """
    base: Domain = box
    conditions = [halfspace for halfspace in below if halfspace.weights]
    if equal:
        base, above = _mixture(box, equal)
        conditions += above
    return Constrained(base, conditions, columnwise=True) if conditions else base


def _mixture(box: Box, equal: Sequence[Halfspace]) -> tuple[Simplex, list[Halfspace]]:
    """The simplex, and those upper bounds that are tighter than what the others leave."""
    weights = dict(equal[0].weights)
    continuous = not any(p.discrete or p.periodic or p.scale == "log" for p in box.parameters)
    same = len(set(weights.values())) == 1 and set(weights) == set(box.names)
    if len(equal) > 1 or not same or not continuous:
        raise InvalidInput(
            "of linear equalities, equiwarp knows mixtures: all parameters, linear and continuous, add up "
            "with equal weights to a constant; eliminate a parameter from any other equality"
        )
    total = equal[0].bound / next(iter(weights.values()))
    bounds = dict(zip(box.names, box.parameters, strict=True))
    spare = total - sum(p.low for p in bounds.values())
    above = [
        Halfspace(((name, 1.0),), p.high)
        for name, p in bounds.items()
        if p.high < p.low + spare - 1e-9 * abs(total)
    ]
    return Simplex({name: p.low for name, p in bounds.items()}, total), above
