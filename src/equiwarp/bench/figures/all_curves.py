"""Reconstruction error over rounds on all sixteen synthetic benchmarks (fig:all_curves)."""

from __future__ import annotations

from pathlib import Path

from equiwarp.bench.figures.curves import curve_grid
from equiwarp.bench.figures.stored_runs import synthetic_benchmarks


def draw(results: Path, out: Path) -> None:
    """Draw the sixteen panels from stored cells."""
    curve_grid(results, out, [benchmark.name for benchmark in synthetic_benchmarks()], 4, (10.0, 9.4))
