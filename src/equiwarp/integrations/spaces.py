"""What the hosts' search spaces have in common: linear constraints between parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


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
