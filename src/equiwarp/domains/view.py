"""How a domain is looked at: as a curve, a plane, a ternary, a globe or a list, and along which axes.

A :class:`View` says what a viewer may choose; it is plain data. Boxes are seen along any two of their
parameters, mixtures in the triangle of any three components, directions on a globe; what has no
coordinates that people know is seen in its chart. The domain makes it (:meth:`Domain.view`) and turns
points into coordinates along its axes and back; `plotting` draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equiwarp.exceptions import InvalidInput

Array = NDArray[np.float64]
Kind = Literal["line", "plane", "ternary", "globe", "list"]
#: Axes that a view of each kind has.
AXES: dict[Kind, int] = {"line": 1, "plane": 2, "ternary": 3, "globe": 0, "list": 2}


@dataclass(frozen=True)
class Axis:
    """A coordinate that can be an axis, or be held at a value.

    Attributes
    ----------
    name, unit : str
    low, high : float
    scale : "linear" or "log"
    settings : tuple of float
        The values that can be set, if they are few; empty where any can.
    usual : float or None
        Where it is held unless the viewer says otherwise, if that is not its middle.
    """

    name: str
    unit: str = ""
    low: float = 0.0
    high: float = 1.0
    scale: Literal["linear", "log"] = "linear"
    settings: tuple[float, ...] = ()
    usual: float | None = None

    @property
    def middle(self) -> float:
        """Where the axis is held unless the viewer says otherwise."""
        if self.usual is not None:
            return self.usual
        if self.settings:
            return self.settings[len(self.settings) // 2]
        if self.scale == "log":
            return float(np.sqrt(self.low * self.high))
        return (self.low + self.high) / 2

    @property
    def label(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def grid(self, cells: int) -> Array:
        """Values along the axis: its settings, or evenly spaced on its scale."""
        if self.settings:
            return np.array(self.settings)
        if self.scale == "log":
            return np.geomspace(self.low, self.high, cells)
        return np.linspace(self.low, self.high, cells)

    def unit_of(self, values: Array) -> Array:
        """Values as shares of the axis, on its scale."""
        if self.scale == "log":
            return np.log(values / self.low) / np.log(self.high / self.low)
        return (values - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class View:
    """What kind of picture a domain makes, and its axes.

    Attributes
    ----------
    kind : "line", "plane", "ternary", "globe" or "list"
        A globe has no axes to choose; its coordinates are unit vectors.
    axes : tuple of Axis
    charted : bool
        The axes are coordinates of the chart, not parameters.
    total : float
        What the axes of a ternary add up to.
    """

    kind: Kind
    axes: tuple[Axis, ...]
    charted: bool = False
    total: float = 1.0

    def axis(self, name: str) -> Axis:
        return self.axes[self.index(name)]

    def index(self, name: str) -> int:
        """The place of an axis among all; an error that lists them if there is none of that name."""
        names = [axis.name for axis in self.axes]
        if name not in names:
            raise InvalidInput(f"there is no axis {name!r}; choose from {', '.join(names)}")
        return names.index(name)

    def chosen(self, names: tuple[str, ...]) -> tuple[Axis, ...]:
        """As many different axes as the picture has: those named first, then the first others."""
        named = list(dict.fromkeys(self.axis(name) for name in names))
        rest = [axis for axis in self.axes if axis not in named]
        return tuple([*named, *rest][: AXES[self.kind]])
