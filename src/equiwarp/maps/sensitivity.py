"""``Sensitivity``: which parameters matter for the map, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from equiwarp._util.display import html_of
from equiwarp._util.progress import Progress
from equiwarp._util.seeds import stream
from equiwarp._util.text import offered
from equiwarp.domains import Array
from equiwarp.domains.followed import settings
from equiwarp.exceptions import InvalidInput
from equiwarp.gp.posterior import RowNumbers
from equiwarp.maps.effects import Effects, depend, effect_points, effects

if TYPE_CHECKING:
    from equiwarp.maps.map import Map

#: Parts of the measurements that are left out in turn, to see how much an index depends on them.
LEFT_OUT = 10
#: Larger maps are not fitted again: it would take long, and what a tenth of the values changes is little.
MOST_REFITTED = 500
#: What is to be said where the domain does not leave the parameters independent of each other.
DEPENDENT = (
    "The parameters depend on each other here, as in a mixture, on a list or under a constraint: what one "
    "explains alone contains what others do that change along with it. Shares alone may add up to more than "
    "1, and be larger than those with the others."
)
#: Half width of a 95 % interval, in standard errors.
HALF_WIDTH = 1.96


class Interval(NamedTuple):
    """An estimate with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class MainEffect:
    """The mean of the map at each value of one parameter, over all values of the others.

    Attributes
    ----------
    at : (b,) array
        Values of the parameter, in its units.
    mean, low, high : (b,) arrays
        The mean and its 95 % band, in the units of the response.
    """

    at: Array
    mean: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class ParameterEffect:
    """What one parameter does to one response.

    Attributes
    ----------
    response, parameter : str
        Of a direction, its azimuth and its elevation are parameters, in degrees.
    first : Interval
        Share of the map's variance that the parameter explains alone.
    total : Interval
        Share that it explains alone and together with the others.
    curve : MainEffect
    """

    response: str
    parameter: str
    first: Interval
    total: Interval
    curve: MainEffect


