"""``Product``: several domains at once, such as a mixture and the temperature at which it is cured.

Charts stand side by side and kernel coordinates one after the other: every part keeps its own geometry.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from equiwarp.domains.base import Domain, Symmetry, distinct, require_domain, sobol
from equiwarp.domains.chart import ChartAxis
from equiwarp.domains.plain import Data, Fields, Parts
from equiwarp.domains.view import Array, View, beside
from equiwarp.exceptions import InvalidInput


class Product(Domain):
    """All combinations of a point of one domain and a point of another.

    Parameters
    ----------
    *parts : Domain
        Two or more of them, with different column names; a product among them stands for its own parts. Put
        constraints around the product:
        ``Constrained(Product(mixture, box), ["water * temperature <= 30"])``.

    Attributes
    ----------
    parts : tuple of Domain
        In the order of the columns.

    Raises
    ------
    InvalidInput
        If there are fewer than two parts, two columns have the same name, or a part has constraints.
    InvalidType
        If a part is not a Domain.

    Examples
    --------
    >>> import equiwarp as ew
    >>> paint = ew.Product(ew.Simplex(["resin", "water", "pigment"]), ew.Box({"temperature": (20, 60)}))
    >>> paint.names, paint.dim
    (('resin', 'water', 'pigment', 'temperature'), 3)
    """

    kind = "product"

    def __init__(self, *parts: Domain) -> None:
        if len(parts) < 2:
            raise InvalidInput(f"a product has two parts or more, got {len(parts)}; use the domain itself")
        inner = (part.parts if isinstance(part, Product) else (part,) for part in parts)
        parts = tuple(part for several in inner for part in several)
        self.parts: tuple[Domain, ...] = parts
        self._check()
        self.names = tuple(name for part in parts for name in part.names)
        self.dim = sum(part.dim for part in parts)
        self.volume = math.prod(part.volume for part in parts)
        self.cartesian = all(part.cartesian for part in parts)
        self.has_faces = all(part.has_faces for part in parts)
        kinds = {part.symmetry for part in parts}
        self.symmetry: Symmetry = kinds.pop() if len(kinds) == 1 else "none"

    def _check(self) -> None:
        taken: dict[str, int] = {}
        for i, part in enumerate(self.parts, start=1):
            if require_domain(part).whole is not part:
                raise InvalidInput(
                    f"part {i} of the product has constraints; put them around the product instead: "
                    "Constrained(Product(...), [...])"
                )
            for name in part.names:
                if name in taken:
                    raise InvalidInput(
                        f"parts {taken[name]} and {i} of the product both have a column {name!r}: rename one"
                    )
                taken[name] = i

    def __repr__(self) -> str:
        return f"Product({', '.join(map(repr, self.parts))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Product) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    # Which columns of points, of the cube and of kernel coordinates belong to which part

    def _split(self, x: Array) -> Iterator[tuple[Domain, Array]]:
        """Each part and its columns of points ``(n, columns)``."""
        return self._cut(x, [part.columns for part in self.parts])

    def _split_cube(self, u: Array) -> Iterator[tuple[Domain, Array]]:
        return self._cut(u, [part.dim for part in self.parts])

    def _split_kernel(self, z: Array) -> Iterator[tuple[Domain, Array]]:
        return self._cut(z, self._widths)

    def _cut(self, array: Array, widths: list[int]) -> Iterator[tuple[Domain, Array]]:
        ends = np.cumsum(widths)[:-1].tolist()
        return zip(self.parts, np.split(array, ends, axis=-1), strict=True)

    @cached_property
    def _widths(self) -> list[int]:
        """Kernel coordinates of each part."""
        return [sum(map(len, part.groups)) for part in self.parts]

    def _frames(self, frame: Array | None) -> list[Array | None]:
        """The frame of each part; rows of NaN fill up those that are shorter."""
        if frame is None:
            return [None] * len(self.parts)
        kept = [own[~np.isnan(own).any(axis=1)] for _, own in self._split(frame)]
        return [own if len(own) else None for own in kept]

    # Chart, embedding and what goes with them

    def to_cube(self, x: Array, frame: Array | None = None) -> Array:
        split = zip(self._split(x), self._frames(frame), strict=True)
        return np.concatenate([part.to_cube(own, at) for (part, own), at in split], axis=1)

    def from_cube(self, u: Array, frame: Array | None = None) -> Array:
        split = zip(self._split_cube(u), self._frames(frame), strict=True)
        return np.concatenate([part.from_cube(own, at) for (part, own), at in split], axis=1)

    def embed(self, x: Array) -> Array:
        return np.concatenate([part.embed(own) for part, own in self._split(x)], axis=1)

    def embed_cube(self, u: Array, frame: Array | None = None) -> Array:
        split = zip(self._split_cube(u), self._frames(frame), strict=True)
        return np.concatenate([part.embed_cube(own, at) for (part, own), at in split], axis=1)

    def frame(self, x: Array, weights: Array) -> Array | None:
        frames = [part.frame(own, weights) for part, own in self._split(x)]
        if all(frame is None for frame in frames):
            return None
        together = np.full((max(len(one) for one in frames if one is not None), self.columns), np.nan)
        for (_, own), one in zip(self._split(together), frames, strict=True):
            if one is not None:
                own[: len(one)] = one
        return together

    def tangent(self, z: Array, gradient: Array) -> Array:
        ends = np.cumsum(self._widths)[:-1].tolist()
        given = np.split(gradient, ends, axis=1)
        split = zip(self._split_kernel(z), given, strict=True)
        along = [part.tangent(own, slope) for (part, own), slope in split]
        if all(after is before for after, before in zip(along, given, strict=True)):
            return gradient  # every part is flat
        return np.concatenate(along, axis=1)

    def curvature(self, z: Array, gradient: Array) -> Array | None:
        ends = np.cumsum([0, *self._widths]).tolist()
        bend: Array | None = None
        for part, start, stop in zip(self.parts, ends[:-1], ends[1:], strict=True):
            own = part.curvature(z[:, start:stop], gradient[:, start:stop])
            if own is not None:
                bend = np.zeros((len(z), ends[-1], ends[-1])) if bend is None else bend
                bend[:, start:stop, start:stop] = own
        return bend

    @cached_property
    def chart_axes(self) -> tuple[ChartAxis, ...]:
        return tuple(axis for part in self.parts for axis in part.chart_axes)

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        return self._shifted([part.groups for part in self.parts])

    @cached_property
    def turning(self) -> tuple[tuple[int, ...], ...]:
        return self._shifted([part.turning for part in self.parts])

    def _shifted(self, groups: Sequence[Sequence[tuple[int, ...]]]) -> tuple[tuple[int, ...], ...]:
        """Groups of each part's columns as groups of all columns."""
        starts = np.cumsum([0, *self._widths]).tolist()
        found = zip(starts, groups, strict=False)
        return tuple(tuple(start + i for i in group) for start, own in found for group in own)

    def mirrored(self, x: Array, rng: np.random.Generator) -> Array:
        return np.concatenate([part.mirrored(own, rng) for part, own in self._split(x)], axis=1)

    # Membership and points

    def contains(self, x: Array) -> NDArray[np.bool_]:
        return np.all([part.contains(own) for part, own in self._split(x)], axis=0)

    def problem(self, point: Array) -> str | None:
        found = (part.problem(own) for part, own in self._split(point))
        return next((problem for problem in found if problem is not None), None)

    def snap(self, x: Array) -> Array:
        return self._of_parts("snap", x)

    def wrapped(self, x: Array) -> Array:
        return self._of_parts("wrapped", x)

    def rounded_to(self, x: Array, tenths: int) -> Array:
        return self._of_parts("rounded_to", x, tenths)

    def _of_parts(self, method: str, x: Array, *more: Any) -> Array:
        """Points as a method of each part returns them; the same array if none of them changes anything."""
        split = list(self._split(x))
        after = [getattr(part, method)(own, *more) for part, own in split]
        if all(new is own for new, (_, own) in zip(after, split, strict=True)):
            return x
        return np.concatenate(after, axis=1)

    def with_column(self, x: Array, column: int, values: Array) -> Array:
        """The part that has the column answers; the other parts stay as they are."""
        moved = x.copy()
        for part, start, stop in self._places():
            if start <= column < stop:
                moved[:, start:stop] = part.with_column(x[:, start:stop], column - start, values)
        return moved

    def holding(self, x: Array, held: Mapping[int, float]) -> Array:
        """Each part holds the columns that are its own."""
        moved = x.copy()
        for part, start, stop in self._places():
            own = {column - start: value for column, value in held.items() if start <= column < stop}
            if own:
                moved[:, start:stop] = part.holding(x[:, start:stop], own)
        return moved

    def _places(self) -> Iterator[tuple[Domain, int, int]]:
        """Each part with its first column of points and the one after its last."""
        ends = np.cumsum([0, *(part.columns for part in self.parts)]).tolist()
        return zip(self.parts, ends[:-1], ends[1:], strict=True)

    def scatter(self, n: int, streams: Callable[[int], np.random.Generator], start: int = 0) -> Array:
        u = np.array([streams(i).random(self.dim) for i in range(start, start + n)]).reshape(n, self.dim)
        return self.snap(self.from_cube(u))

    def pool(self, n: int, rng: np.random.Generator) -> Array:
        """Distinct Sobol points; all combinations where they are few."""
        sampled, grid = super().pool(n, rng), self.combinations(n)
        return sampled if grid is None else distinct(np.concatenate([sampled, grid]))

    def everywhere(self, n: int, rng: np.random.Generator) -> Array:
        """Of a list, every entry counts as much as any other, as it does where the list is alone."""
        if not self.holds_list:
            return super().everywhere(n, rng)
        return self.standing_for(self.covering(sobol(self.dim, n, rng)))

    def start_size(self, wanted: int) -> int:
        """The usual size, but at most a third of few combinations: the rest is for choosing."""
        usual = super().start_size(wanted)
        few = self.combinations(3 * usual)
        if few is None:
            return usual
        largest = max((axis.count for axis in self.chart_axes), default=0)
        return min(usual, max(2, largest, len(few) // 3))

    def standing_for(self, u: Array) -> Array:
        return np.concatenate([part.standing_for(own) for part, own in self._split_cube(u)], axis=1)

    @property
    def holds_list(self) -> bool:
        return any(part.holds_list for part in self.parts)

    def combinations(self, most: int) -> Array | None:
        grid = np.empty((1, 0))
        for part in self.parts:
            own = part.listed if part.listed is not None else part.combinations(most)
            if own is None or len(own) * len(grid) > most:
                return None
            grid = np.concatenate([np.repeat(grid, len(own), axis=0), np.tile(own, (len(grid), 1))], axis=1)
        return grid

    # How it is looked at, described and written down

    @cached_property
    def _joint_view(self) -> View | None:
        """The pictures of the parts in one; None if there is no such picture."""
        return beside([part.view() for part in self.parts])

    def view(self) -> View:
        """A globe or a triangle with all else held, or a plane; the chart where that does not work."""
        return self._joint_view or super().view()

    def coordinates(self, x: Array) -> Array:
        if self._joint_view is None:
            return super().coordinates(x)
        return np.concatenate([part.coordinates(own) for part, own in self._split(x)], axis=1)

    def points_at(self, coordinates: Array) -> Array:
        if self._joint_view is None:
            return super().points_at(coordinates)
        split = self._cut(coordinates, [part.view().width for part in self.parts])
        return np.concatenate([part.points_at(own) for part, own in split], axis=1)

    @cached_property
    def categories(self) -> Mapping[str, tuple[str, ...]]:
        return {name: values for part in self.parts for name, values in part.categories.items()}

    def describe(self) -> list[dict[str, Any]]:
        return [row for part in self.parts for row in part.describe()]

    def remarks(self) -> list[str]:
        return [remark for part in self.parts for remark in part.remarks()]

    @classmethod
    def fields(cls) -> Fields:
        return {"parts": (Parts(), ...)}

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.kind, "parts": [part.to_dict() for part in self.parts]}

    @classmethod
    def from_dict(cls, data: Data) -> Self:
        return cls(*data["parts"])
