"""bluesky-adaptive 1.x: the optimizer in a real RunEngine.

Both generations have the same import name, so ``make test-integrations`` installs this one into a
folder of its own, from which a fresh interpreter imports it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import numpy as np
from bluesky import RunEngine
from bluesky_adaptive import optimize
from bluesky_adaptive.protocols import (
    OptimizationProblem, Optimizer, SupportsStoppingCriteria, TrialFaultAware
)
from ophyd.sim import SynAxis, SynSignal

import equiwarp as ew
from equiwarp.integrations.bluesky import MappingOptimizer
from equiwarp.maps.stopping import StopRule

box = ew.Box({"x": (-2.0, 2.0), "y": (0.0, 3.0)})
x, y = SynAxis(name="x"), SynAxis(name="y")
det = SynSignal(func=lambda: float(np.exp(-(x.position - 0.5) ** 2 - (y.position - 1.5) ** 2)), name="det")
mapper = MappingOptimizer(box, ["signal"], noise=0.02, n0=6, stop=StopRule(error=0.2))
for protocol in (Optimizer, SupportsStoppingCriteria, TrialFaultAware):
    assert isinstance(mapper, protocol), protocol

order, seen = {}, {}
def watch(name, doc):
    if name == "start" and "blop_acquisition_order" in doc:
        order[doc["uid"]] = doc["blop_acquisition_order"]
        seen[doc["uid"]] = []
        watch.run = doc["uid"]
    if name == "event" and "det" in doc["data"]:
        seen[watch.run].append(doc["data"])

calls = []
def evaluate(uid, suggestions):
    calls.append(uid)
    if len(calls) == 3:
        raise RuntimeError("beam lost")
    return [{"_id": i, "signal": row["det"]} for i, row in zip(order[uid], seen[uid], strict=True)]

problem = OptimizationProblem(mapper, [x, y], [det], evaluate)
engine = RunEngine({})
engine.subscribe(watch)
try:
    engine(optimize(problem, iterations=None, n_points=2))
except RuntimeError as error:
    assert str(error) == "beam lost"
else:
    raise AssertionError("the failure was swallowed")
assert len(mapper.loop.failed) == 2 and len(mapper.loop.x) == 4 and not mapper.loop.pending
engine(optimize(problem, iterations=None, n_points=2))
stop, reason = mapper.should_stop()
assert stop and "within the limit of 0.2" in reason, reason
assert mapper.map().error()[0].value <= 0.2
everything = np.array(mapper.loop.x + mapper.loop.failed)
assert len(np.unique(everything, axis=0)) == len(everything) < 60
print("mapped with", len(everything))
"""


def test_optimize_maps_until_the_stop_rule_holds_and_survives_a_failure() -> None:
    folder = Path(sys.prefix) / "bluesky-adaptive-1"
    assert (folder / "bluesky_adaptive").is_dir(), "run `make test-integrations`, which installs it"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "mapped with" in done.stdout