@dataclass(frozen=True)
class Sensitivity:
    """Which parameters matter, by how much, and how sure that is. :meth:`equiwarp.Map.sensitivity` makes it.

    Shares are Sobol' indices of the map's mean over the domain. Their 95 % intervals contain what the indices
    change by when a tenth of the measurements is left out in turn (a jackknife, of the plain family alone if
    the map averages several), and the error of the sample; so do the bands of main effects.

    Attributes
    ----------
    effects : tuple of ParameterEffect
        One for each response and parameter.
    dependent : bool
        Whether parameters depend on each other: in a mixture, on a list, under a constraint. Shares alone
        may then add up to more than 1.

    Examples
    --------
    >>> import numpy as np
    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90), "pH": (3, 9)})
    >>> x = box.sample(30, np.random.default_rng(0))
    >>> m = ew.build_map(box, x, x[:, 0] / 10, noise=0.1)
    >>> found = m.sensitivity()
    >>> found.of("temperature").total.value > 0.9
    True
    >>> found.of("pH").total.value < 0.05
    True
    """

    effects: tuple[ParameterEffect, ...]
    dependent: bool = False

    @property
    def note(self) -> str:
        """What one should know to read the shares; empty if there is nothing."""
        return DEPENDENT if self.dependent else ""

    def of(self, parameter: str, response: str | None = None) -> ParameterEffect:
        """The effect of one parameter.

        Parameters
        ----------
        parameter : str
        response : str, optional
            The first one if it is not given.

        Returns
        -------
        ParameterEffect

        Raises
        ------
        InvalidInput
            If there is no such parameter or response.
        """
        asked = self.effects[0].response if response is None else response
        for name, known in (
            (parameter, [e.parameter for e in self.effects]),
            (asked, [e.response for e in self.effects]),
        ):
            if name not in known:
                raise InvalidInput(f"sensitivity: there is no {name!r}{offered(name, dict.fromkeys(known))}")
        return next(e for e in self.effects if (e.parameter, e.response) == (parameter, asked))

    def table(self) -> dict[str, list[str] | list[float]]:
        """All indices as columns, ready for a dataframe.

        Returns
        -------
        dict of lists
            "response", "parameter", and value, low and high of "first" and "total".
        """
        columns: dict[str, list[str] | list[float]] = {
            "response": [e.response for e in self.effects],
            "parameter": [e.parameter for e in self.effects],
        }
        for kind in ("first", "total"):
            found = [getattr(e, kind) for e in self.effects]
            columns[kind] = [i.value for i in found]
            columns[f"{kind}_low"] = [i.low for i in found]
            columns[f"{kind}_high"] = [i.high for i in found]
        return columns

    def __str__(self) -> str:
        """A line for each parameter, the most important first."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        width = max(len(e.parameter) for e in self.effects)
        for response in dict.fromkeys(e.response for e in self.effects):
            yield f"{response}: share of the map's variance, with 95 % intervals"
            yield f"  {'':{width}}  alone               with the others"
            ranked = [e for e in self.effects if e.response == response]
            for e in sorted(ranked, key=lambda e: -e.total.value):
                yield f"  {e.parameter:{width}}  {_shown(e.first)}  {_shown(e.total)}"
        if self.note:
            yield self.note

    def _repr_html_(self) -> str:
        return html_of(self)


def _shown(share: Interval) -> str:
    return f"{share.value:4.2f} ({share.low:4.2f} to {share.high:4.2f})"


def sensitivity_of(map: Map, progress: Progress | None = None) -> Sensitivity:
    """The effects of every parameter on every response of a map."""
    refitted = _without_parts(map, progress)
    found: list[ParameterEffect] = []
    for j, response in enumerate(map.responses):
        points = effect_points(map.domain, map.seed, place=partial(map.coordinates, j=j))
        now = effects(points, map.models[j].predict)
        # Values of a response that was measured seldom may all have been left out together.
        known = [part for part in refitted if not np.isnan(part.y[:, j]).all()]
        left = [effects(points, part.models[j].predict) for part in known]
        for c, parameter in enumerate(settings(map.domain)):
            first = _interval(now.first[c], [e.first[c] for e in left], now.first_error[c])
            total = _interval(now.total[c], [e.total[c] for e in left], now.total_error[c])
            curve = _curve(now, left, c, points.centres[c])
            found.append(ParameterEffect(response, parameter, first, total, curve))
    return Sensitivity(tuple(found), depend(map.domain, map.seed))


def _without_parts(map: Map, progress: Progress | None) -> list[Map]:
    """The map's plain family without each group of measurements in turn."""
    groups, rows = _groups(map), np.arange(len(map.x))
    refitted: list[Map] = []
    for group in groups:
        refitted.append(map.refitted(np.setdiff1d(rows, group), map.noise, map.plain_family))
        if progress is not None:
            progress(len(refitted), len(groups))
    return refitted


def _groups(map: Map) -> list[RowNumbers]:
    """Rows to leave out in turn, by chance; none for a map that is too large or too small for it."""
    n = len(map.x)
    if not 3 <= n <= MOST_REFITTED:
        return []
    return np.array_split(stream(map.seed, "jackknife").permutation(n), min(LEFT_OUT, n))


def _jackknife(values: Array) -> Array:
    """Standard error from estimates ``(g, ...)`` that lack one group each; zero without any."""
    if len(values) < 2:
        return np.zeros(np.shape(values)[1:])
    return np.sqrt((len(values) - 1) * np.var(values, axis=0))


def _interval(value: float, left: list[float], error: float) -> Interval:
    half = HALF_WIDTH * float(np.hypot(_jackknife(np.array(left)), error))
    return Interval(float(value), max(0.0, float(value) - half), min(1.0, float(value) + half))


def _curve(now: Effects, left: list[Effects], c: int, at: Array) -> MainEffect:
    mean = now.curves[c]
    refitted = _jackknife(np.array([e.curves[c] for e in left]).reshape(len(left), len(mean)))
    half = HALF_WIDTH * np.hypot(refitted, now.curve_errors[c])
    return MainEffect(at, mean, mean - half, mean + half)
