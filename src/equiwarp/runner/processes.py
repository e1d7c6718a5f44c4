"""``ProcessPool``: worker processes that can be ended one by one.

The pool of the standard library cannot stop a call that takes too long, and one worker that dies breaks all
of it. Here a thread serves each worker: if its process dies, or is ended because time is up, that one call
fails with :class:`~equiwarp.exceptions.WorkerLost` and the next call gets a new process. Functions are sent
with cloudpickle, so those of a notebook and of a script without ``if __name__ == "__main__"`` work too.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equiwarp.exceptions import InvalidInput, WorkerLost
from equiwarp.runner.process_worker import receive, send

PROGRAM = Path(__file__).with_name("process_worker.py")


class RemoteError(Exception):
    """An exception of the function that cannot be sent between processes; its text says what it was."""


class WorkerProcess:
    """One process that answers calls; ``ended`` once somebody ended it."""

    def __init__(self) -> None:
        self.ended = False
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A group of its own: Ctrl-C reaches the runner alone, and ending the group ends its children.
            start_new_session=True,
        )
        path = [os.getcwd() if entry == "" else entry for entry in sys.path]
        self._send(pickle.dumps(path))

    def call(self, payload: bytes) -> Any:
        """The answer to one call: its kind, and what belongs to it. "lost" if the process dies before."""
        assert self._process.stdout is not None
        try:
            self._send(payload)
        except BrokenPipeError:
            return "lost", ""
        answer = receive(self._process.stdout)  # type: ignore[arg-type]
        return ("lost", "") if answer is None else pickle.loads(answer)

    def _send(self, payload: bytes) -> None:
        assert self._process.stdin is not None
        send(self._process.stdin, payload)  # type: ignore[arg-type]

    def end(self) -> None:
        """End it and what it started, now."""
        self.ended = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def remains(self) -> str:
        """How it ended, in words; waits for that."""
        self.end()
        code = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
        return f"by signal {-code}" if code < 0 else f"with exit code {code}"


@dataclass(frozen=True)
class _Call:
    future: Future[Any]
    payload: bytes


class ProcessPool(Executor):
    """An executor of so many processes, each of which can be ended alone.

    Parameters
    ----------
    max_workers : int
    """

    def __init__(self, max_workers: int) -> None:
        self.max_workers = max_workers
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._serving: dict[Future[Any], WorkerProcess] = {}
        self._processes: set[WorkerProcess] = set()
        self._lock, self._closed = threading.Lock(), False
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(max_workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function on the next free process."""
        import cloudpickle

        if self._closed:
            raise InvalidInput("the process pool is closed; make a new one")
        try:
            payload = cloudpickle.dumps((_Applied(fn, kwargs) if kwargs else fn, args))
        except Exception as error:
            raise InvalidInput(
                f"the function cannot be sent to another process ({error}); use threads, "
                "or a function that refers to nothing that cannot be copied"
            ) from error
        future: Future[Any] = Future()
        self._calls.put(_Call(future, payload))
        return future

    def end(self, future: Future[Any]) -> bool:
        """End the process that works on a call; the call fails. A call that waits is taken back."""
        with self._lock:
            process = self._serving.get(future)
            if process is not None:
                process.end()
                return True
        return future.cancel()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let workers finish what they do, or with ``cancel_futures`` end them now."""
        self._closed = True
        if cancel_futures:
            with contextlib.suppress(queue.Empty):
                while (call := self._calls.get_nowait()) is not None:
                    call.future.cancel()
            with self._lock:
                for process in self._processes:
                    process.end()
        for _ in self._threads:
            self._calls.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _serve(self) -> None:
        """One thread: its process answers calls until there are no more."""
        process = self._begin()  # before there is a call: starting one takes a while
        while (call := self._calls.get()) is not None:
            if call.future.set_running_or_notify_cancel():
                process = process or self._begin()
                answer = self._answer(process, call)
                if process is not None and (answer[0] == "lost" or process.ended):
                    how = self._gone(process)
                    answer = ("lost", how) if answer[0] == "lost" else answer
                    process = None if self._closed else self._begin()
                _settle(call.future, answer)
        if process is not None:
            self._gone(process)

    def _answer(self, process: WorkerProcess | None, call: _Call) -> Any:
        if process is None:
            return "lost", "before it began"
        with self._lock:
            self._serving[call.future] = process
        try:
            return process.call(call.payload)
        except Exception as error:  # the answer cannot be read here
            return "error", None, f"{type(error).__name__}: {error}", traceback.format_exc()
        finally:
            with self._lock:
                del self._serving[call.future]

    def _begin(self) -> WorkerProcess | None:
        try:
            process = WorkerProcess()
        except OSError:  # the machine has no room for another process: tried again with the next call
            return None
        with self._lock:
            self._processes.add(process)
        return process

    def _gone(self, process: WorkerProcess) -> str:
        with self._lock:
            self._processes.discard(process)
        return process.remains()


@dataclass(frozen=True)
class _Applied:
    """A function with named arguments, as a function of the others."""

    function: Callable[..., Any]
    named: dict[str, Any]

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments, **self.named)


def _settle(future: Future[Any], answer: Any) -> None:
    """Give a future what the worker answered."""
    kind, *rest = answer
    if kind == "value":
        future.set_result(rest[0])
    elif kind == "lost":
        future.set_exception(WorkerLost(f"the worker process ended {rest[0]} during the call"))
    else:
        packed, name, text = rest
        error = _unpacked(packed, name)
        error.add_note(f"On the worker:\n{text}")
        future.set_exception(error)


def _unpacked(packed: bytes | None, name: str) -> BaseException:
    """The exception of the function, or its name if only workers have what reads it."""
    try:
        error = None if packed is None else pickle.loads(packed)
    except Exception:
        error = None
    return error if isinstance(error, BaseException) else RemoteError(name)
