"""How long calls take when many processes ask and tell at once on one SQLite store; how near points are.

    python tools/contention.py --processes 32 --pairs 25 --strategy random
    python tools/contention.py --processes 32 --pairs 2 --strategy map --known 40

With ``--known``, so many values are there before, more than the start has: every ask is a choice. All
processes wait until every one has made a choice that it throws away, which loads modules; then each asks as
often as said, and tells at the end what it was given. It prints how many calls gave StoreBusy, how long a
call took, the processor seconds of an ask, and the nearest two of all points, in units of the distance that
docs/store.md promises.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import equiwarp as ew
from equiwarp.campaign.chooser import NEAR

BOX = ew.Box({"x": (0, 1), "y": (0, 1)})


def measured(point: dict[str, Any]) -> float:
    """What an experiment gives."""
    return float(np.sin(7 * point["x"]) * np.cos(5 * point["y"]))


def work(folder: Path, name: str, pairs: int) -> None:
    """One process: ask and tell, and leave behind how long each call took."""
    seconds, processor, busy = list[float](), list[float](), 0
    with ew.Campaign("c", store=folder / "lab.db") as c:
        c.preview()
        (folder / f"{name}.ready").touch()
        while not (folder / "go").exists():
            time.sleep(0.05)
        given = list[ew.Experiment]()
        for i in range(2 * pairs):
            begun, used = time.perf_counter(), time.process_time()
            try:
                if i < pairs:
                    given += c.ask()
                elif given:
                    c.tell(given[-1].id, measured(given.pop().point))
            except ew.StoreBusy:
                busy += 1
            seconds.append(time.perf_counter() - begun)
            processor.append(time.process_time() - used)
    (folder / f"{name}.json").write_text(json.dumps([seconds, processor[:pairs], busy]))


def begin(folder: Path, strategy: str, known: int) -> None:
    """The campaign, with values of a space-filling design."""
    with ew.Campaign("c", BOX, store=folder / "lab.db", strategy=strategy, noise=0.1, n0=4) as c:
        if known:
            points = BOX.sample(known, np.random.default_rng(0))
            c.add(points, [measured(BOX.named(point)) for point in points])


def nearest(folder: Path) -> float:
    """The least distance between two points that were handed out, over the one that is promised."""
    with ew.Campaign("c", store=folder / "lab.db") as c:
        found = c.experiments()
    asked = [e for e in found if e.origin != "added"]
    Z = BOX.embed(np.array([list(e.point.values()) for e in asked]))
    distance = np.linalg.norm(Z[:, None] - Z[None], axis=2)
    return float(distance[~np.eye(len(Z), dtype=bool)].min() / (NEAR * BOX.spacing(len(found))))


def main() -> None:
    """Start the processes, wait for them, and print what their calls took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=32)
    parser.add_argument("--pairs", type=int, default=25)
    parser.add_argument("--strategy", default="random")
    parser.add_argument("--known", type=int, default=0)
    parser.add_argument("--work", nargs=2, metavar=("FOLDER", "NAME"), help=argparse.SUPPRESS)
    said = parser.parse_args()
    if said.work:
        work(Path(said.work[0]), said.work[1], said.pairs)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begin(folder, said.strategy, said.known)
        command = [sys.executable, __file__, "--pairs", str(said.pairs), "--work", name]
        started = [subprocess.Popen([*command, str(i)]) for i in range(said.processes)]
        while len(list(folder.glob("*.ready"))) < said.processes:
            time.sleep(0.1)
        (folder / "go").touch()
        for process in started:
            process.wait()
        found = [json.loads(file.read_text()) for file in folder.glob("*.json")]
        apart = nearest(folder)
    calls = np.concatenate([seconds for seconds, _, _ in found])
    processor = np.concatenate([used for _, used, _ in found])
    middle, most = np.quantile(calls, [0.5, 0.99])
    print(f"{len(found)} processes, {len(calls)} calls, {sum(busy for *_, busy in found)} gave StoreBusy;")
    print(f"seconds of a call: median {middle:.3f}, 99 % {most:.2f}, largest {calls.max():.2f};")
    print(f"processor seconds of an ask: median {np.median(processor):.3f}, largest {processor.max():.2f};")
    print(f"the nearest two points: {apart:.2f} of the promised distance")


if __name__ == "__main__":
    main()
