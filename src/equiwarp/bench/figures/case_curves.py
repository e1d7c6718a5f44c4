"""Error of the map against the number of experiments, for one case of real measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.cases.measured_case import MeasuredCase
from equiwarp.bench.cases.saving import ErrorCurves
from equiwarp.bench.figures.stored_runs import FEWEST_SEEDS, seeds_text
from equiwarp.bench.figures.style import arm_style, canvas

#: How pale the bands are.
BAND = 0.12
#: What the tables beside the figure call an arm, and what that is.
WORDS = {"map": "map, the default", "fps": "fps, farthest points"}
#: The default is what readers look for: on top, and drawn with a heavier line.
HEAVY = {"map": {"lw": 2.4, "linestyle": "-", "zorder": 3}}


def draw_case(
    case: MeasuredCase, records: Sequence[Mapping[str, Any]], arms: Sequence[str], out: Path
) -> None:
    """A line for each arm under the name that the tables use, with a band of one standard error."""
    with canvas(6.4, 3.6, out) as figure:
        axes = figure.add_subplot()
        stages: list[float] = []
        seeds: set[int] = set()
        for arm in arms:
            curves = ErrorCurves.of(records, case.name, arm)
            if curves is None:
                continue
            style, mean = arm_style(arm), curves.mean
            look = {**style.of_points(), "label": WORDS.get(arm, arm), **HEAVY.get(arm, {})}
            axes.plot(curves.stages, mean, **look)
            if len(curves.logs) >= FEWEST_SEEDS:
                error = np.exp(curves.logs.std(axis=0, ddof=1) / np.sqrt(len(curves.logs)))
                axes.fill_between(
                    curves.stages, mean / error, mean * error, color=style.color, alpha=BAND, lw=0
                )
            stages = curves.stages.tolist()
            seeds.add(len(curves.logs))
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="experiments",
            ylabel="error of the map / deviation of the list",
        )
        axes.set_title(case.title)
        axes.set_xticks(stages, [f"{stage:.0f}" for stage in stages])
        axes.set_xticks([], minor=True)
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
        axes.tick_params(axis="y", which="minor", labelsize=7)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.6)
        note = f"geometric mean and an interval of one standard error, {seeds_text(seeds)}"
        figure.supxlabel(note, fontsize=8, color="#444444", x=0.99, ha="right")
