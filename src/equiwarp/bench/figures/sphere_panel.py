"""Without a boundary, covariance criteria track FPS at any lengthscale (fig:sphere_panel)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from equiwarp.bench.area import BASELINE
from equiwarp.bench.figures.curves import band
from equiwarp.bench.figures.lengthscales import (
    drawn_arms,
    equal_band,
    fixed_range,
    sweep_panel,
    swept_benchmarks,
)
from equiwarp.bench.figures.stored_runs import StoredRuns, mean_over_benchmarks, seeds_text
from equiwarp.bench.figures.style import BLACK, arm_style, canvas, panel, shared_legend
from equiwarp.bench.studies.lengthscale import SPHERE_STUDY
from equiwarp.exceptions import MissingCells

SPHERE_LEVEL_ARMS = ("refit",)


def draw(results: Path, out: Path) -> None:
    """Draw both panels from stored cells of the spheres that were swept."""
    loaded = (BASELINE, *SPHERE_STUDY.arms, "epig-joint", *SPHERE_LEVEL_ARMS)
    runs = StoredRuns.of(results, SPHERE_STUDY.benchmarks, loaded)
    arms = drawn_arms(runs, SPHERE_STUDY.benchmarks, SPHERE_STUDY.arms)
    names = swept_benchmarks(runs, SPHERE_STUDY.benchmarks, arms)
    if not names:
        commands = "\n  ".join(SPHERE_STUDY.commands(results))
        raise MissingCells(f"no lengthscale sweep on spheres in {results}; make it with\n  {commands}")
    runs.require(names, (BASELINE, *arms, *SPHERE_LEVEL_ARMS), SPHERE_STUDY.rounds)
    with canvas(7.2, 3.4, out) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        equal_band(left)
        counts = []
        for arm in (*arms, *SPHERE_LEVEL_ARMS):
            curve = mean_over_benchmarks([runs.reductions(name, arm) for name in names])
            if curve is not None:
                band(left, np.arange(1, len(curve.mean) + 1), curve, arm_style(arm))
                counts.append(curve.seeds)
        left.margins(x=0)
        left.set(xlabel="acquisition round", ylabel="area reduction against FPS (%)")
        left.axhline(0.0, color=BLACK, lw=0.9, ls=(0, (5, 1.5)), zorder=1)
        panel(left, "a", "at the spacing rule")
        equal_band(right)
        horizon, seeds = sweep_panel(right, runs, names, arms, SPHERE_LEVEL_ARMS, SPHERE_STUDY.rounds)
        panel(right, "b", f"after {horizon} rounds")
        fixed_range(left)
        fixed_range(right)
        note = f"mean of {', '.join(names)}; 95 % interval, {seeds_text([*counts, *seeds])}"
        figure.supxlabel(note, fontsize=8, color="#444444", x=0.99, ha="right")
        shared_legend(figure, left, 4)
