"""The few conditioning points nearest to each pool point, kept up to date as points are added.

They are found in the unwarped coordinates, which do not change from round to round. The bound that
uses them holds for any subset, so a warp can only make it looser, never wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array
from equiwarp.gp.growing import begins_with
from equiwarp.gp.kernels import square_blocks

#: With sixteen, a few to a few hundred of 4,096 candidates are left to evaluate exactly: the equalizer
#: makes scores nearly level, and with eight three times as many would be left.
NEIGHBOURS = 16


@dataclass(frozen=True)
class Neighbours:
    """Rows of ``Z`` (N, e) near each row of ``P`` (m, e).

    Attributes
    ----------
    index : (k, m) array
        k is at most 16 and at most N; the nearest first.
    square : (k, m) array
        Squared distances.
    """

    P: Array
    Z: Array
    index: NDArray[np.intp]
    square: Array

    @classmethod
    def of(cls, P: Array, Z: Array) -> Neighbours:
        k = min(NEIGHBOURS, len(Z))
        index, square = np.empty((k, len(P)), dtype=np.intp), np.empty((k, len(P)))
        if k == 0:
            return cls(P, Z, index, square)
        for rows, block, _ in square_blocks(P, Z, 1.0, None):
            index[:, rows], square[:, rows] = _smallest(block, k)
        return cls(P, Z, index, square)

    def extend(self, Z: Array) -> Neighbours | None:
        """The same with the further points of ``Z``, or None if its beginning is not what is known."""
        known = len(self.Z)
        if known < NEIGHBOURS or not begins_with(Z, self.Z):
            return None
        index, square = self.index.copy(), self.square.copy()
        for row in range(known, len(Z)):
            apart = self.P.T - Z[row, :, None]
            to_new = np.einsum("em,em->m", apart, apart)
            nearer = np.flatnonzero(to_new < square[-1])
            index[-1, nearer], square[-1, nearer] = row, to_new[nearer]
            order = np.argsort(square[:, nearer], axis=0, kind="stable")
            index[:, nearer] = np.take_along_axis(index[:, nearer], order, axis=0)
            square[:, nearer] = np.take_along_axis(square[:, nearer], order, axis=0)
        return Neighbours(self.P, Z, index, square)


def _smallest(square: Array, k: int) -> tuple[NDArray[np.intp], Array]:
    """Columns and values of the k smallest entries of each row ``(m, n)``, transposed; overwrites it.

    Numbers that are not negative have the order of their bits. With the column in the lowest bits, where
    nothing is lost that matters, a plain partition of integers finds both, in half the time of a tree.
    """
    low = (1 << (square.shape[1] - 1).bit_length()) - 1
    keys = square.view(np.int64)
    keys &= ~low
    keys |= np.arange(square.shape[1])
    if k < square.shape[1]:
        keys.partition(k - 1, axis=1)
    nearest = np.sort(keys[:, :k], axis=1).T.copy()
    return nearest & low, (nearest & ~low).view(np.float64)
