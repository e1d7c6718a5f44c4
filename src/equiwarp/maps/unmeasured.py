"""The model of a response that has no value yet: nothing is known of it, and it says so with NaN."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from equiwarp.domains import Array, Domain
from equiwarp.models import MapModel
from equiwarp.models.base import FitResult


class Unmeasured(MapModel):
    """Stands in a map for a response that is still to be measured, where others have values already."""

    noise_ = math.nan

    @classmethod
    def fit_map(
        cls, domain: Domain, Z: Array, y: Array, noise: Array | None, earlier: FitResult | None = None
    ) -> Unmeasured:
        return cls()

    def predict(self, X: Any, return_std: bool = False) -> Any:
        nothing = np.full(len(X), np.nan)
        return (nothing, nothing) if return_std else nothing

    def leave_one_out(self) -> tuple[Array, Array]:
        return np.empty(0), np.empty(0)

    def covariance(self, A: Array, B: Array) -> Array:
        return np.full((len(A), len(B)), np.nan)

    def rolled_forward(self, everywhere: Array, ahead: Array) -> Array:
        return np.full(len(ahead) + 1, np.nan)
