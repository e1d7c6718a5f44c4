"""A worker process: it takes calls on standard input and answers on standard output.

The pool starts it by its path, so that no script is run a second time and nothing of equiwarp is loaded
that the function does not need. What the function prints goes to standard error. When the pool is gone,
however it ended, the worker ends itself and every process that the function started.
"""

from __future__ import annotations

import contextlib
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
        return _packed(("value", function(*arguments)))
    except BaseException as error:
        return _error(error)


def _packed(answer: Any) -> bytes:
    """An answer as bytes; of a class that only the script knows, with the class."""
    try:
        return pickle.dumps(answer)
    except Exception:
        import cloudpickle

        return bytes(cloudpickle.dumps(answer))


def _error(error: BaseException) -> bytes:
    text = traceback.format_exc()
    try:
        name = f"{type(error).__name__}: {error}"
    except Exception:  # some cannot say what they are
        name = type(error).__name__
    try:
        packed = _packed(error)
        pickle.loads(packed)  # some exceptions can be written and not read
    except Exception:
        packed = None
    return pickle.dumps(("error", packed, name, text))


def _keep_from_children(*streams: BinaryIO) -> None:
    """Let no forked child hold the pipes: the pool would not notice that the worker has died.

    Nor can a child that returns from the function answer in the worker's place.
    """
    if hasattr(os, "register_at_fork"):
        nowhere = os.open(os.devnull, os.O_RDWR)
        numbers = [stream.fileno() for stream in streams]
        os.register_at_fork(after_in_child=lambda: [os.dup2(nowhere, number) for number in numbers])


def main() -> None:
    """Answer calls one after the other, until the pool closes the pipe."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    _keep_from_children(incoming, outgoing)
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
        with contextlib.suppress(Exception):  # the function may have put anything in its place
            sys.stdout.flush()
        send(outgoing, answer)


if __name__ == "__main__":
    main()
