"""The few conditioning points nearest to each pool point, kept up to date as points are added.

They are found in the unwarped coordinates, which do not change from round to round. The bound that
uses them holds for any subset, so a warp can only make it looser, never wrong.
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
ROW = (1 << ROW_BITS) - 1


@dataclass(frozen=True)
class Neighbours:
    """Rows of ``Z`` (N, e) near each row of ``P`` (m, e).

    Attributes
    ----------
    keys : (k, m) array
        k is at most 16 and at most N; the nearest first. Numbers that are not negative have the order of
        their bits, so a squared distance with the row in its lowest bits, where nothing is lost that
        matters, is an integer to compare and sort by.
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
                keys[:, rows] = _smallest(_packed(square, np.arange(len(Z))), k)
        return cls(np.asfortranarray(P), Z, keys)  # coordinate by coordinate, as it is used below

    @property
    def rows(self) -> NDArray[np.intp]:
        """Rows of ``Z`` near each pool point, ``(k, m)``, the nearest first."""
        return self.keys & ROW

    def extend(self, Z: Array) -> Neighbours | None:
        """The same with the further points of ``Z``, or None if its beginning is not what is known."""
        known = len(self.Z)
        if known < MOST_NEIGHBOURS or not begins_with(Z, self.Z):
            return None
        keys = self.keys.copy()
        for row in range(known, len(Z)):
            apart = self.P.T - Z[row, :, None]
            key = _packed(np.einsum("em,em->m", apart, apart), row)
            nearer = np.flatnonzero(key < keys[-1])
            changed = keys[:, nearer]
            changed[-1] = key[nearer]
            changed.sort(axis=0)
            keys[:, nearer] = changed
        return Neighbours(self.P, Z, keys)


def _packed(square: Array, row: NDArray[np.intp] | int) -> NDArray[np.int64]:
    """Squared distances and row numbers in one integer each; overwrites the distances."""
    keys = square.view(np.int64)
    keys &= ~ROW
    keys |= row
    return keys


def _smallest(keys: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """The k smallest of each row ``(m, n)``, sorted and transposed: a partition, half the time of a tree."""
    if k < keys.shape[1]:
        keys.partition(k - 1, axis=1)
    return np.sort(keys[:, :k], axis=1).T
