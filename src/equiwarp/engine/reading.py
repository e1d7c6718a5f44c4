"""The gate for user input: arrays, lists, dicts of columns and dataframes in, checked float arrays out.

An :class:`~equiwarp.exceptions.InvalidInput` names the value, its place and the remedy. Behind this gate
nothing is checked again.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from equiwarp._util.frames import columns_of
from equiwarp.domains import Array, Domain
from equiwarp.exceptions import InvalidInput, WrappedAngle


def read_points(domain: Domain, x: Any, what: str = "points", inside: bool = True) -> Array:
    """User input to an ``(n, columns)`` array of points; ``inside`` also requires the domain's bounds."""
    points = _columns(domain, x, what)
    _require_finite(points, what, domain.names)
    points = _within_period(domain, points, what)
    if inside:
        for row in np.flatnonzero(~domain.contains(points))[:1]:
            raise InvalidInput(
                f"{what}, row {row}: {domain.problem(points[row])}; correct the value or widen the domain"
            )
    return points


def _within_period(domain: Domain, points: Array, what: str) -> Array:
    """Points with every angle in its period; that one was outside is said."""
    wrapped = domain.wrapped(points)
    for row, column in np.argwhere(wrapped != points)[:1]:
        name = domain.names[column]
        warnings.warn(
            f"{what}, row {row}: {name} = {points[row, column]:g} is outside its period and was read as "
            f"{wrapped[row, column]:g}",
            WrappedAngle,
            stacklevel=4,
        )
    return wrapped


def read_values(y: Any, n: int, missing: bool = False) -> Array:
    """User input to an ``(n, k)`` array of finite values.

    ``missing`` allows NaN for what was not measured, where another response of the same row was.
    """
    columns = _named_columns(y)
    if columns is not None:
        y = np.column_stack([_floats(v, f"y, column {k!r}") for k, v in columns.items()])
    values = _floats(y, "y")
    if values.ndim == 0:
        values = values[None]
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or len(values) != n:
        raise InvalidInput(
            f"y has shape {values.shape}, but x has {n} rows: give one value (or one row) per point"
        )
    if values.shape[1] == 0:
        raise InvalidInput("y has no column: give at least one response")
    known = ~np.isnan(values).all(axis=1, keepdims=True) if missing else np.False_
    checked = np.where(np.isnan(values) & known, 0.0, values)
    _require_finite(checked, "y", tuple(f"response {j}" for j in range(values.shape[1])))
    return values


def read_noise(noise: Any, y: Array) -> Array | None:
    """A scalar, one deviation per response, per point, or per value, as an ``(n, k)`` array."""
    if noise is None:
        return None
    if isinstance(noise, str | bytes):
        remedy = "give a standard deviation in the units of y, or None to estimate it"
        raise InvalidInput(f"noise: {noise!r} is not a number; {remedy}")
    given = _floats(noise, "noise")
    n, k = y.shape
    if given.ndim == 1 and given.shape == (n,) and n != k:
        given = given[:, None]
    try:
        full = np.broadcast_to(given, (n, k))
    except ValueError:
        raise InvalidInput(
            f"noise has shape {given.shape}; give one number, {k} (one per response), "
            f"{n} (one per point) or an array of shape {(n, k)}"
        ) from None
    if not np.isfinite(given).all() or (given < 0).any():
        raise InvalidInput(
            f"noise must be a standard deviation of at least 0, got {given.min():g}; None estimates it"
        )
    return np.array(full)


def _named_columns(data: Any) -> dict[str, Any] | None:
    """Columns by name of whatever has names; None for plain arrays and lists, the rule."""
    return None if isinstance(data, np.ndarray | list | tuple) else columns_of(data, series=True)


def _columns(domain: Domain, x: Any, what: str) -> Array:
    columns = _named_columns(x)
    if columns is not None:
        missing = [name for name in domain.names if name not in columns]
        if missing:
            raise InvalidInput(f"{what} has no column {missing[0]!r}; its columns are {list(columns)}")
        arrays = [_column(domain, name, columns[name], what) for name in domain.names]
        if len({len(np.atleast_1d(a)) for a in arrays}) > 1:
            raise InvalidInput(
                f"{what}: the columns differ in length, {[len(np.atleast_1d(a)) for a in arrays]}"
            )
        return np.column_stack([np.atleast_1d(a) for a in arrays])
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
    """A column that people named; categories are there by their names."""
    where = f"{what}, column {name!r}"
    if name not in domain.categories:
        return _floats(values, where)
    texts = np.atleast_1d(np.asarray(values, dtype=object))
    return np.array([domain.read_value(name, v, f"{where}, row {i}") for i, v in enumerate(texts.tolist())])


def _numbered(domain: Domain, x: Any, what: str) -> Any:
    """Rows with the names of categories replaced by their numbers; numbers stay what they are."""
    if not domain.categories or (isinstance(x, np.ndarray) and x.dtype.kind in "fiu"):
        return x
    rows = [list(row) if isinstance(row, Iterable) and not isinstance(row, str) else [row] for row in x]
    for i, row in enumerate(rows):
        for j, (name, value) in enumerate(zip(domain.names, row, strict=False)):
            if name in domain.categories and isinstance(value, str):
                row[j] = domain.read_value(name, value, f"{what}, row {i}, {name}")
    return rows


def _floats(values: Any, what: str) -> Array:
    try:
        _require_unmasked(values, what)
        array = np.asarray(values)
        if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
            array = np.asarray(values, dtype=object)  # one text turns a whole list into texts
        elif isinstance(values, list | tuple) and array.dtype.kind in "iuf":
            _require_no_truth(values, what)  # NumPy would count True as 1
        if array.dtype.kind in "bcOUSmM":
            _name_what_is_no_number(array, what)
        return np.array(array, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{what}: {error}" if what not in str(error) else str(error)) from None


def _require_unmasked(values: Any, what: str, place: tuple[int, ...] = ()) -> None:
    """Refuse NumPy's masked values, of which the hidden number or a 0 would be taken."""
    if isinstance(values, list | tuple):
        for i, value in enumerate(values):
            if isinstance(value, list | tuple | np.ma.MaskedArray):
                _require_unmasked(value, what, (*place, i))
    elif isinstance(values, np.ma.MaskedArray):
        for masked in np.argwhere(np.ma.getmaskarray(values))[:1]:
            raise InvalidInput(
                f"{what}{_place((*place, *masked))}: the value is masked; leave the row out, or unmask it "
                "if it is right"
            )


def _require_no_truth(values: Any, what: str, place: tuple[int, ...] = ()) -> None:
    for i, value in enumerate(values):
        if isinstance(value, bool | np.bool_):
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


def _place(place: Any) -> str:
    """``, row 3, column 0``, counted from 0 as Python does."""
    return "".join(f", {name} {i}" for name, i in zip(("row", "column"), place, strict=False))


def _require_finite(array: Array, what: str, names: tuple[str, ...]) -> None:
    for row, column in np.argwhere(~np.isfinite(array))[:1]:
        raise InvalidInput(
            f"{what}, row {row}, {names[column]}: {array[row, column]} is not a finite number; "
            "leave the row out or mark the experiment as failed"
        )
