"""``Simplex``: mixtures, whose components are not negative and add up to a fixed total.

Chart: stick-breaking. The share that component i takes of what the earlier ones left follows a
Beta(1, k - i) law under the uniform measure, whose CDF is 1 - (1 - t)^(k - i), so uniform in the cube
is uniform over mixtures.

Kernel coordinates: the plain isometric coordinates of the hyperplane "sum = 1", in an orthonormal
(Helmert) basis, after lower bounds and total are scaled away. Exchanging two components is then an
isometry: none counts more than another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import items_of, number
from equiwarp.domains.base import RESOLUTION, Domain
from equiwarp.domains.parameter import number_text
from equiwarp.domains.plain import Data, Fields, Rows
from equiwarp.domains.view import Array, Axis, View
from equiwarp.exceptions import InvalidInput

#: How far a mixture's sum may be from the total, as a share of it: hand-typed fractions are rounded.
SUM_TOLERANCE = 1e-6


class Simplex(Domain):
    """Mixtures: amounts of named components that add up to a fixed total.

    Parameters
    ----------
    components : mapping of name to lower bound, or sequence of names
        Lower bounds in the units of ``total``; 0 where only names are given. For an upper bound, wrap the
        simplex in :class:`~equiwarp.domains.Constrained`: ``Constrained(mix, ["ethanol <= 0.5"])``.
    total : float
        What the components add up to: 1 for fractions, 100 for percent.
    unit : str
        Shown to people; nothing is computed from it.

    Attributes
    ----------
    lower : tuple of float
        The lower bounds, in the order of the columns.
    spare : float
        What is left of the total once every component has its lower bound.

    Raises
    ------
    InvalidInput
        If there are fewer than two components, or their lower bounds use up the total.

    Examples
    --------
    >>> import equiwarp as ew
    >>> mix = ew.Simplex({"water": 20, "ethanol": 0, "glycerol": 0}, total=100, unit="%")
    >>> mix.names, mix.dim
    (('water', 'ethanol', 'glycerol'), 2)
    """

    kind = "simplex"
    symmetry = "none"

    def __init__(
        self, components: Mapping[str, float] | Iterable[str], total: float = 1.0, unit: str = ""
    ) -> None:
        bounds = dict(components) if isinstance(components, Mapping) else _no_bounds(components)
        self.names = tuple(str(name) for name in bounds)
        self.total, self.unit = number(total, "the total of a mixture"), unit
        self.lower = tuple(
            number(low, f"component {name!r}: its lower bound") for name, low in bounds.items()
        )
        self._check()
        self.dim = len(self.names) - 1
        self.spare = self.total - sum(self.lower)
        self.volume = math.sqrt(len(self.names)) / math.factorial(self.dim)

    def _check(self) -> None:
        if len(self.names) < 2:
            raise InvalidInput("a mixture needs at least two components")
        for i, name in enumerate(self.names):
            if not name.strip():
                raise InvalidInput(f"component {i + 1} has an empty name; call it something")
        if not (math.isfinite(self.total) and self.total > 0):
            raise InvalidInput(f"the total of a mixture must be a positive number, got {self.total}")
        for name, low in zip(self.names, self.lower, strict=True):
            if not (math.isfinite(low) and 0 <= low < self.total):
                raise InvalidInput(
                    f"component {name!r}: its lower bound {low} must lie in [0, {self.total:g})"
                )
        if sum(self.lower) >= self.total * (1 - 1e-9):
            raise InvalidInput(
                f"the lower bounds add up to {sum(self.lower):g}, "
                f"which leaves nothing of the total {self.total:g}"
            )

    def __repr__(self) -> str:
        parts = ", ".join(f"{n!r}: {number_text(low)}" for n, low in zip(self.names, self.lower, strict=True))
        unit = f", unit={self.unit!r}" if self.unit else ""
        return f"Simplex({{{parts}}}, total={number_text(self.total)}{unit})"

    def __eq__(self, other: object) -> bool:
        mine = (self.names, self.lower, self.total)
        return isinstance(other, Simplex) and mine == (other.names, other.lower, other.total)

    def __hash__(self) -> int:
        return hash((self.names, self.lower, self.total))

    def shares(self, x: Array) -> Array:
        """Mixtures as shares of what the lower bounds leave (pseudo-components).

        Parameters
        ----------
        x : (n, columns) array
            Mixtures in the units of ``total``.

        Returns
        -------
        (n, columns) array
            Numbers from 0 to 1, each row with the sum 1.

        Examples
        --------
        >>> import numpy as np
        >>> import equiwarp as ew
        >>> ew.Simplex({"water": 0.2, "ethanol": 0.0}).shares(np.array([[0.6, 0.4]]))
        array([[0.5, 0.5]])
        """
        return (x - np.array(self.lower)) / self.spare

    def to_cube(self, x: Array, frame: Array | None = None) -> Array:
        p = self.shares(x)
        # What is left before each component; summed from the end, so that a zero is exactly zero.
        left = np.cumsum(p[:, ::-1], axis=1)[:, ::-1][:, :-1]
        taken = np.divide(p[:, :-1], left, out=np.zeros_like(left), where=left > 0)
        return 1.0 - (1.0 - np.clip(taken, 0.0, 1.0)) ** self._powers

    def from_cube(self, u: Array, frame: Array | None = None) -> Array:
        keep = (1.0 - np.clip(u, 0.0, 1.0)) ** (1.0 / self._powers)
        left = np.cumprod(np.column_stack([np.ones(len(u)), keep]), axis=1)
        p = np.column_stack([left[:, :-1] * (1.0 - keep), left[:, -1]])
        return np.array(self.lower) + self.spare * p

    @cached_property
    def _powers(self) -> Array:
        """Components still to come after each of the first k - 1."""
        return np.arange(self.dim, 0, -1, dtype=float)

    @cached_property
    def _basis(self) -> Array:
        """Orthonormal directions within the hyperplane, ``(k, k - 1)``."""
        k = len(self.names)
        basis = np.zeros((k, k - 1))
        for j in range(1, k):
            basis[:j, j - 1] = 1.0 / math.sqrt(j * (j + 1))
            basis[j, j - 1] = -j / math.sqrt(j * (j + 1))
        return basis

    def embed(self, x: Array) -> Array:
        return self.shares(x) @ self._basis

    def contains(self, x: Array) -> NDArray[np.bool_]:
        above = np.all(x >= np.array(self.lower) - 1e-9 * self.total, axis=1)
        return above & (np.abs(x.sum(axis=1) - self.total) <= SUM_TOLERANCE * self.total)

    def holding(self, x: Array, held: Mapping[int, float]) -> Array:
        """The other components share what is left, in the proportions that they had beyond their bounds."""
        moved, lower = super().holding(x, held), np.array(self.lower)
        free = [j for j in range(len(self.names)) if j not in held]
        beyond = moved[:, free] - lower[free]
        whole = beyond.sum(axis=1, keepdims=True)
        shares = np.divide(beyond, whole, out=np.full_like(beyond, 1.0 / max(len(free), 1)), where=whole > 0)
        moved[:, free] = lower[free] + shares * (self.total - sum(held.values()) - lower[free].sum())
        return moved

    def problem(self, point: Array) -> str | None:
        for name, value, low in zip(self.names, point, self.lower, strict=True):
            if not value >= low - 1e-9 * self.total:
                return f"{name} = {value:g} is below its lower bound {low:g}"
        total = float(np.sum(point))
        if abs(total - self.total) > SUM_TOLERANCE * self.total:
            return f"the components add up to {total:.9g}, not to {self.total:g}"
        return None

    def rounded_to(self, x: Array, tenths: int) -> Array:
        """Rounded amounts; the largest one is what the others leave, so that the sum stays exact."""
        decimals = tenths - math.floor(math.log10(RESOLUTION * self.spare))
        out = np.maximum(np.round(x, decimals), np.array(self.lower))
        rows, largest = np.arange(len(x)), np.argmax(x, axis=1)
        out[rows, largest] = 0.0
        out[rows, largest] = np.round(self.total - out.sum(axis=1), max(decimals, 12))
        return out

    def with_column(self, x: Array, column: int, values: Array) -> Array:
        """One component at other amounts; what is left goes to the others in the same proportions as before.

        The direction of Cox (1971). In uniform mixtures the proportions of the others do not depend on the
        amount of one, so both can be varied independently.
        """
        p = self.shares(x)
        others = np.arange(len(self.names)) != column
        # A pure component has no others to keep the proportions of: they share equally.
        p[:, others] += (p[:, others].sum(axis=1, keepdims=True) <= 0) * 1.0
        share = (values - self.lower[column]) / self.spare
        p[:, others] *= ((1.0 - share) / p[:, others].sum(axis=1))[:, None]
        p[:, column] = share
        return np.array(self.lower) + self.spare * p

    def view(self) -> View:
        """The triangle of three components; of two, the line of the first."""
        axes = tuple(self._axis(i) for i in range(len(self.names)))
        return View("line", axes[:1]) if self.dim == 1 else View("ternary", axes, total=self.total)

    def _axis(self, i: int) -> Axis:
        """A component is held at its fair share: in the middle of their ranges, two would leave nothing."""
        low = self.lower[i]
        fair = low + self.spare / len(self.names)
        return Axis(self.names[i], self.unit, low, low + self.spare, usual=fair)

    def coordinates(self, x: Array) -> Array:
        return x[:, :1] if self.dim == 1 else x

    def points_at(self, coordinates: Array) -> Array:
        """Of two components, the second is what the first leaves."""
        if self.dim > 1:
            return coordinates
        return np.column_stack([coordinates[:, 0], self.total - coordinates[:, 0]])

    def describe(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "unit": self.unit, "low": low, "high": low + self.spare, "kind": "component"}
            for name, low in zip(self.names, self.lower, strict=True)
        ]

    @classmethod
    def fields(cls) -> Fields:
        row = {"name": (str, ...), "low": (float, 0.0)}
        return {"components": (Rows(row), ...), "total": (float, 1.0), "unit": (str, "")}

    def to_dict(self) -> dict[str, Any]:
        parts = [{"name": n, "low": low} for n, low in zip(self.names, self.lower, strict=True)]
        return {"type": self.kind, "components": parts, "total": self.total, "unit": self.unit}

    @classmethod
    def from_dict(cls, data: Data) -> Self:
        rows = data["components"]
        _no_bounds(row["name"] for row in rows)  # refuses duplicates, which a dict would hide
        return cls({row["name"]: row["low"] for row in rows}, data["total"], data["unit"])


def _no_bounds(names: Iterable[str]) -> dict[str, float]:
    bounds: dict[str, float] = {}
    for name in items_of(names, "the components of a mixture"):
        if str(name) in bounds:
            raise InvalidInput(f"duplicate component name {name!r}: rename one of the two")
        bounds[str(name)] = 0.0
    return bounds
