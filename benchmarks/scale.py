"""Seconds of a fresh process, of many observations and of long lists; each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

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

STATELESS = """
import json, sys
sys.path.insert(0, {root!r})
from benchmarks.case import NOISE, Run, side_by_side
from equiwarp.engine.algorithm import suggest
from tests.reference.dense import dense_choose
run = Run.of("equiwarp", {dim}, {n})
works = {{
    "stateless": lambda: suggest(run.setting.domain, run.design.x, run.design.y, noise=NOISE),
    "dense": lambda: dense_choose(run.setting, run.design),
}}
print(json.dumps([1e3 * value for value in side_by_side(works, {budget}).values()]))
"""

MANY = """
import json, time
from pathlib import Path
import numpy as np
import equiwarp as ew
from equiwarp.engine.measurements import Design
from equiwarp.engine.configuration import prepare
from equiwarp.engine.algorithm import choose
dim, n, rows, name = 4, {n}, {rows}, {name!r}
domain = ew.Box.unit(dim)
rng = np.random.default_rng(0)
x = domain.sample(n, rng)
y = np.sin(5 * x).prod(axis=1) + 0.05 * rng.standard_normal(n)
pool = rng.random((rows, dim)) if rows else None

def work():
    return choose(prepare(domain, name, pool=pool), Design.of(domain, x, y, 0.05), 1)

work()
start = time.process_time()
work()
seconds = time.process_time() - start
# Not ru_maxrss, which a new process inherits from the one that started it.
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(json.dumps([seconds, int(status["VmHWM"].split()[0]) / 2**20]))
"""


def child(code, cache):
    """What a fresh interpreter prints, with its own equalizer cache."""
    environment = {**os.environ, "EQUIWARP_CACHE": cache}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return json.loads(done.stdout)


def fresh_process(sizes):
    """First suggestion: (D, N, seconds with an empty cache, with a filled one, our own part of that)."""
    rows = []
    for dim, n in sizes:
        with tempfile.TemporaryDirectory() as cache:
            code = FIRST.format(dim=dim, n=n)
            empty, _ = child(code, cache)
            filled, own = child(code, cache)
        rows.append((dim, n, empty, filled, own))
    return rows


def stateless(dim, n, budget):
    """Milliseconds of a single suggestion, and of a dense round beside it: both find a heap that is new.

    Where there were rounds in a row, the allocator keeps its memory, and a plain implementation profits.
    """
    root = str(Path(__file__).resolve().parents[1])
    with tempfile.TemporaryDirectory() as cache:
        return child(STATELESS.format(root=root, dim=dim, n=n, budget=budget), cache)


def import_seconds():
    """`import equiwarp` beyond numpy's, the least of three."""
    return min(child(IMPORT, "") for _ in range(3))


def many(cases):
    """(strategy, N, pool, seconds, GiB) of a stateless suggestion with tables at hand, D = 4."""
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for name, n, pool in cases:
            seconds, memory = child(MANY.format(n=n, rows=pool, name=name), cache)
            rows.append((name, n, pool or 4096, seconds, memory))
    return rows
