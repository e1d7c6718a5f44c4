"""Which points of the pool are taken: measured already, or handed out.

Two points are one place if their kernel coordinates agree to a billionth. Places are integers, and are
found in the pool by hashing, sorting and comparing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains import Array, Domain
from equiwarp.gp.fast.growing import begins_with

Integers = NDArray[np.int64]
#: Odd multiplier of the row hash (2^64 over the golden ratio).
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class PoolIndex:
    """The places ``(m, e)`` of a pool, in the order of their hashes.

    A million rows take a tenth of a second to prepare, and a look-up touches a few of them. Equal
    hashes are no more than a hint: places are compared before they count as equal.
    """

    domain: Domain
    places: Integers
    powers: NDArray[np.uint64]
    order: NDArray[np.intp]
    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, domain: Domain, pool: Array) -> PoolIndex:
        """For a pool ``(m, columns)``."""
        places = _places(domain, pool)
        powers = np.cumprod(np.full(places.shape[1], MULTIPLIER), dtype=np.uint64)
        hashes = _hash(places, powers)
        order = np.argsort(hashes, kind="stable")
        return cls(domain, places, powers, order, hashes[order])

    def rows(self, x: Array) -> NDArray[np.intp]:
        """All rows of the pool that are at the place of one of the points ``(n, columns)``."""
        wanted = _places(self.domain, x)
        hashes = _hash(wanted, self.powers)
        place, stop = self.hashes.searchsorted(hashes), self.hashes.searchsorted(hashes, side="right")
        left = (place < stop).nonzero()[0]
        found = [np.empty(0, dtype=np.intp)]
        while len(left):
            rows = self.order[place[left]]
            found.append(rows[(self.places[rows] == wanted[left]).all(axis=1)])
            place[left] += 1
            left = left[place[left] < stop[left]]
        together = np.concatenate(found)
        return together if len(together) < 2 else np.unique(together)


@dataclass(frozen=True)
class Taken:
    """Points ``(N, columns)`` that were measured or handed out, and the rows of the pool among them."""

    x: Array
    rows: NDArray[np.intp]

    @classmethod
    def of(cls, index: PoolIndex, x: Array, known: Taken | None = None) -> Taken:
        """Look the points up in the pool, or only those that come after the known ones."""
        if known is None or not begins_with(x, known.x):
            return cls(x, index.rows(x))
        return cls(x, np.concatenate([known.rows, index.rows(x[len(known.x) :])]))


def point_keys(domain: Domain, x: Array) -> list[bytes]:
    """A key per point ``(n, columns)``; points at one place have the same."""
    return [row.tobytes() for row in _places(domain, x)]


def _places(domain: Domain, x: Array) -> Integers:
    return np.round(domain.embed(x) * 1e9).astype(np.int64)


def _hash(places: Integers, powers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One number per row: a sum of its entries times powers of the multiplier, wrapping round at 2^64."""
    value: NDArray[np.uint64] = places.astype(np.uint64) @ powers
    return value
