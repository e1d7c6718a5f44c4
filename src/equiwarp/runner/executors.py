"""The workers of a run: any executor, how many calls it takes at once, and how a call is ended."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from equiwarp._util.arguments import whole
from equiwarp.exceptions import InvalidInput, InvalidType
from equiwarp.runner.function import Evaluated, Simulator, evaluate, evaluate_async
from equiwarp.runner.processes import ProcessPool


class EventLoop(Executor):
    """An event loop in a thread of its own, for coroutine functions."""

    def __init__(self, max_workers: int) -> None:
        self.max_workers = max_workers
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Begin a coroutine; cancelling the future cancels it."""
        work: Coroutine[Any, Any, Any] = fn(*args, **kwargs)
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop the loop; what still runs is cancelled."""

        async def cancel_all() -> None:
            rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(cancel_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@dataclass(frozen=True)
class Workers:
    """An executor, and whether it is ours to close.

    Attributes
    ----------
    executor : Executor
    limit : int or None
        At most so many calls at once; None asks the executor.
    own : bool
    """

    executor: Executor
    limit: int | None
    own: bool

    @classmethod
    def of(cls, executor: Any, workers: int | None, is_async: bool) -> Workers:
        """From what somebody gave: nothing, "processes", "threads", an executor or a Dask client."""
        limit = None if workers is None else whole(workers, "workers", 1)
        if is_async:
            if executor is not None:
                raise InvalidInput(
                    "an async function runs on an event loop of its own; leave the executor out, "
                    "and say with workers how many may wait at once"
                )
            return cls(EventLoop(limit or 16), limit or 16, own=True)
        if executor is None or isinstance(executor, str):
            return cls(_named(executor or "processes", limit or os.cpu_count() or 1), limit, own=True)
        found = executor.get_executor() if hasattr(executor, "get_executor") else executor
        if not callable(getattr(found, "submit", None)):
            raise InvalidType(
                f'executor must be a concurrent.futures.Executor, "processes" or "threads", got {executor!r}'
            )
        return cls(found, limit, own=False)

    def count(self) -> int:
        """How many calls run at once, now: workers of a cluster come and go."""
        known = capacity(self.executor)
        if self.limit is not None:
            return self.limit if known is None else min(self.limit, known)
        if known is None:
            raise InvalidInput(
                f"{type(self.executor).__name__} does not say how many workers it has; give workers=..."
            )
        return known

    def submit(
        self, simulator: Simulator, id: int, point: dict[str, float | str], attempt: int
    ) -> Future[Evaluated]:
        """Begin one experiment."""
        if isinstance(self.executor, EventLoop):
            return self.executor.submit(evaluate_async, simulator, id, point)
        return self.executor.submit(evaluate, simulator, id, point, attempt)

    def end(self, future: Future[Any]) -> bool:
        """Stop a call if that can be done; says whether its worker is free again."""
        if isinstance(self.executor, ProcessPool):
            return self.executor.end(future)
        return future.cancel()

    def close(self, now: bool) -> None:
        """Let go of an executor of ours; ``now`` does not wait for what still runs."""
        if self.own:
            self.executor.shutdown(wait=not now or isinstance(self.executor, ProcessPool), cancel_futures=now)


def capacity(executor: Any) -> int | None:
    """How many calls an executor takes at once; None if it does not say.

    Executors of the standard library and loky's keep ``_max_workers``, mpi4py's has ``num_workers``, and
    Dask's knows the threads of every worker that is there now.
    """
    client: Any = getattr(executor, "_client", None)
    if hasattr(client, "nthreads"):
        return sum(client.nthreads().values())
    for name in ("max_workers", "_max_workers", "num_workers"):
        found = getattr(executor, name, None)
        if isinstance(found, int):
            return found
    return None


def _named(name: str, count: int) -> Executor:
    if name == "processes":
        return ProcessPool(count)
    if name == "threads":
        return ThreadPoolExecutor(count, thread_name_prefix="equiwarp-run")
    raise InvalidInput(f'executor must be "processes", "threads" or an Executor, got {name!r}')
