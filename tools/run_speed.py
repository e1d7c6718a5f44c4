"""How well a run keeps its workers busy, and what an experiment costs beside the function itself.

    python tools/run_speed.py busy                 64 workers, a function of one second, from N = 1,000 on
    python tools/run_speed.py busy --before 0      the same from the first experiment
    python tools/run_speed.py overhead             a function of a millisecond, beside adaptive's runner
    python tools/run_speed.py paper                1,000 workers on paper, from the measured cost of a choice
    python tools/run_speed.py large                a list of 10^7 candidates, a map of 10^6 points

docs/runs.md shows what it printed. Functions sleep, so 64 workers fit on one core; choosing does not.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import equiwarp as ew
from equiwarp.runner.pace import Pace

#: Points of the larger of the two choices by which the time of one is measured.
MANY = 129


def smooth(x: np.ndarray) -> np.ndarray:
    """Values of points ``(n, d)`` of the unit cube."""
    return np.sin(5 * x[:, 0]) + np.exp(-8 * np.sum((x - 0.5) ** 2, axis=1))


class Sleeping:
    """A function that sleeps, and notes when it began and ended."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.spans = seconds, list[tuple[float, float]]()

    def __call__(self, point: np.ndarray) -> float:
        begin = time.monotonic()
        time.sleep(self.seconds)
        self.spans.append((begin, time.monotonic()))
        return float(smooth(point[None])[0])


def busy(before: int, more: int, workers: int, seconds: float, dim: int, strategy: str, stretch: int) -> None:
    """Print the part of the time that workers computed: in all, and while each stretch of values came in."""
    box, function = ew.Box.unit(dim), Sleeping(seconds)
    with tempfile.TemporaryDirectory() as folder:
        campaign = ew.Campaign("busy", box, store=Path(folder) / "busy.db", strategy=strategy, noise=0.01)
        if before:
            x = np.random.default_rng(0).random((before, dim))
            campaign.add(x, smooth(x))
            campaign.preview(workers)  # what is loaded and cached on first use does not count
        worked = time.process_time()
        runner = ew.start_run(
            function, campaign, budget=more, executor="threads", workers=workers, progress=False
        )
        runner.wait()
        worked = time.process_time() - worked
        found = runner.progress()
        asks = len({e.ask for e in campaign.experiments("done") if e.ask is not None})
    print(
        f"{strategy}, D = {dim}, N = {before} to {before + more}, {workers} workers, {seconds:g} s each: "
        f"busy {100 * found.busy:.1f} % of {found.elapsed:.1f} s, {asks} asks, {worked:.1f} s of processor "
        "time"
    )
    spans = np.array(sorted(function.spans, key=lambda span: span[1]))
    ends = np.append(spans[:, 1].min() - seconds, spans[:, 1])
    for first in range(0, more, stretch):
        last = min(first + stretch, more)
        share = busy_share(spans, ends[first], ends[last], workers)
        print(f"  N = {before + first} to {before + last}: busy {100 * share:.1f} %")


def busy_share(spans: np.ndarray, begin: float, end: float, workers: int) -> float:
    """The part of the time between two moments that workers computed, from spans ``(n, 2)`` of calls."""
    within = np.minimum(spans[:, 1], end) - np.maximum(spans[:, 0], begin)
    return float(np.maximum(within, 0.0).sum() / (workers * (end - begin)))


def overhead(count: int, seconds: float, strategies: list[str]) -> None:
    """Print milliseconds per experiment beyond the function's own, one worker; and processor time.

    The function sleeps, so all processor time of threads is the runner's.
    """
    box = ew.Box({"x": (-1, 1), "y": (-1, 1)})

    def function(x: float, y: float) -> float:
        time.sleep(seconds)
        return x + 0.1 * np.exp(-((x**2 + y**2 - 0.75**2) ** 2) / 0.2**4)

    for strategy in strategies:
        for executor in ("threads", "processes"):
            begin = time.process_time()
            runner = ew.start_run(
                function, box, budget=count, executor=executor, workers=1, strategy=strategy, noise=0.01
            )
            runner.wait()
            found = runner.progress()
            own = found.busy * found.elapsed
            each = 1000 * (found.elapsed - own) / count
            worked = 1000 * (time.process_time() - begin) / count
            print(
                f"equiwarp, {strategy}, {executor}: {each:.1f} ms an experiment beside the function, "
                f"{worked:.1f} ms of processor time here",
                flush=True,
            )
    adaptive_overhead(function, count)


def adaptive_overhead(function: Callable[..., float], count: int) -> None:
    """The same with adaptive's runner, where it is installed."""
    try:
        import adaptive
    except ImportError:
        print("adaptive is not installed: pip install adaptive adaptive-triangulation")
        return
    from concurrent.futures import ThreadPoolExecutor

    for name in ("Learner2D", "LearnerND"):
        learner = getattr(adaptive, name)(lambda xy: function(*xy), bounds=[(-1, 1), (-1, 1)])
        begin, before = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(1) as pool:
            runner = adaptive.BlockingRunner(
                learner, goal=lambda learner: learner.npoints >= count, executor=pool, ntasks=1
            )
        seconds = time.perf_counter() - begin
        own = seconds * (1 - runner.overhead() / 100)
        each = 1000 * (seconds - own) / learner.npoints
        worked = 1000 * (time.process_time() - before) / learner.npoints
        print(
            f"adaptive {adaptive.__version__}, {name}, threads: {each:.1f} ms an experiment, all told, "
            f"{worked:.1f} ms of processor time"
        )


