"""What clients send: no more than the limit, not for ever, and an answer in any case.

A client that is refused while it still sends would lose the answer with the connection. What it goes on
sending is therefore read and thrown away, for a while, before it is told.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from fastapi import HTTPException

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

#: Largest bodies: of anything, and of a table of measurements.
MOST_BYTES, MOST_TABLE_BYTES = 1_000_000, 50_000_000
#: Seconds until the next piece of a body, and until its end.
PIECE, WHOLE = 20.0, 300.0
#: What is read of a body that is refused: so many bytes, for so many seconds.
MOST_THROWN_AWAY, THROWING_AWAY = 200_000_000, 20.0


def most_bytes(path: str) -> int:
    """Size limit of a body, by where it is sent."""
    return MOST_TABLE_BYTES if path.endswith(("/plate", "/measurements", "/settings/list")) else MOST_BYTES


def too_long(most: int) -> str:
    return f"more than {most:,} bytes; split it"


class BoundedBody:
    """Passes on what is received, up to a size and a time."""

    def __init__(self, receive: Receive, path: str, piece: float = PIECE) -> None:
        self.receive, self.most, self.piece = receive, most_bytes(path), piece
        self.seen, self.whole, self.began = 0, False, time.monotonic()

    async def __call__(self) -> Message:
        if self.whole:  # what comes now is that the client leaves
            return await self.receive()
        if time.monotonic() - self.began > WHOLE:
            raise HTTPException(408, f"the request did not arrive within {WHOLE:g} seconds")
        try:
            async with asyncio.timeout(self.piece):
                message = await self.receive()
        except TimeoutError:
            raise HTTPException(408, f"nothing arrived for {self.piece:g} seconds; send it again") from None
        self.seen += len(message.get("body", b""))
        self.whole = not message.get("more_body", False)
        if self.seen > self.most:
            await self.throw_away()
            raise HTTPException(413, too_long(self.most))
        return message

    async def throw_away(self) -> None:
        """Read the rest of a body that is refused, so that its sender comes to read the answer."""
        end, read = time.monotonic() + THROWING_AWAY, 0
        while not self.whole and read < MOST_THROWN_AWAY and (left := end - time.monotonic()) > 0:
            try:
                async with asyncio.timeout(min(left, self.piece)):
                    message = await self.receive()
            except TimeoutError:
                return
            read += len(message.get("body", b""))
            self.whole = not message.get("more_body", False)
