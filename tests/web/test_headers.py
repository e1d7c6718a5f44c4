"""Requests whose headers never end."""

from __future__ import annotations

import asyncio
import contextlib

import uvicorn
from uvicorn.server import ServerState

from equiwarp.web import headers
from equiwarp.web.headers import BoundedHeaders

WHOLE = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


async def _hello(scope, receive, send):
    await asyncio.sleep(0.2)  # longer than the limit: answers may take their time
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


def _answer(*pieces):
    """What comes back until the server closes the connection."""

    async def talk():
        config = uvicorn.Config(_hello, timeout_keep_alive=1)
        config.load()
        loop, state = asyncio.get_running_loop(), ServerState()
        server = await loop.create_server(lambda: BoundedHeaders(config, state, {}), "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(0)
        answer = await asyncio.wait_for(reader.read(), 120)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        server.close()
        return answer

    return asyncio.run(talk())


def test_a_connection_without_a_whole_request_is_closed(monkeypatch):
    monkeypatch.setattr(headers, "LONGEST_HEADERS", 0.05)
    assert b" 408 " in _answer()
    assert b" 408 " in _answer(b"GET / HTTP/1.1\r\nhost: ", b"x\r\n")


def test_a_whole_request_is_answered_however_long_that_takes(monkeypatch):
    monkeypatch.setattr(headers, "LONGEST_HEADERS", 0.05)
    answer = _answer(WHOLE)
    assert answer.startswith(b"HTTP/1.1 200")
    assert b" 408 " not in answer  # and the connection ends as idle ones do


def test_the_page_is_served_with_that_limit():
    from fastapi import FastAPI

    from equiwarp.web.serving import PageServer

    assert PageServer(FastAPI()).config.http is BoundedHeaders
