"""The gate for user input: arrays, lists, dicts of columns and dataframes in, checked float arrays out.

An :class:`~equiwarp.exceptions.InvalidInput` names the value, its place and the remedy. Behind this gate
nothing is checked again.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiwarp._util.arguments import LARGEST, SHORT, in_double
from equiwarp._util.frames import columns_of
from equiwarp._util.text import several, short
from equiwarp.domains import Array, Domain
from equiwarp.exceptions import InvalidInput, WrappedAngle


def read_points(domain: Domain, x: Any, what: str = "points", inside: bool = True) -> Array:
    """User input to an ``(n, columns)`` array of points; ``inside`` also requires the domain's bounds.

    A mapping of single settings is one point, of which a message counts no rows.
    """
    rows = not (isinstance(x, Mapping) and all(_is_one(value) for value in x.values()))
    points = _columns(domain, x, what)
    if rows:
        _require_finite(points, what, domain.names)
    else:
        _require_finite_settings(points[0], what, domain.names)
    points = _within_period(domain, points, what, rows)
    if inside:
        for row in np.flatnonzero(~domain.contains(points))[:1]:
            where = f"{what}, row {row}" if rows else what
            raise InvalidInput(
                f"{where}: {domain.problem(points[row])}; correct the value or widen the domain"
            )
    return points


def placed(domain: Domain, x: Array) -> NDArray[np.bool_]:
    """Which points ``(n, columns)``, anywhere, have a place on the domain's scale that a map can hold."""
    with np.errstate(all="ignore"):  # what has no place is said in words
        sizes = np.abs(np.column_stack([x, domain.embed(x)]))
        return np.asarray(domain.contains(x) | np.all(sizes <= LARGEST, axis=1))  # NaN is not


def _within_period(domain: Domain, points: Array, what: str, rows: bool) -> Array:
    """Points with every angle in its period; that one was outside is said."""
    wrapped = domain.wrapped(points)
    turned = np.argwhere(wrapped != points)
    for row, column in turned[:1]:
        name = domain.names[column]
        where = f"{what}, row {row}" if rows else what
        more = f"; {several(len(turned) - 1, 'other angle')} likewise" if len(turned) > 1 else ""
        warnings.warn(
            f"{where}: {name} = {points[row, column]:g} is outside its period and was read as "
            f"{wrapped[row, column]:g}{more}",
            WrappedAngle,
            stacklevel=4,
        )
    return wrapped


def read_values(
    y: Any,
    n: int,
    missing: bool = False,
    what: str = "y",
    names: tuple[str, ...] = (),
    largest: float = LARGEST,
) -> Array:
    """User input to an ``(n, k)`` array of finite values.

    ``missing`` allows NaN for what was not measured, where another response of the same row was. Beyond
    ``largest``, values cannot be computed with.
    """
    columns = named_columns(y)
    if columns is not None:
        y = _stacked([_floats(v, f"{what}, column {k!r}") for k, v in columns.items()], what)
    values = _floats(y, what)
    if values.ndim == 0:
        values = values[None]
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or len(values) != n:
        raise InvalidInput(
            f"{what} has shape {values.shape}, but x has {n} rows: give one value (or one row) per point"
        )
    if values.shape[1] == 0:
        raise InvalidInput(f"{what} has no column: give at least one response")
    known = ~np.isnan(values).all(axis=1, keepdims=True) if missing else np.False_
    checked = np.where(np.isnan(values) & known, 0.0, values)
    called = names if len(names) == values.shape[1] else [f"response {j}" for j in range(values.shape[1])]
    _require_finite(checked, what, called)
    _require_usable(checked, what, called, largest)
    return values


