"""Any criterion on a pool too long to be held in memory with everything that is known about it.

The pool is scored some rows at a time, and only the best row is kept. Memory then depends on the
size of a chunk and not on the length of the list; time grows in proportion to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.strategy.base import Criterion, CriterionState, RoundInputs

#: Pools up to this length are scored at once.
WHOLE_POOL = 65_536
#: Rows of a chunk, fewer if a chunk and the conditioning points would have more pairs than this.
POOL_CHUNK, MOST_PAIRS = 16_384, 1 << 24
#: Up to this many conditioning points, computing all variances is quicker than bounding them.
MOST_DENSE = 512


@dataclass(frozen=True)
class ChunkedState(CriterionState):
    """Round inputs with a long pool, the points added to it, and the best row of the last search.

    Attributes
    ----------
    added : (a, e) array
    found : (row, score, variance, jitter)
        Of the last search.
    """

    criterion: Criterion
    inputs: RoundInputs
    added: Array
    found: tuple[int, float, float, float] = (-1, np.nan, np.nan, 0.0)

    @classmethod
    def of(cls, criterion: Criterion, inputs: RoundInputs) -> ChunkedState:
        return cls(criterion, inputs, np.empty((0, inputs.Z.shape[1])))

    def score(self) -> Array:
        return np.concatenate([state.score() for _, state in self._chunks()])

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> tuple[CriterionState, int]:
        highest, found = -np.inf, self.found
        for rows, state in self._chunks():
            if not free[rows].any():
                continue
            weight = None if weights is None else weights[rows]
            state, i = state.best(weight, free[rows])
            score = state.score_at(i)
            weighted = score if weight is None else score * float(weight[i])
            if weighted > highest or found[0] < 0:
                highest = weighted
                found = (rows.start + i, score, state.variance_at(i), state.jitter)
        return replace(self, found=found), found[0]

    def score_at(self, i: int) -> float:
        return self.found[1] if i == self.found[0] else float(self._alone(i).score()[0])

    def variance_at(self, i: int) -> float:
        return self.found[2] if i == self.found[0] else self._alone(i).variance_at(0)

    def error_at(self, i: int) -> tuple[float, float, int] | None:
        return self._alone(i).error_at(0)

    def add(self, z: Array) -> CriterionState:
        return replace(self, added=np.vstack([self.added, z]))

    def fits(self, inputs: RoundInputs) -> bool:
        return False  # nothing is kept that the next round could use

    @property
    def Z(self) -> Array:
        return np.concatenate([self.inputs.Z, self.added])

    @property
    def jitter(self) -> float:
        return self.found[3]

    def _chunks(self) -> Iterator[tuple[slice, CriterionState]]:
        count = len(self.inputs.x) + len(self.added)
        height = max(256, min(POOL_CHUNK, MOST_PAIRS // max(count, 1)))
        for start in range(0, len(self.inputs.pool), height):
            rows = slice(start, min(start + height, len(self.inputs.pool)))
            yield rows, self._begin(rows)

    def _alone(self, i: int) -> CriterionState:
        return self._begin(slice(i, i + 1))

    def _begin(self, rows: slice) -> CriterionState:
        dense = not self.inputs.local and len(self.inputs.x) <= MOST_DENSE
        part = replace(
            self.inputs,
            pool=self.inputs.pool[rows],
            known_neighbours=None,
            shortlist=None,
            fixed_geometry=dense,
        )
        state = self.criterion.begin(part)
        for z in self.added:
            state = state.add(z)
        return state
