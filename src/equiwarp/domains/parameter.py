"""``Parameter``: one axis of a box that is a number: linear, logarithmic or an angle, continuous or in steps.

An angle is embedded on a circle of circumference one, so that along it distances are those of any other axis,
and its two ends are one place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import items_of, number
from equiwarp._util.text import short
from equiwarp.domains.chart import CIRCLE, INTERVAL, ChartAxis
from equiwarp.domains.view import Array, Axis
from equiwarp.exceptions import InvalidInput

NAMED_LEVELS = "what has names is a category: write a list of names, or categories = [...]"
#: A discrete parameter with more settings than this is drawn as a continuous one.
MOST_SETTINGS = 60
#: A step with more settings than this is refused: they are kept as a list, which would take gigabytes.
MOST_STEPS = 1e8
#: A range must hold thousands of different numbers: absolutely, and beside the size of its bounds.
SMALLEST_RANGE, SMALLEST_SHARE = 1e-304, 1e-12
#: A level is crowded if its part of the range is less than this share of what each of equal ones has.
FEW_OF_THE_RANGE = 0.25
TOO_FEW_LEVELS = "levels need at least two different values, got {}; fix a constant outside the box"


@dataclass(frozen=True, repr=False)
class Parameter:
    """One parameter of a :class:`Box`: its bounds, unit and scale, and the settings that it allows.

    A pair ``(low, high)`` is enough for a parameter that is linear and continuous.

    Parameters
    ----------
    low, high : float
        Bounds in the parameter's unit, ``low < high``; both positive on a log scale.
    unit : str
        Shown to people; nothing is computed from it.
    scale : "linear" or "log"
        On a log scale, equal factors count as equal distances: 1 to 10 is as far as 10 to 100.
    step : float, optional
        The instrument can be set to ``low, low + step, ...`` only.
    levels : sequence of float, optional
        The instrument can be set to these values only. A ``step`` beside them is ignored. In what is said of
        the whole domain, such as the map's error, a setting counts for the part of the range that is nearest
        to it, on the parameter's scale: the first and last of equal steps for half of the others.
    periodic : bool
        The parameter is an angle: ``high`` is the same setting as ``low``, and there is no boundary.
    resolution : float, optional
        A campaign rounds the settings that it hands out to multiples of this; on a log scale, to this share
        of the value. By default it rounds to a thousandth of the range, or finer; 0 does not round.

    Raises
    ------
    InvalidInput
        If a bound is not a finite number, the lower one is not below the upper one, or scale, step or
        levels do not fit the bounds or the period.

    Examples
    --------
    >>> import equiwarp as ew
    >>> dial = ew.Parameter(0, 1, unit="V", step=0.25)
    >>> dial.settings.tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> ew.Parameter(1, 1000, scale="log")
    Parameter(1, 1000, scale='log')
    >>> ew.Parameter(0, 360, unit="°", periodic=True, step=90).settings.tolist()
    [0.0, 90.0, 180.0, 270.0]
    """

    low: float
    high: float
    unit: str = ""
    scale: Literal["linear", "log"] = "linear"
    step: float | None = None
    levels: tuple[float, ...] | None = None
    periodic: bool = False
    resolution: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.low, bool) or isinstance(self.high, bool):  # Python would count them, as 0 and 1
            raise InvalidInput(
                f"bounds are numbers, got ({self.low}, {self.high}); for a choice of two give names, such as "
                "['no', 'yes']"
            )
        object.__setattr__(self, "low", number(self.low, "the lower bound"))
        object.__setattr__(self, "high", number(self.high, "the upper bound"))
        if not (np.isfinite(self.low) and np.isfinite(self.high)):
            raise InvalidInput(f"bounds must be finite numbers, got ({self.low}, {self.high})")
        if np.isinf(self.high - self.low):
            raise InvalidInput(f"the range from {self.low} to {self.high} is too large: change the unit")
        if not self.low < self.high:
            raise InvalidInput(f"the lower bound must be below the upper one, got ({self.low}, {self.high})")
        size = max(abs(self.low), abs(self.high))
        if self.high - self.low < max(SMALLEST_RANGE, SMALLEST_SHARE * size):
            raise InvalidInput(
                f"the range from {self.low} to {self.high} is too small to hold different numbers: change "
                "the unit, or count from another zero"
            )
        if self.scale not in ("linear", "log"):
            raise InvalidInput(f"scale must be 'linear' or 'log', got {self.scale!r}")
        if self.scale == "log" and self.low <= 0:
            raise InvalidInput(f"a log scale needs a positive lower bound, got {self.low}")
        if self.levels is not None:
            self._check_levels()
        elif self.step is not None and not 0 < number(self.step, "step") <= self.high - self.low:
            raise InvalidInput(
                f"step must be positive and at most the range {self.high - self.low:g}, got {self.step}"
            )
        if self.levels is None and self.step is not None:
            self._check_count()
        if self.periodic:
            self._check_period()
        if self.resolution is not None:
            self._check_resolution()

    def _check_count(self) -> None:
        """Refuse more settings than a computer holds; so fine a step is none."""
        assert self.step is not None
        count = (self.high - self.low) / self.step
        if count > MOST_STEPS:
            raise InvalidInput(
                f"a step of {self.step:g} makes {count:.1e} settings, more than can be listed: leave it out, "
                "and if settings are to be rounded give a resolution"
            )

    def _check_period(self) -> None:
        period = self.high - self.low
        if self.scale == "log":
            raise InvalidInput("an angle has no log scale: leave out scale or periodic")
        if self.levels is not None and self.levels[-1] - self.levels[0] >= period * (1 - 1e-12):
            raise InvalidInput(f"the levels {self.low:g} and {self.high:g} are the same angle; remove one")
        if self.levels is None and self.step is not None:
            turns = period / self.step
            if abs(turns - round(turns)) > 1e-9 * turns or round(turns) < 2:
                raise InvalidInput(
                    f"a step of {self.step:g} does not divide the period {period:g} into equal parts; "
                    "choose one that does"
                )

    def _check_resolution(self) -> None:
        size, widest = (
            number(self.resolution, "resolution"),
            1.0 if self.scale == "log" else self.high - self.low,
        )
        if not 0 <= size <= widest:
            share = "on a log scale it is a share of the value, " if self.scale == "log" else ""
            raise InvalidInput(f"resolution must lie between 0 and {widest:g}, {share}got {self.resolution}")
        if size and self.discrete:
            raise InvalidInput("a parameter with a step or levels needs no resolution: leave it out")
        object.__setattr__(self, "resolution", size)

    def _check_levels(self) -> None:
        levels = tuple(sorted({_level(v) for v in items_of(self.levels, "levels")}))
        if len(levels) < 2:
            raise InvalidInput(TOO_FEW_LEVELS.format(levels))
        if not all(np.isfinite(levels)) or levels[0] < self.low or levels[-1] > self.high:
            raise InvalidInput(f"levels must lie within ({self.low}, {self.high}), got {levels}")
        object.__setattr__(self, "levels", levels)

    @classmethod
    def of(cls, spec: Any) -> Parameter:
        """A parameter from any of the ways to write one.

        Parameters
        ----------
        spec : (low, high), mapping or Parameter
            A mapping has the constructor's parameters by name; with ``levels``, the bounds may be left out.

        Returns
        -------
        Parameter
            A parameter that was given as such is returned as it is.

        Raises
        ------
        InvalidInput
            If it is none of these, or the parameter is impossible.

        Examples
        --------
        >>> import equiwarp as ew
        >>> ew.Parameter.of({"levels": [5, 10, 50]})
        Parameter(5, 50, levels=(5, 10, 50))
        """
        if isinstance(spec, Parameter):
            return spec
        if isinstance(spec, Mapping):
            given = _known_fields(spec)
            if given.get("levels") is not None:
                levels = tuple(_level(v) for v in items_of(given["levels"], "levels"))
                if len(set(levels)) < 2:
                    raise InvalidInput(TOO_FEW_LEVELS.format(levels))
                given.update(levels=levels, low=given.get("low", min(levels)))
                given.setdefault("high", max(levels))
            if "low" not in given or "high" not in given:
                raise InvalidInput(f"needs low and high, or a list of levels, got {short(dict(spec))}")
            return cls(**given)
        try:
            low, high = spec
        except (TypeError, ValueError):
            raise InvalidInput(
                f"expected (low, high), a dict or a Parameter, got {spec!r}; settings are given as "
                '{"levels": [...]}'
            ) from None
        return cls(low, high)

    def _to_row(self, name: str) -> dict[str, Any]:
        """The row of a campaign file that describes it."""
        levels = None if self.levels is None else list(self.levels)
        row = {
            "name": name, "low": self.low, "high": self.high, "unit": self.unit,
            "scale": self.scale, "step": self.step, "levels": levels, "resolution": self.resolution,
        }  # fmt: skip
        return {**row, "periodic": True} if self.periodic else row

    def __repr__(self) -> str:
        bounds = f"{number_text(self.low)}, {number_text(self.high)}"
        said = [f"{name}={value}" for name, value in self._extras().items()]
        return f"Parameter({', '.join([bounds, *said])})"

    def _extras(self) -> dict[str, str]:
        """What is said beside the bounds, as Python writes it."""
        extras = {}
        if self.unit:
            extras["unit"] = repr(self.unit)
        if self.scale != "linear":
            extras["scale"] = repr(self.scale)
        if self.step is not None:
            extras["step"] = number_text(self.step)
        if self.levels is not None:
            extras["levels"] = f"({', '.join(number_text(v) for v in self.levels)})"
        if self.periodic:
            extras["periodic"] = "True"
        if self.resolution is not None:
            extras["resolution"] = number_text(self.resolution)
        return extras

    @property
    def _brief(self) -> str:
        """How a box shows it: bounds alone as a pair, anything more in full."""
        return repr(self) if self._extras() else f"({number_text(self.low)}, {number_text(self.high)})"

    @property
    def _fineness(self) -> str:
        """How finely a continuous parameter is set, in words."""
        if not self.resolution:
            return "any value"
        share = f"{100 * self.resolution:g} %" if self.scale == "log" else f"{self.resolution:g}"
        return f"any value, rounded to {share}"

    @property
    def discrete(self) -> bool:
        """Whether only some values can be set: there is a step, or there are levels."""
        return self.step is not None or self.levels is not None

    @cached_property
    def settings(self) -> Array:
        """The values that can be set, ascending, ``(s,)``; an error if the parameter is continuous."""
        if self.levels is not None:
            return np.array(self.levels)
        if self.step is None:
            raise InvalidInput("a continuous parameter has no list of settings")
        count = int(np.floor((self.high - self.low) / self.step * (1 + 1e-12) + 1e-9)) + 1
        if self.periodic:  # the last one would be the first one again
            count = round((self.high - self.low) / self.step)
        return _readable(self.low + self.step * np.arange(count), self.step)

    def _to_unit(self, values: Array) -> Array:
        """Values ``(n,)`` as shares of the range, on the parameter's scale."""
        if self.scale == "log":
            return np.log(values / self.low) / np.log(self.high / self.low)
        return (values - self.low) / (self.high - self.low)

    def _from_unit(self, u: Array) -> Array:
        """The values ``(n,)`` at shares of the range, within the bounds."""
        if self.scale == "log":
            values = self.low * np.exp(u * np.log(self.high / self.low))
        else:
            values = self.low + u * (self.high - self.low)
        return np.clip(values, self.low, self.high)

    @property
    def _chart_axis(self) -> ChartAxis:
        return CIRCLE if self.periodic else INTERVAL

    @property
    def _width(self) -> int:
        """Kernel coordinates that it takes: two for the circle of an angle."""
        return 2 if self.periodic else 1

    def _embed_unit(self, u: Array) -> Array:
        """Kernel coordinates ``(n, width)`` at shares ``(n,)`` of the range."""
        if not self.periodic:
            return u[:, None]
        return np.column_stack([np.cos(2 * np.pi * u), np.sin(2 * np.pi * u)]) / (2 * np.pi)

    def _wrapped(self, values: Array) -> Array:
        """Angles ``(n,)`` brought into their period; what lies within stays as it is."""
        if not self.periodic:
            return values
        inside = (values >= self.low) & (values <= self.high)
        return np.where(inside, values, self.low + (values - self.low) % (self.high - self.low))

    def _holds(self, values: Array) -> NDArray[np.bool_]:
        """Whether values lie within the bounds, rounding forgiven."""
        slack = 1e-9 * (self.high - self.low)
        return (values >= self.low - slack) & (values <= self.high + slack)

    def _problem(self, name: str, value: float) -> str | None:
        """Why a value is outside; None if it is inside."""
        if self._holds(np.array([value]))[0]:
            return None
        return f"{name} = {value:g} is outside [{self.low:g}, {self.high:g}]"

    def _axis(self, name: str) -> Axis:
        """The axis of a picture."""
        settings = self.settings if self.discrete else np.empty(0)
        few = tuple(settings.tolist()) if len(settings) <= MOST_SETTINGS else ()
        return Axis(name, self.unit, self.low, self.high, self.scale, few, periodic=self.periodic)

    def _describe(self, name: str) -> dict[str, Any]:
        """The row of a table for people."""
        values = f"{len(self.settings)} settings" if self.discrete else self._fineness
        kind = f"{'angle' if self.periodic else self.scale}, {values}"
        return {"name": name, "unit": self.unit, "low": self.low, "high": self.high, "kind": kind}

    def _remarks(self, name: str) -> list[str]:
        """What there is to say about it: levels that crowd, a step that ends before the upper bound."""
        if self.levels is not None and not self.periodic:
            return self._crowded(name)
        if self.step is None or self.levels is not None or self.periodic:
            return []
        last = float(self.settings[-1])
        if self.high - last <= 1e-9 * (self.high - self.low):
            return []
        return [
            f"{name}: steps of {self.step:g} from {self.low:g} do not reach the upper bound {self.high:g}; "
            f"the last setting is {last:g}."
        ]

    def _crowded(self, name: str) -> list[str]:
        """Levels so near to others that hardly anything of the range is left for each."""
        settings = self._to_unit(self.settings)
        ends = np.concatenate([[0.0], (settings[1:] + settings[:-1]) / 2.0, [1.0]])
        shares = np.diff(ends)
        at_end = np.isin(np.arange(len(shares)), (0, len(shares) - 1))  # half of what others have, if even
        few = np.where(at_end, 2.0, 1.0) * shares * len(shares) < FEW_OF_THE_RANGE
        if not few.any():
            return []
        named = ", ".join(f"{level:g}" for level in self.settings[few])
        lie, count, them = ("lie", "count", "them") if few.sum() > 1 else ("lies", "counts", "it")
        remedy = (
            '; if factors matter, give it scale = "log"' if self.scale == "linear" and self.low > 0 else ""
        )
        return [
            f"{name}: {named} {lie} close to other levels and {count} for little; "
            f"{100 * shares[few].sum():.2g} % of the range is nearest to {them}{remedy}."
        ]

    def snap(self, values: Array) -> Array:
        """The nearest settings.

        Parameters
        ----------
        values : (n,) array
            In the parameter's unit.

        Returns
        -------
        (n,) array
            The settings that are nearest on the parameter's scale; the values themselves if it is continuous.

        Examples
        --------
        >>> import numpy as np
        >>> import equiwarp as ew
        >>> ew.Parameter(0, 1, step=0.25).snap(np.array([0.3, 0.9]))
        array([0.25, 1.  ])
        """
        if not self.discrete:
            return values
        unit, settings = self._to_unit(values), self._to_unit(self.settings)
        if self.periodic:
            away = np.abs(unit[:, None] - settings) % 1.0
            return self.settings[np.argmin(np.minimum(away, 1.0 - away), axis=1)]
        right = np.clip(np.searchsorted(settings, unit), 1, len(settings) - 1)
        nearer_left = unit - settings[right - 1] <= settings[right] - unit
        return self.settings[np.where(nearer_left, right - 1, right)]


