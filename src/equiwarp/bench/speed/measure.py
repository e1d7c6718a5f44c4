"""Seconds for one more suggestion, beside the dense reference, the floor and the peers."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from equiwarp._util.threads import ONE_THREAD, one_thread
from equiwarp.bench.speed import fresh_process
from equiwarp.bench.speed.dense import load_dense
from equiwarp.bench.speed.floor import floor_of
from equiwarp.bench.speed.report import PeerTimes, SpeedReport, StrategyTimes
from equiwarp.bench.speed.steady import TIMED_DEVIATION, TIMED_NOISE, SteadyRun, Task, side_by_side

#: Strategies that the dense reference knows.
DENSE_STRATEGIES = (
    *("fps", "eig", "equalized", "equiwarp", "warp", "kumaraswamy", "nipv", "epig"),
    *("epig-joint", "refit", "neumann"),
)
#: Dense rounds that take minutes and say nothing new.
TOO_SLOW = {("kumaraswamy", 1000), ("neumann", 1000)}
#: The one size of a quick run.
QUICK_SIZES = ((4, 300),)


@dataclass(frozen=True)
class SpeedPlan:
    """What to measure.

    Attributes
    ----------
    sizes : sequence of (D, N)
    strategies : sequence of str
        ``equiwarp`` among them: the others are compared with it.
    budget : float
        Seconds for a strategy at one size.
    dense : str or None
        ``module:function`` of the dense reference; None leaves it out.
    peers_python : str or None
        Interpreter that has the peers; None leaves them out.
    """

    sizes: Sequence[tuple[int, int]]
    strategies: Sequence[str]
    budget: float
    dense: str | None
    peers_python: str | None


def one_thread_everywhere() -> AbstractContextManager[None]:
    """A context in which linear algebra has one thread, here and in processes that are started."""
    os.environ.update(ONE_THREAD)
    return one_thread()


def machine_report() -> SpeedReport:
    """A report that says where it was measured, and no more yet."""
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in ("numpy", "scipy")},
        },
        "sizes": [],
    }


def time_strategy(plan: SpeedPlan, strategy: str, dim: int, n: int) -> StrategyTimes:
    """Milliseconds of a steady round, of the floor, of a dense round and of a stateless suggestion."""
    run = SteadyRun.of(strategy, dim, n)
    for _ in range(0 if strategy == "kumaraswamy" else 2):
        run.advance()
    works: dict[str, Task] = {"steady": run.advance}
    floor = floor_of(run.configuration, len(run.measurements.x))
    if floor is not None:
        works["floor"] = floor
    if plan.dense is not None and strategy in DENSE_STRATEGIES and (strategy, n) not in TOO_SLOW:
        dense_choose = load_dense(plan.dense)
        works["dense"] = lambda: dense_choose(run.configuration, run.measurements)
    times = {key: 1e3 * value for key, value in side_by_side(works, plan.budget).items()}
    if strategy == "equiwarp":
        times.update(fresh_process.stateless(dim, n, plan.budget, plan.dense))
    return times


def time_peers(dim: int, n: int, python: str) -> PeerTimes:
    """Milliseconds, or a reason, by peer; see :mod:`equiwarp.bench.speed.peer_times`."""
    run = SteadyRun.of("eig", dim, n)
    program = Path(__file__).with_name("peer_times.py")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.npz"
        np.savez(
            path,
            x=run.measurements.x,
            y=run.measurements.y[:, 0] / TIMED_DEVIATION,
            noise=TIMED_NOISE / TIMED_DEVIATION,
            ell=run.configuration.lengthscale,
            pool=run.configuration.pool,
            targets=run.configuration.targets,
        )
        # -P: the modules beside the program must not stand in for the peers' own.
        command = [python, "-P", str(program), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"peers": f"failed: {done.stderr.strip().splitlines()[-1:]}"}
    found: PeerTimes = json.loads(done.stdout.splitlines()[-1])
    return {name: 1e3 * value if isinstance(value, float) else value for name, value in found.items()}


def time_scale(report: SpeedReport, quick: bool) -> None:
    """Fresh processes, many observations and long lists, into the report."""
    report["import"] = fresh_process.import_seconds()
    sizes = [(4, 60), (4, 300)] if quick else [(2, 20), (3, 40), (4, 60), (4, 300)]
    report["fresh"] = fresh_process.first_suggestions(sizes)
    cases = [("equiwarp", 1000, 0), ("equiwarp", 100_000, 0)]
    if not quick:
        cases += [("equiwarp", 10_000, 0), ("equiwarp", 300, 100_000), ("equiwarp", 300, 1_000_000)]
    report["many"] = fresh_process.large_cases(cases)


def peers_interpreter() -> str:
    """The environment that ``make test-peers`` builds where the command runs, or this interpreter."""
    own = Path(".venv-peers") / "bin" / "python"
    return str(own) if own.exists() else sys.executable
