"""Reconstruction error over rounds on eight of the sixteen synthetic benchmarks (fig:main_curves)."""

from __future__ import annotations

from pathlib import Path

from equiwarp.bench.figures.curves import curve_grid

#: Two to six dimensions, with those that the paper's text refers to.
EIGHT = (
    "gramacy-lee-2d",
    "peaks-2d",
    "hartmann-3d",
    "styblinski-tang-3d",
    "levy-4d",
    "hartmann-4d",
    "friedman-5d",
    "hartmann-6d",
)


def draw(results: Path, out: Path) -> None:
    """Draw the eight panels from stored cells."""
    curve_grid(results, out, EIGHT, 4, (10.0, 5.2))
