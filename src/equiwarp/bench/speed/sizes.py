"""What each command needs on a large store: processor seconds and memory, each in a fresh process.

One campaign has n measurements in many dimensions and many pending experiments; beside it the store has
many others. Every command is run as a user runs it, once.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.bench.speed.fresh_process import as_installed
from equiwarp.bench.speed.size_cells import Needed, SizeCells, StoreSize
from equiwarp.campaign import Campaign
from equiwarp.domains import Box
from equiwarp.exceptions import InvalidInput
from equiwarp.store import Store

NAME = "large"
BEGIN, END = "<!-- sizes: equiwarp bench speed sizes -->", "<!-- end of sizes -->"

#: A command that leaves its peak of memory behind: what the system counts begins with that of its parent. A
#: signal ends it after so many processor seconds, which do not depend on what else runs.
PROGRAM = """
import atexit, pathlib, signal
signal.setitimer(signal.ITIMER_PROF, {longest})
status = pathlib.Path("/proc/self/status")
atexit.register(lambda: pathlib.Path("peak").write_text(status.read_text()))
from equiwarp.cli import main
main()
"""


#: The commands, as they are typed; {id} is an experiment that is pending, {done} one with a value.
COMMANDS = (
    "tell {id} 1.5",
    "fail {id} tripped",
    "amend {done} 1.25 --reason typo",
    "ask",
    "ask -n 8",
    "status",
    "status --quick",
    "why {done}",
    "release --older-than 1h",
    "list",
    "export",
    "export --events",
    "doctor",
    "add extra.csv",
)
#: Those that fit a map.
MAP_COMMANDS = ("map", "forecast", "report report.html")


def build_others(path: Path, campaigns: int) -> None:
    """A store with all campaigns but the large one."""
    store = Store(path)
    for i in range(campaigns - 1):
        Campaign(f"other {i}", Box.unit(2), store=store, n0=4).ask(1)
    store.close()


def build_store(folder: Path, size: StoreSize, others: Path | None = None) -> Path:
    """A store of this size, the same each time; the other campaigns may be there already."""
    path = folder / "large.db"
    if others is None:
        build_others(path, size.campaigns)
    else:
        shutil.copy(others, path)
    random = stream(0, "sizes")
    store = Store(path)
    # The pending ones are from the start, whose points cost nothing; what is asked for later is chosen.
    n0 = size.n + size.pending
    large = Campaign(NAME, Box.unit(size.dim), store=store, noise=0.1, strategy="equiwarp", n0=n0)
    x = random.random((size.n, size.dim))
    large.add(x, _response(x))
    large.ask(size.pending)
    extra = random.random((1, size.dim))
    row = [*extra[0].tolist(), *_response(extra).tolist()]
    lines = [",".join([*large.domain.names, *large.responses]), ",".join(map(repr, row))]
    (folder / "extra.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    store.close()
    return path


def _response(
    x: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.sin(4 * x[:, 0]) + x[:, 1] ** 2


def measure_commands(
    size: StoreSize,
    commands: Sequence[str],
    longest: float = 900.0,
    others: Path | None = None,
    cells: SizeCells | None = None,
) -> Iterator[Needed]:
    """Run each command on a store of this size; one that needs more processor seconds is ended.

    What is in the cells is not run again, and what is run is put into them.
    """
    cells = SizeCells() if cells is None else cells
    with tempfile.TemporaryDirectory() as name:
        folder, environment = Path(name), as_installed()
        for i, command in enumerate(commands):
            needed = cells.get(size, command)
            if needed is None:
                if not (folder / "large.db").exists():
                    build_store(folder, size, others)
                ids = {"id": size.n + 1 + i, "done": 1 + i}
                needed = _run(command, command.format(**ids).split(), folder, environment, longest)
                cells.put(size, needed)
            yield needed


def _run(
    command: str, words: Sequence[str], folder: Path, environment: dict[str, str], longest: float
) -> Needed:
    place = [] if words[0] in ("list", "doctor") else ["--campaign", NAME]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(longest=longest), *words, "--store", "large.db", *place],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert process.stderr is not None
    with process.stderr as errors:
        said = errors.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode < 0:
        return Needed(command, None, used.ru_maxrss / 1024)
    if process.returncode > 0:
        raise InvalidInput(
            f"equiwarp {' '.join(words)} ended with {process.returncode}: {said.strip()[-500:]}"
        )
    peak = re.search(r"VmHWM:\s*(\d+) kB", (folder / "peak").read_text(encoding="utf-8"))
    assert peak is not None
    return Needed(command, used.ru_utime + used.ru_stime, int(peak[1]) / 1024)


def table_text(sizes: Sequence[StoreSize], rows: dict[str, list[Needed]], longest: float) -> str:
    """Markdown, with its markers: a row for each command, two columns for each size."""
    heads = " | ".join(f"N = {size.n:,}: s | MiB" for size in sizes)
    lines = [BEGIN, "", f"| command | {heads} |", f"| --- |{' ---: | ---: |' * len(sizes)}"]
    for command, needed in rows.items():
        shown = " | ".join(f"{_seconds(n.seconds, longest)} | {n.mebibytes:.0f}" for n in needed)
        lines.append(f"| `{command.format(id='ID', done='ID')}` | {shown} |")
    return "\n".join([*lines, "", END])


def _seconds(seconds: float | None, longest: float) -> str:
    return f"more than {longest:g}" if seconds is None else f"{seconds:.2f}"


def put_on_page(text: str, page: Path) -> None:
    """Replace what stands between the markers, which are the first and the last line of the text."""
    begin, *_, end = text.splitlines()
    old = page.read_text(encoding="utf-8")
    if old.count(begin) != 1 or old.count(end) != 1:
        raise InvalidInput(f"{page} must have the lines {begin!r} and {end!r}, once each, to write between")
    page.write_text(old.split(begin)[0] + text + old.split(end)[1], encoding="utf-8")


def measured_table(
    sizes: Sequence[StoreSize],
    commands: Sequence[str],
    longest: float,
    say: Callable[[str], None],
    cells: SizeCells | None = None,
) -> str:
    """Measure all sizes, but for what is in the cells; ``say`` is told each number as it comes."""
    rows: dict[str, list[Needed]] = {command: [] for command in commands}
    with tempfile.TemporaryDirectory() as folder:
        built: dict[int, Path] = {}
        for size in sizes:
            others = built.setdefault(size.campaigns, Path(folder) / f"{size.campaigns}.db")
            if not others.exists():
                build_others(others, size.campaigns)
            for needed in measure_commands(size, commands, longest, others, cells):
                rows[needed.command].append(needed)
                took = _seconds(needed.seconds, longest)
                say(f"N = {size.n:,}  {needed.command}: {took} s, {needed.mebibytes:.0f} MiB")
    return table_text(sizes, rows, longest)
