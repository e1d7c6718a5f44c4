"""An order of a list in which every beginning stands for the whole list.

The list is halved again and again, each part along the coordinate in which its entries deviate most, so that
neighbours in the list of leaves are neighbours in space and every branch has as many entries as its sibling.
The van der Corput sequence in base 2 then takes one entry from each half, then from each quarter and so on:
the first n entries have their share in every crowd, and outliers no more than theirs. A digital shift, drawn
at random, decides which entry of a part comes first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains.view import Array

EntryRows = NDArray[np.intp]
#: A list is halved this often at most; what is left of it in a part is close enough together.
DEEPEST = 12


def leaves(Z: Array) -> EntryRows:
    """Rows of entries ``(m, e)`` in the order of the leaves of a balanced tree."""
    rows = np.arange(len(Z))
    parts = [rows]
    for _ in range(DEEPEST):
        if max(map(len, parts)) == 1:
            break
        parts = [half for part in parts for half in _halves(Z, part)]
    return np.concatenate(parts)


def _halves(Z: Array, rows: EntryRows) -> list[EntryRows]:
    """The lower and the upper half of a part along the coordinate in which its entries deviate most."""
    if len(rows) == 1:
        return [rows]
    here = Z[rows]
    along = here[:, int(here.var(axis=0).argmax())]
    order = np.argsort(along, kind="stable")
    middle = len(rows) // 2
    return [rows[order[:middle]], rows[order[middle:]]]


def balanced_order(leaves: EntryRows, n: int, rng: np.random.Generator) -> EntryRows:
    """The first n rows of the order, without repetition; a longer one only adds rows."""
    m = len(leaves)
    bits = max(1, (m - 1).bit_length())
    shift = int(rng.integers(1 << bits))
    seen = min(1 << bits, 2 * n)  # of two neighbours in the sequence at least one entry is new
    places = _reversed_bits(np.arange(seen), bits) ^ shift
    entries = places * m >> bits
    _, first = np.unique(entries, return_index=True)
    return leaves[entries[np.sort(first)[: min(n, m)]]]


def _reversed_bits(numbers: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Each number with its lowest ``bits`` bits in reverse order."""
    reverse = np.zeros_like(numbers)
    for i in range(bits):
        reverse |= (numbers >> i & 1) << (bits - 1 - i)
    return reverse
