"""Seconds of a fresh process, of many observations and of long lists; each in a process of its own."""

from __future__ import annotations

import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import equiwarp
from equiwarp._util.threads import ONE_THREAD
from equiwarp.bench.speed.dense import load_dense
from equiwarp.bench.speed.steady import TIMED_NOISE, SteadyRun, Task, side_by_side
from equiwarp.domains import Box
from equiwarp.engine.algorithm import choose, suggest
from equiwarp.engine.configuration import prepare
from equiwarp.engine.measurements import Measurements
from equiwarp.exceptions import EquiwarpError

#: These two are programs and not functions: importing this module would already be part of what they time.
IMPORT = """
import json, time
import numpy
start = time.process_time()
import equiwarp
print(json.dumps(time.process_time() - start))
"""

FIRST = """
import json, time
begin = time.process_time()
import numpy as np
import equiwarp as ew
dim, n = {dim}, {n}
x = np.random.default_rng(0).random((n, dim))
y = np.sin(5 * x).prod(axis=1)
ew.suggest(ew.Box.unit(dim), x, y, noise=0.05)
total = time.process_time()
start = time.process_time()
ew.suggest(ew.Box.unit(dim), x, y, noise=0.05)
print(json.dumps([total, time.process_time() - start]))
"""

CALL = """
import json
from equiwarp.bench.speed.fresh_process import {function}
print(json.dumps({function}(*{arguments!r})))
"""


def as_installed() -> dict[str, str]:
    """The environment of a process with one thread that finds our bytecode, as pip leaves it."""
    compileall.compile_dir(Path(equiwarp.__file__).parent, quiet=2)
    unwritten = "PYTHONDONTWRITEBYTECODE"
    return {**{name: value for name, value in os.environ.items() if name != unwritten}, **ONE_THREAD}


def import_seconds() -> float:
    """`import equiwarp` beyond numpy's, the least of three."""
    return min(_child(IMPORT, "") for _ in range(3))


def first_suggestions(sizes: list[tuple[int, int]]) -> list[list[float]]:
    """First suggestion: D, N, seconds with an empty cache, with a filled one, our own part of that."""
    rows = []
    for dim, n in sizes:
        with tempfile.TemporaryDirectory() as cache:
            code = FIRST.format(dim=dim, n=n)
            empty, _ = _child(code, cache)
            filled, own = _child(code, cache)
        rows.append([dim, n, empty, filled, own])
    return rows


def stateless(dim: int, n: int, budget: float, dense: str | None) -> dict[str, float]:
    """Milliseconds of a single suggestion, and of a dense round beside it: both find a heap that is new.

    Where there were rounds in a row, the allocator keeps its memory, and a plain implementation profits.
    """
    with tempfile.TemporaryDirectory() as cache:
        code = CALL.format(function="time_stateless", arguments=(dim, n, budget, dense))
        found: dict[str, float] = _child(code, cache)
    return found


def time_stateless(dim: int, n: int, budget: float, dense: str | None) -> dict[str, float]:
    """What :func:`stateless` has done in a process of its own."""
    run = SteadyRun.of("equiwarp", dim, n)
    domain, known = run.configuration.domain, run.measurements
    works: dict[str, Task] = {"stateless": lambda: suggest(domain, known.x, known.y, noise=TIMED_NOISE)}
    if dense is not None:
        dense_choose = load_dense(dense)
        works["dense_beside"] = lambda: dense_choose(run.configuration, known)
    return {name: 1e3 * value for name, value in side_by_side(works, budget).items()}


def large_cases(cases: list[tuple[str, int, int]]) -> list[list[Any]]:
    """Strategy, N, pool, seconds and GiB of a stateless suggestion with tables at hand, D = 4."""
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for name, n, pool in cases:
            code = CALL.format(function="time_large_case", arguments=(name, n, pool))
            rows.append([name, n, pool or 4096, *_child(code, cache)])
    return rows


def time_large_case(strategy: str, n: int, rows: int) -> tuple[float, float]:
    """Seconds and GiB of one case of :func:`large_cases`, with a list of ``rows`` candidates if not 0."""
    domain, rng = Box.unit(4), np.random.default_rng(0)
    x = domain.sample(n, rng)
    y = np.sin(5 * x).prod(axis=1) + 0.05 * rng.standard_normal(n)
    pool = rng.random((rows, domain.dim)) if rows else None

    def work() -> object:
        return choose(prepare(domain, strategy, pool=pool), Measurements.of(domain, x, y, 0.05), 1)

    work()
    start = time.process_time()
    work()
    seconds = time.process_time() - start
    # Not ru_maxrss, which a new process inherits from the one that started it.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return seconds, int(status["VmHWM"].split()[0]) / 2**20


def _child(code: str, cache: str) -> Any:
    """What a fresh interpreter prints, with its own equalizer cache."""
    environment = {**os.environ, "EQUIWARP_CACHE": cache}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    if done.returncode:
        raise EquiwarpError(f"a timed process failed: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)
