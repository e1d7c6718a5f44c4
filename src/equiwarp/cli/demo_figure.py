"""The figure of `equiwarp demo`: truth, map, uncertainty, chosen points, and the race."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.cli.demo_experiment import ARMS, BOX, N0, OURS, DemoOutcome, yield_of
from equiwarp.plotting.style import BLUE, GREY, ORANGE, UNCERTAINTY, VALUES, VERMILION

COLOURS = {OURS: BLUE, "fps": VERMILION, "eig": GREY}
#: Shades between two numbers of a colour bar.
FINER = 4


def draw(outcomes: dict[str, DemoOutcome], out: Path) -> None:
    """Write the figure to ``out``."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullLocator

    figure = Figure(figsize=(16, 4.2))
    figure.set_layout_engine("constrained", w_pad=0.1)
    FigureCanvasAgg(figure)
    truth_axis, map_axis, sd_axis, race_axis = figure.subplots(1, 4)
    ours = outcomes[OURS].map
    side, points = _grid()
    truth, prediction = yield_of(points), ours.predict(points)
    deviation = prediction.deviation[:, 0]
    levels, unsure = _round_levels(truth), _round_levels(deviation)
    _fill(figure, truth_axis, side, truth, levels, "The truth (unknown to the tool)")
    _fill(figure, map_axis, side, prediction.mean[:, 0], levels, f"Map from {len(ours.x)} measurements")
    _points(map_axis, ours.x)
    _fill(figure, sd_axis, side, deviation, unsure, "Uncertainty of the map", UNCERTAINTY)
    for axis in (truth_axis, map_axis, sd_axis):
        axis.set_xlabel(f"temperature / {BOX.parameters[0].unit}")
        axis.set_ylabel("pH")
    for arm, label in ARMS.items():
        outcome = outcomes[arm]
        race_axis.plot(outcome.rounds, outcome.errors, "o-", color=COLOURS[arm], label=label, ms=4)
    race_axis.set(xlabel="measurements", ylabel="error of the map (RMS)", title="The same budget, three ways")
    race_axis.set_yscale("log")
    race_axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    race_axis.yaxis.set_major_formatter("{x:g}")
    race_axis.yaxis.set_minor_locator(NullLocator())
    race_axis.grid(alpha=0.3)
    race_axis.legend(frameon=False)
    figure.savefig(out, dpi=130)


def _grid(n: int = 101) -> tuple[tuple[Any, Any], Any]:
    sides = [np.linspace(p.low, p.high, n) for p in BOX.parameters]
    mesh = np.meshgrid(*sides, indexing="ij")
    return (sides[0], sides[1]), np.column_stack([m.ravel() for m in mesh])


def _round_levels(values: Any) -> Any:
    """Round numbers from below the lowest to above the highest value, each step cut into :data:`FINER`."""
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(6).tick_values(values.min(), values.max())
    return np.linspace(ticks[0], ticks[-1], FINER * (len(ticks) - 1) + 1)


def _fill(
    figure: Any, axis: Any, side: Any, values: Any, levels: Any, title: str, cmap: str = VALUES
) -> None:
    image = values.reshape(len(side[0]), len(side[1])).T
    drawn = axis.contourf(*side, image, levels=levels, cmap=cmap, extend="both")
    figure.colorbar(drawn, ax=axis, shrink=0.85, format="%.3g", ticks=levels[::FINER], label="yield")
    axis.set_title(title)


def _points(axis: Any, x: Any) -> None:
    axis.plot(*x[:N0].T, "o", ms=4, mfc="white", mec="black", label="start")
    axis.plot(*x[N0:].T, "o", ms=4, mfc=ORANGE, mec="black", label="chosen")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, frameon=False)