def simulated(workers: int, seconds: float, fixed: float, each: float) -> float:
    """The part of the time that workers are busy if a choice of n experiments takes fixed + each n seconds.

    The same rule decides as in a run, only the clock is none; all workers begin at once, without values.
    """
    now, busy, ready, asked = 0.0, 0.0, 0, None
    ends: list[float] = []
    pace = Pace()
    while now < 100 * seconds:
        ends.sort()
        while ends and ends[0] <= now:
            ends.pop(0)
            pace.finished(seconds)
        if asked is not None and asked[0] <= now:
            ready += asked[1]
            pace.chosen(asked[2])
            asked = None
        begin = min(ready, workers - len(ends))
        ends += [now + seconds] * begin
        busy, ready = busy + begin * seconds, ready - begin
        least, enough = pace.stock(workers)
        free = workers - len(ends)
        if asked is None and ready < free + least:
            n = free + enough - ready
            asked = now + fixed + each * n, n, fixed + each * n
        now = min([*([asked[0]] if asked else []), *ends[:1]])
    return busy / (workers * now)


def paper(strategy: str, dim: int, sizes: list[int], pending: int) -> None:
    """Print the cost of a choice in processor time, and what it means for 64 and for 1,000 workers."""
    rng = np.random.default_rng(0)
    for measured in sizes:
        with tempfile.TemporaryDirectory() as folder:
            campaign = ew.Campaign(
                "paper", ew.Box.unit(dim), store=Path(folder) / "paper.db", strategy=strategy, noise=0.01
            )
            x = rng.random((measured, dim))
            campaign.add(x, smooth(x))
            waiting = campaign.ask(pending)  # what workers compute meanwhile
            one, many = _processor_time(campaign, 1), _processor_time(campaign, MANY)
            begin = time.process_time()
            campaign.tell_many([(experiment.id, 1.0, None) for experiment in waiting])
            told = (time.process_time() - begin) / pending
        each = (many - one) / (MANY - 1)
        print(
            f"N = {measured}: a choice takes {one - each:.2f} s and {1000 * each:.1f} ms more a point, "
            f"telling takes {1000 * told:.2f} ms a value"
        )
        for workers, seconds in ((64, 1.0), (64, 10.0), (1000, 10.0), (1000, 60.0)):
            share = simulated(workers, seconds, one - each, each)
            print(f"  {workers} workers, a function of {seconds:g} s: busy {100 * share:.0f} %")


def dask_calls(count: int) -> None:
    """Print the processor time of a call through Dask: of client, scheduler and worker together."""
    try:
        from distributed import Client
    except ImportError:
        print("Dask is not installed: pip install 'equiwarp[dask]'")
        return
    with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        executor = client.get_executor()
        executor.submit(abs, -1).result()
        begin = time.process_time()
        for future in [executor.submit(abs, -i) for i in range(count)]:
            future.result()
        each = (time.process_time() - begin) / count
    print(f"a call through Dask takes {1000 * each:.1f} ms, of client, scheduler and worker together")


def _processor_time(campaign: ew.Campaign, n: int) -> float:
    begin = time.process_time()
    campaign.preview(n)
    return time.process_time() - begin


def large(candidates: int, points: int, measured: int, dim: int, workers: int) -> None:
    """Print the seconds that a suggestion from a long list and a large map take on processes."""
    from equiwarp.runner.spread import predict_on, suggest_from

    rng = np.random.default_rng(0)
    begin = time.perf_counter()
    entries = ew.Candidates(rng.random((candidates, dim)))
    print(f"a list of {candidates:,} candidates, D = {dim}, read in {time.perf_counter() - begin:.1f} s")
    x = entries.points[:measured]
    y = smooth(x)
    for n in (1, 16):
        begin = time.perf_counter()
        suggest_from("processes", entries, x, y, n, noise=0.01, workers=workers)
        print(
            f"{n} chosen of all of them, N = {measured}, {workers} workers: "
            f"{time.perf_counter() - begin:.1f} s"
        )
    box = ew.Box.unit(dim)
    known = ew.build_map(box, x, y, 0.01)
    begin = time.perf_counter()
    predict_on("processes", known, rng.random((points, dim)), workers=workers)
    print(
        f"{points:,} points predicted, N = {measured}, {workers} workers: {time.perf_counter() - begin:.1f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["busy", "overhead", "paper", "large"])
    parser.add_argument("--before", type=int, action="append", help="measurements that are there already")
    parser.add_argument("--pending", type=int, default=64, help="experiments that are being computed (paper)")
    parser.add_argument("--more", type=int, default=1280)
    parser.add_argument("--stretch", type=int, default=200, help="values in each stretch (busy)")
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--dim", type=int, default=4)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--strategy", action="append")
    given = parser.parse_args()
    cores, load = os.cpu_count(), os.getloadavg()[0]
    print(f"{platform.machine()}, {cores} cores, load {load:.1f}, equiwarp {ew.__version__}")
    strategies = given.strategy or ["map"]
    if given.what == "large":
        large(10**7, 10**6, 300, given.dim, cores or 1)
    elif given.what == "paper":
        paper(strategies[0], given.dim, given.before or [300, 1000, 2000], given.pending)
        dask_calls(1000)
    elif given.what == "busy":
        for strategy in strategies:
            seconds = given.seconds or 1.0
            before = given.before[0] if given.before else 1000
            busy(before, given.more, given.workers, seconds, given.dim, strategy, given.stretch)
    else:
        overhead(given.count, given.seconds or 0.001, strategies)


if __name__ == "__main__":
    main()
