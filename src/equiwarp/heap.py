"""Rounds in a row: keep the memory of a round's temporary arrays for the next one.

The GNU allocator gives freed memory back to the system as soon as there is more of it than twice the
largest block that it has seen freed, and getting it again means to have every page of it cleared: a
fifteenth of a round's time, and up to a third where pairs of points are listed. One large block, freed
untouched, tells it to hold on to some dozens of megabytes. With other allocators nothing happens.
"""

from __future__ import annotations

from functools import cache

import numpy as np

#: Bytes; the allocator heeds blocks of up to 32 MiB.
BLOCK = 31 << 20


@cache
def hold_on() -> None:
    """Once a process, and only where there are rounds in a row."""
    np.empty(BLOCK, dtype=np.uint8)
