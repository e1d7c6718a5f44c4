"""``Box``: named, bounded parameters, each linear or logarithmic, continuous or in steps.

The chart is affine in each parameter (in its logarithm on a log scale), and the kernel measures
distance in the unit cube, so that no parameter counts more because of its unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import items_of, whole
from equiwarp.domains.base import RESOLUTION, Domain, Symmetry, distinct
from equiwarp.domains.parameter import ROW, Parameter
from equiwarp.domains.plain import Data, Fields, Rows
from equiwarp.domains.view import Array, Axis, View
from equiwarp.exceptions import InvalidInput

#: A discrete parameter with more settings than this is drawn as a continuous one.
MOST_SETTINGS = 60


class Box(Domain):
    """Experiments that are set by named parameters, each between its own bounds.

    Parameters
    ----------
    parameters : mapping of name to bounds, or sequence of such pairs
        Bounds are ``(low, high)``, a mapping such as ``{"low": 1, "high": 1000, "scale": "log"}``, or a
        :class:`Parameter`, in the parameter's unit.

    Attributes
    ----------
    parameters : tuple of Parameter
        In the order of the columns.

    Raises
    ------
    InvalidInput
        If there is no parameter, a name is empty or appears twice, or a parameter is impossible.

    Examples
    --------
    >>> import equiwarp as ew
    >>> box = ew.Box({"temperature": (20, 90), "dose": ew.Parameter(1, 1000, scale="log")})
    >>> box.names
    ('temperature', 'dose')
    >>> box
    Box({'temperature': (20, 90), 'dose': Parameter(1, 1000, scale='log')})
    """

    kind = "box"
    volume = 1.0
    cartesian = True
    has_faces = True

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        given = parameters.items() if isinstance(parameters, Mapping) else parameters
        pairs = items_of(given, "the parameters of a box")
        if not pairs:
            raise InvalidInput("a box needs at least one parameter")
        for pair in pairs:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise InvalidInput(f"the parameters of a box are pairs of a name and a spec, got {pair!r}")
        self.names = tuple(str(name) for name, _ in pairs)
        self._check_names()
        axes = []
        for name, spec in pairs:
            try:
                axes.append(Parameter.of(spec))
            except (ValueError, TypeError) as error:
                raise InvalidInput(f"parameter {name!r}: {error}") from None
        self.parameters = tuple(axes)
        self.dim = len(axes)
        self.symmetry: Symmetry = "none" if any(p.discrete for p in axes) else "cube"

    def _check_names(self) -> None:
        for i, name in enumerate(self.names):
            if not name.strip():
                raise InvalidInput(f"parameter {i + 1} has an empty name; call it something")
            if name in self.names[:i]:
                raise InvalidInput(f"duplicate parameter name {name!r}: rename one of the two")

    @classmethod
    def unit(cls, dim: int) -> Box:
        """A box whose parameters x1, x2, ... all run from 0 to 1, for trials.

        Parameters
        ----------
        dim : int
            Number of parameters.

        Returns
        -------
        Box

        Raises
        ------
        InvalidInput
            If it is less than 1.

        Examples
        --------
        >>> import equiwarp as ew
        >>> ew.Box.unit(2)
        Box({'x1': (0, 1), 'x2': (0, 1)})
        """
        count = whole(dim, "the dimension of a box", 1)
        return cls({f"x{i + 1}": (0.0, 1.0) for i in range(count)})

    def __repr__(self) -> str:
        axes = (f"{n!r}: {p._brief}" for n, p in zip(self.names, self.parameters, strict=True))
        return f"Box({{{', '.join(axes)}}})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and self.names == other.names and self.parameters == other.parameters

    def __hash__(self) -> int:
        return hash((self.names, self.parameters))

    def to_cube(self, x: Array, pole: Array | None = None) -> Array:
        if self._linear:
            low, high, _ = self._limits
            return (x - low) / (high - low)
        return np.stack([p._to_unit(x[:, i]) for i, p in enumerate(self.parameters)], axis=1)

    def from_cube(self, u: Array, pole: Array | None = None) -> Array:
        if self._linear:
            low, high, _ = self._limits
            return np.clip(low + u * (high - low), low, high)
        return np.stack([p._from_unit(u[:, i]) for i, p in enumerate(self.parameters)], axis=1)

    def embed(self, x: Array) -> Array:
        return self.to_cube(x)

    def embed_cube(self, u: Array, pole: Array | None = None) -> Array:
        return u

    @cached_property
    def _linear(self) -> bool:
        return all(p.scale == "linear" for p in self.parameters)

    def contains(self, x: Array) -> NDArray[np.bool_]:
        low, high, slack = self._limits
        return np.all((x >= low - slack) & (x <= high + slack), axis=1)

    @cached_property
    def _limits(self) -> tuple[Array, Array, Array]:
        low = np.array([p.low for p in self.parameters])
        high = np.array([p.high for p in self.parameters])
        return low, high, 1e-9 * (high - low)

    def problem(self, point: Array) -> str | None:
        low, high, slack = self._limits
        for name, value, lo, hi, tolerance in zip(self.names, point, low, high, slack, strict=True):
            if not lo - tolerance <= value <= hi + tolerance:
                return f"{name} = {value:g} is outside [{lo:g}, {hi:g}]"
        return None

    @cached_property
    def _discrete(self) -> list[bool]:
        return [p.discrete for p in self.parameters]

    def snap(self, x: Array) -> Array:
        if not any(self._discrete):
            return x
        return np.stack([p.snap(x[:, i]) for i, p in enumerate(self.parameters)], axis=1)

    @cached_property
    def _resolutions(self) -> list[float]:
        """What the settings of each parameter are rounded to; 0 where that is nothing."""
        pairs = zip(self.parameters, self._discrete, strict=True)
        return [0.0 if discrete else _resolution(p) for p, discrete in pairs]

    def rounded_to(self, x: Array, tenths: int) -> Array:
        """On a log scale to a share of the value, elsewhere to multiples of the resolution."""
        if not any(self._resolutions):
            return x
        out, (low, high, _) = x.copy(), self._limits
        for i in np.flatnonzero(self._resolutions):
            share = self._resolutions[i] / 10**tenths
            if self.parameters[i].scale == "log":
                out[:, i] = _significant(x[:, i], share)
            else:
                out[:, i] = _multiples(x[:, i], share)
        return np.clip(out, low, high)

    def pool(self, n: int, rng: np.random.Generator) -> Array:
        """Distinct Sobol points; where all parameters have settings and few combinations, all of them."""
        sampled, grid = super().pool(n, rng), self.combinations(n)
        return sampled if grid is None else distinct(np.concatenate([sampled, grid]))

    def combinations(self, most: int) -> Array | None:
        if not all(self._discrete):
            return None
        if np.prod([float(len(p.settings)) for p in self.parameters]) > most:
            return None
        return np.array(list(product(*(p.settings for p in self.parameters))))

    def view(self) -> View:
        axes = tuple(_axis(name, p) for name, p in zip(self.names, self.parameters, strict=True))
        return View("line" if self.dim == 1 else "plane", axes)

    def coordinates(self, x: Array) -> Array:
        return x

    def points_at(self, coordinates: Array) -> Array:
        return coordinates

    def describe(self) -> list[dict[str, Any]]:
        rows = []
        for name, p in zip(self.names, self.parameters, strict=True):
            values = f"{len(p.settings)} settings" if p.discrete else p._fineness
            rows.append(
                {"name": name, "unit": p.unit, "low": p.low, "high": p.high, "kind": f"{p.scale}, {values}"}
            )
        return rows

    @classmethod
    def fields(cls) -> Fields:
        return {"parameters": (Rows(ROW, Parameter._from_row), ...)}

    def to_dict(self) -> dict[str, Any]:
        pairs = zip(self.names, self.parameters, strict=True)
        return {"type": self.kind, "parameters": [p._to_row(name) for name, p in pairs]}

    @classmethod
    def from_dict(cls, data: Data) -> Self:
        return cls([(row["name"], Parameter._from_row(row)) for row in data["parameters"]])


def _resolution(p: Parameter) -> float:
    """What settings are rounded to: in the parameter's unit, on a log scale as a share of the value."""
    if p.resolution is not None:
        return p.resolution
    if p.scale == "log":
        return RESOLUTION * math.log(p.high / p.low)
    return float(10.0 ** math.floor(math.log10(RESOLUTION * (p.high - p.low))))


def _multiples(values: Array, step: float) -> Array:
    """The nearest multiples ``(n,)`` of a step, as short decimals."""
    # Eight digits of the step: 3 * 0.1 should read 0.3.
    return _decimal(np.rint(values / step) * step, 8 - math.floor(math.log10(step)))


def _significant(values: Array, share: float) -> Array:
    """Values ``(n,)`` with as many digits as a share of each asks for."""
    decimals = -np.floor(np.log10(share * values)).astype(int)
    out = values.copy()
    for d in np.unique(decimals).tolist():
        out[decimals == d] = _decimal(np.round(values[decimals == d] * 10.0**d) / 10.0**d, d)
    return out


def _decimal(values: Array, decimals: int) -> Array:
    """Values ``(n,)`` rounded to so many decimals; powers of ten beyond 22 are not exact."""
    if abs(decimals) <= 22:
        return np.round(values, decimals)
    return np.array([float(f"{value:.12g}") for value in values.tolist()])


def _axis(name: str, p: Parameter) -> Axis:
    settings = p.settings if p.discrete else np.empty(0)
    few = tuple(settings.tolist()) if len(settings) <= MOST_SETTINGS else ()
    return Axis(name, p.unit, p.low, p.high, p.scale, few)
