"""Error of the map against the number of experiments, for one case of real measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from equiwarp.bench.cases.measured_case import MeasuredCase
from equiwarp.bench.cases.saving import ErrorCurves
from equiwarp.bench.figures.style import arm_style, canvas

#: How pale the bands are.
BAND = 0.12


def draw_case(
    case: MeasuredCase, records: Sequence[Mapping[str, Any]], arms: Sequence[str], out: Path
) -> None:
    """A line for each arm, with a band of one standard error."""
    with canvas(6.4, 3.6, out) as figure:
        axes = figure.add_subplot()
        stages: list[float] = []
        for arm in arms:
            curves = ErrorCurves.of(records, case.name, arm)
            if curves is None:
                continue
            style, mean = arm_style(arm), curves.mean
            axes.plot(curves.stages, mean, **style.of_points())
            if len(curves.logs) > 1:
                error = np.exp(curves.logs.std(axis=0, ddof=1) / np.sqrt(len(curves.logs)))
                axes.fill_between(
                    curves.stages, mean / error, mean * error, color=style.color, alpha=BAND, lw=0
                )
            stages = curves.stages.tolist()
        axes.set(xscale="log", yscale="log", xlabel="experiments", ylabel="error of the map, in deviations")
        axes.set_title(case.title)
        axes.set_xticks(stages, [f"{stage:.0f}" for stage in stages])
        axes.set_xticks([], minor=True)
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
        axes.tick_params(axis="y", which="minor", labelsize=7)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
