"""Error over rounds of a look-ahead arm, the paper's method, space-filling designs and the limit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.bench.area import BASELINE, rmse_percent
from equiwarp.bench.figures.curves import band, fullest_panel, plain_log_ticks, title_of
from equiwarp.bench.figures.stored_runs import Band, seeds_text
from equiwarp.bench.figures.style import BROWN, VERMILION, ArmStyle, arm_style, canvas, shared_legend
from equiwarp.bench.functions.catalogue import find_benchmark
from equiwarp.bench.pages.lookahead_contest import ORACLE, PAPER_METHOD, Contest
from equiwarp.bench.seeded import pilot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS_A_ROW = 4
#: The look-ahead arm is the subject here and stands out; the oracle is a limit, no competitor.
SUBJECT_STYLE = ArmStyle("", VERMILION, "p")
LIMIT_STYLES = {ORACLE: ArmStyle("oracle (knows f)", BROWN, "d", (0, (1, 1)))}


def draw(contest: Contest, out: Path) -> None:
    """A panel per benchmark, every arm on the seeds that all drawn arms have there."""
    names = contest.benchmarks
    rows = -(-len(names) // PANELS_A_ROW)
    counts: list[int] = []
    with canvas(10.0, 1.0 + 2.1 * rows, out) as figure:
        grid = figure.subplots(rows, PANELS_A_ROW, squeeze=False)
        for axes, name in zip(grid.ravel(), names, strict=False):
            counts += _panel(axes, contest, name)
            axes.set_title(title_of(find_benchmark(name)))
        for axes in grid.ravel()[len(names) :]:
            axes.set_axis_off()
        for axes in grid[:, 0]:
            axes.set_ylabel("RMSE (% of deviation)")
        readout = f"{contest.found.readout} readout over acquisition rounds"
        note = f"{readout}; mean and 95 % interval, {seeds_text(counts)}"
        figure.supxlabel(note, fontsize=8, color="#444444", x=0.99, ha="right")
        shared_legend(figure, fullest_panel(grid.ravel()), 6)


def _panel(axes: Axes, contest: Contest, name: str) -> list[int]:
    """Draw one benchmark; the numbers of seeds of its curves."""
    paired = [
        a for a in ("sobol", BASELINE, PAPER_METHOD, contest.arm) if contest.found.far_enough(name, a, 1)
    ]
    seeds = contest.found.shared(name, paired, 1)
    if not seeds:
        return []
    deviation = pilot(find_benchmark(name)).deviation
    means, counts = [], []
    # Greedy for the nearest-neighbour error: a limit there, and no limit at all under another readout.
    limit = (ORACLE,) if contest.found.readout == "1nn" else ()
    for arm in (*limit, *paired):
        errors = contest.found.errors.get((name, arm), {})
        # The oracle is a level to look up to: its seeds may be fewer than those of the comparison.
        found = [rmse_percent(errors[seed], deviation) for seed in seeds if seed in errors]
        if not found:
            continue
        curve = Band.of(found)
        counts.append(curve.seeds)
        style = (
            ArmStyle(arm_style(arm).label, SUBJECT_STYLE.color, "p") if arm == contest.arm else arm_style(arm)
        )
        band(axes, np.arange(len(curve.mean)), curve, LIMIT_STYLES.get(arm, style))
        means.append(curve.mean)
    every = np.concatenate(means)
    axes.set_yscale("log")
    room = (every.max() / every.min()) ** 0.12
    axes.set_ylim(every.min() / room, every.max() * room)
    axes.set_xlim(0, max(len(mean) for mean in means) - 1)
    plain_log_ticks(axes)
    return counts
