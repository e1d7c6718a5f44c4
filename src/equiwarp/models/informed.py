"""The model of a response of which something is believed before: y(x) = scale m(x) + delta(x).

Kernel coordinates are followed by one column, the prior's value m. Two averages of the map's families stand
side by side, one of the difference delta and one of the values themselves. Each counts for as much as it
predicts values that were left out, so a prior that misleads is faded out.

Kennedy and O'Hagan (2000), Predicting the output from a complex computer code when fast approximations are
available. There the difference has one model, and nothing stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from equiwarp._util.progress import Progress, part_of
from equiwarp.domains import Array, Domain
from equiwarp.models.average import Average, fit_average, log_density_by_place, stacked
from equiwarp.models.base import FitResult, MapModel

WITH, WITHOUT = "with prior", "without prior"
#: Values that each of the two is taken to have predicted alone: whoever gives a prior has a reason.
EXPECTED_WITH, EXPECTED_WITHOUT = 0.2, 0.05


class Informed(MapModel):
    """A model of the difference, with the scaled prior added again.

    Parameters
    ----------
    difference : MapModel
        Of the values less ``scale`` times the prior; it does not see the last column.
    scale : float
        Of the prior; 0 leaves it out.
    """

    def __init__(self, difference: MapModel, scale: float) -> None:
        self.difference, self.scale = difference, scale
        self.noise_, self.hyperparameters_ = difference.noise_, difference.hyperparameters_

    @classmethod
    def fit_map(
        cls, domain: Domain, Z: Array, y: Array, noise: Array | None, earlier: FitResult | None = None
    ) -> MapModel:
        raise NotImplementedError("it is made of a fitted model of the difference")

    def predict(self, X: Any, return_std: bool = False) -> Any:
        found = self.difference.predict(X[:, :-1], return_std)
        known = self.scale * X[:, -1]
        return (found[0] + known, found[1]) if return_std else found + known

    def covariance(self, A: Array, B: Array) -> Array:
        return self.difference.covariance(A[:, :-1], B[:, :-1])

    def leave_one_out(self) -> tuple[Array, Array]:
        return self.difference.leave_one_out()

    def draw(self, X: Array, count: int, seed: int = 0) -> Array:
        return self.difference.draw(X[:, :-1], count, seed) + self.scale * X[:, -1]


def fit_informed(
    families: Mapping[str, type[MapModel]],
    domain: Domain,
    Z: Array,
    y: Array,
    noise: Array | None,
    scale: float,
    earlier: FitResult,
    progress: Progress | None = None,
) -> Average:
    """Fit the families with and without the prior, the last column of ``Z`` times ``scale``."""
    members = {}
    for i, (name, own_scale) in enumerate({WITH: scale, WITHOUT: 0.0}.items()):
        if name == WITHOUT or own_scale:
            rest = y - own_scale * Z[:, -1]
            told, start = progress and part_of(progress, i, 2), earlier.get(name, {})
            fitted = fit_average(families, domain, Z[:, :-1], rest, noise, start, progress=told)
            members[name] = Informed(fitted, own_scale)
    by_place = [log_density_by_place(member, Z[:, :-1], noise) for member in members.values()]
    expected = np.array([EXPECTED_WITH if name == WITH else EXPECTED_WITHOUT for name in members])
    return Average(members, stacked(np.column_stack(by_place), expected))
