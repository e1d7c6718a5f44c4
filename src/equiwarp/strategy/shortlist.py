"""``Shortlist``: the pool points that matter for the next few of a batch; the others need not be followed.

One more point makes others worth less, as a rule. So the best of those that were worth most is the best of
all for as long as it is worth more than any other was when the whole pool was last looked at. After that, the
whole pool is looked at again, given all that were chosen meanwhile at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.posterior import RowNumbers
from equiwarp.strategy.followed import FollowedResponse

if TYPE_CHECKING:
    from equiwarp.strategy.map_state import ResponseState

#: Pool points of a shortlist.
SHORT = 512


def pays(pool: int) -> bool:
    """Whether a pool is so long that a shortlist saves time."""
    return pool > 2 * SHORT


@dataclass(frozen=True)
class Shortlist:
    """The best of the pool at one time, followed from there on.

    Attributes
    ----------
    pool_rows : (l,) array of int
        Rows of the pool, ascending.
    places : (l, e) array
        Their kernel coordinates.
    followed : tuple of FollowedResponse
        Of these rows alone.
    known : int
        How many of the waiting points they are given.
    others : (m,) array
        What every pool point was worth when all were looked at; nothing for those of the shortlist.
    """

    pool_rows: RowNumbers
    places: Array
    followed: tuple[FollowedResponse, ...]
    known: int
    others: Array

    @classmethod
    def of(
        cls, responses: tuple[ResponseState, ...], scores: Array, free: NDArray[np.bool_], waiting: Array
    ) -> Shortlist:
        """The best of the free pool points by their scores ``(m,)``, given points ``(b, e)`` as well."""
        worth = np.where(free, scores, -np.inf)
        pool_rows = np.sort(np.argpartition(-worth, SHORT)[:SHORT])
        worth[pool_rows] = -np.inf
        few = [response.among(pool_rows).given(waiting) for response in responses]
        followed = tuple(FollowedResponse.of(response) for response in few)
        return cls(pool_rows, few[0].fields[0].A[: len(pool_rows)], followed, len(waiting), worth)

    def given(self, waiting: Array) -> Shortlist | None:
        """With those of the waiting points ``(b, e)`` that it does not know yet; None if one is not of it."""
        followed = self.followed
        for z in waiting[self.known :]:
            at = np.flatnonzero((self.places == z).all(axis=1))
            if not len(at):
                return None
            followed = tuple(response.given(int(at[0])) for response in followed)
        return replace(self, followed=followed, known=len(waiting))

    def best(self, weights: Array | None, free: NDArray[np.bool_]) -> int | None:
        """The pool row with the largest weighted score of all; None if it may lie outside of the list."""
        scores, others = self.scores, np.where(free, self.others, -np.inf)
        if weights is not None:
            scores, others = weights[self.pool_rows] * scores, weights * others
        scores = np.where(free[self.pool_rows], scores, -np.inf)
        first = int(np.argmax(scores))
        return int(self.pool_rows[first]) if scores[first] > others.max() else None

    @property
    def responses(self) -> tuple[ResponseState, ...]:
        """As they are now, of its rows alone."""
        return tuple(response.now for response in self.followed)

    @cached_property
    def scores(self) -> Array:
        """Of its rows, ``(l,)``."""
        return np.sum([response.score() for response in self.responses], axis=0)

    def place_of(self, pool_row: int) -> int:
        """Where a row of the pool stands in the list."""
        return int(np.searchsorted(self.pool_rows, pool_row))
