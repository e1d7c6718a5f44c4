"""Where cells are computed: a local Dask cluster, or one that already runs elsewhere.

Workers compute and the client writes, so workers need no shared disk, and a worker that dies loses
the cell it was on, which the scheduler gives to another. Finished cells are files and stay.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from equiwarp.bench.cell import Cell, Job, compute
from equiwarp.bench.plan import unfinished

#: One thread a worker: a cell's matrices are too small to gain from more.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Outcome:
    """What a run did: cells computed, cells found finished, and what failed, by job."""

    computed: int
    found: int
    failures: dict[Job, str]


def run(
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
        Size of the local cluster; by default the number of cores.
    scheduler : str, optional
        Address of a running Dask scheduler, instead of a local cluster.
    progress : bool
        Show a bar on the terminal.
    """
    from tqdm import tqdm

    todo = unfinished(jobs, out)
    failures: dict[Job, str] = {}
    if todo:
        with (
            connect(len(todo), workers, scheduler) as client,
            tqdm(total=len(jobs), initial=len(jobs) - len(todo), unit="cell", disable=not progress) as bar,
        ):
            for job, result in _completed(client, todo):
                if isinstance(result, Cell):
                    result.save(out / job.place)
                else:
                    failures[job] = result
                bar.set_postfix_str(f"{job.benchmark} {job.label} seed {job.seed}", refresh=False)
                bar.update()
    return Outcome(len(todo) - len(failures), len(jobs) - len(todo), failures)


def _completed(client: Any, todo: Sequence[tuple[Job, Cell | None]]) -> Iterator[tuple[Job, Cell | str]]:
    """Results as they come; an exception in a cell is its text, and the others go on."""
    jobs = {}
    for position, (job, known) in enumerate(todo):
        future = client.submit(compute, job, known, key=f"cell-{job}", priority=-position, pure=False)
        jobs[future] = job
    for future in _distributed().as_completed(list(jobs)):
        job = jobs.pop(future)
        yield job, future.result() if future.status == "finished" else f"{future.exception()}"
        future.release()


def _distributed() -> Any:
    """The package, untyped: it annotates only part of what it offers."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise ValueError(f"sweeps need Dask distributed: pip install 'equiwarp[bench]' ({error})") from error


@contextmanager
def connect(tasks: int, workers: int | None, scheduler: str | None) -> Iterator[Any]:
    """A Dask client of a cluster of our own, or of the scheduler at an address."""
    dask = _distributed()
    if scheduler is not None:
        try:
            client = dask.Client(scheduler, timeout="20s")
        except OSError as error:
            raise ValueError(f"no Dask scheduler answers at {scheduler!r}: {error}") from error
        with client:
            yield client
        return
    count = min(workers or os.cpu_count() or 1, max(tasks, 1))
    if count < 1:
        raise ValueError(f"--workers must be at least 1, got {workers}")
    # A nanny restarts a worker that died; these lines are for people who debug Dask.
    logging.getLogger("distributed").setLevel(logging.ERROR)
    os.environ.update({name: os.environ.get(name, value) for name, value in ONE_THREAD.items()})
    with (
        dask.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            memory_limit=0,
            env=ONE_THREAD,
        ) as cluster,
        dask.Client(cluster) as client,
    ):
        yield client
