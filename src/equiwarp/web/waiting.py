"""Waiting for heavy work without holding anything, and noticing that the visitor left.

A request that waits for a job is a task of the event loop: it has neither a process nor a thread. A
campaign that is asked for experiments needs a thread of its own, because it talks to the store before
and after the choice; each campaign has few, so that the others have theirs.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

import anyio
from fastapi import Request

from equiwarp.exceptions import ComputationEnded
from equiwarp.web.hub import CALLER, Caller
from equiwarp.web.jobs import GLANCE, HeavyJob

T = TypeVar("T")


async def quickly(work: Callable[[], T]) -> T:
    """Run what takes milliseconds and may wait for the disk."""
    return await anyio.to_thread.run_sync(work)


async def answer_of(request: Request, begin: Callable[[], HeavyJob[T]]) -> T:
    """The answer of a job, which is left as soon as the visitor leaves."""
    job = await quickly(begin)
    try:
        waiting = asyncio.wrap_future(job.future)
        while not (await asyncio.wait({waiting}, timeout=GLANCE))[0]:
            if await request.is_disconnected():
                raise ComputationEnded("nobody waits for this answer any more")
        return waiting.result()
    finally:
        job.leave()


async def asked(request: Request, askers: anyio.CapacityLimiter, ask: Callable[[], T]) -> T:
    """Let a campaign choose; if the visitor leaves before that is done, nothing is handed out."""
    left = threading.Event()

    async def watch() -> None:
        while not await request.is_disconnected():
            await asyncio.sleep(GLANCE)
        left.set()

    CALLER.set(Caller(left.is_set))
    watching = asyncio.create_task(watch())
    try:
        return await anyio.to_thread.run_sync(ask, limiter=askers)
    finally:
        watching.cancel()
