"""What a results page is made from: the cells of a folder and their scores, read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from equiwarp.bench.cell import Cell
from equiwarp.bench.pages.lookahead_contest import Contest
from equiwarp.bench.readouts.scoring import READOUTS
from equiwarp.bench.results import load_cells
from equiwarp.bench.trajectories import Trajectories

#: Look-ahead arms and the readouts they are judged by.
CONTESTS = (("lookahead-nn", "1nn"), ("lookahead-gp", "gp"), ("lookahead-gp", "gp-map"))


@dataclass(frozen=True)
class Sources:
    """Cells, and their trajectories by readout as far as they are scored."""

    cells: Sequence[Cell]
    found: dict[str, Trajectories]

    @classmethod
    def of(cls, results: Path) -> Sources:
        cells = load_cells(results)
        return cls(cells, {readout: Trajectories.stored(cells, readout) for readout in READOUTS})

    @property
    def contests(self) -> list[Contest]:
        """Those for which there are scored cells."""
        all_of_them = [Contest(arm, self.found[readout]) for arm, readout in CONTESTS]
        return [contest for contest in all_of_them if contest.benchmarks]
