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


SCAN = """
import threading
import numpy as np
from bluesky import RunEngine
from bluesky_adaptive import optimize
from bluesky_adaptive.protocols import OptimizationProblem
from ophyd.sim import SynAxis, SynSignal
from ophyd.status import Status

import equiwarp as ew
from equiwarp.integrations import to_campaign
from equiwarp.integrations.bluesky import MappingOptimizer


class Stage(SynAxis):
    # It takes time to move, and stops a little beside where it was sent: beyond its ends, too.
    moving = False

    def set(self, position):
        self.moving, status = True, Status()
        jump = super().set

        def arrive():
            jump(position * 1.004)
            self.moving = False
            status.set_finished()

        threading.Timer(0.02, arrive).start()
        return status


x, y = Stage(name="x"), Stage(name="y")


def read():
    assert not (x.moving or y.moving), "measured while the stage was on its way"
    return float(np.exp(-x.position**2 - (y.position - 1.0) ** 2))


det = SynSignal(func=read, name="det")
mapper = MappingOptimizer(ew.Box({"x": (-2.0, 2.0), "y": (-2.0, 2.0)}), ["signal"], noise=0.02, n0=6)
events, order = [], []


def watch(name, doc):
    if name == "start" and "blop_acquisition_order" in doc:
        order[:] = doc["blop_acquisition_order"]
        events.clear()
    if name == "event" and "det" in doc["data"]:
        events.append(doc["data"])


def evaluate(uid, suggestions):
    rows = zip(order, events, strict=True)
    return [{"_id": i, "signal": e["det"], "x": e["x"], "y": e["y"]} for i, e in rows]


engine = RunEngine({})
engine.subscribe(watch)
engine(optimize(OptimizationProblem(mapper, [x, y], [det], evaluate), iterations=5, n_points=2))
stood, sent = np.array(mapper.loop.x), np.array(mapper.loop.handed_out)
assert len(stood) == 10 and not mapper.loop.pending
# What counts is where the stage stood, not where it was sent, and the value belongs to that place.
assert np.allclose(np.sort(stood[:, 0]), np.sort(np.clip(1.004 * sent[:, 0], -2, 2)))
assert not np.allclose(np.sort(stood[:, 0]), np.sort(sent[:, 0]), atol=1e-6)
assert np.allclose(np.array(mapper.loop.y)[:, 0], np.exp(-stood[:, 0]**2 - (stood[:, 1] - 1)**2), atol=0.02)
# A stage at its end stops beyond the box by less than 1 %, which is no error; beyond that it is one.
mapper.ingest([{"x": 2.008, "y": -2.008, "signal": 0.1}])
assert mapper.loop.x[-1] == [2.0, -2.0]
try:
    mapper.ingest([{"x": 2.2, "y": 0.0, "signal": 0.1}])
except ew.EquiwarpError as error:
    assert "2.2" in str(error), error
else:
    raise AssertionError("a stage far outside the box was taken")
assert to_campaign(mapper, "scan").map().error()[0].value > 0
print("scanned")
"""


def test_a_scan_with_a_moving_stage_maps_where_the_stage_stood(tmp_path: Path) -> None:
    assert "scanned" in run_in_1_x(SCAN, tmp_path)


def test_optimize_maps_until_the_stop_rule_holds_and_survives_a_failure(tmp_path: Path) -> None:
    assert "mapped with" in run_in_1_x(SCRIPT, tmp_path)


def run_in_1_x(script: str, folder: Path) -> str:
    """What a script prints in a fresh interpreter that imports bluesky-adaptive 1.x."""
    package = Path(sys.prefix) / "bluesky-adaptive-1"
    assert (package / "bluesky_adaptive").is_dir(), "run `make test-integrations`, which installs it"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(package), *sys.path])},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
