"""What an aim makes of a map: the places where its error counts, and how well its levels are known.

A level divides the domain. A place is *undecided* while the probability that the response exceeds the level
there is neither below 5 nor above 95 %. Along a parameter, the contour is known to within the deviation of
the map over its slope where it crosses the level; the number told is the median over such crossings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from equiwarp._util.seeds import stream
from equiwarp.aims import BoundAim
from equiwarp.aims.goal import Belief
from equiwarp.domains import Array
from equiwarp.maps.error import ERROR_POINTS

if TYPE_CHECKING:
    from equiwarp.domains.view import Axis
    from equiwarp.maps.map import Map

#: Places among which those that count are drawn, and measurements beyond which the usual number must do.
CANDIDATES, MANY_VALUES = 8192, 300
#: A place is undecided while the probability of being above the level is between this and one less this.
UNSURE = 0.05
#: Lines along each parameter on which crossings are looked for, and values on each.
LINES, CELLS = 48, 33


@dataclass(frozen=True)
class Contour:
    """How well the place is known where a response crosses a level.

    Attributes
    ----------
    response, unit : str
    level : float
    undecided : float
        Share of the domain in which it is open whether the response is above the level.
    within : mapping of str to float
        Along each parameter that crosses it, by how much the contour may be elsewhere: one standard
        deviation, in the parameter's unit. Empty if the map nowhere crosses the level, or its domain has no
        parameters that can be changed alone.
    best, best_unit : str
        The parameter along which it is known best, as a share of its range.
    """

    response: str
    unit: str
    level: float
    undecided: float
    within: Mapping[str, float] = field(default_factory=dict)
    best: str = ""
    best_unit: str = ""

    def __str__(self) -> str:
        """``the contour yield = 60 % is known to within 1.2 °C; 3 % of the area is undecided``."""
        level = f"{self.response} = {self.level:g}{f' {self.unit}' if self.unit else ''}"
        open_ = f"{_percent(self.undecided)} of the area is undecided"
        if not self.within:
            return f"{level}: {open_}"
        width = f"{self.within[self.best]:.2g}{f' {self.best_unit}' if self.best_unit else ''}"
        along = f"{width} along {self.best}"
        return f"the contour {level} is known to within {along}; {open_}"


@dataclass(frozen=True)
class AimReport:
    """What has become of an aim. :meth:`equiwarp.Map.aimed` makes it.

    Attributes
    ----------
    words : str
        The aim itself.
    counts : float
        Share of the domain that counts: the mean weight.
    contours : tuple of Contour
        One for each level of the aim.

    Examples
    --------
    >>> import equiwarp as ew
    >>> x, y = [[0.1], [0.3], [0.5], [0.7], [0.9]], [0.0, 0.1, 0.6, 0.9, 1.0]
    >>> report = ew.build_map(ew.Box.unit(1), x, y, noise=0.01, aim=ew.Aim(near=0.5)).aimed()
    >>> report.words
    'value near 0.5'
    >>> 0 < report.contours[0].within["x1"] < 0.1
    True
    """

    words: str
    counts: float
    contours: tuple[Contour, ...]

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data.

        Returns
        -------
        dict
            Its attributes by name, and ``sentence``, what ``str()`` gives.
        """
        contours = [{**vars(contour), "within": dict(contour.within)} for contour in self.contours]
        return {"words": self.words, "counts": self.counts, "contours": contours, "sentence": str(self)}

    def __str__(self) -> str:
        """The aim, and a sentence for each of its levels."""
        return "; ".join(
            [f"{self.words} ({_percent(self.counts)} of the domain counts)", *map(str, self.contours)]
        )


def aim_report(map: Map) -> AimReport | None:
    """The report on a map's aim; None if it is everywhere."""
    aim = map.bound_aim
    if aim is None:
        return None
    x = map.sample_where_it_works(ERROR_POINTS)
    mean, deviation = map.believed(x)
    counts = float(aim.weights(x, mean, deviation).mean())
    wanted = aim.certain_weights(x)
    contours = []
    for goal in aim.goals:
        j = aim.column(goal)
        for level in goal.levels:
            above = Belief(mean[:, j], deviation[:, j]).above(level)
            undecided = float(np.average((above > UNSURE) & (above < 1.0 - UNSURE), weights=wanted))
            contours.append(
                Contour(map.responses[j], map.units[j], level, undecided, *_within(map, j, level))
            )
    return AimReport(aim.words(), counts, tuple(contours))


def aimed_points(map: Map, aim: BoundAim) -> Array:
    """Points ``(m, columns)`` at which the map's error counts, as many at a place as it counts."""
    x = map.sample_where_it_works(CANDIDATES if len(map.x) <= MANY_VALUES else ERROR_POINTS)
    x = stream(map.seed, "aimed").permutation(x)  # every fourth point of a Sobol sequence lies in one corner
    return drawn(x, aim.weights(x, *map.believed(x)))


def drawn(x: Array, weights: Array) -> Array:
    """As many of the points ``(m, columns)`` as an error is averaged over, in proportion to their weights."""
    total = np.cumsum(weights)
    if not total[-1] > 0:
        return x[:ERROR_POINTS]
    steps = (np.arange(ERROR_POINTS) + 0.5) / ERROR_POINTS
    return x[np.searchsorted(total, steps * total[-1])]


def _within(map: Map, j: int, level: float) -> tuple[dict[str, float], str, str]:
    """How far the contour may be elsewhere along each parameter, and where it is known best."""
    view = map.domain.view()
    found: dict[Axis, float] = {}
    if view.charted or view.kind not in ("line", "plane"):
        return {}, "", ""
    base = map.domain.coordinates(map.domain.sample(LINES, stream(map.seed, "contour")))
    for column, axis in enumerate(view.axes):
        if not axis.labels:
            widths = _widths(map, j, level, base, column, axis)
            if len(widths):
                found[axis] = float(np.median(widths))
    if not found:
        return {}, "", ""
    best = min(found, key=lambda axis: found[axis] / (axis.high - axis.low))
    return {axis.name: width for axis, width in found.items()}, best.name, best.unit


def _widths(map: Map, j: int, level: float, base: Array, column: int, axis: Axis) -> Array:
    """Deviation over slope at each crossing of the level on lines along one axis."""
    grid = axis.grid(CELLS)
    lines = np.repeat(base, len(grid), axis=0)
    lines[:, column] = np.tile(grid, len(base))
    points = map.domain.points_at(lines)
    inside = map.domain.contains(points).reshape(len(base), -1)
    Z = map.coordinates(points, j)
    gap = map.models[j].predict(Z).reshape(len(base), -1) - level
    crosses = (np.sign(gap[:, :-1]) != np.sign(gap[:, 1:])) & inside[:, :-1] & inside[:, 1:]
    row, cell = np.nonzero(crosses)
    if not len(row):
        return np.empty(0)
    rise, run = gap[row, cell + 1] - gap[row, cell], grid[cell + 1] - grid[cell]
    nearer = cell + (np.abs(gap[row, cell + 1]) < np.abs(gap[row, cell]))
    deviation = map.models[j].predict(Z[row * len(grid) + nearer], return_std=True)[1]
    with np.errstate(divide="ignore"):
        return np.asarray(map.corrections[j] * deviation * run / np.abs(rise))


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"
