"""The door to a folder of finished runs, for tables, figures and your own analysis.

    from equiwarp.bench.results import load_cells
    cells = load_cells("out")
    cells[0].benchmark, cells[0].arm, cells[0].seed
    cells[0].error("1nn")        # (rounds + 1,), index 0 is the initial design

A :class:`~equiwarp.bench.cell.Cell` carries the design ``x`` (initial design first, ``n0`` rows),
the noisy values ``y``, and ``error(readout)`` and ``rmse_percent(readout)`` as trajectories.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from equiwarp.bench.cell import Cell
from equiwarp.bench.readouts.scoring import READOUTS
from equiwarp.exceptions import InvalidInput

__all__ = ["READOUTS", "Cell", "load_cells"]


def load_cells(
    directory: str | Path,
    *,
    benchmarks: Iterable[str] | None = None,
    arms: Iterable[str] | None = None,
) -> list[Cell]:
    """Every cell under a results folder, ordered by benchmark, arm label and seed.

    Parameters
    ----------
    directory : path
        What ``bench run --out`` was given.
    benchmarks, arms : names, optional
        Only these; an arm at every lengthscale factor.
    """
    root = Path(directory) / "cells"
    if not root.is_dir():
        raise InvalidInput(f"{directory} holds no results: run `equiwarp bench run --out {directory}` first")
    wanted_benchmarks = None if benchmarks is None else set(benchmarks)
    wanted_arms = None if arms is None else set(arms)
    cells = [Cell.load(path) for path in sorted(root.rglob("seed-*.npz"))]
    chosen = [
        cell
        for cell in cells
        if (wanted_benchmarks is None or cell.benchmark in wanted_benchmarks)
        and (wanted_arms is None or cell.arm in wanted_arms)
    ]
    return sorted(chosen, key=lambda cell: (cell.benchmark, cell.label, cell.seed))
