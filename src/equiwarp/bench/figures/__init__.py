"""The paper's figures, one file each: ``FIGURES[name](results, out)`` draws one into a file.

``warp-overview``, ``equalizer``, ``warp-anatomy`` and ``selection-bias`` compute what they show from
fixed seeds. The others read stored cells, and say which command makes those that are missing.
Importing this module is cheap: matplotlib and the figure's own file are loaded when it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

Draw = Callable[[Path, Path], None]

FIGURE_NAMES = (
    "warp-overview",
    "equalizer",
    "warp-anatomy",
    "sphere-warp",
    "sphere-panel",
    "cube-lengthscale",
    "ar-budget",
    "main-curves",
    "selection-bias",
    "all-curves",
    "readouts",
)


def _draw(module: str, results: Path, out: Path) -> None:
    import_module(f"equiwarp.bench.figures.{module}").draw(Path(results), Path(out))


#: Name -> function of the results directory and the file to write, in the paper's order.
FIGURES: dict[str, Draw] = {name: partial(_draw, name.replace("-", "_")) for name in FIGURE_NAMES}
