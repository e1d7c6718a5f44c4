"""``Candidates``: a fixed list of experiments, of which only these can be made.

There is no continuous chart of a list. What stands in is the affine chart of its bounding box, in
which the warp acts and the kernel measures distance; what may be suggested is the list itself.
A list of mixtures has the chart and the distances of the smallest simplex around it instead. Its kernel
coordinates are the shares themselves, one for each component, so that a model can learn which of them matter.
Samples are the nearest unused entries to a Sobol sequence in that box, which fill the list's space
evenly even where the list does not. What stands for the whole list has its share in every crowd.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import in_double, items_of, number
from equiwarp._util.frames import columns_of
from equiwarp._util.seeds import stream
from equiwarp._util.text import listed
from equiwarp.domains.balanced_order import balanced_order, leaves
from equiwarp.domains.base import Domain, distinct, sobol
from equiwarp.domains.parameter import number_text
from equiwarp.domains.plain import Data, Fields
from equiwarp.domains.simplex import SUM_TOLERANCE, Simplex
from equiwarp.domains.view import Array, Axis, View
from equiwarp.exceptions import InvalidInput

#: A pool takes in the whole list up to this length, whatever size was asked for.
WHOLE_LIST = 16_384
#: Entries looked up at once around each Sobol point before all unused ones are searched.
NEIGHBOURS = 16
#: Of a longer list, as many entries drawn at random stand for it.
LARGEST_TREE = 65_536
#: What NumPy would make numbers of, and nobody meant as one.
NO_NUMBERS = (str, bytes, complex, np.datetime64, np.timedelta64)


class Candidates(Domain):
    """A list of experiments: only what is on it can be made.

    Parameters
    ----------
    rows : dict of columns, dataframe, or (m, columns) array-like
        The experiments, one per row, as numbers in your own units. Repeated rows count once. For a file, see
        :func:`equiwarp.tables.table.read_candidates`.
    names : sequence of str, optional
        Column names of an array; x1, x2, ... by default. Where columns have names already, these are the
        same and say their order.
    total : float, optional
        What every row adds up to, if the list is one of mixtures: 1 for fractions, 100 for percent.
        Distances, the start and the warp are then those of a :class:`Simplex`, in which no component counts
        more than another.

    Attributes
    ----------
    points : (m, columns) array
        The experiments without repetition, in the order of the list.
    varying : array of int
        The columns that vary. A constant column adds no dimension, and in mixtures one of them is what the
        others leave.

    Raises
    ------
    InvalidInput
        If a value is not a finite number, columns differ in length, fewer than two rows differ, or the
        amounts of a mixture are negative or do not add up to its total.

    Examples
    --------
    >>> import equiwarp as ew
    >>> alloys = ew.Candidates({"Cu": [10.0, 20.0, 30.0, 5.0], "Zn": [5.0, 1.0, 8.0, 9.0]})
    >>> len(alloys)
    4
    >>> ew.Candidates({"Cu": [60, 70, 80], "Zn": [40, 25, 10], "Sn": [0, 5, 10]}, total=100).dim
    2
    """

    kind = "candidates"
    constrainable = False
    volume = 1.0
    symmetry = "none"
    cartesian = True

    def __init__(
        self, rows: Mapping[str, Any] | Any, names: Sequence[str] | None = None, total: float | None = None
    ) -> None:
        array, self.names = _read(rows, names)
        _require_numbers(array, self.names)
        points = distinct(array)
        if len(points) < 2:
            raise InvalidInput("a list of candidates needs at least two different rows")
        self.points: Array = points
        self.points.setflags(write=False)
        low, high = points.min(axis=0), points.max(axis=0)
        self.varying: NDArray[np.intp] = np.flatnonzero(high > low)
        self._low, self._range = low, np.where(high > low, high - low, 1.0)
        self.total = None if total is None else number(total, "the total of the candidates")
        self.dim = len(self.varying)
        self._simplex: Simplex | None = None
        if self.total is not None:
            self._simplex = simplex = _simplex_around(points, self.names, self.varying, self.total)
            self.dim, self.volume = simplex.dim, simplex.volume

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        total = "" if self.total is None else f", total={number_text(self.total)}"
        return f"Candidates({len(self.points)} rows of {', '.join(self.names)}{total})"

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Candidates):
            return self is other
        mine, theirs = ((one.names, one.total) for one in (self, other))
        return mine == theirs and np.array_equal(self.points, other.points)

    def __hash__(self) -> int:
        return hash((self.names, self.total, self.points.tobytes()))

    def start_size(self, wanted: int) -> int:
        """The usual size, but never more than a third of the list: the rest is for choosing."""
        return max(2, min(super().start_size(wanted), len(self.points) // 3))

    def to_cube(self, x: Array, frame: Array | None = None) -> Array:
        if self._simplex is not None:
            return self._simplex.to_cube(x[:, self.varying])
        return ((x - self._low) / self._range)[:, self.varying]

    def from_cube(self, u: Array, frame: Array | None = None) -> Array:
        x = np.tile(self._low, (len(u), 1))
        if self._simplex is not None:
            x[:, self.varying] = self._simplex.from_cube(u)
        else:
            x[:, self.varying] += u * self._range[self.varying]
        return x

    def embed(self, x: Array) -> Array:
        return self.to_cube(x) if self._simplex is None else self._simplex.shares(x[:, self.varying])

    def embed_cube(self, u: Array, frame: Array | None = None) -> Array:
        return u if self._simplex is None else self._simplex.shares(self._simplex.from_cube(u))

    def tangent(self, z: Array, gradient: Array) -> Array:
        """Of mixtures, the part along which shares go on adding up to 1."""
        return gradient if self._simplex is None else gradient - gradient.mean(axis=1, keepdims=True)

    def with_column(self, x: Array, column: int, values: Array) -> Array:
        """Of mixtures, what is left goes to the other components, as in a :class:`Simplex`."""
        if self._simplex is None or column not in self.varying:
            return super().with_column(x, column, values)
        moved = x.copy()
        place = int(np.searchsorted(self.varying, column))
        moved[:, self.varying] = self._simplex.with_column(x[:, self.varying], place, values)
        return moved

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self.embed(self.points))

    def nearest(self, x: Array) -> NDArray[np.intp]:
        """Which experiment of the list is nearest to each point.

        Parameters
        ----------
        x : (n, columns) array
            Points in the units of the list; they need not be on it.

        Returns
        -------
        (n,) array of int
            Rows of ``points``. Distance is measured with every column scaled to the range of the list, that
            of mixtures as in a :class:`Simplex`.

        Examples
        --------
        >>> import numpy as np
        >>> import equiwarp as ew
        >>> alloys = ew.Candidates({"Cu": [10.0, 20.0, 30.0], "Zn": [5.0, 1.0, 8.0]})
        >>> alloys.nearest(np.array([[28.0, 7.5]]))
        array([2])
        """
        return np.asarray(self._tree.query(self.embed(x))[1], dtype=np.intp)

    def contains(self, x: Array) -> NDArray[np.bool_]:
        if len(x) == 0:
            return np.zeros(0, dtype=bool)
        apart = np.abs(x - self.points[self.nearest(x)]) / np.maximum(self._range, np.abs(self._low))
        return np.all(apart <= 1e-9, axis=1)

    def problem(self, point: Array) -> str | None:
        if self.contains(point[None])[0]:
            return None
        close = self.points[self.nearest(point[None])[0]]
        return f"it is not on the list of candidates; the nearest one is {self.text_of(close)}"

    def snap(self, x: Array) -> Array:
        return self.points[self.nearest(x)] if len(x) else x

    def sample(self, n: int, rng: np.random.Generator, start: int = 0) -> Array:
        """Entries ``start`` to ``start + n`` of the list in space-filling order; fewer at its end."""
        return self.points[self._order(start + n, rng)[start:]]

    def everywhere(self, n: int, rng: np.random.Generator) -> Array:
        """Entries that stand for the list: where it is crowded, they are."""
        return self.points[balanced_order(self._leaves, n, rng)]

    def standing_for(self, u: Array) -> Array:
        """Neighbours of the list where first coordinates are; each entry has as much room as any other."""
        last = len(self._leaves) - 1
        return self.points[self._leaves[np.minimum((u[:, 0] * (last + 1)).astype(np.intp), last)]]

    @cached_property
    def _leaves(self) -> NDArray[np.intp]:
        rows = np.arange(len(self.points))
        if len(rows) > LARGEST_TREE:
            rows = np.sort(stream(0, "list").choice(len(rows), LARGEST_TREE, replace=False))
        return rows[leaves(self.embed(self.points[rows]))]

    def pool(self, n: int, rng: np.random.Generator) -> Array:
        """The whole list, or n space-filling entries of a very long one; the first n fill the space."""
        first = self._order(n, rng)
        if len(self.points) > max(n, WHOLE_LIST):
            return self.points[first]
        rest = np.ones(len(self.points), dtype=bool)
        rest[first] = False
        return np.concatenate([self.points[first], self.points[rest]])

    def scatter(self, n: int, streams: Callable[[int], np.random.Generator], start: int = 0) -> Array:
        """Entries ``start`` to ``start + n`` of the list in random order; fewer at its end."""
        return self.points[streams(0).permutation(len(self.points))[start : start + n]]

    def _order(self, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Rows nearest to the first n Sobol points, each used once; a longer draw only adds rows."""
        n = min(n, len(self.points))
        z = self.embed_cube(sobol(self.dim, n, rng))
        k = min(NEIGHBOURS, len(self.points))
        near = np.asarray(self._tree.query(z, k=k)[1]).reshape(n, k)
        everything = np.asarray(self._tree.data)
        unused = np.ones(len(self.points), dtype=bool)
        order = np.empty(n, dtype=np.intp)
        for i in range(n):
            free = near[i][unused[near[i]]]
            if len(free):
                row = free[0]
            else:
                left = np.flatnonzero(unused)
                row = left[np.argmin(np.sum((everything[left] - z[i]) ** 2, axis=1))]
            order[i], unused[row] = row, False
        return order

    @property
    def listed(self) -> Array:
        return self.points

    def view(self) -> View:
        """The list along any two of the columns that vary."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        axes = tuple(Axis(self.names[i], "", float(low[i]), float(high[i])) for i in self.varying)
        return View("line", axes[:1]) if self.dim == 1 else View("list", axes)

    def coordinates(self, x: Array) -> Array:
        return x[:, self.varying[:1]] if self.dim == 1 else x[:, self.varying]

    def points_at(self, coordinates: Array) -> Array:
        """The entries of the list that are nearest."""
        x = np.tile(self._low, (len(coordinates), 1))
        simplex = self._simplex
        x[:, self.varying] = coordinates if simplex is None else simplex.points_at(coordinates)
        return self.snap(x)

    def describe(self) -> list[dict[str, Any]]:
        return [
            {**row, "low": float(column.min()), "high": float(column.max()), "kind": "listed"}
            for row, column in zip(super().describe(), self.points.T, strict=True)
        ]

    def remarks(self) -> list[str]:
        mixtures = "" if self.total is None else f" They are mixtures, which add up to {self.total:g}."
        return [f"{len(self)} experiments are on the list.{mixtures}"]

    @classmethod
    def fields(cls) -> Fields:
        """In a file ``csv = "list.csv"`` may stand instead; it is read before this is looked at."""
        return {
            "names": (list[str], ...),
            "rows": (list[list[float]], ...),
            "total": (float | None, None),
        }

    def to_dict(self) -> dict[str, Any]:
        data = {"type": self.kind, "names": list(self.names), "rows": self.points.tolist()}
        return data if self.total is None else {**data, "total": self.total}

    @classmethod
    def from_dict(cls, data: Data) -> Self:
        names, rows = data["names"], data["rows"]
        for i, row in enumerate(rows):
            if len(row) != len(names):
                raise InvalidInput(f"row {i + 1} has {len(row)} values, but there are {len(names)} names")
        return cls(rows, names, data.get("total"))


def _simplex_around(points: Array, names: Sequence[str], varying: NDArray[np.intp], total: float) -> Simplex:
    """The smallest simplex that has all mixtures ``(m, columns)`` in it, of the components that vary."""
    for row, column in np.argwhere(points < 0)[:1]:
        raise InvalidInput(
            f"candidates, column {names[column]!r}: {points[row, column]:g} is negative, which no amount "
            "of a mixture is; correct it, or leave the total away if the list is not one of mixtures"
        )
    sums = points.sum(axis=1)
    for row in np.flatnonzero(np.abs(sums - total) > SUM_TOLERANCE * abs(total))[:1]:
        shown = ", ".join(f"{n} = {v:g}" for n, v in zip(names, points[row], strict=True))
        raise InvalidInput(
            f"candidates: {shown} add up to {sums[row]:g}, not to {total:g}; correct the row, or leave the "
            "total away if the list is not one of mixtures"
        )
    fixed = np.delete(points[0], varying).sum()
    low = points.min(axis=0)
    return Simplex({names[j]: float(low[j]) for j in varying}, total - float(fixed))


def _read(rows: Mapping[str, Any] | Any, names: Sequence[str] | None) -> tuple[Array, tuple[str, ...]]:
    named = columns_of(rows)
    if named is not None:
        if not named:
            raise InvalidInput("a list of candidates needs at least one column")
        named = {name: named[name] for name in _same_names(named, names)}
        named = {name: items_of(column, f"candidates, column {name!r}") for name, column in named.items()}
        lengths = {name: len(column) for name, column in named.items()}
        if len(set(lengths.values())) > 1:
            raise InvalidInput(f"the columns of the candidates differ in length: {lengths}")
        return np.column_stack([_column(name, column) for name, column in named.items()]), tuple(lengths)
    try:
        _require_plain(rows)
        array = in_double(np.asarray(rows))
    except InvalidInput:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"candidates are rows of numbers, all of one length: {error}") from None
    if array.ndim != 2 or array.shape[1] == 0:
        raise InvalidInput(f"candidates have shape {array.shape}, expected (rows, columns)")
    labels = tuple(f"x{i + 1}" for i in range(array.shape[1])) if names is None else tuple(map(str, names))
    if len(labels) != array.shape[1] or len(set(labels)) != len(labels):
        raise InvalidInput(f"{array.shape[1]} different column names are needed, got {list(labels)}")
    return array, labels


def _same_names(columns: Mapping[str, Any], names: Sequence[str] | None) -> Sequence[str]:
    """The names of columns, in the order that is given; refused if it names others."""
    if names is None:
        return tuple(columns)
    given = [str(name) for name in names]
    if sorted(given) != sorted(columns):
        raise InvalidInput(
            f"the candidates have the columns {listed(columns)}, and the names {listed(given)} are given; "
            "leave the names out, or rename or drop columns"
        )
    return given


def _require_plain(rows: Any) -> None:
    """Refuse what NumPy would make numbers of: texts, complex numbers, and masked ones that nobody sees."""
    for place in np.argwhere(np.ma.getmaskarray(rows))[:1] if np.ma.isMaskedArray(rows) else ():
        raise InvalidInput(
            f"candidates, row {place[0]}: a value is masked; leave the row out, or unmask it if it is right"
        )
    if np.asarray(rows).dtype.kind in "cSUmMO":
        for place, value in np.ndenumerate(np.asarray(rows, dtype=object)):
            if isinstance(value, NO_NUMBERS):
                shown = str(value) if isinstance(value, str) else value
                raise InvalidInput(f"candidates, row {place[0]}: {shown!r} is not a number")


def _column(name: str, column: Any) -> Array:
    for row, value in enumerate(column):
        if isinstance(value, NO_NUMBERS):
            shown = str(value) if isinstance(value, str) else value
            raise InvalidInput(f"candidates, row {row}, column {name!r}: {shown!r} is not a number")
    try:
        return in_double(np.asarray(column))
    except OverflowError as error:
        raise InvalidInput(f"candidates, column {name!r}: {error}") from None


def _require_numbers(array: Array, names: tuple[str, ...]) -> None:
    for row, column in np.argwhere(~np.isfinite(array))[:1]:
        raise InvalidInput(
            f"candidates, row {row}, column {names[column]!r}: {array[row, column]} is not a finite number"
        )
