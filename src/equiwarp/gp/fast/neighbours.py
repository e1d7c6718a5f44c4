"""The few conditioning points nearest to each pool point, kept up to date as points are added.

They are found in the unwarped coordinates, which do not change from round to round. The bound that
uses them holds for any subset, so a warp can only make it looser, never wrong.

The first round compares all pairs, later rounds the new points only. With 4,096 candidates, all pairs
take 2 ms for 100 points, where a KD-tree takes 4 to 9. They lose to it from some 300 points on: at 1,000
they take 37 ms, and the tree 7 in two dimensions and 20 in six. A run pays that once, and loading SciPy's
tree takes 100 ms, so it would pay for nobody.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.fast.growing import begins_with
from equiwarp.gp.kernels import square_blocks

#: With sixteen, a few to a few hundred of 4,096 candidates are left to evaluate exactly: the equalizer
#: makes scores nearly level, and with eight three times as many would be left.
MOST_NEIGHBOURS = 16
#: Lowest bits of a squared distance that make room for the number of a row: enough for the exact engine,
#: and ten digits of the distance are left.
ROW_BITS = 20
ROW_MASK = (1 << ROW_BITS) - 1


@dataclass(frozen=True)
class Neighbours:
    """Rows of ``Z`` (N, e) near each row of ``P`` (m, e).

    Attributes
    ----------
    keys : (k, m) array
        One column per row of ``P``, the nearest first; k is at most 16 and at most N. A key is a squared
        distance whose lowest bits were replaced by the number of the row of ``Z``, so ``keys & ROW_MASK`` are
        the rows. Numbers that are not negative have the order of their bits: keys sort as distances do.
    """

    P: Array
    Z: Array
    keys: NDArray[np.int64]

    @classmethod
    def of(cls, P: Array, Z: Array) -> Neighbours:
        k = min(MOST_NEIGHBOURS, len(Z))
        keys = np.empty((k, len(P)), dtype=np.int64)
        if k:
            for rows, square, _ in square_blocks(P, Z, 1.0, None):
                # A partition, and then a sort of the few: less work than sorting all of them.
                key = square.view(np.int64)
                key &= ~ROW_MASK
                key |= np.arange(len(Z))
                if k < len(Z):
                    key.partition(k - 1, axis=1)
                keys[:, rows] = np.sort(key[:, :k], axis=1).T
        return cls(np.asfortranarray(P), Z, keys)  # coordinate by coordinate, as it is used below

    def extend(self, Z: Array) -> Neighbours | None:
        """Take in the points of ``Z`` that are new; None if the first points have changed or were too few."""
        known = len(self.Z)
        if known < MOST_NEIGHBOURS or not begins_with(Z, self.Z):
            return None
        keys = self.keys.copy()
        for row in range(known, len(Z)):
            apart = self.P.T - Z[row, :, None]
            key = (np.einsum("em,em->m", apart, apart).view(np.int64) & ~ROW_MASK) | row
            nearer = np.flatnonzero(key < keys[-1])
            changed = keys[:, nearer]
            changed[-1] = key[nearer]
            changed.sort(axis=0)
            keys[:, nearer] = changed
        return Neighbours(self.P, Z, keys)
