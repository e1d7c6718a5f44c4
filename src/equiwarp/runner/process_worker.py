"""A worker process: it takes calls on standard input and answers on standard output.

The pool starts it by its path, so that no script is run a second time and nothing of equiwarp is loaded
that the function does not need. What the function prints goes to standard error. When the pool is gone,
however it ended, the worker ends itself and every process that the function started.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from typing import Any, BinaryIO

#: Bytes of the number before each message that says how long it is.
HEADER = 8


def send(stream: BinaryIO, payload: bytes) -> None:
    """Write one message."""
    stream.write(len(payload).to_bytes(HEADER, "big"))
    stream.write(payload)
    stream.flush()


def receive(stream: BinaryIO) -> bytes | None:
    """Read one message; None if the other side is gone."""
    header = stream.read(HEADER)
    if len(header) < HEADER:
        return None
    length = int.from_bytes(header, "big")
    payload = stream.read(length)
    return payload if len(payload) == length else None


def _take_calls(stream: BinaryIO, calls: queue.SimpleQueue[bytes]) -> None:
    while (payload := receive(stream)) is not None:
        calls.put(payload)
    _end_with_children()


def _end_with_children() -> None:
    """The pool is gone: so are this process and what the function started."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def _answer(payload: bytes) -> bytes:
    """The outcome of one call: ("value", it) or ("error", exception or None, its name, its traceback)."""
    try:
        function, arguments = pickle.loads(payload)
        return pickle.dumps(("value", function(*arguments)))
    except BaseException as error:
        return _error(error)


def _error(error: BaseException) -> bytes:
    name, text = f"{type(error).__name__}: {error}", traceback.format_exc()
    try:
        packed = pickle.dumps(error)
        pickle.loads(packed)  # some exceptions can be written and not read
    except Exception:
        packed = None
    return pickle.dumps(("error", packed, name, text))


def main() -> None:
    """Answer calls one after the other, until the pool closes the pipe."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    first = receive(incoming)
    if first is None:
        return
    sys.path[:] = pickle.loads(first)
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_take_calls, args=(incoming, calls), daemon=True).start()
    while True:
        answer: Any = _answer(calls.get())
        sys.stdout.flush()
        send(outgoing, answer)


if __name__ == "__main__":
    main()
