"""The figure of docs/performance.md: milliseconds for one more suggestion, by number of measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from equiwarp.bench.figures.style import BLACK, arm_style, canvas, panel

#: Strategies that are drawn; the data have all.
DRAWN = ("equiwarp", "eig", "equalized", "nipv", "epig", "epig-joint", "lookahead-gp")
#: Peers, each with a dash pattern of its own.
PEERS = {"scikit-learn deviation": ":", "BoTorch variance": "--"}


def draw_speed(records: Sequence[Mapping[str, Any]], out: Path) -> None:
    """One panel a dimension; the thin black line is the floor of ``equiwarp``."""
    dims = sorted({record["dim"] for record in records})
    if not dims:
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    with canvas(3.3 * len(dims), 3.4, out) as figure:
        row = figure.subplots(1, len(dims), sharey=True, squeeze=False)[0]
        for letter, dim, axes in zip("abcdefgh", dims, row, strict=False):
            mine = [record for record in records if record["dim"] == dim]
            for name in DRAWN:
                sizes, times = _curve(mine, name, "steady")
                if sizes:
                    axes.plot(sizes, times, **arm_style(name).of_points())
            axes.plot(
                *_curve(mine, "equiwarp", "floor"), color=BLACK, lw=0.8, label="floor of the full method"
            )
            for name, dashes in PEERS.items():
                sizes, times = _curve(mine, name, "steady")
                if sizes:
                    axes.plot(sizes, times, color="#888888", ls=dashes, label=name)
            axes.set(xscale="log", yscale="log", xlabel="measurements N")
            panel(axes, letter, f"D = {dim}")
        row[0].set_ylabel("milliseconds a suggestion")
        figure.legend(*row[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7)


def _curve(records: Sequence[Mapping[str, Any]], who: str, kind: str) -> tuple[list[int], list[float]]:
    """Sizes and milliseconds, where they were measured."""
    found = sorted((r["n"], r[kind]) for r in records if r["who"] == who and r[kind] is not None)
    return [n for n, _ in found], [value for _, value in found]
