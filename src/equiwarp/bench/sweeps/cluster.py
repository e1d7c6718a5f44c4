"""Where cells are computed: a local Dask cluster, one that already runs elsewhere, or this process.

Workers compute and the client writes, so workers need no shared disk, and a worker that dies loses
the cell it was on, which the scheduler gives to another. Finished cells are files and stay. One worker on
this machine needs no cluster: starting one takes longer than many a cell.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from equiwarp._util.threads import ONE_THREAD, one_thread
from equiwarp.bench.cell import Cell, Job, compute
from equiwarp.bench.readouts.scoring import keep_trajectory, known_readout, score_design, stored_trajectory
from equiwarp.bench.sweeps.plan import unfinished_jobs
from equiwarp.exceptions import InvalidInput

#: Freed memory is kept for the next array of the same size; Dask's own choice gives it back at once,
#: and asking for it again takes longer than the arithmetic on it.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 25)}

#: What is said of a cell that neither ended nor failed.
LOST = "the cluster lost it, as it does if its workers get no processor time; --workers 1 needs no cluster"


@dataclass(frozen=True)
class Outcome:
    """What a run did: cells computed, cells found finished, and what failed, by job."""

    computed: int
    found: int
    failures: dict[Job, str]


def run_jobs(
    jobs: Sequence[Job],
    out: Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: bool = True,
) -> Outcome:
    """Compute every job that is not finished in the results folder.

    Parameters
    ----------
    workers : int, optional
        Size of the local cluster; by default the number of cores. With 1 this process computes.
    scheduler : str, optional
        Address of a running Dask scheduler, instead of a local cluster.
    progress : bool
        Show a bar on the terminal.
    """
    todo = unfinished_jobs(jobs, out)
    calls = [Call(job, compute, (job, known)) for job, known in todo]
    failures: dict[Job, str] = {}
    for job, result in perform_calls(calls, len(jobs), workers, scheduler, progress):
        if isinstance(result, Cell):
            result.save(out / job.place)
        else:
            failures[job] = str(result)
    return Outcome(len(todo) - len(failures), len(jobs) - len(todo), failures)


def score_cells(
    cells: Sequence[Cell],
    readouts: Sequence[str],
    *,
    rounds: int | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: bool = True,
) -> Outcome:
    """Score the first rounds of stored designs, by default all, where that has not been done."""
    pairs = [(cell, known_readout(readout)) for readout in readouts for cell in cells if readout != "1nn"]
    todo = [(cell, readout) for cell, readout in pairs if stored_trajectory(cell, readout, rounds) is None]
    calls = [Call((cell, readout), score_design, (cell, readout, rounds)) for cell, readout in todo]
    failures: dict[Job, str] = {}
    for (cell, readout), result in perform_calls(calls, len(pairs), workers, scheduler, progress):
        if isinstance(result, Exception):
            failures[cell.job] = f"{readout}: {result}"
        else:
            keep_trajectory(cell, readout, result)
    return Outcome(len(todo) - len(failures), len(pairs) - len(todo), failures)


@dataclass(frozen=True)
class Call:
    """Something for a worker to do, and what to call it when it is done."""

    tag: Any
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def perform_calls(
    calls: Sequence[Call], total: int, workers: int | None, scheduler: str | None, progress: bool
) -> Iterator[tuple[Any, Any]]:
    """Tags and results as they come; an exception is a result, and the others go on."""
    from tqdm import tqdm

    if not calls:
        return
    alone = scheduler is None and workers == 1
    with tqdm(total=total, initial=total - len(calls), unit="cell", disable=not progress) as bar:
        for result in _performed_here(calls) if alone else _performed_by_dask(calls, workers, scheduler):
            yield result
            bar.update()


def _performed_here(calls: Sequence[Call]) -> Iterator[tuple[Any, Any]]:
    """One after the other, with one BLAS thread as a worker has it: the bits of a result are the same."""
    with one_thread():
        for call in calls:
            try:
                result = call.function(*call.arguments)
            except Exception as error:
                result = error
            yield call.tag, result


def _performed_by_dask(
    calls: Sequence[Call], workers: int | None, scheduler: str | None
) -> Iterator[tuple[Any, Any]]:
    """In the order in which they end."""
    with dask_client(len(calls), workers, scheduler) as client:
        waiting = {}
        for position, call in enumerate(calls):
            future = client.submit(call.function, *call.arguments, priority=-position, pure=False)
            waiting[future] = call.tag
        for future in _distributed().as_completed(list(waiting)):
            finished = future.status == "finished"
            yield waiting.pop(future), future.result() if finished else future.exception() or LOST
            future.release()


def _distributed() -> Any:
    """The package, untyped: it annotates only part of what it offers."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise InvalidInput(
            f"sweeps need Dask distributed: pip install 'equiwarp[bench]' ({error})"
        ) from error


@contextmanager
def dask_client(tasks: int, workers: int | None, scheduler: str | None) -> Iterator[Any]:
    """A Dask client of a cluster of our own, or of the scheduler at an address."""
    dask = _distributed()
    if scheduler is not None:
        try:
            client = dask.Client(scheduler, timeout="60s")
        except OSError as error:
            raise InvalidInput(f"no Dask scheduler answers at {scheduler!r}: {error}") from error
        with client:
            yield client
        return
    count = min(workers or os.cpu_count() or 1, max(tasks, 1))
    if count < 1:
        raise InvalidInput(f"--workers must be at least 1, got {workers}")
    # A nanny restarts a worker that died; these lines are for people who debug Dask.
    logging.getLogger("distributed").setLevel(logging.ERROR)
    os.environ.update({name: os.environ.get(name, value) for name, value in ONE_THREAD.items()})
    before = {**ONE_THREAD, **KEEP_MEMORY}
    with (
        import_module("dask.config").set({"distributed.nanny.pre-spawn-environ": before}),
        dask.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            # Any free port of this machine only: a second sweep must not fight for the usual one.
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            env=ONE_THREAD,
        ) as cluster,
        dask.Client(cluster) as client,
    ):
        yield client
