"""The numbers of ``bench speed sizes``, row by row in a CSV file: a run that was stopped goes on."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass
from pathlib import Path

COLUMNS = ("n", "dim", "pending", "campaigns", "command", "seconds", "mebibytes")


@dataclass(frozen=True)
class StoreSize:
    """How large a store is: measurements, parameters and pending ones of one campaign, and all campaigns."""

    n: int
    dim: int = 20
    pending: int = 200
    campaigns: int = 1000


@dataclass(frozen=True)
class Needed:
    """What a command needed; None if it was ended because it took too long."""

    command: str
    seconds: float | None
    mebibytes: float


class SizeCells:
    """What was measured so far: in a file, or for the time being if there is none."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known: dict[tuple[StoreSize, str], Needed] = {}
        if path is not None and path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    size = StoreSize(*(int(row[name]) for name in COLUMNS[:4]))
                    seconds = float(row["seconds"]) if row["seconds"] else None
                    needed = Needed(row["command"], seconds, float(row["mebibytes"]))
                    self._known[size, needed.command] = needed

    def get(self, size: StoreSize, command: str) -> Needed | None:
        """What a command needed on a store of this size; None if nobody has measured it."""
        return self._known.get((size, command))

    def put(self, size: StoreSize, needed: Needed) -> None:
        """Keep a number, in the file at once."""
        self._known[size, needed.command] = needed
        if self._path is None:
            return
        new = not self._path.exists()
        with self._path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if new:
                writer.writeheader()
            writer.writerow({**asdict(size), **asdict(needed)})
