"""Waits that end: what never comes fails its test, with a word on what is missing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

#: Seconds after which something never comes. It is far from what a busy machine takes, and judges no speed.
GUARD = 240


def until(condition: Callable[[], Any], missing: str) -> None:
    """Wait for a condition."""
    end = time.monotonic() + GUARD
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"{missing}: waited for in vain")
        time.sleep(0.02)


def at_last(work: Callable[[], Any], missing: str) -> Any:
    """What work returns or raises, in a thread of its own that is left behind if it never ends."""
    outcome: Future[Any] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    until(outcome.done, missing)
    return outcome.result()


def answer(job: Any) -> Any:
    """The answer of a job that the caller has joined."""
    end = time.monotonic() + GUARD
    try:
        return job.wait(lambda: time.monotonic() > end)
    except Exception:
        if time.monotonic() > end:
            pytest.fail(f"an answer of {job.work.__name__}: waited for in vain")
        raise