def read_noise(noise: Any, y: Array, largest: float = LARGEST) -> Array | None:
    """A scalar, one deviation per response, per point, or per value, as an ``(n, k)`` array."""
    if noise is None:
        return None
    if isinstance(noise, str | bytes):
        remedy = "give a standard deviation in the units of y, or None to estimate it"
        raise InvalidInput(f"noise: {noise!r} is not a number; {remedy}")
    given = _floats(noise, "noise")
    n, k = y.shape
    if given.shape == (n,) and n == k > 1 and not (given == given[0]).all():
        raise InvalidInput(
            f"noise: {n} numbers for {n} points of {k} responses may be one per point or one per response; "
            f"give an array of shape {(n, k)}"
        )
    if given.ndim == 1 and given.shape == (n,) and n != k:
        given = given[:, None]
    try:
        full = np.broadcast_to(given, (n, k))
    except ValueError:
        raise InvalidInput(
            f"noise has shape {given.shape}; give one number, {k} (one per response), "
            f"{n} (one per point) or an array of shape {(n, k)}"
        ) from None
    for wrong in full[~(np.isfinite(full) & (full >= 0)) & ~np.isnan(y)][:1]:
        raise InvalidInput(
            f"noise must be a standard deviation of at least 0, got {wrong:g}; None estimates it"
        )
    known = np.where(np.isnan(y) & np.isnan(full), 0.0, full)
    _require_usable(known, "noise", [f"response {j}" for j in range(k)], largest)
    return known


def named_columns(data: Any) -> dict[str, Any] | None:
    """Columns by name of whatever has names; None for plain arrays and lists, the rule."""
    plain = isinstance(data, np.ndarray) and not data.dtype.names
    plain |= isinstance(data, list | tuple) and not (data and isinstance(data[0], Mapping))
    return None if plain else columns_of(data, series=True)


def _columns(domain: Domain, x: Any, what: str) -> Array:
    columns = named_columns(x)
    if columns is not None:
        missing = [name for name in domain.names if name not in columns]
        if missing:
            raise InvalidInput(f"{what} has no column {missing[0]!r}; its columns are {list(columns)}")
        return _stacked([_column(domain, name, columns[name], what) for name in domain.names], what)
    points = _floats(_numbered(domain, x, what), what)
    if points.size == 0:
        return np.empty((0, domain.columns))
    if points.ndim == 1 and domain.columns == 1:
        points = points[:, None]
    if points.ndim != 2 or points.shape[1] != domain.columns:
        raise InvalidInput(
            f"{what} has shape {points.shape}, expected (n, {domain.columns}): "
            f"one row per point, columns {list(domain.names)}"
        )
    return points


def _column(domain: Domain, name: str, values: Any, what: str) -> Array:
    """A column that people named, or one setting; categories are there by their names."""
    where = f"{what}, column {name!r}" if not _is_one(values) else f"{what}, {name}"
    if name not in domain.categories:
        return _floats(values, where)
    require_unmasked(values, where)
    if _is_one(values):
        return np.array(domain.read_value(name, values, where))
    texts = np.asarray(values, dtype=object).tolist()
    return np.array([domain.read_value(name, v, f"{where}, row {i}") for i, v in enumerate(texts)])


def _is_one(value: Any) -> bool:
    """Whether it is a single setting and no column of them."""
    return isinstance(value, str) or not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0


def _stacked(columns: list[Array], what: str) -> Array:
    """Columns beside each other, ``(n, columns)``."""
    columns = [np.atleast_1d(column) for column in columns]
    if len({len(column) for column in columns}) > 1:
        raise InvalidInput(f"{what}: the columns differ in length, {[len(column) for column in columns]}")
    return np.column_stack(columns) if columns else np.empty((0, 0))


def _numbered(domain: Domain, x: Any, what: str) -> Any:
    """Rows with the names of categories replaced by their numbers; numbers stay what they are."""
    if not domain.categories or (isinstance(x, np.ndarray) and x.dtype.kind in "fiu"):
        return x
    require_unmasked(x, what)
    rows = [list(row) if isinstance(row, Iterable) and not isinstance(row, str) else [row] for row in x]
    for i, row in enumerate(rows):
        for j, (name, value) in enumerate(zip(domain.names, row, strict=False)):
            if name in domain.categories and isinstance(value, str):
                row[j] = domain.read_value(name, value, f"{what}, row {i}, {name}")
    return rows


