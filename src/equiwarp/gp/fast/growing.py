"""An append-only matrix that keeps the value semantics of an array without copying it each round.

Appending returns a new object that shares the buffer. The buffer is copied only when it is full, or
when an older version is appended to a second time, so every version stays what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from equiwarp.domains import Array

#: Numbers left unused at the end of a row, one cache line. Lengths are powers of two as a rule, and rows
#: that far apart would compete for the same few places of the cache: a product takes a sixth longer.
PAD = 8


@dataclass
class _Buffer:
    rows: Array
    used: int


def begins_with(rows: Array, first: Array) -> bool:
    """Whether ``first`` is the beginning of ``rows``: what was kept for it can be extended."""
    return len(rows) >= len(first) and np.array_equal(rows[: len(first)], first)


@dataclass(frozen=True)
class GrowingRows:
    """A matrix ``(n, m)`` to which :meth:`append` adds a row, at the cost of that row."""

    n: int
    _buffer: _Buffer = field(repr=False)

    @classmethod
    def of(cls, rows: Array, spare: int = 64) -> GrowingRows:
        """A copy of these rows with room for more."""
        n, m = rows.shape

        def copy(out: Array) -> None:
            out[:] = rows

        return cls.filled(n, m, copy, spare)

    @classmethod
    def filled(cls, n: int, m: int, fill: Callable[[Array], None], spare: int = 64) -> GrowingRows:
        """n rows of length m. ``fill`` writes them in place, which saves a copy."""
        buffer = np.empty((n + spare, m + PAD))[:, :m]
        fill(buffer[:n])
        return cls(n, _Buffer(buffer, n))

    @property
    def rows(self) -> Array:
        """A read-only view."""
        view = self._buffer.rows[: self.n]
        view.flags.writeable = False
        return view

    def append(self, row: Array) -> GrowingRows:
        """These rows and one more."""
        buffer = self._buffer
        if buffer.used != self.n or self.n == len(buffer.rows):
            return GrowingRows.of(self.rows, spare=max(64, self.n)).append(row)
        buffer.rows[self.n] = row
        buffer.used += 1
        return GrowingRows(self.n + 1, buffer)
