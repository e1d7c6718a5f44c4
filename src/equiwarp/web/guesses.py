"""Wrong tokens: counted by address, and each takes longer than the one before.

The guesses of one address are answered one after the other, so that many at once are no faster. Whoever has
the token is never kept waiting.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

#: Seconds of the first pause and of the longest one; guesses are forgotten after FORGOTTEN seconds.
FIRST, LONGEST, FORGOTTEN = 0.5, 8.0, 900.0
#: Guesses of one address that wait for their answer; addresses that are remembered.
MOST_WAITING, MOST_ADDRESSES = 8, 10_000

log = logging.getLogger("equiwarp.page")


@dataclass
class _Guesser:
    count: int = 0
    waiting: int = 0
    last: float = 0.0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Guesses:
    """The wrong tokens of a page's lifetime."""

    def __init__(self, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        self._sleep = sleep
        self._known: OrderedDict[str, _Guesser] = OrderedDict()

    async def slow_down(self, address: str) -> bool:
        """Count a wrong token and pause; False if this address has too many guesses under way."""
        guesser = self._known.setdefault(address, _Guesser())
        self._known.move_to_end(address)
        while len(self._known) > MOST_ADDRESSES:
            self._known.popitem(last=False)
        if guesser.waiting >= MOST_WAITING:
            return False
        now = time.monotonic()
        guesser.count = guesser.count + 1 if now - guesser.last < FORGOTTEN else 1
        guesser.last = now
        if guesser.count in (3, 10, 100, 1_000, 10_000):
            log.warning("%d wrong tokens from %s", guesser.count, address)
        guesser.waiting += 1
        try:
            async with guesser.turn:
                await self._sleep(min(FIRST * 2.0 ** min(guesser.count - 1, 10), LONGEST))
        finally:
            guesser.waiting -= 1
        return True
