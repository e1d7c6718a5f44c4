"""The panel that cube and sphere share: area reduction against the acquisition lengthscale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.bench.area import common_seeds
from equiwarp.bench.figures.stored_runs import Band, StoredRuns, seed_means
from equiwarp.bench.figures.style import BLACK, arm_style
from equiwarp.domains import Array
from equiwarp.exceptions import MissingCells

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Percent. The two figures share it, so that they can be compared.
AR_LIMITS = (-30.0, 30.0)
#: Distance between arms at the same factor, in octaves.
DODGE = 0.05
#: Half height of the band within which arms count as equal to FPS.
EQUAL = 2.0


def sweep_panel(
    axes: Axes,
    runs: StoredRuns,
    names: Sequence[str],
    arms: Sequence[str],
    levels: Sequence[str],
    rounds: int,
) -> tuple[int, list[int]]:
    """AR against the lengthscale factor for arms, as a level line for arms without one.

    Returns the horizon in rounds (at most ``rounds``, less if the cells are shorter) and the seeds.
    """
    curves = {arm: _by_factor(runs, names, arm) for arm in arms}
    level = {arm: seed_means([runs.reductions(name, arm) for name in names]) for arm in levels}
    every = [*level.values(), *(means for points in curves.values() for means in points.values())]
    # The same seeds at every point, or the sweep would show the luck of the seeds as well.
    seeds = common_seeds(*every)
    if not seeds:
        raise MissingCells(
            f"no seed of {', '.join(names)} has every arm and lengthscale: run the sweep with the same "
            f"--seed and --seeds for all of {', '.join((*arms, *levels))}"
        )
    horizon = min([rounds, *(len(means[seed]) for means in every for seed in seeds)])

    def at_horizon(means: dict[int, Array]) -> Band:
        return Band.of(means[seed][horizon - 1 : horizon] for seed in seeds)

    for arm in levels:
        height = float(at_horizon(level[arm]).mean[0])
        axes.axhline(height, **{**arm_style(arm).of_line(), "lw": 1.3})
    for place, arm in enumerate(arms):
        # A step to the side keeps the intervals of the arms apart.
        factors = np.array(list(curves[arm])) * 2 ** (DODGE * (place - (len(arms) - 1) / 2))
        bands = [at_horizon(means) for means in curves[arm].values()]
        half = np.nan_to_num([band.half[0] for band in bands])
        mean = [band.mean[0] for band in bands]
        axes.errorbar(factors, mean, yerr=half, elinewidth=0.8, **arm_style(arm).of_points())
    dress_lengthscale_axis(axes, sorted({factor for points in curves.values() for factor in points}))
    return horizon, [len(seeds)]


def dress_lengthscale_axis(axes: Axes, factors: Sequence[float]) -> None:
    """Factors as they are on a log axis, FPS at zero."""
    from matplotlib.ticker import FixedLocator, NullLocator

    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(list(factors)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([f"{factor:g}" for factor in factors])
    axes.set_xlabel("lengthscale / spacing rule")
    axes.axhline(0.0, color=BLACK, lw=0.9, ls=(0, (5, 1.5)), zorder=1)


def fixed_range(axes: Axes) -> None:
    """The common vertical range; a mean beyond it becomes an arrowhead at the edge with its number."""
    low, high = AR_LIMITS
    axes.set_ylim(low, high)
    for line in list(axes.get_lines()):
        if line.get_marker() in ("None", "", None):
            continue
        for x, y in zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True):
            if not low <= y <= high:
                below = y < low
                edge, mark, shift = (low, "v", 6) if below else (high, "^", -12)
                axes.plot(x, edge, mark, color=line.get_color(), ms=6, clip_on=False)
                axes.annotate(f"{y:.0f}", (x, edge), (7, shift), textcoords="offset points", fontsize=8)


def range_of_means(panels: Iterable[Axes], least: tuple[float, float]) -> None:
    """One vertical range for all, at least ``least`` and every mean; wide intervals may be cut."""
    panels = list(panels)
    lines = [np.asarray(line.get_ydata(), dtype=float) for axes in panels for line in axes.get_lines()]
    means = np.concatenate([np.atleast_1d(line) for line in lines])
    low, high = float(means.min(initial=0.0)), float(means.max(initial=0.0))
    room = 0.05 * (high - low)
    for axes in panels:
        axes.set_ylim(min(low - room, least[0]), max(high + room, least[1]))


def equal_band(axes: Axes) -> None:
    """The light grey band of plus and minus 2 %."""
    axes.axhspan(-EQUAL, EQUAL, color="#DDDDDD", lw=0, zorder=0)


def _by_factor(runs: StoredRuns, names: Sequence[str], arm: str) -> dict[float, dict[int, Array]]:
    """Running AR by factor and seed, for factors that every benchmark has."""
    found = {}
    for factor in runs.factors(names, arm):
        if all(runs.has(name, arm, factor) for name in names):
            found[factor] = seed_means([runs.reductions(name, arm, factor) for name in names])
    return found


def drawn_arms(runs: StoredRuns, names: Sequence[str], arms: Sequence[str]) -> tuple[str, ...]:
    """The arms of a study, with the joint form of EPIG, under its own name, where only that was swept."""
    if "epig" in arms and not swept_benchmarks(runs, names, ("epig",)):
        return tuple("epig-joint" if arm == "epig" else arm for arm in arms)
    return tuple(arms)


def swept_benchmarks(runs: StoredRuns, names: Sequence[str], arms: Sequence[str]) -> list[str]:
    """Benchmarks on which every arm was run at more than one lengthscale."""
    return [name for name in names if all(len(runs.factors([name], arm)) > 1 for arm in arms)]


def shares_near_face(x: Array, within: float = 0.05) -> float:
    """Share of points ``(n, D)`` of the unit cube that lie within a distance of a face."""
    return float(np.mean(np.minimum(x, 1.0 - x).min(axis=1) < within))
