"""How long calls take when many processes ask and tell at once on one SQLite store.

    python tools/contention.py --processes 32 --pairs 25 --strategy random

All processes wait until every one has the campaign open; then each asks and tells as often as said. It prints
how many calls gave StoreBusy, and the median, 99th percentile and largest time of a call.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import equiwarp as ew

BOX = ew.Box({"x": (0, 1), "y": (0, 1)})


def work(folder: Path, name: str, pairs: int) -> None:
    """One process: ask and tell, and leave behind how long each call took."""
    seconds: list[float] = []
    busy = 0
    with ew.Campaign("c", store=folder / "lab.db") as c:
        (folder / f"{name}.ready").touch()
        while not (folder / "go").exists():
            time.sleep(0.05)
        for _ in range(pairs):
            begin = time.perf_counter()
            try:
                (experiment,) = c.ask()
                asked = time.perf_counter()
                c.tell(experiment.id, float(experiment.id))
            except ew.StoreBusy:
                busy += 1
                seconds.append(time.perf_counter() - begin)
                continue
            seconds += [asked - begin, time.perf_counter() - asked]
    (folder / f"{name}.json").write_text(json.dumps([seconds[2:], busy]))  # the first two also load modules


def main() -> None:
    """Start the processes, wait for them, and print what their calls took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=32)
    parser.add_argument("--pairs", type=int, default=25)
    parser.add_argument("--strategy", default="random")
    parser.add_argument("--work", nargs=2, metavar=("FOLDER", "NAME"), help=argparse.SUPPRESS)
    said = parser.parse_args()
    if said.work:
        work(Path(said.work[0]), said.work[1], said.pairs)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ew.Campaign("c", BOX, store=folder / "lab.db", strategy=said.strategy, noise=0.1, n0=4).close()
        command = [sys.executable, __file__, "--pairs", str(said.pairs), "--work", name]
        started = [subprocess.Popen([*command, str(i)]) for i in range(said.processes)]
        while len(list(folder.glob("*.ready"))) < said.processes:
            time.sleep(0.1)
        (folder / "go").touch()
        for process in started:
            process.wait()
        found = [json.loads(file.read_text()) for file in folder.glob("*.json")]
    calls = np.concatenate([seconds for seconds, _ in found])
    middle, most = np.quantile(calls, [0.5, 0.99])
    print(f"{len(found)} processes, {len(calls)} calls, {sum(busy for _, busy in found)} gave StoreBusy;")
    print(f"seconds of a call: median {middle:.3f}, 99 % {most:.2f}, largest {calls.max():.2f}")


if __name__ == "__main__":
    main()
