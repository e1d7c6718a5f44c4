"""The panel that cube and sphere share: area reduction against the acquisition lengthscale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from equiwarp.bench.figures.stock import Band, Stock, mean_over_benchmarks
from equiwarp.bench.figures.style import BLACK, arm_style
from equiwarp.domains import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Percent. The two figures share it, so that they can be compared; data beyond it widen it.
AR_LIMITS = (-30.0, 30.0)
#: Distance between arms at the same factor, in octaves.
DODGE = 0.05
#: Half height of the band within which arms count as equal to FPS.
EQUAL = 2.0


def sweep_panel(
    axes: Axes, stock: Stock, names: Sequence[str], arms: Sequence[str], levels: Sequence[str], rounds: int
) -> tuple[int, list[int]]:
    """AR against the lengthscale factor for arms, as a level line for arms without one.

    Returns the horizon in rounds (at most ``rounds``, less if the cells are shorter) and the seeds.
    """
    curves = {arm: _by_factor(stock, names, arm) for arm in arms}
    level = {arm: mean_over_benchmarks([stock.reductions(name, arm) for name in names]) for arm in levels}
    found = [band for points in curves.values() for band in points.values()]
    horizon = min([rounds, *(len(band.mean) for band in [*found, *_present(level.values())])])
    for arm in levels:
        band = level[arm]
        if band is not None:
            style = arm_style(arm)
            axes.axhline(float(band.mean[horizon - 1]), **{**style.of_line(), "lw": 1.3})
    for place, arm in enumerate(arms):
        # A step to the side keeps the intervals of the arms apart.
        factors = np.array(list(curves[arm])) * 2 ** (DODGE * (place - (len(arms) - 1) / 2))
        mean = np.array([band.mean[horizon - 1] for band in curves[arm].values()])
        half = np.array([band.half[horizon - 1] for band in curves[arm].values()])
        axes.errorbar(factors, mean, yerr=np.nan_to_num(half), elinewidth=0.8, **arm_style(arm).of_points())
    dress(axes, sorted({factor for points in curves.values() for factor in points}))
    return horizon, [band.seeds for band in [*found, *_present(level.values())]]


def dress(axes: Axes, factors: Sequence[float]) -> None:
    """Factors as they are on a log axis, FPS at zero."""
    from matplotlib.ticker import FixedLocator, NullLocator

    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(list(factors)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([f"{factor:g}" for factor in factors])
    axes.set_xlabel("lengthscale / spacing rule")
    axes.axhline(0.0, color=BLACK, lw=0.9, ls=(0, (5, 1.5)), zorder=1)


def common_range(panels: Iterable[Axes], limits: tuple[float, float] = AR_LIMITS) -> None:
    """One vertical range for all, at least ``limits`` and every mean; wide intervals may be cut."""
    panels = list(panels)
    lines = [np.asarray(line.get_ydata(), dtype=float) for axes in panels for line in axes.get_lines()]
    means = np.concatenate([np.atleast_1d(line) for line in lines])
    finite = means[np.isfinite(means)]
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    room = 0.05 * (high - low)
    for axes in panels:
        axes.set_ylim(min(low - room, limits[0]), max(high + room, limits[1]))


def equal_band(axes: Axes) -> None:
    """The light grey band of plus and minus 2 %."""
    axes.axhspan(-EQUAL, EQUAL, color="#DDDDDD", lw=0, zorder=0)


def _by_factor(stock: Stock, names: Sequence[str], arm: str) -> dict[float, Band]:
    found = {}
    for factor in stock.factors(names, arm):
        usable = [stock.reductions(name, arm, factor) for name in names if stock.has(name, arm, factor)]
        # Only factors that every benchmark has: a mean over other functions is another number.
        if len(usable) == len(names):
            band = mean_over_benchmarks(usable)
            if band is not None:
                found[factor] = band
    return found


def _present(bands: Iterable[Band | None]) -> list[Band]:
    return [band for band in bands if band is not None]


def swept(stock: Stock, names: Sequence[str], arms: Sequence[str]) -> list[str]:
    """Benchmarks on which every arm was run at more than one lengthscale."""
    return [name for name in names if all(len(stock.factors([name], arm)) > 1 for arm in arms)]


def shares_near_face(x: Array, within: float = 0.05) -> float:
    """Share of points ``(n, D)`` of the unit cube that lie within a distance of a face."""
    return float(np.mean(np.minimum(x, 1.0 - x).min(axis=1) < within))
