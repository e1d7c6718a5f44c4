"""``FollowedResponse``: one response over a shortlist and the targets, while a batch is chosen from the list.

One more point of the batch changes what is unknown by one row of covariances. The rows of those places that
are worth most are computed together from the measurements, so that the next points cost next to nothing,
however many measurements there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.domains import Array
from equiwarp.gp.cholesky import SMALLEST_PIVOT
from equiwarp.gp.fast.growing import GrowingRows
from equiwarp.strategy.model_field import less_outer

if TYPE_CHECKING:
    from equiwarp.strategy.map_state import ResponseState

#: Places whose rows are computed together.
TOGETHER = 32


@dataclass(frozen=True)
class FollowedResponse:
    """What is unknown of one response at the places of a shortlist, given points of the list.

    Attributes
    ----------
    begin : ResponseState
        Of these places alone, before the first of those points.
    now : ResponseState
        The same after them.
    rows : GrowingRows, (b, l + t)
        What each of the points explains.
    covariances : dict of int to (l + t,) array
        Rows of the covariance at the beginning that were needed so far. They are remembered: that saves time
        and changes nothing.
    """

    begin: ResponseState
    now: ResponseState
    rows: GrowingRows
    covariances: dict[int, Array] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, begin: ResponseState) -> FollowedResponse:
        """Before any point."""
        return cls(begin, begin, GrowingRows.of(np.empty((0, len(begin.s2)))))

    def given(self, place: int) -> FollowedResponse:
        """Given the point at one place of the list as well, without its value."""
        explained = self.rows.rows
        row = self._covariance(place) - explained[:, place] @ explained
        row = row / np.sqrt(max(float(row[place]) + self.begin.noise_var, SMALLEST_PIVOT))
        now = replace(self.now, C=less_outer(self.now.C, row), s2=np.maximum(self.now.s2 - row * row, 0.0))
        return replace(self, now=now, rows=self.rows.append(row))

    def _covariance(self, place: int) -> Array:
        """Covariance ``(l + t,)`` of a place with all, at the beginning."""
        if place not in self.covariances:
            worth = self.now.score()
            worth[[place, *self.covariances]] = np.inf, *[-np.inf] * len(self.covariances)
            count = min(TOGETHER, len(worth) - len(self.covariances))
            places = np.argsort(-worth, kind="stable")[:count]
            self.covariances.update(zip(places.tolist(), self.begin.covariances_of(places), strict=True))
        return self.covariances[place]
