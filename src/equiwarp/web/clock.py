"""The server's clock: what ends by itself is written down in time, so that everybody sees a new version.

Whoever looks sees an ended lease as released anyway. With an event, pages that are open notice, too.
"""

from __future__ import annotations

import asyncio
import contextlib

import anyio

from equiwarp.exceptions import EquiwarpError
from equiwarp.store import Actor, Store

#: Seconds between two looks.
PERIOD = 5.0


def end_leases(store: Store) -> list[int]:
    """Write down which leases have ended; the campaigns where one has."""
    ended = store.read(lambda transaction: transaction.leases_ended())
    for campaign in ended:
        store.of(Actor(campaign, "clock")).write(lambda transaction: transaction.take())
    return ended


async def tick(store: Store, period: float = PERIOD) -> None:
    """Look again and again. A store that cannot be written now is tried again later."""
    while True:
        await asyncio.sleep(period)
        with contextlib.suppress(EquiwarpError):
            await anyio.to_thread.run_sync(end_leases, store)
