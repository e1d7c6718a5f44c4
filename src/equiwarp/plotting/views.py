"""How a domain is looked at: as a curve, a plane, a ternary, a globe or a list, and along which axes.

A :class:`View` says what a viewer may choose. Boxes are seen along any two of their parameters,
mixtures in the triangle of any three components, directions on a globe; what has no coordinates that
people know is seen in its chart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from equiwarp.domains import Array, Box, Candidates, Constrained, Domain, Simplex, Sphere
from equiwarp.exceptions import InvalidInput

Kind = Literal["line", "plane", "ternary", "globe", "list"]
#: Axes that a view of each kind has.
AXES: dict[Kind, int] = {"line": 1, "plane": 2, "ternary": 3, "globe": 0, "list": 2}
#: A discrete parameter with more settings than this is drawn as a continuous one.
MOST_SETTINGS = 60


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
    """What kind of picture a domain makes, and its coordinates.

    Attributes
    ----------
    domain : Domain
        Where constraints were wrapped around one, the whole of it.
    charted : bool
        The axes are coordinates of the chart, not parameters.
    """

    kind: Kind
    axes: tuple[Axis, ...]
    domain: Domain
    charted: bool = False

    def axis(self, name: str) -> Axis:
        for axis in self.axes:
            if axis.name == name:
                return axis
        raise InvalidInput(f"there is no axis {name!r}; choose from {', '.join(a.name for a in self.axes)}")

    def chosen(self, names: tuple[str, ...]) -> tuple[Axis, ...]:
        """As many different axes as the picture has: those named first, then the first others."""
        named = list(dict.fromkeys(self.axis(name) for name in names))
        rest = [axis for axis in self.axes if axis not in named]
        return tuple([*named, *rest][: AXES[self.kind]])


def view_of(domain: Domain) -> View:
    """The way to look at a domain."""
    whole = domain.base if isinstance(domain, Constrained) else domain
    if isinstance(whole, Box):
        axes = tuple(_parameter(whole, i) for i in range(whole.dim))
        return View("line" if whole.dim == 1 else "plane", axes, whole)
    if isinstance(whole, Simplex):
        axes = tuple(_component(whole, i) for i in range(len(whole.names)))
        return View("line", axes[:1], whole) if whole.dim == 1 else View("ternary", axes, whole)
    if isinstance(whole, Candidates):
        low, high = whole.points.min(axis=0), whole.points.max(axis=0)
        axes = tuple(Axis(whole.names[i], "", float(low[i]), float(high[i])) for i in whole.varying)
        return View("line" if whole.dim == 1 else "list", axes, whole)
    if isinstance(whole, Sphere) and whole.dim == 1:
        return View("line", (Axis("angle", "°", -180.0, 180.0),), whole)
    if isinstance(whole, Sphere) and whole.dim == 2:
        return View("globe", (), whole)
    axes = tuple(Axis(f"chart {i + 1}") for i in range(whole.dim))
    return View("line" if whole.dim == 1 else "plane", axes, whole, charted=True)


def _component(mix: Simplex, i: int) -> Axis:
    """A component is held at its fair share: in the middle of their ranges, two would leave nothing."""
    low = mix.lower[i]
    return Axis(mix.names[i], mix.unit, low, low + mix.spare, usual=low + mix.spare / len(mix.names))


def _parameter(box: Box, i: int) -> Axis:
    p = box.parameters[i]
    settings = p.settings if p.discrete else np.empty(0)
    few = tuple(settings.tolist()) if len(settings) <= MOST_SETTINGS else ()
    return Axis(box.names[i], p.unit, p.low, p.high, p.scale, few)
