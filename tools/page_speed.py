"""Processor seconds that the page needs for a map: `python -m tools.page_speed`, from the root, on Linux.

A campaign with 40 values is served by a fresh server, and a program asks for its map as the page does: first
when nothing is known of it, then again. Counted is the processor time of the server and of all its
processes, so a busy machine changes little; threads of the linear algebra would, so there is one.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np

from equiwarp import Campaign
from tests.web.conftest import Server, small

VALUES, AGAIN, TICKS = 40, 20, os.sysconf("SC_CLK_TCK")


def processor_seconds(session: int) -> float:
    """What all processes of a session have used so far, ended ones that were waited for included."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[3]) == session:
            total += sum(int(field) for field in fields[11:15])
    return total / TICKS


def when_idle(session: int) -> float:
    """Wait until a second passes in which nothing is computed."""
    before = -1.0
    while (now := processor_seconds(session)) > before + 0.02:
        before = now
        time.sleep(1.0)
    return now


def begin(store: str, name: str, seed: int) -> int:
    """A campaign of two parameters with 40 values, bent and noisy."""
    rng = np.random.default_rng(seed)
    with Campaign.from_spec(small(name), store=store) as campaign:
        x = campaign.domain.sample(VALUES, rng)
        campaign.add(x, np.sin(x[:, 0] / 15) + x[:, 1] / 3 + rng.normal(0, 0.05, VALUES))
    return seed


def asked(server: Server, campaign: int) -> float:
    """Processor seconds for one answer to the question that the page asks first."""
    before = when_idle(server.process.pid)
    with urllib.request.urlopen(f"{server.url}/api/campaigns/{campaign}/map?coarse=true") as answer:
        assert json.load(answer)["measurements"] == VALUES
    return processor_seconds(server.process.pid) - before


def main() -> None:
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/lab.db"
        campaigns = [begin(store, f"campaign {k}", k) for k in (1, 2, 3)]
        server = Server(store, Path(folder))
        try:
            print(f"until it is idle: {when_idle(server.process.pid):.2f} s", file=sys.stderr)
            for campaign in campaigns:
                print(f"first map of campaign {campaign}: {asked(server, campaign):.2f} s")
            known = sum(asked(server, campaigns[0]) for _ in range(AGAIN)) / AGAIN
            print(f"a map that is known, mean of {AGAIN}: {known:.3f} s")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