def _readable(settings: NDArray[Any], step: float) -> Array:
    """Settings without the last digits of sums: 0.1 + 2 * 0.1 should read 0.3 on a bench.

    Rounded to twelve decimals, to more for a step that needs more, never beyond what a number holds.
    """
    decimals = max(12, min(held_decimals(settings), 9 + math.ceil(-math.log10(step))))
    return np.round(settings, decimals) if decimals < 300 else settings


def held_decimals(values: Array) -> int:
    """Decimals that the largest of the values ``(n,)`` still holds; rounding to more changes nothing."""
    largest = float(np.abs(values).max(initial=0.0))
    return 14 - math.floor(math.log10(largest)) if largest else 300


def _known_fields(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a parameter, or an error that offers the nearest one to a misspelt field."""
    known = [field.name for field in fields(Parameter)]
    for name in spec:
        if name not in known:
            near = get_close_matches(str(name), known, 1)
            remedy = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise InvalidInput(f"{name!r} is not a field of a parameter; {remedy}")
    return dict(spec)


def _level(value: Any) -> float:
    if isinstance(value, str):
        raise InvalidInput(f"levels are numbers, got {value!r}; {NAMED_LEVELS}")
    return number(value, "a level")


def number_text(value: float) -> str:
    """A number as Python reads it back, without the ``.0`` that a whole one would end with."""
    return repr(float(value)).removesuffix(".0")