def _floats(values: Any, what: str) -> Array:
    try:
        require_unmasked(values, what)
        array = np.asarray(values)
        if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
            array = np.asarray(values, dtype=object)  # one text turns a whole list into texts
        elif isinstance(values, list | tuple) and array.dtype.kind in "iuf":
            _require_no_truth(values, what)  # NumPy would count True as 1
        if array.dtype.kind in "bcOUSmM":
            _name_what_is_no_number(array, what)
        return in_double(array) if array.dtype in SHORT else np.array(array, dtype=float)
    except (TypeError, ValueError) as error:
        if "inhomogeneous" in str(error):  # NumPy's word for rows of different lengths
            raise InvalidInput(f"{what}: the rows differ in length; give each as many values") from None
        raise InvalidInput(str(error) if str(error).startswith(what) else f"{what}: {error}") from None


def require_unmasked(values: Any, what: str, place: tuple[int, ...] = ()) -> None:
    """Refuse NumPy's masked values, of which the hidden number or a 0 would be taken."""
    if isinstance(values, list | tuple):
        for i, value in enumerate(values):
            if isinstance(value, list | tuple | np.ma.MaskedArray):
                require_unmasked(value, what, (*place, i))
    elif isinstance(values, np.ma.MaskedArray):
        for masked in np.argwhere(np.ma.getmaskarray(values))[:1]:
            raise InvalidInput(
                f"{what}{_place((*place, *masked))}: the value is masked; leave the row out, or unmask it "
                "if it is right"
            )


def _require_no_truth(values: Any, what: str, place: tuple[int, ...] = ()) -> None:
    for i, value in enumerate(values):
        if isinstance(value, bool | np.bool_) or (isinstance(value, np.ndarray) and value.dtype.kind == "b"):
            raise InvalidInput(f"{what}{_place((*place, i))}: {value!r} is not a number")
        if isinstance(value, list | tuple):
            _require_no_truth(value, what, (*place, i))


def _name_what_is_no_number(array: Any, what: str) -> None:
    """Point at the first entry that is not a real number; text is never guessed to be one."""
    for place, value in np.ndenumerate(array):
        kind = getattr(value, "dtype", np.dtype(object)).kind
        if isinstance(value, str | bytes | bool | complex) or kind in "bcmM" or not np.isscalar(value):
            shown = str(value) if isinstance(value, str) else value
            raise InvalidInput(f"{what}{_place(place)}: {shown!r} is not a number")
        if isinstance(value, int) and abs(value) > LARGEST:  # which no float may be able to hold
            raise InvalidInput(
                f"{what}{_place(place)}: {short(value)} is beyond ±{LARGEST:g}; use a larger unit"
            )


def _place(place: Any) -> str:
    """``, row 3, column 0``, counted from 0 as Python does."""
    return "".join(f", {name} {i}" for name, i in zip(("row", "column"), place, strict=False))


def _require_finite(array: Array, what: str, names: Sequence[str]) -> None:
    for row, column in np.argwhere(~np.isfinite(array))[:1]:
        raise InvalidInput(
            f"{what}, row {row}, {names[column]}: {array[row, column]} is not a finite number; "
            "leave the row out or mark the experiment as failed"
        )


def _require_finite_settings(point: Array, what: str, names: Sequence[str]) -> None:
    for column in np.flatnonzero(~np.isfinite(point))[:1]:
        raise InvalidInput(f"{what}, {names[column]}: {point[column]} is not a finite number; give a setting")


def _require_usable(array: Array, what: str, names: Sequence[str], largest: float) -> None:
    """Refuse numbers that are too large to be computed with."""
    for row, column in np.argwhere(np.abs(array) > largest)[:1]:
        raise InvalidInput(
            f"{what}, row {row}, {names[column]}: {array[row, column]:g} is beyond ±{largest:g}; "
            "use a larger unit"
        )
