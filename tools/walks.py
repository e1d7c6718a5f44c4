"""Which files does a piece of work pass, in which order, and how often does it change between them?

    python tools/walks.py            the walks that CONTRIBUTING lists, with their counts
    python tools/walks.py --write    put them into CONTRIBUTING.md

A newcomer reads along such a list. ``tests/test_walks.py`` keeps the walks short.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- walks: python tools/walks.py --write -->", "<!-- end of walks -->"

DATA = """
import numpy as np, equiwarp as ew
box = ew.Box({"t": (20, 90), "p": (1, 9)})
x = np.random.default_rng(0).random((30, 2)) * [70, 8] + [20, 1]
y = np.sin(x[:, 0] / 9) + x[:, 1]
"""
CAMPAIGN = (
    DATA
    + """
c = ew.Campaign("walk", box, noise=0.05, store="walk.db", seed=1, n0=12)
for e in c.ask(14): c.tell(e.id, float(e.point["t"]))
"""
)
#: Modules that are loaded when they are first needed: reading them in is no part of a walk.
LOADED = "import equiwarp.maps.map, equiwarp.models.informed, equiwarp.strategy.map_state\n"
PAGE_OPEN = (
    CAMPAIGN
    + """
e = c.ask(1)[0]
import warnings; warnings.simplefilter("ignore")
from fastapi.testclient import TestClient
from equiwarp.web.app import create_app
from equiwarp.web.security import Gate, hosts_for
app = create_app("walk.db", Gate(hosts_for(["127.0.0.1"], 8765)))
client = TestClient(app, base_url="http://127.0.0.1:8765", headers={"origin": "http://127.0.0.1:8765"})
client.get("/c/1")
"""
)


@dataclass(frozen=True)
class Walk:
    """A piece of work: what it is called, what is prepared for it, and the work itself."""

    title: str
    setup: str
    work: str


WALKS = {
    "suggest": Walk(
        "`ew.suggest(box, x, y, noise=0.05)`",
        DATA + "ew.suggest(box, x, y, n=1, noise=0.05, seed=1)\n",
        "ew.suggest(box, x, y, n=1, noise=0.05, seed=1)",
    ),
    "ask": Walk("`campaign.ask(1)` after the start", CAMPAIGN + LOADED, "e = c.ask(1)"),
    "tell": Walk("`campaign.tell(id, 3.0)`", CAMPAIGN + "e = c.ask(1)[0]\n", "c.tell(e.id, 3.0)"),
    "map": Walk("`campaign.map().error()`", CAMPAIGN + LOADED, "c.map().error()"),
    "click": Walk(
        "a value saved on the open page of a campaign",
        PAGE_OPEN,
        'client.post(f"/c/1/e/{e.id}/tell", data={"value-0": "3"}, follow_redirects=False)',
    ),
    "cell": Walk(
        "three rounds of a bench cell",
        "from equiwarp.bench.cell import Job, compute\n",
        "compute(Job('levy-2d', 'equiwarp', 0, 3))",
    ),
}

_FOLLOW = """
import json, os, sys, threading
space = {}
exec(SETUP, space)
import equiwarp
root, order, trail = os.path.dirname(equiwarp.__file__) + os.sep, [], []
def notice(frame, event, _):
    file = frame.f_code.co_filename
    if event == "call" and file.startswith(root) and (not trail or trail[-1] != file):
        trail.append(file)
        if file not in order:
            order.append(file)
work = compile(WORK, "work", "exec")
threading.setprofile(notice)
sys.setprofile(notice)
exec(work, space)
sys.setprofile(None)
threading.setprofile(None)
print("\\n" + json.dumps([[file.removeprefix(root).replace(os.sep, "/") for file in order], len(trail)]))
"""


def follow(walk: Walk, cache: Path) -> tuple[list[str], int]:
    """Files in the order in which they are first entered, and the number of changes between files."""
    code = _FOLLOW.replace("SETUP", repr(walk.setup)).replace("WORK", repr(walk.work))
    environment = {**os.environ, "EQUIWARP_CACHE": str(cache), "PYTHONPATH": str(ROOT / "src")}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    files, changes = json.loads(done.stdout.splitlines()[-1])
    return files, changes


def measured(cache: Path) -> dict[str, tuple[list[str], int]]:
    """All walks, with the equalizer's tables in the cache: the first run fills it."""
    follow(WALKS["cell"], cache)
    follow(WALKS["suggest"], cache)
    return {name: follow(walk, cache) for name, walk in WALKS.items()}


def text_of(walks: dict[str, tuple[list[str], int]]) -> str:
    """The walks as CONTRIBUTING shows them."""
    parts = []
    for name, (files, _) in walks.items():
        listed = " → ".join(f"`{file.removesuffix('.py')}`" for file in files)
        parts.append(f"**{WALKS[name].title}**: {len(files)} files.\n{listed}")
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="put the walks into CONTRIBUTING.md")
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        walks = measured(Path(cache))
    text = text_of(walks)
    if not said.write:
        print(text, *(f"{name}: {changes} changes of file" for name, (_, changes) in walks.items()), sep="\n")
        return
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
