"""``Box``: named parameters, each a number between bounds, an angle or a category.

The chart is affine in each parameter (in its logarithm on a log scale), and the kernel measures
distance in the unit cube, so that no parameter counts more because of its unit. Angles and categories have
more kernel coordinates than one: a circle, and the corners of a simplex.
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
from equiwarp.domains.box_rows import ROW, BoxParameter, parameter_of, read_row, written_categories
from equiwarp.domains.category import Category
from equiwarp.domains.chart import ChartAxis
from equiwarp.domains.parameter import Parameter, held_decimals
from equiwarp.domains.plain import Data, Fields, Rows
from equiwarp.domains.view import Array, View
from equiwarp.exceptions import InvalidInput


class Box(Domain):
    """Experiments that are set by named parameters, each between its own bounds.

    Parameters
    ----------
    parameters : mapping of name to bounds, or sequence of such pairs
        Bounds are ``(low, high)``, a mapping such as ``{"low": 1, "high": 1000, "scale": "log"}``, or a
        :class:`Parameter`, in the parameter's unit. A list of names makes a parameter with categories.

    Attributes
    ----------
    parameters : tuple of Parameter or equiwarp.domains.Category
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

    Arrays hold the number of a category, tables and experiments its name:

    >>> coating = ew.Box({"angle": ew.Parameter(0, 360, periodic=True), "solvent": ["water", "oil"]})
    >>> coating.numbers({"angle": 90, "solvent": "oil"})
    array([90.,  1.])
    """

    kind = "box"
    volume = 1.0

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
        axes: list[BoxParameter] = []
        for name, spec in pairs:
            try:
                axes.append(parameter_of(spec))
            except (ValueError, TypeError) as error:
                raise InvalidInput(f"parameter {name!r}: {error}") from None
        self.parameters = tuple(axes)
        self.dim = len(axes)
        #: Whether the kernel coordinates are those of the cube: neither angles nor categories.
        self._flat = all(axis.kind == "interval" for axis in self.chart_axes)
        self.cartesian = self.has_faces = self._flat
        self.symmetry = self._find_symmetry()

    def _find_symmetry(self) -> Symmetry:
        if not any(axis.kind == "interval" for axis in self.chart_axes):
            stepped_angle = any(p.discrete and p.periodic for p in self.parameters)
            return "none" if stepped_angle else "homogeneous"
        return "cube" if self._flat and not any(self._discrete) else "none"

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

    def to_cube(self, x: Array, frame: Array | None = None) -> Array:
        if self._linear:
            low, high, _ = self._limits
            return (x - low) / (high - low)
        return np.stack([p._to_unit(x[:, i]) for i, p in enumerate(self.parameters)], axis=1)

    def from_cube(self, u: Array, frame: Array | None = None) -> Array:
        if self._linear:
            low, high, _ = self._limits
            return np.clip(low + u * (high - low), low, high)
        return np.stack([p._from_unit(u[:, i]) for i, p in enumerate(self.parameters)], axis=1)

    def embed(self, x: Array) -> Array:
        u = self.to_cube(x)
        return u if self._flat else Box.embed_cube(self, u)

    def embed_cube(self, u: Array, frame: Array | None = None) -> Array:
        if self._flat:
            return u
        return np.concatenate([p._embed_unit(u[:, i]) for i, p in enumerate(self.parameters)], axis=1)

    @cached_property
    def _linear(self) -> bool:
        return self._flat and all(p.scale == "linear" for p in self.parameters)

    @cached_property
    def chart_axes(self) -> tuple[ChartAxis, ...]:
        return tuple(p._chart_axis for p in self.parameters)

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        ends = np.cumsum([p._width for p in self.parameters]).tolist()
        return tuple(tuple(range(end - p._width, end)) for p, end in zip(self.parameters, ends, strict=True))

    def start_size(self, wanted: int) -> int:
        """The usual size, but at most a third of few combinations of settings: the rest is for choosing."""
        usual = super().start_size(wanted)
        if not all(self._discrete):
            return usual
        count = math.prod(len(p.settings) for p in self.parameters)
        largest = max((axis.count for axis in self.chart_axes), default=0)
        return min(usual, max(2, largest, count // 3))

    @cached_property
    def turning(self) -> tuple[tuple[int, ...], ...]:
        """Kernel coordinates of each angle."""
        return tuple(g for g, p in zip(self.groups, self.parameters, strict=True) if p.periodic)

    def tangent(self, z: Array, gradient: Array) -> Array:
        """Along circles, and not at all from one category to another."""
        if self._flat:
            return gradient
        along = gradient.copy()
        for group, p in zip(self.groups, self.parameters, strict=True):
            columns = list(group)
            if isinstance(p, Category):
                along[:, columns] = 0.0
            elif p.periodic:
                normal = z[:, columns] / np.linalg.norm(z[:, columns], axis=1, keepdims=True)
                along[:, columns] -= np.sum(normal * gradient[:, columns], axis=1, keepdims=True) * normal
        return along

    def curvature(self, z: Array, gradient: Array) -> Array | None:
        if not self.turning:
            return None
        n, e = z.shape
        bend = np.zeros((n, e, e))
        for a, b in self.turning:
            normal = z[:, (a, b)]
            square = np.sum(normal**2, axis=1)  # of the radius
            outward = np.sum(normal * gradient[:, (a, b)], axis=1) / square
            along = np.column_stack([-normal[:, 1], normal[:, 0]]) / np.sqrt(square)[:, None]
            block = -outward[:, None, None] * along[:, :, None] * along[:, None, :]
            bend[:, a : b + 1, a : b + 1] = block
        return bend

    def mirrored(self, x: Array, rng: np.random.Generator) -> Array:
        columns = []
        for i, p in enumerate(self.parameters):
            turn, u = rng.random(), p._to_unit(x[:, i])
            if isinstance(p, Category):
                columns.append(rng.permutation(p.settings)[x[:, i].astype(np.intp)])
            elif p.discrete:
                columns.append(x[:, i])  # settings need not lie symmetrically
            elif p.periodic:
                columns.append(p._from_unit((u + turn) % 1.0))
            else:
                columns.append(p._from_unit(1.0 - u) if turn < 0.5 else x[:, i])
        return np.stack(columns, axis=1)

    @cached_property
    def categories(self) -> dict[str, tuple[str, ...]]:
        pairs = zip(self.names, self.parameters, strict=True)
        return {name: p.categories for name, p in pairs if isinstance(p, Category)}

    def wrapped(self, x: Array) -> Array:
        if self._flat or not self.turning:
            return x
        columns = [
            x[:, i] if isinstance(p, Category) else p._wrapped(x[:, i]) for i, p in enumerate(self.parameters)
        ]
        return np.stack(columns, axis=1)

    def contains(self, x: Array) -> NDArray[np.bool_]:
        if not self.categories:
            low, high, slack = self._limits
            return np.all((x >= low - slack) & (x <= high + slack), axis=1)
        inside = [p._holds(x[:, i]) for i, p in enumerate(self.parameters)]
        return np.all(np.stack(inside, axis=1), axis=1)

    @cached_property
    def _limits(self) -> tuple[Array, Array, Array]:
        low = np.array([p.low for p in self.parameters])
        high = np.array([p.high for p in self.parameters])
        return low, high, 1e-9 * (high - low)

    def problem(self, point: Array) -> str | None:
        values = zip(self.names, self.parameters, point.tolist(), strict=True)
        problems = (p._problem(name, value) for name, p, value in values)
        return next((problem for problem in problems if problem is not None), None)

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
        return [0.0 if isinstance(p, Category) or p.discrete else _resolution(p) for p in self.parameters]

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
        axes = tuple(p._axis(name) for name, p in zip(self.names, self.parameters, strict=True))
        return View("line" if self.dim == 1 else "plane", axes)

    def coordinates(self, x: Array) -> Array:
        return x

    def points_at(self, coordinates: Array) -> Array:
        return coordinates

    def describe(self) -> list[dict[str, Any]]:
        return [p._describe(name) for name, p in zip(self.names, self.parameters, strict=True)]

    def remarks(self) -> list[str]:
        pairs = zip(self.names, self.parameters, strict=True)
        return [remark for name, p in pairs for remark in p._remarks(name)]

    @classmethod
    def fields(cls) -> Fields:
        return {"parameters": (Rows(ROW, read_row), ...)}

    def to_dict(self) -> dict[str, Any]:
        pairs = zip(self.names, self.parameters, strict=True)
        return {"type": self.kind, "parameters": [p._to_row(name) for name, p in pairs]}

    @classmethod
    def categories_in(cls, data: Data) -> dict[str, tuple[str, ...]]:
        return written_categories(data.get("parameters"))

    @classmethod
    def from_dict(cls, data: Data) -> Self:
        return cls([(row["name"], read_row(row)) for row in data["parameters"]])


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
    decimals = 8 - math.floor(math.log10(step))
    return _decimal(np.rint(values / step) * step, min(decimals, held_decimals(values)))


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
