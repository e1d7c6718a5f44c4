"""How a domain is looked at: as a curve, a plane, a ternary, a globe or a list, and along which axes.

A :class:`View` says what a viewer may choose; it is plain data. Boxes are seen along any two of their
parameters, mixtures in the triangle of any three components, directions on a globe; what has no
coordinates that people know is seen in its chart. The domain makes it (:meth:`Domain.view`) and turns
points into coordinates along its axes and back; `plotting` draws.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    labels : tuple of str
        What people call the settings, where those are numbers of categories.
    periodic : bool
        The axis is an angle, which ends where it begins.
    """

    name: str
    unit: str = ""
    low: float = 0.0
    high: float = 1.0
    scale: Literal["linear", "log"] = "linear"
    settings: tuple[float, ...] = ()
    usual: float | None = None
    labels: tuple[str, ...] = ()
    periodic: bool = False

    @property
    def middle(self) -> float:
        """Where the axis is held unless the viewer says otherwise."""
        if self.usual is not None:
            return self.usual
        if self.labels:  # no category lies in the middle
            return self.settings[0]
        if self.settings:
            return self.settings[len(self.settings) // 2]
        if self.scale == "log":
            return float(np.sqrt(self.low * self.high))
        return (self.low + self.high) / 2

    @property
    def is_angle(self) -> bool:
        """From end to end it is a whole turn, or half a one in degrees, and any value can be set."""
        half = self.unit == "°" and (self.high - self.low) % 180 == 0
        return not self.settings and (self.periodic or half)

    @property
    def label(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def text(self, value: float) -> str:
        """A value in words: the name of a category, or a number to four digits with its unit."""
        return self.labels[round(value)] if self.labels else f"{value:.4g} {self.unit}".rstrip()

    def grid(self, cells: int) -> Array:
        """Values along the axis: its settings, or evenly spaced on its scale."""
        if self.settings:
            return np.array(self.settings)
        if self.scale == "log":
            return np.geomspace(self.low, self.high, cells)
        return np.linspace(self.low, self.high, cells)

    def nearest(self, value: float) -> float:
        """The value that the axis can have which is nearest to this one; of an angle, around its circle."""
        turn = self.high - self.low
        if self.periodic and not self.low <= value <= self.high:
            value = self.low + (value - self.low) % turn
        if not self.settings:
            return min(max(value, self.low), self.high)
        away = {setting: abs(setting - value) for setting in self.settings}
        if self.periodic:
            away = {setting: min(apart, turn - apart) for setting, apart in away.items()}
        return min(away, key=away.__getitem__)

    def unit_of(self, values: Array) -> Array:
        """Values as shares of the axis, on its scale."""
        if self.scale == "log":
            return np.log(values / self.low) / np.log(self.high / self.low)
        return (values - self.low) / (self.high - self.low)

    def apart(self, values: Array, place: float) -> Array:
        """How far values are from a place, as a share of the axis; another category is as far as can be."""
        if self.labels:
            return np.where(np.round(values) == round(place), 0.0, 1.0)
        away = np.abs(self.unit_of(values) - self.unit_of(np.array(place)))
        return np.minimum(away, 1.0 - away) if self.periodic else away


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
        What the free axes of a ternary add up to.
    free : tuple of str
        Axes that the picture may be drawn along, where others can only be held; empty if all may.
    vector : int
        The coordinate at which the unit vector of a globe begins; its axes are held.
    """

    kind: Kind
    axes: tuple[Axis, ...]
    charted: bool = False
    total: float = 1.0
    free: tuple[str, ...] = ()
    vector: int = 0

    @property
    def width(self) -> int:
        """Number of coordinates of a point: one an axis, and the unit vector of a globe."""
        return len(self.axes) + (3 if self.kind == "globe" else 0)

    def column(self, name: str) -> int:
        """The coordinate that belongs to an axis."""
        place = self.index(name)
        return place + 3 if self.kind == "globe" and place >= self.vector else place

    def may_be_drawn(self, axis: Axis) -> bool:
        """Whether the picture can run along an axis, or it can only be held."""
        return not self.free or axis.name in self.free

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
        named = [axis for axis in dict.fromkeys(map(self.axis, names)) if self.may_be_drawn(axis)]
        # A plane of categories shows little: numbers first.
        others = sorted((a for a in self.axes if a not in named), key=lambda axis: bool(axis.labels))
        rest = [axis for axis in others if self.may_be_drawn(axis)]
        return tuple([*named, *rest][: AXES[self.kind]])


def beside(views: Sequence[View]) -> View | None:
    """One view of several domains at once; None if no picture shows them together.

    The first globe or else the first triangle is drawn and everything else is held; without either, any two
    axes make a plane.
    """
    axes = tuple(axis for view in views for axis in view.axes)
    if len({axis.name for axis in axes}) < len(axes):
        return None
    globes = [i for i, view in enumerate(views) if view.kind == "globe"]
    if len(globes) > 1:
        return None
    charted = all(view.charted for view in views)
    if globes:
        return View("globe", axes, vector=sum(len(view.axes) for view in views[: globes[0]]))
    for view in views:
        if view.kind == "ternary":
            return View("ternary", axes, total=view.total, free=tuple(axis.name for axis in view.axes))
    return View("plane" if len(axes) > 1 else "line", axes, charted)
