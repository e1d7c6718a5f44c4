"""``Parameter``: one axis of a box, linear or logarithmic, continuous or in steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal

import numpy as np

from equiwarp._util.arguments import items_of, number
from equiwarp._util.text import short
from equiwarp.domains.plain import Data, Fields
from equiwarp.domains.view import Array
from equiwarp.exceptions import InvalidInput

NAMED_LEVELS = "number what has names, or list whole experiments as Candidates"
#: A range must hold thousands of different numbers: absolutely, and beside the size of its bounds.
SMALLEST_RANGE, SMALLEST_SHARE = 1e-290, 1e-12
TOO_FEW_LEVELS = "levels need at least two different values, got {}; fix a constant outside the box"

#: What the row of a parameter in a campaign file may say.
ROW: Fields = {
    "name": (str, ...),
    "low": (float | None, None),
    "high": (float | None, None),
    "unit": (str, ""),
    "scale": (Literal["linear", "log"], "linear"),
    "step": (float | None, None),
    "levels": (list[float] | None, None),
    "resolution": (float | None, None),
}


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
        The instrument can be set to these values only. A ``step`` beside them is ignored.
    resolution : float, optional
        A campaign rounds the settings that it hands out to multiples of this; on a log scale, to this share
        of the value. By default it rounds to a thousandth of the range, or finer; 0 does not round.

    Raises
    ------
    InvalidInput
        If a bound is not a finite number, the lower one is not below the upper one, or scale, step or
        levels do not fit the bounds.

    Examples
    --------
    >>> import equiwarp as ew
    >>> dial = ew.Parameter(0, 1, unit="V", step=0.25)
    >>> dial.settings.tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> ew.Parameter(1, 1000, scale="log")
    Parameter(1, 1000, scale='log')
    """

    low: float
    high: float
    unit: str = ""
    scale: Literal["linear", "log"] = "linear"
    step: float | None = None
    levels: tuple[float, ...] | None = None
    resolution: float | None = None

    def __post_init__(self) -> None:
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

        if self.resolution is not None:
            self._check_resolution()

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
            raise InvalidInput(f"expected (low, high), a dict or a Parameter, got {spec!r}") from None
        return cls(low, high)

    @classmethod
    def _from_row(cls, row: Data) -> Parameter:
        """A parameter from its row in a campaign file; the row also has a name."""
        if not row["name"]:
            raise InvalidInput("needs a name")
        fields = {key: row[key] for key in ROW if key != "name" and row.get(key) is not None}
        if "levels" in fields and "step" in fields:
            raise InvalidInput("step and levels exclude each other: give one of them")
        if "levels" not in fields and not ("low" in fields and "high" in fields):
            raise InvalidInput("needs low and high, or a list of levels")
        return cls.of(fields)

    def _to_row(self, name: str) -> dict[str, Any]:
        """The row of a campaign file that :meth:`_from_row` reads."""
        levels = None if self.levels is None else list(self.levels)
        return {
            "name": name, "low": self.low, "high": self.high, "unit": self.unit,
            "scale": self.scale, "step": self.step, "levels": levels, "resolution": self.resolution,
        }  # fmt: skip

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
        # Twelve digits: 0.1 + 2 * 0.1 should read 0.3 on a bench.
        return np.round(self.low + self.step * np.arange(count), 12)

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
        right = np.clip(np.searchsorted(settings, unit), 1, len(settings) - 1)
        nearer_left = unit - settings[right - 1] <= settings[right] - unit
        return self.settings[np.where(nearer_left, right - 1, right)]


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
