"""Headers of a request arrive within a while, or the connection is closed.

A body has its own limit (:mod:`equiwarp.web.bodies`). Before its headers are complete there is no request,
and a client that sends them byte by byte would hold its connection for ever.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

#: Seconds until the headers of a request are complete.
LONGEST_HEADERS = 20.0
LATE = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedHeaders(H11Protocol):
    """One connection, as uvicorn handles it, with a time limit for headers."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Begin to count when a request begins, and stop when its headers are there."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget()
        elif self._late is None:
            self._late = self.loop.call_later(LONGEST_HEADERS, self._end)

    def _forget(self) -> None:
        if self._late is not None:
            self._late.cancel()
        self._late = None

    def _end(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(LATE)
            self.transport.close()
