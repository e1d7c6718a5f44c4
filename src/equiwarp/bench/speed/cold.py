"""What a first command costs: processor seconds of `equiwarp ask` in a fresh process, on a small campaign.

Loading modules takes most of them: NumPy, SciPy's linear algebra and SQLAlchemy alone stand beside it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from equiwarp.bench.speed.fresh_process import as_installed
from equiwarp.campaign import Campaign
from equiwarp.domains import Box

BEGIN, END = "<!-- cold: equiwarp bench speed cold -->", "<!-- end of cold -->"
LIBRARIES = ["-c", "import numpy, scipy.linalg, sqlalchemy"]
ASK = ["-c", "from equiwarp.cli import main; main()", "ask", "--store", "small.db"]
#: Experiments of the space-filling start, and values that the campaign has before and after its end.
START, EARLY, LATE = 8, 2, 10


def build_campaign(path: Path, strategy: str, values: int) -> None:
    """Two parameters and this many values."""
    box = Box({"temperature": (20, 90), "pH": (3, 9)})
    with Campaign("small", box, store=path, strategy=strategy, noise=0.05, n0=START, seed=0) as campaign:
        for experiment in campaign.ask(values):
            campaign.tell(experiment.id, 0.1 * experiment.id + experiment.id % 3)


def measure_cold(strategies: Sequence[str], runs: int) -> dict[str, float]:
    """The least of several runs, which take turns, by case."""
    with tempfile.TemporaryDirectory() as name:
        folder, environment = Path(name), as_installed()
        cases: dict[str, Path | None] = {"loading the libraries": None}
        for strategy in strategies:
            for values, when in ((EARLY, "in the start"), (LATE, "after it")):
                path = folder / f"{len(cases)}.db"
                build_campaign(path, strategy, values)
                cases[f"`ask`, `{strategy}`, {when}"] = path
        seconds: dict[str, list[float]] = {case: [] for case in cases}
        for _ in range(runs):
            for case, built in cases.items():
                if built is not None:
                    shutil.copy(built, folder / "small.db")
                seconds[case].append(_processor_seconds(ASK if built else LIBRARIES, folder, environment))
    return {case: min(found) for case, found in seconds.items()}


def _processor_seconds(words: Sequence[str], folder: Path, environment: dict[str, str]) -> float:
    """User and system time of a Python process."""
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return used.ru_utime + used.ru_stime


def cold_text(seconds: dict[str, float], runs: int) -> str:
    """Markdown, with its markers."""
    lines = [f"| {case} | {found:.2f} |" for case, found in seconds.items()]
    head = [f"| processor seconds, least of {runs} | |", "| --- | ---: |"]
    where = f"Measured on {os.cpu_count()} cores with a load of {os.getloadavg()[0]:.1f}."
    return "\n".join([BEGIN, "", *head, *lines, "", where, "", END])
